"""K-means on the reduced vectors, with the repeats of a sentence as its weight."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import ConfigError
from prefer_core.files.blocks import sampled_rows
from prefer_core.types import FloatArray

_MOST_STEPS = 20


@dataclass(frozen=True)
class Clustering:
    """One K-means fit.

    Attributes
    ----------
    centroids : ndarray of shape (K, m)
        Weighted means of the clusters.
    assignment : ndarray of shape (n,)
        Cluster of each sentence.
    inertia : float
        Weighted sum of squared distances to the centroids.
    """

    centroids: NDArray[np.float64]
    assignment: NDArray[np.int32]
    inertia: float


def fit_clusters(
    s: FloatArray, n_clusters: int, weights: FloatArray, seed: int, n_init: int, most: int | None = None
) -> Clustering:
    """Cluster reduced vectors.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    most : int, optional
        Where there are more vectors than this, the starts are tried on a seeded sample of this size, and the best goes
        on over all vectors until the centroids stand still, or for 20 steps.

    Raises
    ------
    ConfigError
        If there are more clusters asked for than different vectors.
    """
    if most is not None and len(s) > most:
        rows = sampled_rows(len(s), most, seed)
        begun = fit_clusters(s[rows], n_clusters, weights[rows], seed, n_init)
        return _fitted(s, weights, n_clusters=n_clusters, init=begun.centroids, n_init=1, max_iter=_MOST_STEPS)
    points = np.asarray(s, dtype=np.float64)
    distinct = len(np.unique(points, axis=0)) if len(points) < 10 * n_clusters else len(points)
    if n_clusters > distinct:
        raise ConfigError(
            f"{n_clusters} aspects cannot be made of {distinct} different sentences; ask for fewer with --aspects."
        )
    return _fitted(points, weights, n_clusters=n_clusters, n_init=n_init, random_state=seed)


def _fitted(s: FloatArray, weights: FloatArray, **how: Any) -> Clustering:
    """Run scikit-learn's K-means, which is told `how`."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it ships no types

    # One thread: several add up in any order, so that a rebuild differs, and on busy cores they are five times slower.
    with threadpool_limits(1):
        fit = KMeans(**how).fit(np.asarray(s, dtype=np.float64), sample_weight=weights)
    assignment = fit.labels_.astype(np.int32)
    return Clustering(fit.cluster_centers_.astype(np.float64), assignment, float(fit.inertia_))
