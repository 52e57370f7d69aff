"""The sentence table: every candidate once, with all the reviewers that stand behind it."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.config import TextSettings
from prefer_core.data.cleaning import one_line, same_words
from prefer_core.data.compact import Strings
from prefer_core.data.flags import flag_sentence, is_no_review
from prefer_core.data.losses import EXAMPLES, Losses
from prefer_core.data.splitting import count_words, shorten, split_sentences
from prefer_core.errors import DataError
from prefer_core.files.parallel import map_chunks
from prefer_core.files.progress import Tick, silent
from prefer_core.types import Flag

Unit = Literal["sentence", "review"]

_Unit = tuple[str, str, int]
"""Id (repeats in a product share it), text, flags."""

_LEFT_OUT = ("sentences that are no review", "sentences too short", "sentences too long", "sentences over the cap")
_RARE = ("bad_from", "is_copy")
"""Columns that a review table has only where they tell something."""
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
    losses : Losses
        Examples of those left out.
    """

    rows: pd.DataFrame
    support: pd.DataFrame
    counts: Mapping[str, int]
    losses: Losses = field(default_factory=Losses)

    @property
    def weights(self) -> NDArray[np.float64]:
        """How often each candidate was written (n,)."""
        return np.bincount(self.support["sentence"], minlength=len(self.rows)).astype(np.float64)

    def only(self, kept: NDArray[np.bool_], reason: str) -> "SentenceTable":
        """Return the table with the candidates marked in `kept` (n,); the others are counted under `reason`."""
        numbers = np.cumsum(kept) - 1
        behind = self.support["sentence"].to_numpy()
        support = self.support[kept[behind]].assign(sentence=numbers[behind[kept[behind]]])
        lost = Losses()
        lost.add(reason, self.rows["text"][~kept].iloc[:EXAMPLES])
        return SentenceTable(
            self.rows[kept].reset_index(drop=True),
            support.reset_index(drop=True),
            {**self.counts, reason: int((~kept).sum())},
            self.losses.merge(lost),
        )


def sentence_table(reviews: pd.DataFrame, settings: TextSettings, unit: Unit, tick: Tick = silent) -> SentenceTable:
    """Split, filter and cap the reviews, and fold exact repeats within a product into one candidate.

    Parameters
    ----------
    reviews : DataFrame
        Rows of a `ReviewTable`. Of one that is a copy (`floods`) nothing is taken: it says what another one says.
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
    losses = Losses()
    given = ordered.reindex(columns=["product", "text", "rating", *(name for name in _RARE if name in ordered)])
    for chunk, left_out, lost in map_chunks(partial(_read, settings, unit), given, tick):
        fold.add(chunk, product[fold.n_reviews : fold.n_reviews + len(chunk)])
        counts = {reason: count + left_out[reason] for reason, count in counts.items()}
        losses = losses.merge(lost)
    if not fold.first:
        raise DataError(
            f"No {unit} of at least {settings.min_words} words is left of {len(reviews)} reviews; give another source."
        )
    counts["repeats folded"] = len(fold.sentence) - len(fold.first)
    return SentenceTable(_rows(ordered, fold), _support(ordered, fold), counts, losses)


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
    settings: TextSettings, unit: Unit, reviews: pd.DataFrame
) -> tuple[list[list[_Unit]], dict[str, int], Losses]:
    """Return the units of each review, and what was left out for which reason."""
    left_out = _LeftOut()
    found: list[list[_Unit]] = []
    for review in reviews.itertuples(index=False):
        if getattr(review, "is_copy", False):
            found.append([])
            continue
        parts = _polar(review.text, int(getattr(review, "bad_from", -1)))
        taken = (
            (sentence_id(review.product, part), part, _flags(part, review.rating, polarity))
            for part, polarity in _units(parts, settings, unit, left_out)
        )
        found.append(list(taken))
    return found, left_out.counts, left_out.losses


class _LeftOut:
    """How many sentences were left out for which reason, and examples."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(_LEFT_OUT, 0)
        self.losses = Losses()

    def add(self, reason: str, text: str) -> None:
        self.counts[reason] += 1
        if self.counts[reason] <= EXAMPLES:
            self.losses.add(reason, [text])


def _polar(text: str, bad_from: int) -> list[tuple[str, int]]:
    """Return the parts of a review with their polarity: 1 good, -1 bad as its form says, 0 where words must tell."""
    if bad_from < 0:
        return [(text, 0)]
    return [(part, polarity) for part, polarity in ((text[:bad_from], 1), (text[bad_from:], -1)) if part.strip()]


def _flags(text: str, rating: float, polarity: int) -> int:
    flags = flag_sentence(text, rating)
    if polarity:
        flags = flags & ~Flag.NEGATIVE if polarity > 0 else flags | Flag.NEGATIVE
    return int(flags)


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


def _units(
    parts: Sequence[tuple[str, int]], settings: TextSettings, unit: Unit, left_out: _LeftOut
) -> Iterator[tuple[str, int]]:
    """Yield the units of one review with their polarity, counting what is left out."""
    if unit == "review":
        whole = one_line(" ".join(text for text, _ in parts))
        if count_words(whole) >= settings.min_words:
            yield whole, 0
        else:
            left_out.add("sentences too short", whole)
        return
    taken = 0
    for text, polarity in parts:
        for sentence in split_sentences(text):
            pieces = shorten(one_line(sentence), settings.max_sentence_words)
            if not pieces:
                left_out.add("sentences too long", sentence)
            for piece in pieces:
                if is_no_review(piece):
                    left_out.add("sentences that are no review", piece)
                elif count_words(piece) < settings.min_words:
                    left_out.add("sentences too short", piece)
                elif taken == settings.max_sentences:
                    left_out.add("sentences over the cap", piece)
                else:
                    taken += 1
                    yield piece, polarity
