"""K-means on the reduced vectors, with the repeats of a sentence as its weight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import ConfigError
from prefer_core.files.blocks import blocks
from prefer_core.types import FloatArray

_MOST_STEPS = 20
_TOLERANCE = 1e-4  # of scikit-learn's K-means: movement of the centroids against the variance of a coordinate
_SPREAD_ROWS = 65_536


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
        on over all vectors until the centroids stand still (Lloyd's steps, at most 20).

    Raises
    ------
    ConfigError
        If there are more clusters asked for than different vectors.
    """
    if most is not None and len(s) > most:
        rows = np.sort(np.random.default_rng([seed, len(s)]).choice(len(s), most, replace=False))
        begun = fit_clusters(s[rows], n_clusters, weights[rows], seed, n_init)
        return _go_on(s, begun.centroids, weights)
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


def _go_on(s: FloatArray, centroids: NDArray[np.float64], weights: FloatArray) -> Clustering:
    """Take Lloyd's steps over all vectors, a block at a time."""
    spread = float(np.var(s[:_SPREAD_ROWS], axis=0).mean())
    for _ in range(_MOST_STEPS):
        sums, mass = np.zeros_like(centroids), np.zeros(len(centroids))
        assignment, inertia = np.empty(len(s), dtype=np.int32), 0.0
        done = 0
        for block in blocks(s, np.float32):
            rows = slice(done, done + len(block))
            distances = _distances(block, centroids)
            near = distances.argmin(axis=1)
            share = np.zeros((len(block), len(centroids)), dtype=np.float64)
            share[np.arange(len(block)), near] = weights[rows]
            sums += share.T @ block
            mass += share.sum(axis=0)
            assignment[rows] = near
            inertia += float(weights[rows] @ distances[np.arange(len(block)), near])
            done += len(block)
        # A cluster that has lost all its sentences stays where it was.
        moved = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centroids)
        change = float(((moved - centroids) ** 2).sum())
        centroids = moved
        if change <= _TOLERANCE * spread:
            break
    return Clustering(centroids, assignment, inertia)


def _distances(block: NDArray[np.float32], centroids: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return squared distances (b, K); |a|^2 - 2ab + |b|^2 is near enough to tell which centroid is nearest."""
    c = centroids.astype(np.float32)
    apart = (block**2).sum(axis=1, keepdims=True) - 2 * (block @ c.T) + (c**2).sum(axis=1)
    return np.asarray(np.maximum(apart, 0))
