"""Would the same aspects be found again? Over other seeds and over bootstraps of the sentences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.membership import squared_distances
from prefer_core.config import AspectSettings
from prefer_core.files.blocks import sampled_rows, unit_rows
from prefer_core.types import FloatArray

Refit = Callable[[FloatArray, FloatArray, int], NDArray[np.float64]]
"""Finds the centroids (K, m) again in vectors (n, m) with weights (n,), with another seed."""

RUNS = 5
SAME = 0.9
"""Least cosine at which a centroid counts as found again."""


_WORDS = ((1.0, "very stable"), (0.8, "stable"), (0.5, "shaky"), (0.0, "unstable"))


def in_words(found: int, runs: int) -> str:
    """Say how stable an aspect is that was found again in so many of all repetitions.

    >>> [in_words(found, 10) for found in (10, 9, 7, 2)]
    ['very stable', 'stable', 'shaky', 'unstable']
    """
    return next(word for least, word in _WORDS if found >= least * runs)


@dataclass(frozen=True)
class Rerun:
    """One repetition of K-means, held beside the built aspects.

    Attributes
    ----------
    cosine : ndarray of shape (K,)
        Cosine of each built centroid to the one it is matched with.
    agreement : float
        Adjusted Rand index of the two partitions of the sample.
    """

    cosine: NDArray[np.float64]
    agreement: float


def stability(
    s: FloatArray,
    weights: FloatArray,
    centroids: FloatArray,
    refit: Refit,
    settings: AspectSettings,
    seed: int,
    runs: int = RUNS,
) -> dict[str, Any]:
    """Repeat the clustering on a seeded sample: with other seeds, and on sentences drawn with replacement.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    centroids : ndarray of shape (K, m)
        The built aspects.
    refit : callable
        The clustering that found them.
    runs : int
        Repetitions of each kind.

    Returns
    -------
    dict
        sample (sentences used), runs; seeds and bootstraps: cosine (runs, K) and agreement (runs,); aspects: for each
        aspect the mean cosine of both kinds, the lowest, and in how many of all runs it was found again.
    """
    rows = sampled_rows(len(s), settings.metric_sample, seed)
    points, weight = np.asarray(s[rows], dtype=np.float64), np.asarray(weights)[rows]
    found: dict[str, list[Rerun]] = {"seeds": [], "bootstraps": []}
    for run in range(1, runs + 1):
        found["seeds"].append(compare(points, centroids, refit(points, weight, seed + run)))
        drawn = np.random.default_rng([seed, run, len(points)]).integers(0, len(points), len(points))
        repeats = weight * np.bincount(drawn, minlength=len(points))
        kept = repeats > 0
        found["bootstraps"].append(compare(points, centroids, refit(points[kept], repeats[kept], seed)))
    return {
        "sample": len(points),
        "runs": runs,
        **{
            kind: {"cosine": [r.cosine.tolist() for r in reruns], "agreement": [r.agreement for r in reruns]}
            for kind, reruns in found.items()
        },
        "aspects": _by_aspect(found["seeds"], found["bootstraps"]),
    }


def compare(s: FloatArray, centroids: FloatArray, others: FloatArray) -> Rerun:
    """Match two sets of centroids one to one (Hungarian, highest sum of cosines) and compare their partitions.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Points that both sets divide, each to the nearest centroid.
    centroids, others : ndarray of shape (K, m)
        The sets; the order of `others` does not matter.
    """
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # it ships no types
    from sklearn.metrics import adjusted_rand_score

    one, two = unit_rows(centroids), unit_rows(others)
    # The origin, where "other" has its centre, has no direction; it is found again as itself.
    cosine = one @ two.T + np.outer(~one.any(axis=1), ~two.any(axis=1))
    left, right = linear_sum_assignment(-cosine)
    first = squared_distances(s, centroids).argmin(axis=1)
    second = squared_distances(s, others).argmin(axis=1)
    return Rerun(cosine[left, right], float(adjusted_rand_score(first, second)))


def _by_aspect(seeds: list[Rerun], bootstraps: list[Rerun]) -> list[dict[str, Any]]:
    by_seed = np.array([r.cosine for r in seeds])
    by_draw = np.array([r.cosine for r in bootstraps])
    both = np.concatenate([by_seed, by_draw])
    return [
        {
            "seeds": float(by_seed[:, k].mean()),
            "bootstraps": float(by_draw[:, k].mean()),
            "lowest": float(both[:, k].min()),
            "found": int((both[:, k] >= SAME).sum()),
        }
        for k in range(both.shape[1])
    ]
