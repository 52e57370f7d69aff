"""What a person needs in order to trust an aspect, found once by the build: stability, slices, sentences, tastes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.aspects.heterogeneity import heterogeneity
from prefer_core.aspects.space import FittedSpace
from prefer_core.aspects.stability import stability
from prefer_core.config import AspectSettings
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


KINDS = ("nearest", "typical", "boundary", "random")
PER_KIND = 5

_LOOKED_AT = 400


def cards(
    phi: FloatArray, s: FloatArray, centroids: FloatArray, rows: pd.DataFrame, seed: int
) -> list[dict[str, list[dict[str, Any]]]]:
    """Choose sentences for the card of every aspect, each kind from different products while there are some.

    Nearest has the smallest distance to the centroid, typical is closest to the median distance of the aspect's own
    sentences, boundary has the smallest lead of its first aspect over the second, random is a seeded draw.

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Memberships.
    s : ndarray of shape (n, m)
        Reduced vectors.
    centroids : ndarray of shape (K, m)
        Prototypes.
    rows : DataFrame
        The n sentences: text, product, rating.

    Returns
    -------
    list of K dict
        Kind to sentences: text, product, rating (None if unknown), share (phi of the aspect), other (the next aspect),
        other_share.
    """
    order = np.argpartition(phi, -2, axis=1)[:, -2:] if phi.shape[1] > 2 else np.argsort(phi, axis=1)
    pair = np.take_along_axis(phi, order, axis=1)
    swap = pair[:, 0] > pair[:, 1]
    first = np.where(swap, order[:, 0], order[:, 1])
    second = np.where(swap, order[:, 1], order[:, 0])
    lead = np.abs(pair[:, 1] - pair[:, 0])
    found = []
    for k, centroid in enumerate(centroids):
        own = np.flatnonzero(first == k)
        distance = np.linalg.norm(np.asarray(s[own], dtype=np.float64) - centroid, axis=1)
        middle = float(np.median(distance)) if len(own) else 0.0
        keys = {
            "nearest": distance,
            "typical": np.abs(distance - middle),
            "boundary": lead[own],
            "random": np.random.default_rng([seed, k, len(own)]).random(len(own)),
        }
        found.append(
            {
                kind: [
                    _sentence(i, k, int(second[i]), phi, rows)
                    for i in _spread(own[np.argsort(key, kind="stable")[:_LOOKED_AT]], rows)
                ]
                for kind, key in keys.items()
            }
        )
    return found


def _spread(order: NDArray[np.intp], rows: pd.DataFrame) -> list[int]:
    """Take the first of the order that come from different products; fill up with other texts in order."""
    # These rows alone: the texts of a large corpus stand in blocks, and would all be made into objects.
    texts, products = (rows[name].iloc[order].to_numpy() for name in ("text", "product"))
    taken: list[int] = []
    for fresh_product in (True, False):
        for place in range(len(order)):
            if len(taken) == PER_KIND:
                break
            if place in taken or any(texts[place].lower() == texts[other].lower() for other in taken):
                continue
            if not fresh_product or all(products[place] != products[other] for other in taken):
                taken.append(place)
    return [int(order[place]) for place in sorted(taken)]


def _sentence(i: int, aspect: int, other: int, phi: FloatArray, rows: pd.DataFrame) -> dict[str, Any]:
    row = rows.iloc[i]
    stars = float(row["rating"])
    return {
        "text": str(row["text"]),
        "product": str(row["product"]),
        "rating": None if np.isnan(stars) else stars,
        "share": float(phi[i, aspect]),
        "other": other,
        "other_share": float(phi[i, other]),
    }


def audit(
    fitted: FittedSpace,
    reviews: ReviewTable,
    sentences: SentenceTable,
    categories: Mapping[str, str],
    settings: AspectSettings,
    seed: int,
) -> dict[str, Any]:
    """Return plain values: ``stability``, ``slices``, ``cards``, ``heterogeneity``, as their modules describe them."""
    at = sentences.support["sentence"].to_numpy(dtype=np.int64)
    centroids = fitted.space.centroids
    return {
        "stability": stability(fitted.reduced, sentences.weights, centroids, fitted.refit, settings, seed),
        "slices": [slices(fitted.phi, at, d) for d in divisions(reviews, sentences, categories)],
        "cards": cards(fitted.phi, fitted.reduced, centroids, sentences.rows, seed),
        "heterogeneity": heterogeneity(
            fitted.phi.astype(np.float32),
            at,
            pd.factorize(sentences.support["reviewer"])[0],
            pd.factorize(sentences.rows["product"])[0][at],
            seed,
        ),
    }
