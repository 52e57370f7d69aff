"""What reviewers care about, from what they wrote (paper, Figure user_heterogeneity)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prefer_core.config import ReviewerSettings
from prefer_core.errors import DataError
from prefer_core.types import FloatArray, IntArray, ProductCorpus

GROUPS = ("concentrated", "intermediate", "diffuse")
"""Reviewers by normalised entropy; those between two groups are in none."""

_NONE = -1
_BINS = 50
_DIGITS = 4


class Tastes(NamedTuple):
    """Empirical preferences of reviewers.

    Attributes
    ----------
    means : ndarray of shape (U, K)
        Mean phi over each reviewer's sentences, on the simplex; in order of the code.
    sentences : ndarray of shape (U,)
        Sentences behind each.
    """

    means: FloatArray
    sentences: IntArray


def tastes(phi: FloatArray, at: IntArray, reviewer: IntArray, least: int) -> Tastes:
    """Average the aspects that each reviewer wrote about; the others who wrote a repeated sentence count as well.

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Soft memberships.
    at : ndarray of shape (s,)
        Row of `phi` of every occurrence of a sentence.
    reviewer : ndarray of shape (s,)
        Code of who wrote it; a negative one is nobody.
    least : int
        Sentences that a reviewer must have; the others are left out.
    """
    known = reviewer >= 0
    at, (_, code) = at[known], np.unique(reviewer[known], return_inverse=True)
    sentences = np.bincount(code)
    kept = sentences >= least
    # Aspect by aspect: the memberships of a million occurrences are never copied at once.
    sums = [np.bincount(code, weights=phi[at, k], minlength=len(sentences))[kept] for k in range(phi.shape[1])]
    means = np.stack(sums, axis=1) if len(at) else np.empty((0, phi.shape[1]))
    return Tastes(means / means.sum(axis=1, keepdims=True), sentences[kept])


def product_tastes(products: Sequence[ProductCorpus], least: int = 3) -> FloatArray:
    """Return what real reviewers wrote about: the mean membership of each with at least `least` sentences on a product.

    A repeated sentence counts for everyone who wrote it.

    Returns
    -------
    ndarray of shape (n_reviewers, K)
        One row a reviewer and product, in order of code; empty where no product knows its reviewers.
    """
    if not products:
        raise DataError("Reader profiles need at least one product.")
    found = [tastes(product.phi, *_occurrences(product), least).means for product in products]
    return np.concatenate(found)


def _occurrences(product: ProductCorpus) -> tuple[IntArray, IntArray]:
    """Return sentence and reviewer of every occurrence (s,); none where the product does not know its reviewers."""
    rows = np.arange(len(product.phi))
    if product.supporters is not None:
        behind = [len(codes) for codes in product.supporters]
        return np.repeat(rows, behind), np.concatenate([*product.supporters, np.empty(0, dtype=np.int64)])
    return (rows, product.reviewer) if product.reviewer is not None else (rows[:0], rows[:0])


def entropies(means: FloatArray) -> FloatArray:
    """Return the entropy of each row (U, K) over log K: 0 for one aspect alone, 1 for all of them equally."""
    positive = np.where(means > 0, means, 1.0)
    found: FloatArray = -(means * np.log(positive)).sum(axis=1) / np.log(means.shape[1])
    return found


def groups(entropy: FloatArray, settings: ReviewerSettings) -> tuple[NDArray[np.int64], dict[str, float]]:
    """Return the group of each reviewer (U,), a place in `GROUPS` or -1, and the quantiles that border the groups."""
    marks = (settings.concentrated_below, *settings.intermediate, settings.diffuse_above)
    low, left, right, high = np.quantile(entropy, marks)
    group = np.select([entropy < low, (entropy >= left) & (entropy <= right), entropy > high], [0, 1, 2], _NONE)
    return group, dict(zip(map(str, marks), map(float, (low, left, right, high)), strict=True))


def heterogeneity(
    phi: FloatArray,
    at: IntArray,
    reviewer: IntArray,
    product: IntArray,
    seed: int,
    settings: ReviewerSettings | None = None,
) -> dict[str, Any]:
    """Describe how reviewers differ, as plain values of a size that does not grow with the corpus.

    Beside the entropies of the reviewers stand those of the same sentences dealt out at random, to everyone as many as
    they wrote: among the reviewers of each product (what is left is what reviewers choose to write about it) and among
    all (what is left between the two is which products they wrote about).

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Soft memberships as stored.
    at, reviewer, product : ndarrays of shape (s,)
        Row of `phi`, code of the reviewer, and code of the product of every occurrence of a sentence, by product.
    settings : ReviewerSettings or None
        How reviewers are told apart; those in force if left out.

    Returns
    -------
    dict
        least_sentences, all_reviewers, reviewers (with enough sentences), entropy, dealt, dealt_to_all (histogram and
        mean each), shared (part of the sentences that are about a product with several reviewers); and where there are
        enough reviewers: quantiles, groups (name, reviewers, profile, by_aspect), sample.
    """
    settings = settings or ReviewerSettings.in_force()
    found = tastes(phi, at, reviewer, settings.least_sentences)
    entropy = entropies(found.means)
    rng = np.random.default_rng([seed, len(at)])
    within = at[np.lexsort((rng.random(len(at)), product))]
    dealt, dealt_to_all = (
        entropies(tastes(phi, order, reviewer, settings.least_sentences).means)
        for order in (within, rng.permutation(at))
    )
    told = {
        "least_sentences": settings.least_sentences,
        "all_reviewers": len(np.unique(reviewer)),
        "reviewers": len(entropy),
        "entropy": _histogram(entropy),
        "dealt": _histogram(dealt),
        "dealt_to_all": _histogram(dealt_to_all),
        "shared": _shared(reviewer, product),
    }
    return told | (_grouped(found, entropy, rng, settings) if len(entropy) >= settings.least_reviewers else {})


def _shared(reviewer: IntArray, product: IntArray) -> float:
    """Return the part of the occurrences whose product has several reviewers."""
    goods, first = np.unique(product, return_index=True)
    several = np.maximum.reduceat(reviewer, first) != np.minimum.reduceat(reviewer, first)
    return round(float(np.isin(product, goods[several]).mean()), _DIGITS)


def _grouped(
    found: Tastes, entropy: FloatArray, rng: np.random.Generator, settings: ReviewerSettings
) -> dict[str, Any]:
    """Return quantiles, groups, and a sample of reviewers one by one."""
    group, quantiles = groups(entropy, settings)
    dominant = found.means.argmax(axis=1)
    shown = np.sort(rng.choice(len(entropy), min(len(entropy), settings.sample), replace=False))
    return {
        "quantiles": quantiles,
        "groups": [_group(GROUPS[g], found.means[group == g], dominant[group == g]) for g in range(len(GROUPS))],
        "sample": {
            "group": group[shown].tolist(),
            "dominant": dominant[shown].tolist(),
            "entropy": _short(entropy[shown]),
            "sentences": found.sentences[shown].tolist(),
            "profiles": _short(found.means[shown]),
        },
    }


def _group(name: str, means: FloatArray, dominant: IntArray) -> dict[str, Any]:
    """Return size and mean profile of a group, and of the part of it that each aspect dominates."""
    parts = [means[dominant == k] for k in range(means.shape[1])]
    return {
        "name": name,
        "reviewers": len(means),
        "profile": _short(means.mean(axis=0)) if len(means) else None,
        "by_aspect": [
            {"reviewers": len(part), "profile": _short(part.mean(axis=0)) if len(part) else None} for part in parts
        ],
    }


def _histogram(entropy: FloatArray) -> dict[str, Any]:
    counts, edges = np.histogram(np.clip(entropy, 0.0, 1.0), bins=_BINS, range=(0.0, 1.0))
    mean = float(entropy.mean()) if len(entropy) else None
    return {"edges": _short(edges), "counts": counts.tolist(), "mean": mean}


def _short(values: FloatArray) -> Any:
    return np.round(values, _DIGITS).tolist()
