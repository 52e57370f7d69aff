"""Many, some, a few: the word that a number of reviewers has earned, and the paper's support levels."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from prefer_core.config import SupportSettings

Level = Literal["high", "mid", "low"]
Word = Literal["Many reviewers", "Some reviewers", "A few reviewers", "One reviewer"]

LEVELS: tuple[Level, ...] = ("high", "mid", "low")
"""In the order in which a summary speaks of them."""

WORDS: tuple[Word, ...] = ("Many reviewers", "Some reviewers", "A few reviewers", "One reviewer")


def quantifier(n: int, about: int, limits: SupportSettings) -> Word:
    """Return the word for n of the `about` reviewers who write about an aspect.

    Examples
    --------
    >>> [quantifier(n, 212, SupportSettings()) for n in (61, 20, 4, 1)]
    ['Many reviewers', 'Some reviewers', 'A few reviewers', 'One reviewer']
    """
    if n <= 1:
        return "One reviewer"
    if n >= limits.many_share * about and n >= limits.many_least:
        return "Many reviewers"
    if n >= limits.some_share * about and n >= limits.some_least:
        return "Some reviewers"
    return "A few reviewers"


def level_of(word: Word) -> Level:
    """Return the support level of a word: many is high, some is mid, the others are low."""
    return {"Many reviewers": "high", "Some reviewers": "mid"}.get(word, "low")  # type: ignore[return-value]


def levels(aspects: Sequence[int], reviewers: Sequence[int], relevance: Sequence[float]) -> tuple[Level, ...]:
    """Return the paper's support level of each evidence sentence (Section contextual-abstractive-rewriting, stage i).

    n_k counts the distinct reviewers of S_t whose sentence has dominant aspect k; the quantiles are taken over the
    aspects that occur. Strictly above the 0.67 quantile is high, strictly below the 0.33 quantile is low. Where a
    single aspect occurs, the levels are terciles of Rel_i.

    Parameters
    ----------
    aspects : sequence of k int
        Dominant aspect of each sentence, in order of extraction.
    reviewers : sequence of k int
        Code of the reviewer of each.
    relevance : sequence of k float
        Rel_i.

    Examples
    --------
    >>> levels([3, 3, 3, 1, 2, 2], [7, 8, 9, 7, 7, 8], [0.0] * 6)
    ('high', 'high', 'high', 'low', 'mid', 'mid')
    """
    if not len(aspects):
        return ()
    dominant, writers = np.asarray(aspects), np.asarray(reviewers)
    present = np.unique(dominant)
    if len(present) >= 2:
        support = {int(k): len(np.unique(writers[dominant == k])) for k in present}
        value = np.array([support[int(k)] for k in dominant], dtype=np.float64)
        population = np.array(list(support.values()), dtype=np.float64)
    else:
        value = population = np.asarray(relevance, dtype=np.float64)
    low, high = np.quantile(population, [0.33, 0.67])
    return tuple("high" if v > high else "low" if v < low else "mid" for v in value)
