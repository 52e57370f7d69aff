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
    themes = np.bincount(np.asarray(aspects, dtype=np.int64), minlength=n_aspects).astype(np.float64)
    known = np.asarray(ratings, dtype=np.float64)
    whole = np.clip(np.rint(known[np.isfinite(known)]), 1, 5).astype(np.int64)
    stars = np.bincount(whole, minlength=6)[1:].astype(np.float64)
    return Mix(themes / max(1.0, themes.sum()), stars / max(1.0, stars.sum()))


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
    own, n = product_mix(product), len(pieces)
    seen = mix([int(p["aspect"]) for p in pieces],
               [np.nan if p["rating"] is None else float(p["rating"]) for p in pieces], product.n_aspects)  # fmt: skip
    rng = np.random.default_rng(0)
    ratings = _ratings(product)
    chance = []
    for _ in range(_DRAWS):
        rows = rng.choice(len(product), min(n, len(product)), replace=False)
        drawn = mix(product.dominant[rows], ratings[rows], product.n_aspects)
        chance.append((_apart(drawn.themes, own.themes), _apart(drawn.stars, own.stars)))
    themes, stars = np.array(chance).mean(axis=0)
    return Distance(_apart(seen.themes, own.themes), _apart(seen.stars, own.stars), float(themes), float(stars), n)


def _ratings(product: ProductCorpus) -> FloatArray:
    return np.full(len(product), np.nan) if product.rating is None else np.asarray(product.rating, dtype=np.float64)


def _apart(one: FloatArray, other: FloatArray) -> float:
    """Half the sum of absolute differences; NaN if one of the two is empty."""
    if not one.any() or not other.any():
        return float("nan")
    return float(np.abs(one - other).sum() / 2)
