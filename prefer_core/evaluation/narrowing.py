"""How far what a reader was shown lies from what the product's reviews are about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prefer_core.types import Flag, FloatArray, IntArray, ProductCorpus

STARS = (1, 2, 3, 4, 5)
_DRAWS = 200


@dataclass(frozen=True)
class Mix:
    """What sentences are about, and from how good reviews.

    Attributes
    ----------
    themes : ndarray of shape (K,)
        Shares of the dominant aspects.
    stars : ndarray of shape (5,)
        Shares of reviews with 1 to 5 stars; zeros where no stars are known.
    """

    themes: FloatArray
    stars: FloatArray


@dataclass(frozen=True)
class Distance:
    """Total variation distance between what was shown and the product's own mix, in [0, 1].

    Attributes
    ----------
    themes, stars : float
        Of the sentences shown; `stars` is NaN where no stars are known.
    themes_chance, stars_chance : float
        The same for as many sentences picked at random, on average: small samples differ from any mix.
    sentences : int
        How many different sentences were shown.
    """

    themes: float
    stars: float
    themes_chance: float
    stars_chance: float
    sentences: int


def mix(aspects: Sequence[int] | IntArray, ratings: Sequence[float] | FloatArray, n_aspects: int) -> Mix:
    """Return the shares of aspects (n,) and of known stars (n,), NaN where unknown.

    Examples
    --------
    >>> mix([0, 0, 1, 1], [5, 5, 1, float("nan")], 2).themes
    array([0.5, 0.5])
    """
    themes = np.bincount(np.asarray(aspects, dtype=np.int64), minlength=n_aspects)
    return Mix(_shares(themes), _shares(_star_counts(ratings)[1:]))


def product_mix(product: ProductCorpus) -> Mix:
    """Return the mix of all sentences of a product."""
    return mix(product.dominant, _ratings(product), product.n_aspects)


def flagged_share(product: ProductCorpus, flag: Flag) -> float:
    """Return the share of a product's sentences with a flag; 0 where none were flagged."""
    return 0.0 if product.flags is None else float(((np.asarray(product.flags) & flag) != 0).mean())


def narrowing(product: ProductCorpus, shown: Sequence[Sequence[Mapping[str, Any]]]) -> Distance:
    """Return how far the evidence of some rounds on one product lies from the product's mix.

    Parameters
    ----------
    product : ProductCorpus
        Whose reviews were shown.
    shown : sequence of sequence of dict
        Evidence of each round, as the ledger keeps it; a sentence shown twice counts once.
    """
    pieces = {str(piece["id"]): piece for one in shown for piece in one}.values()
    own, ratings, n = product_mix(product), _ratings(product), len(pieces)
    seen = mix([int(p["aspect"]) for p in pieces],
               [np.nan if p["rating"] is None else float(p["rating"]) for p in pieces], product.n_aspects)  # fmt: skip
    counts = np.bincount(product.dominant, minlength=product.n_aspects)
    themes = _by_chance(counts, n, own.themes)
    stars = _by_chance(_star_counts(ratings), n, own.stars, unknown=1)
    apart = (float(_apart(seen.themes, own.themes)), float(_apart(seen.stars, own.stars)))
    return Distance(*apart, themes, stars, n)


def _by_chance(counts: IntArray, n: int, own: FloatArray, unknown: int = 0) -> float:
    """Return the mean distance from `own` of n sentences drawn without replacement from classes of these sizes.

    The first `unknown` classes can be drawn, but count in no share.
    """
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_hypergeometric(counts, min(n, int(counts.sum())), _DRAWS)[:, unknown:]
    return float(_apart(_shares(drawn), own).mean())


def _star_counts(ratings: Sequence[float] | FloatArray) -> IntArray:
    """Count unknown stars and 1 to 5 stars (6,)."""
    known = np.asarray(ratings, dtype=np.float64)
    whole = np.where(np.isfinite(known), np.clip(np.rint(known), 1, 5), 0).astype(np.int64)
    return np.bincount(whole, minlength=6)


def _shares(counts: IntArray) -> FloatArray:
    """Return counts (..., C) as shares of their rows; zeros where a row counts nothing."""
    shares: FloatArray = counts / np.maximum(1, counts.sum(axis=-1, keepdims=True))
    return shares


def _ratings(product: ProductCorpus) -> FloatArray:
    return np.full(len(product), np.nan) if product.rating is None else np.asarray(product.rating, dtype=np.float64)


def _apart(shares: FloatArray, own: FloatArray) -> FloatArray:
    """Half the sums of absolute differences of shares (..., C) from `own` (C,); NaN where one of the two is empty."""
    known = shares.any(axis=-1) & own.any()
    return np.where(known, np.abs(shares - own).sum(axis=-1) / 2, np.nan)
