"""How far what a reader was shown lies from what the reviews of the products are about."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prefer_core.types import EvidenceSentence, Flag, FloatArray, IntArray, ProductCorpus

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
    """Total variation distance between what was shown and the products' own mix, in [0, 1].

    Attributes
    ----------
    themes, stars : float
        Of the sentences shown; `stars` is NaN where no stars are known.
    themes_chance, stars_chance : float
        The same for as many sentences picked at random, on average: small samples differ from any mix.
    sentences, products : int
        How many different sentences were shown, of how many products.
    """

    themes: float
    stars: float
    themes_chance: float
    stars_chance: float
    sentences: int
    products: int


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


def narrowing(seen: Sequence[tuple[ProductCorpus, Sequence[EvidenceSentence]]]) -> Distance:
    """Return how far the evidence of some rounds lies from the mix of the products it is about.

    The mixes of several products count by how many sentences were shown of each: looking at another product is no
    narrowing, being shown one side of it is.

    Parameters
    ----------
    seen : sequence of (ProductCorpus, sequence of EvidenceSentence)
        Product and evidence of each round, as the ledger keeps it; a sentence shown twice counts once.
    """
    products = {product.product_id: product for product, _ in seen}
    pieces: dict[str, dict[str, EvidenceSentence]] = {name: {} for name in products}
    for product, shown in seen:
        pieces[product.product_id] |= {piece.id: piece for piece in shown}
    themes, stars = [], []
    for name, product in products.items():
        found = pieces[name].values()
        counts = np.bincount([p.aspect for p in found], minlength=product.n_aspects)
        own = np.bincount(product.dominant, minlength=product.n_aspects)
        known = [np.nan if p.rating is None else p.rating for p in found]
        themes.append((counts, own))
        stars.append((_star_counts(known), _star_counts(_ratings(product))))
    (theme, theme_chance), (star, star_chance) = _held_apart(themes), _held_apart(stars, unknown=1)
    return Distance(theme, star, theme_chance, star_chance, sum(map(len, pieces.values())), len(products))


def _held_apart(pairs: Sequence[tuple[IntArray, IntArray]], unknown: int = 0) -> tuple[float, float]:
    """Return the distance of what was shown from the products' mix, and its mean for as many sentences by chance.

    Parameters
    ----------
    pairs : sequence of (ndarray of shape (C,), ndarray of shape (C,))
        For each product, how many sentences of each class were shown and how many there are.
    unknown : int
        The first classes can be drawn, but count in no share.
    """
    shown = sum(counts[unknown:] for counts, _ in pairs)
    own = sum(_shares(whole[unknown:]) * counts[unknown:].sum() for counts, whole in pairs)
    drawn = sum(_draws(whole, int(counts.sum()))[:, unknown:] for counts, whole in pairs)
    expected = _shares(np.asarray(own))
    apart, by_chance = _apart(_shares(np.asarray(shown)), expected), _apart(_shares(np.asarray(drawn)), expected)
    return float(apart), float(by_chance[~np.isnan(by_chance)].mean()) if not np.isnan(by_chance).all() else math.nan


def _draws(whole: IntArray, n: int) -> IntArray:
    """Draw n sentences without replacement from classes of these sizes (C,), many times over: (draws, C)."""
    return np.random.default_rng(0).multivariate_hypergeometric(whole, min(n, int(whole.sum())), _DRAWS)


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
