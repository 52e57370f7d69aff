"""Ratings in all their forms, brought to stars from 1 to 5 by one scale that is decided for a whole column."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.compact import column_of
from prefer_core.data.values import as_number
from prefer_core.data.wordlist import words

_BEFORE = re.compile(
    r"^(?:rated|ratings?|score|stars?|overall|bewertung|note|nota|calificación|valutazione)(?:\s*[:=]\s*|\s+)(?=\S)",
    re.IGNORECASE,
)
"""What stands before a rating and says only that it is one."""
_VALUE = r"(?P<value>\d+(?:[.,]\d+)?|one|two|three|four|five)\s*(?P<half>½|1/2|and a half)?"
_STAR = r"(?:stars?|sterne?n?|étoiles?|estrellas?|stelle|[★⭐🌟]+)"
_OUT_OF = re.compile(
    rf"\(?{_VALUE}[\s-]*{_STAR}?\s*(?:out\s+of|/|of|von|sur|de|su|din)\s*(?P<top>\d+|five|ten)\b.*", re.IGNORECASE
)
_STARS = re.compile(rf"{_VALUE}[\s-]*{_STAR}\.?(?:\s+(?:rating|review))?", re.IGNORECASE)
_LABELLED = re.compile(r"\(?(?P<value>\d+(?:[.,]\d+)?)\)?\s*(?:[-–—:=.)(]|stars?\b)+\s*[^\W\d][^\d]*", re.IGNORECASE)
"""A number and what it means: "1 - Awful", "5 (best)"."""
_HALF = re.compile(r"(?P<value>\d)?\s*(?:½|(?:and a half|1/2))", re.IGNORECASE)
_PERCENT = re.compile(r"(?P<value>[\d.,]+)\s*%")
_SIGNS = re.compile(r"(?P<full>[★⭐🌟]+)(?P<half>[½⯪⯨])?[☆✩]*(?:\s*\(?[\d.,]+(?:\s*/\s*5)?\)?)?")
_POINTED = re.compile(r"(?P<full>\*+)")
_NOTHING = frozenset({"", "none", "null", "nan", "<na>", "n/a", "#n/a", "na", "-", "not rated", "no rating"})
_FIGURES = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}

_SCALES = (
    "one, two, three, four, five",
    "terrible | awful | horrible | bad | very bad | hate it | hated it, poor, average | okay | ok | fair | neutral | "
    "mixed | it's ok | it's okay | so-so, very good | great | good | like it, excellent | outstanding | perfect | "
    "love it | loved it | amazing",
    "poor, fair, average | good, very good | above average, excellent",
    "poor | bad, fair | below average, average | okay | ok | neutral, good | above average, excellent | very good",
    "very poor | very bad | awful | terrible, poor | bad, average | fair | ok | okay | neutral, good, "
    "very good | excellent | great",
    "did not like it, it was ok, liked it, really liked it, it was amazing",
    "very dissatisfied | extremely dissatisfied, dissatisfied, neither satisfied nor dissatisfied | neutral, "
    "satisfied, very satisfied | extremely satisfied",
    "very negative, negative, neutral | mixed, positive, very positive",
    "strongly disagree, disagree, neither agree nor disagree | neutral, agree, strongly agree",
    "very unlikely, unlikely, neutral, likely, very likely",
    "mangelhaft | ungenügend, ausreichend, befriedigend, gut, sehr gut | ausgezeichnet | hervorragend",
    "sehr schlecht, schlecht, mittel | mittelmäßig | neutral, gut, sehr gut",
    "sehr unzufrieden, unzufrieden, neutral | teils/teils, zufrieden, sehr zufrieden",
    "horrible | très mauvais, médiocre | mauvais, moyen, bon | bien, excellent | très bon | très bien",
    "pésimo | muy malo, malo, normal | regular, bueno, excelente | muy bueno",
    "pessimo, scarso, nella media | sufficiente, buono, eccellente | ottimo | molto buono",
    "péssimo, ruim | mau, razoável | regular, bom, excelente | ótimo | muito bom",
    "很差, 差 | 较差, 一般, 好 | 推荐, 很好 | 力荐 | 非常好",
)
"""Words for one to five stars, a list a scale; words for the same stars stand beside each other."""
_STARS_OF = [
    {
        word.strip(): star
        for star, words_ in enumerate(scale.split(","), 1)
        for word in words_.split("|")
        if word.strip()
    }
    for scale in _SCALES
]
_THREE = ("negative", "neutral", "mixed", "positive")
_STRONG = frozenset({"very positive", "very negative"})
_UP = words(
    """up thumbsup thumbs_up thumbs-up recommended recommend positive pos yes true like liked upvote 👍 👍🏻 fresh
    favorable promoter ja oui sí sì sim да """
) | {"thumbs up", "thumb up", "would recommend"}
_DOWN = words(
    """down thumbsdown thumbs_down thumbs-down not_recommended negative neg no false dislike disliked downvote 👎 👎🏻
    rotten unfavorable detractor nein non não нет"""
) | {"thumbs down", "thumb down", "not recommended", "do not recommend", "would not recommend"}

_ENOUGH = 0.1
"""Least share of the numbers above 5 (or 10) from which a column is taken to be on a larger scale."""


@dataclass(frozen=True)
class Ratings:
    """A column of ratings, read.

    Attributes
    ----------
    stars : ndarray of shape (n,)
        From 1 to 5, NaN where unknown.
    rule : str
        What was decided for the column, in words; empty where nothing needed to be decided.
    outside : ndarray of int
        Rows whose rating stands there and could not be read, or lies outside the scale.
    """

    stars: NDArray[np.float64]
    rule: str
    outside: NDArray[np.int64]


def read_ratings(values: Iterable[Any]) -> Ratings:
    """Read a column of ratings.

    A rating that names its own scale ("8/10", "80 %", "4 stars") is brought to five by it, at least one star. Bare
    numbers are on one scale for the whole column: 5, unless at least a tenth of them, of two values or more, lie above
    it (or most of them, of one value); then 10 or 100. A column of ones and minus ones, of zeros and ones, or of true
    and false is thumbs: 5 stars up, 1 down. Words are on the scale that has most of them: "good" is three stars beside
    "very good" and "fair", four beside "fair" alone. What lies outside is unknown.

    Examples
    --------
    >>> read_ratings(["8/10", "Rated 4 out of 5", "3½ stars", "80%", "good", "★★☆☆☆", "6"]).stars.tolist()
    [4.0, 4.0, 3.5, 4.0, 4.0, 2.0, nan]
    >>> read_ratings([10, 4, 8, 6.5]).stars.tolist(), read_ratings([1, -1, 1]).stars.tolist()
    ([5.0, 2.0, 4.0, 3.25], [5.0, 1.0, 5.0])
    """
    column = column_of(values)
    read = np.empty((len(column), 3))
    runs = [(run.place, *run.different()) for run in column.runs()]
    scale = _scale_of({_lower(value) for _, different, _ in runs for value in different if isinstance(value, str)})
    for place, different, codes in runs:
        read[place] = np.array([_read(value, scale) for value in different])[codes]
    bare, own, known = read[:, 0], read[:, 1], read[:, 2] == 1
    stars, rule = _by_scale(bare, has_own=bool(np.isfinite(own).any()))
    if scale:
        numbers = f"; {rule}" if rule and np.isfinite(bare).any() else ""
        told = ", ".join(f"{word} {star}" for word, star in sorted(scale.items(), key=lambda pair: (pair[1], pair[0])))
        rule = f"words for stars ({told}){numbers}"
    stars = np.where(np.isfinite(own), own, stars)
    stars = np.where((stars >= 1) & (stars <= 5), stars, math.nan)
    return Ratings(stars, rule, np.flatnonzero(known & np.isnan(stars)))


def _lower(text: str) -> str:
    """Return the form in which words are looked up."""
    bare = _BEFORE.sub("", text.strip().strip("'\""), count=1)
    return re.sub(r"\s*stars?$", "", bare.lower().rstrip(".!"))


def _scale_of(found: set[str]) -> dict[str, int]:
    """Return the words of a column with their stars, by the scale that holds most of them; the first of several."""
    if not found & _STRONG and found & {"neutral", "mixed"} and found & {"positive", "negative"}:
        found = found | {"positive", "negative"}
        return {word: {"positive": 5, "negative": 1}.get(word, 3) for word in found & {*_THREE}}
    if not found & _STRONG:  # the two alone are thumbs
        found = found - {"positive", "negative"}
    best = max(
        _STARS_OF, key=lambda scale: (len(found & scale.keys()), len({scale[word] for word in found & scale.keys()}))
    )
    every = {word: star for scale in reversed(_STARS_OF) for word, star in scale.items()}
    return {word: best.get(word, every[word]) for word in found & every.keys()}


def _read(value: Any, scale: Mapping[str, int]) -> tuple[float, float, bool]:
    """Return a bare number, or stars where the value names its own scale (NaN otherwise), and whether one is there."""
    nothing = math.nan
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return nothing, nothing, False
    if isinstance(value, (bool, np.bool_)):
        return nothing, 5.0 if value else 1.0, True
    if not isinstance(value, str):
        return as_number(value), nothing, True
    text = _BEFORE.sub("", value.replace("\ufe0f", "").strip().strip("'\""), count=1)
    lower = text.lower().rstrip(".!")
    if lower in _NOTHING:
        return nothing, nothing, False
    number = as_number(text)
    if number == number:
        return number, nothing, True
    if lower not in scale and (match := _LABELLED.fullmatch(text)):
        return as_number(match["value"]), nothing, True
    return nothing, _with_scale(text, lower, scale), True


def _with_scale(text: str, lower: str, scale: Mapping[str, int]) -> float:
    """Return the stars of a rating in words or with its own scale, NaN if it is none."""
    word = re.sub(r"\s*stars?$", "", lower)
    if word in scale:
        return float(scale[word])
    if lower in _UP or lower in _DOWN:
        return 5.0 if lower in _UP else 1.0
    if match := _HALF.fullmatch(text):
        return max(1.0, float(match["value"] or 0) + 0.5)
    if match := _OUT_OF.fullmatch(text):
        return _scaled(_figure(match), float(_FIGURES.get(match["top"].lower()) or match["top"]))
    if match := _STARS.fullmatch(text):
        return _scaled(_figure(match), 5)
    if match := _PERCENT.fullmatch(text):
        return _scaled(as_number(match["value"]), 100)
    if match := _SIGNS.fullmatch(text) or _POINTED.fullmatch(text):
        return _scaled(len(match["full"]) + (0.5 if match.groupdict().get("half") else 0.0), 5)
    return math.nan


def _figure(match: re.Match[str]) -> float:
    """Return a value in digits or in a word, with the half behind it."""
    value = match["value"].lower()
    return float(_FIGURES.get(value) or as_number(value)) + (0.5 if match["half"] else 0.0)


def _scaled(value: float, top: float) -> float:
    """Bring a value of 0..top to stars; below one star is one star."""
    if not 0 <= value <= top or top <= 0:
        return math.nan
    return max(1.0, 5 * value / top)


def _by_scale(bare: NDArray[np.float64], *, has_own: bool) -> tuple[NDArray[np.float64], str]:
    """Return the stars of bare numbers by the scale of their column, and what was decided."""
    known = bare[np.isfinite(bare)]
    values = set(np.unique(known).tolist()) if len(known) else set()
    if -1.0 in values and values <= {-1.0, 0.0, 1.0}:
        return 3 + 2 * bare, "thumbs up (1) are 5 stars, thumbs down (-1) are 1 star"
    if values == {0.0, 1.0}:
        return 1 + 4 * bare, "1 is thumbs up (5 stars), 0 thumbs down (1 star)"
    top = 5.0
    for larger in (10.0, 100.0):
        over = known[(known > top) & (known <= larger)]
        if len(over) >= _ENOUGH * len(known) and (len(set(over.tolist())) >= 2 or 2 <= len(known) / 2 < len(over)):
            top = larger
    if top > 5:
        stars = np.where((bare >= 0) & (bare <= top), np.maximum(1.0, 5 * bare / top), math.nan)
        return stars, f"a scale of {top:.0f}, brought to 5 stars"
    if 0.5 in values and any(value % 1 == 0.5 for value in values):
        return np.where(bare == 0.5, 1.0, bare), "stars in halves from 0.5 to 5; half a star counts as one"
    return bare, "each names its own scale (8/10, 4 stars, yes and no), brought to 5 stars" if has_own else ""
