"""The sentence table: every candidate once, with all the reviewers that stand behind it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.config import TextSettings
from prefer_core.data.cleaning import one_line, same_words
from prefer_core.data.flags import flag_sentence
from prefer_core.data.progress import Tick, silent
from prefer_core.data.splitting import shorten, split_sentences
from prefer_core.errors import DataError

Unit = Literal["sentence", "review"]

_CARRIED = ("reviewer", "rating", "helpful", "verified", "time")
_COLUMNS = ("id", "product", "review", "review_title", "text", *_CARRIED, "flags")
_SUPPORT = ("sentence", "reviewer", "rating", "verified", "time")


@dataclass(frozen=True)
class SentenceTable:
    """Sentences of all products.

    Attributes
    ----------
    rows : DataFrame
        n candidates, sorted by product, then in the order of the reviews: id, product, review (row of the review
        table), review_title, text, reviewer, rating, helpful, verified, time, flags.
    support : DataFrame
        Every occurrence of every candidate, sorted by it: sentence (row of `rows`), reviewer, rating, verified, time.
    counts : mapping of str to int
        Sentences left out, by reason, and repeats folded.
    """

    rows: pd.DataFrame
    support: pd.DataFrame
    counts: Mapping[str, int]

    @property
    def weights(self) -> NDArray[np.float64]:
        """How often each candidate was written (n,)."""
        return np.bincount(self.support["sentence"], minlength=len(self.rows)).astype(np.float64)


def sentence_table(reviews: pd.DataFrame, settings: TextSettings, unit: Unit, tick: Tick = silent) -> SentenceTable:
    """Split, filter and cap the reviews, and fold exact repeats within a product into one candidate.

    Parameters
    ----------
    reviews : DataFrame
        Rows of a `ReviewTable`.
    unit : {"sentence", "review"}
        With "review" each whole review is one unit; only `min_words` applies.

    Raises
    ------
    DataError
        If no sentence is left.
    """
    counts = {"sentences too short": 0, "sentences too long": 0, "sentences over the cap": 0, "repeats folded": 0}
    rows: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    support: dict[str, list[Any]] = {name: [] for name in _SUPPORT}
    product, first = None, dict[str, int]()
    ordered = reviews.sort_values("product", kind="stable")
    for done, review in enumerate(ordered.itertuples(), 1):
        if review.product != product:
            product, first = review.product, {}
        for text in _units(review.text, settings, unit, counts):
            words = same_words(text)
            if words not in first:
                first[words] = len(rows["id"])
                _add(rows, _candidate(review, text))
            _add(support, (first[words], *(getattr(review, name) for name in _SUPPORT[1:])))
        if done % 500 == 0 or done == len(ordered):
            tick(done, len(ordered))
    if not rows["id"]:
        raise DataError(
            f"No {unit} of at least {settings.min_words} words is left of {len(reviews)} reviews; give another source."
        )
    counts["repeats folded"] = len(support["sentence"]) - len(rows["id"])
    behind = pd.DataFrame(support).sort_values("sentence", kind="stable", ignore_index=True)
    return SentenceTable(pd.DataFrame(rows), behind, counts)


def _add(columns: dict[str, list[Any]], values: Iterable[Any]) -> None:
    """Add a row: a list a column takes a fraction of a dict a row."""
    for column, value in zip(columns.values(), values, strict=True):
        column.append(value)


def sentence_id(product: str, text: str) -> str:
    """Return the id of a sentence: a hash of product and words, so that a rebuild keeps it."""
    return sha256(f"{product}\0{same_words(text)}".encode()).hexdigest()[:16]


def _candidate(review: Any, text: str) -> Iterator[Any]:
    """Yield the values of `_COLUMNS`."""
    yield sentence_id(review.product, text)
    yield review.product
    yield review.Index
    yield review.title
    yield text
    yield from (getattr(review, name) for name in _CARRIED)
    yield int(flag_sentence(text, review.rating))


def _units(text: str, settings: TextSettings, unit: Unit, counts: dict[str, int]) -> Iterator[str]:
    """Yield the units of one review, counting what is left out."""
    if unit == "review":
        whole = one_line(text)
        if count_words(whole) >= settings.min_words:
            yield whole
        else:
            counts["sentences too short"] += 1
        return
    taken = 0
    for sentence in split_sentences(text):
        parts = shorten(one_line(sentence), settings.max_sentence_words)
        counts["sentences too long"] += not parts
        for part in parts:
            if count_words(part) < settings.min_words:
                counts["sentences too short"] += 1
            elif taken == settings.max_sentences:
                counts["sentences over the cap"] += 1
            else:
                taken += 1
                yield part


def count_words(text: str) -> int:
    """Count the words of a text: runs without white space that hold a letter or digit."""
    return sum(any(map(str.isalnum, word)) for word in text.split())
