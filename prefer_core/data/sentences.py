"""The sentence table: every candidate once, with all the reviewers that stand behind it."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.config import TextSettings
from prefer_core.data.cleaning import one_line, same_words
from prefer_core.data.compact import Lines, Strings
from prefer_core.data.flags import flag_sentence
from prefer_core.data.parallel import map_chunks
from prefer_core.data.progress import Tick, silent
from prefer_core.data.spam import is_no_review
from prefer_core.data.splitting import shorten, split_sentences
from prefer_core.errors import DataError

Unit = Literal["sentence", "review"]

_Unit = tuple[str, str, int]
"""Id (repeats in a product share it), text, flags."""

_LEFT_OUT = ("sentences that are no review", "sentences too short", "sentences too long", "sentences over the cap")
_CARRIED = ("reviewer", "rating", "helpful", "verified", "time")


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
    ordered = reviews.sort_values("product", kind="stable")
    product = pd.factorize(ordered["product"])[0].tolist()
    counts = dict.fromkeys(_LEFT_OUT, 0)
    fold = _Fold()
    for chunk, left_out in map_chunks(
        partial(_read, settings, unit), Lines(ordered[["product", "text", "rating"]]), tick
    ):
        fold.add(chunk, product[fold.n_reviews : fold.n_reviews + len(chunk)])
        counts = {reason: count + left_out[reason] for reason, count in counts.items()}
    if not fold.first:
        raise DataError(
            f"No {unit} of at least {settings.min_words} words is left of {len(reviews)} reviews; give another source."
        )
    counts["repeats folded"] = len(fold.sentence) - len(fold.first)
    return SentenceTable(_rows(ordered, fold), _support(ordered, fold), counts)


class _Fold:
    """Candidates and occurrences, review by review; the reviews of a product come one after the other.

    Attributes
    ----------
    ids, texts, flags : of n candidates.
    first : array of n int
        Review that each was first found in.
    sentence : array of int
        Candidate of every occurrence.
    per_review : array of int
        Occurrences in every review.
    """

    def __init__(self) -> None:
        self.ids, self.texts = Strings(), Strings()
        self.flags, self.first, self.sentence, self.per_review = (array("q") for _ in range(4))
        self._product, self._numbers = -1, dict[str, int]()

    @property
    def n_reviews(self) -> int:
        return len(self.per_review)

    def add(self, reviews: Sequence[Sequence[_Unit]], products: Sequence[int]) -> None:
        """Add the units of some reviews, each of the product with the code beside it."""
        ids, texts = [], []
        for units, product in zip(reviews, products, strict=True):
            if product != self._product:
                self._product, self._numbers = product, {}
            for name, text, flags in units:
                number = self._numbers.setdefault(name, len(self.first))
                if number == len(self.first):
                    ids.append(name)
                    texts.append(text)
                    self.flags.append(flags)
                    self.first.append(self.n_reviews)
                self.sentence.append(number)
            self.per_review.append(len(units))
        self.ids.add(ids)
        self.texts.add(texts)


def sentence_id(product: str, text: str) -> str:
    """Return the id of a sentence: a hash of product and words, so that a rebuild keeps it."""
    return sha256(f"{product}\0{same_words(text)}".encode()).hexdigest()[:16]


def _read(
    settings: TextSettings, unit: Unit, reviews: Sequence[tuple[Any, ...]]
) -> tuple[list[list[_Unit]], dict[str, int]]:
    """Return the units of each review (product, text, rating), and how many were left out for which reason."""
    left_out = dict.fromkeys(_LEFT_OUT, 0)
    found = [
        [
            (sentence_id(product, part), part, int(flag_sentence(part, rating)))
            for part in _units(text, settings, unit, left_out)
        ]
        for product, text, rating in reviews
    ]
    return found, left_out


def _rows(ordered: pd.DataFrame, fold: _Fold) -> pd.DataFrame:
    """Put the candidates into a table beside what is known of the review that each was first found in."""
    reviews = ordered[["product", "title", *_CARRIED]].iloc[np.array(fold.first)]
    return pd.DataFrame(
        {
            "id": fold.ids.series(),
            "product": reviews["product"].array,
            "review": reviews.index.to_numpy(),
            "review_title": reviews["title"].array,
            "text": fold.texts.series(),
            **{name: reviews[name].array for name in _CARRIED},
            "flags": np.array(fold.flags),
        }
    )


def _support(ordered: pd.DataFrame, fold: _Fold) -> pd.DataFrame:
    """Put every occurrence beside its review, sorted by candidate, then in the order of the reviews."""
    carried = ["reviewer", "rating", "verified", "time"]
    reviews = ordered[carried].iloc[np.repeat(np.arange(len(ordered)), np.array(fold.per_review))]
    behind = pd.DataFrame({"sentence": np.array(fold.sentence)} | {name: reviews[name].array for name in carried})
    return behind.sort_values("sentence", kind="stable", ignore_index=True)


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
            if is_no_review(part):
                counts["sentences that are no review"] += 1
            elif count_words(part) < settings.min_words:
                counts["sentences too short"] += 1
            elif taken == settings.max_sentences:
                counts["sentences over the cap"] += 1
            else:
                taken += 1
                yield part


def count_words(text: str) -> int:
    """Count the words of a text: runs without white space that hold a letter or digit."""
    return sum(word[0].isalnum() or any(map(str.isalnum, word)) for word in text.split())
