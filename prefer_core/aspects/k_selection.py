"""How many aspects: three internal metrics over a sweep of K (paper, Figure k-selection-review)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.clustering import fit_clusters
from prefer_core.config import AspectSettings
from prefer_core.files.blocks import sampled_rows
from prefer_core.files.progress import Tick, silent
from prefer_core.types import FloatArray


@dataclass(frozen=True)
class Candidate:
    """One K of the sweep and how well it separates; a metric that is not defined is NaN.

    `agreement` is how well reruns and subsamples agree (adjusted Rand index); None where that was not asked.
    """

    n_aspects: int
    silhouette: float
    davies_bouldin: float
    calinski_harabasz: float
    agreement: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; an undefined metric is None, and agreement is there where it was asked."""
        asked = {name: value for name, value in vars(self).items() if name != "agreement" or value is not None}
        return {name: None if math.isnan(value) else value for name, value in asked.items()}


@dataclass(frozen=True)
class Sweep:
    """All candidates tried, and the chosen K."""

    candidates: tuple[Candidate, ...]
    chosen: int


def sweep(s: FloatArray, weights: FloatArray, settings: AspectSettings, seed: int, tick: Tick = silent) -> Sweep:
    """Cluster a seeded sample with every candidate K and choose one; a K that is set is measured too and chosen.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written; for K-means, not for the metrics.
    """
    given = settings.n_aspects
    sizes = sorted({*candidate_sizes(len(s), settings.candidates), *((given,) if given else ())})
    rows = sampled_rows(len(s), settings.metric_sample, seed)
    points = s[rows]
    candidates: list[Candidate] = []
    for done, size in enumerate(sizes, 1):
        fit = fit_clusters(points, size, weights[rows], seed, settings.n_init)
        candidates.append(measure(points, fit.assignment, size))
        tick(done, len(sizes))
    return Sweep(tuple(candidates), given or choose(candidates))


def candidate_sizes(n: int, candidates: Sequence[int]) -> tuple[int, ...]:
    """Limit the candidates for a small corpus: at most n / 50, at least 2.

    >>> candidate_sizes(600, (5, 10, 15, 20, 25)), candidate_sizes(40, (5, 10))
    ((5, 10, 12), (2,))
    """
    most = max(2, n // 50)
    return tuple(sorted({min(size, most) for size in candidates}))


def measure(s: FloatArray, assignment: NDArray[np.int32], n_aspects: int) -> Candidate:
    """Take the three metrics; they need at least two clusters and fewer clusters than points."""
    from sklearn import metrics

    if not 2 <= len(np.unique(assignment)) < len(s):
        return Candidate(n_aspects, math.nan, math.nan, math.nan)
    return Candidate(
        n_aspects,
        float(metrics.silhouette_score(s, assignment)),
        float(metrics.davies_bouldin_score(s, assignment)),
        float(metrics.calinski_harabasz_score(s, assignment)),
    )


def choose(candidates: Sequence[Candidate]) -> int:
    """Choose the best mean rank of Silhouette (high) and Davies-Bouldin (low); Calinski-Harabasz breaks ties.

    >>> choose([Candidate(5, 0.2, 1.9, 80.0), Candidate(10, 0.1, 1.5, 90.0), Candidate(15, 0.05, 1.8, 70.0)])
    10
    """
    order = [
        (sum(pair), math.inf if math.isnan(c.calinski_harabasz) else -c.calinski_harabasz, c.n_aspects)
        for pair, c in zip(ranks(candidates), candidates, strict=True)
    ]
    return min(order)[2]


def ranks(candidates: Sequence[Candidate]) -> list[tuple[float, float]]:
    """Rank every candidate by Silhouette and by Davies-Bouldin, the best 0; equal ones share their mean rank.

    An undefined metric ranks last.
    """
    from scipy.stats import rankdata  # type: ignore[import-untyped]  # it ships no types

    metrics = np.array([(-c.silhouette, c.davies_bouldin) for c in candidates])
    placed = rankdata(np.where(np.isnan(metrics), np.inf, metrics), axis=0) - 1
    return [(float(silhouette), float(davies_bouldin)) for silhouette, davies_bouldin in placed]
