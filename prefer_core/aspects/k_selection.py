"""How many aspects: K by three cluster metrics (paper), or as many as are found again over reruns and subsamples."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.anchors import Plan, fit_anchored
from prefer_core.aspects.clustering import fit_clusters
from prefer_core.aspects.labels import FreeClusters, Texts
from prefer_core.aspects.membership import squared_distances
from prefer_core.aspects.stability import SAME, Rerun, compare
from prefer_core.config import AspectSettings
from prefer_core.files.blocks import sampled_rows
from prefer_core.files.progress import Tick, silent
from prefer_core.types import FloatArray, IntArray


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


def sweep(
    s: FloatArray, weights: FloatArray, settings: AspectSettings, seed: int, tick: Tick = silent
) -> tuple[int, tuple[Candidate, ...]]:
    """Return the K chosen and every candidate, clustered on a seeded sample; a K that is set is measured and chosen.

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
    return given or choose(candidates), tuple(candidates)


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


ENOUGH = 0.8
"""Least adjusted Rand index of two runs that agree."""
FOUND = 0.7
"""Least part of the runs in which every aspect is found again."""
MOST_FREE = 2
"""Free clusters looked for beside the anchors, where they are found again."""

_TO_ONE_FREE = 6  # aspects for each free one that is looked for
_RUNS = 5
_PART = 0.8
_EACH = 50  # sentences for each aspect, as for the paper's candidates
_SEED = 0


@dataclass(frozen=True)
class Trial:
    """One way to divide a corpus, and whether it is found again.

    Attributes
    ----------
    plan : Plan
        What is looked for.
    agreement : float
        Mean adjusted Rand index with the first run, over other seeds or over subsamples, whichever is lower.
    found : float
        Least part of the runs in which an aspect is found again (cosine of the matched centroid at least .9).
    are_aspects : bool
        Whether every free cluster can be called something and is not about one product.
    assignment : ndarray of shape (n,)
        Nearest centroid of each sentence of the sample, "other" the last.
    """

    plan: Plan
    agreement: float
    found: float
    are_aspects: bool
    assignment: IntArray

    @property
    def holds(self) -> bool:
        """Whether the runs agree, as a whole and on every aspect, and the free clusters are aspects."""
        return self.agreement >= ENOUGH and self.found >= FOUND and self.are_aspects


IsAspect = Callable[[IntArray], bool]
"""Whether the sentences at these places of the sample make an aspect."""


def choose_plan(
    s: FloatArray,
    anchors: NDArray[np.float64],
    middle: NDArray[np.float64],
    weights: FloatArray,
    texts: Sequence[str],
    products: Sequence[str],
    masked: Sequence[str],
    settings: AspectSettings,
    tick: Tick = silent,
) -> tuple[Plan, tuple[Candidate, ...]]:
    """Return what to look for, and all numbers of aspects tried, with their agreement and the paper's three metrics.

    The largest number of aspects whose runs agree is taken; where none does, the one whose runs agree best. The runs
    have seeds of their own, so that the choice belongs to the corpus and not to the seed of a build.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    anchors : ndarray of shape (A, m)
        Unit directions of the anchors from the middle, the most spoken of first.
    middle : ndarray of shape (m,)
        From where they are seen.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    texts, products : sequence of n str
        Sentences and the products they belong to: free clusters are judged by them.
    masked : sequence of str
        Words of products, which name no aspect.
    """
    rows = sampled_rows(len(s), settings.metric_sample, _SEED)
    points, weight = np.asarray(s[rows], dtype=np.float64), np.asarray(weights, dtype=np.float64)[rows]
    judge = FreeClusters(Texts([texts[i] for i in rows], [products[i] for i in rows]), masked)
    sizes = _sizes(len(s), settings)
    trials, candidates = [], []
    for done, size in enumerate(sizes, 1):
        trial = _trial(points, weight, anchors, middle, size, settings, judge.is_aspect)
        trials.append(trial)
        measured = measure(points, trial.assignment.astype(np.int32), size)
        candidates.append(replace(measured, agreement=trial.agreement))
        tick(done, len(sizes))
    holding = [trial for trial in trials if trial.holds]
    chosen = holding[-1] if holding else max(trials, key=lambda trial: (trial.agreement, -trial.plan.n_aspects))
    return chosen.plan, tuple(candidates)


def _sizes(n: int, settings: AspectSettings) -> tuple[int, ...]:
    """Return the numbers of aspects tried: the one that is set, or 8 to 14, fewer in a small corpus."""
    if settings.n_aspects is not None:
        return (settings.n_aspects,)
    most = max(2, n // _EACH)
    return tuple(range(min(settings.fewest, most), min(settings.most, most) + 1))


def _trial(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    anchors: NDArray[np.float64],
    middle: NDArray[np.float64],
    size: int,
    settings: AspectSettings,
    is_aspect: IsAspect,
) -> Trial:
    """Try fewer and fewer free clusters until all are aspects that are found again; else keep what agreed best."""
    fewest = max(0, size - len(anchors))
    wished = min(MOST_FREE, size // _TO_ONE_FREE)
    trials: list[Trial] = []
    for n_free in sorted({max(fewest, n) for n in range(wished + 1)}, reverse=True):
        plan = Plan(anchors[: size - n_free], n_free, middle, settings.pull, settings.near)
        first = fit_anchored(points, plan, weights, _SEED, settings.n_init)
        assignment = squared_distances(points, first).argmin(axis=1)
        free = range(len(plan.anchors), plan.n_aspects)
        are_aspects = all(is_aspect(np.flatnonzero(assignment == k)) for k in free)
        if are_aspects or n_free == fewest:  # else the runs need not be repeated
            again = _repeat(points, weights, plan, first, settings.n_init)
            agreement = min(float(np.mean([run.agreement for run in kind])) for kind in again)
            found = np.array([run.cosine >= SAME for kind in again for run in kind])
            trials.append(Trial(plan, agreement, float(found.mean(axis=0).min()), are_aspects, assignment))
            if trials[-1].holds:
                return trials[-1]
    return max(trials, key=lambda trial: (trial.are_aspects, trial.agreement))


def _repeat(
    points: NDArray[np.float64], weights: NDArray[np.float64], plan: Plan, first: NDArray[np.float64], n_init: int
) -> tuple[list[Rerun], list[Rerun]]:
    """Return the runs with other seeds and those on subsamples, each beside the first run."""
    rng = np.random.default_rng([_SEED, len(points)])
    by_seed, by_part = [], []
    for run in range(1, _RUNS + 1):
        by_seed.append(compare(points, first, fit_anchored(points, plan, weights, _SEED + run, n_init)))
        kept = np.sort(
            rng.choice(len(points), min(len(points), max(plan.n_aspects, int(_PART * len(points)))), replace=False)
        )
        by_part.append(compare(points, first, fit_anchored(points[kept], plan, weights[kept], _SEED, n_init)))
    return by_seed, by_part
