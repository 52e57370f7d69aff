"""How much of each aspect stands in parts of the corpus: by stars, verified purchase, length, activity, category."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.data.reviews import ReviewTable
from prefer_core.data.sentences import SentenceTable
from prefer_core.types import FloatArray

THIN_SHARE = 0.5
"""An aspect is thin in a part where it has less than this of its usual share ..."""
THIN_SENTENCES = 30.0
"""... or fewer sentences than this."""

_LENGTHS = ((0, 20, "up to 20 words"), (20, 60, "21 to 60 words"), (60, np.inf, "over 60 words"))
_ACTIVITY = ((0, 1, "1 review"), (1, 4, "2 to 4 reviews"), (4, np.inf, "5 or more reviews"))
_MOST_CATEGORIES = 12


@dataclass(frozen=True)
class Division:
    """One way to divide the sentences.

    Attributes
    ----------
    name : str
        What divides them.
    parts : tuple of str
        Names of the parts.
    code : ndarray of shape (N,)
        Part of each occurrence; -1 where it is not known.
    """

    name: str
    parts: tuple[str, ...]
    code: NDArray[np.int64]


def divisions(reviews: ReviewTable, sentences: SentenceTable, categories: Mapping[str, str]) -> list[Division]:
    """Divide the N occurrences of the sentences; a division of which fewer than two parts occur is left out.

    A repeated sentence counts with the stars and the reviewer of each occurrence, and with the length of the first.

    Parameters
    ----------
    categories : mapping of str to str
        Category of a product; may be empty.
    """
    support, rows = sentences.support, sentences.rows
    at = support["sentence"].to_numpy()
    words = reviews.rows["text"].str.count(r"\S+").to_numpy()
    active = reviews.rows["reviewer"].value_counts()
    stars = support["rating"].to_numpy(dtype=np.float64)
    named = rows["product"].map(categories)
    common = named.value_counts().index[:_MOST_CATEGORIES]
    found = [
        Division("stars", ("1", "2", "3", "4", "5"), np.where(np.isnan(stars), 0, np.rint(stars)).astype(np.int64) - 1),
        Division(
            "verified purchase", ("verified", "not verified"), _verified(support["verified"].to_numpy(dtype=np.int64))
        ),
        _ranges("length of the review", _LENGTHS, words[rows["review"].to_numpy()][at]),
        _ranges("activity of the reviewer", _ACTIVITY, active.loc[support["reviewer"]].to_numpy()),
        Division(
            "category of the product", tuple(map(str, common)), np.asarray(pd.Index(common).get_indexer(named)[at])
        ),
    ]
    return [d for d in found if len(np.unique(d.code[d.code >= 0])) > 1]


def slices(phi: FloatArray, sentence: NDArray[np.int64], division: Division) -> dict[str, Any]:
    """Sum the memberships of every part.

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Memberships of the n sentences.
    sentence : ndarray of shape (N,)
        Row of `phi` of each occurrence, rising.

    Returns
    -------
    dict
        name; parts: names; sentences: occurrences in each part; mass (parts, K): sums of phi, in sentences.
    """
    n_parts = len(division.parts)
    mass = np.zeros((n_parts, phi.shape[1]))
    for part in range(n_parts):
        times = np.bincount(sentence[division.code == part], minlength=len(phi))
        mass[part] = times @ phi
    known = division.code[division.code >= 0]
    return {
        "name": division.name,
        "parts": list(division.parts),
        "sentences": np.bincount(known, minlength=n_parts).tolist(),
        "mass": mass.tolist(),
    }


def thin(mass: FloatArray) -> NDArray[np.bool_]:
    """Say where an aspect is thin: under half its usual share of the division, or under 30 sentences.

    Parameters
    ----------
    mass : ndarray of shape (parts, K)
        Sums of memberships, in sentences.

    Returns
    -------
    ndarray of shape (parts, K)

    Examples
    --------
    >>> thin(np.array([[60.0, 40.0], [480.0, 35.0], [20.0, 20.0]])).tolist()
    [[False, False], [False, True], [True, True]]
    """
    mass = np.asarray(mass, dtype=np.float64)
    usual = mass.sum(axis=0) / max(mass.sum(), 1e-300)
    share = mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray((share < THIN_SHARE * usual) | (mass < THIN_SENTENCES))


def _ranges(name: str, ranges: tuple[tuple[float, float, str], ...], values: NDArray[Any]) -> Division:
    ends = np.array([high for _, high, _ in ranges])
    return Division(name, tuple(label for _, _, label in ranges), np.searchsorted(ends, values, side="left"))


def _verified(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """1 becomes part 0, 0 part 1, and unknown stays -1."""
    return np.where(values < 0, -1, 1 - values)
