"""K-means on the reduced vectors, with the repeats of a sentence as its weight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import ConfigError
from prefer_core.types import FloatArray


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


def fit_clusters(s: FloatArray, n_clusters: int, weights: FloatArray, seed: int, n_init: int) -> Clustering:
    """Cluster reduced vectors.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written.

    Raises
    ------
    ConfigError
        If there are more clusters asked for than different vectors.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it ships no types

    points = np.asarray(s, dtype=np.float64)
    distinct = len(np.unique(points, axis=0)) if len(points) < 10 * n_clusters else len(points)
    if n_clusters > distinct:
        raise ConfigError(
            f"{n_clusters} aspects cannot be made of {distinct} different sentences; ask for fewer with --aspects."
        )
    # One thread: several add up in any order, so that a rebuild differs, and on busy cores they are five times slower.
    with threadpool_limits(1):
        fit = KMeans(n_clusters=n_clusters, n_init=n_init, random_state=seed).fit(points, sample_weight=weights)
    assignment = fit.labels_.astype(np.int32)
    return Clustering(fit.cluster_centers_.astype(np.float64), assignment, float(fit.inertia_))
