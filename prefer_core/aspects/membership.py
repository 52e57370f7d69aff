"""Soft aspect memberships and their temperature (paper, app:tausoftaspectmembership)."""

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import DataError
from prefer_core.files.blocks import blocks
from prefer_core.types import FloatArray


def squared_distances(s: FloatArray, centroids: FloatArray) -> NDArray[np.float64]:
    """Return d_ik^2 (n, K) between reduced vectors (n, m) and centroids (K, m)."""
    points = np.asarray(s, dtype=np.float64)
    # Centroid by centroid: no cancellation as with |a|^2 - 2ab + |b|^2, and no (n, K, m) array.
    return np.stack([((points - c) ** 2).sum(axis=1) for c in np.asarray(centroids, dtype=np.float64)], axis=1)


def nearest_gaps(s: FloatArray, centroids: FloatArray) -> NDArray[np.float64]:
    """Return Delta_i (n,), the second smallest minus the smallest squared distance of each vector to a centroid."""
    gaps = np.empty(len(s))
    done = 0
    for block in blocks(s, np.float64):
        nearest = np.partition(squared_distances(block, centroids), 1, axis=1)
        gaps[done : done + len(block)] = nearest[:, 1] - nearest[:, 0]
        done += len(block)
    return gaps


def calibrate_temperature(gaps: FloatArray, mass_ratio: float) -> float:
    """Return tau = log(r) / median(Delta): a median-gap sentence gives its nearest aspect r times the next one's mass.

    Raises
    ------
    DataError
        If the median gap is zero: most sentences lie between two aspects that coincide.

    Examples
    --------
    >>> round(calibrate_temperature(np.array([0.1, 0.2, 0.4]), 10.0), 4)
    11.5129
    """
    median = float(np.median(gaps))
    if median <= 0:
        raise DataError(
            "Most sentences are as close to a second aspect as to their own; ask for fewer aspects with --aspects."
        )
    return float(np.log(mass_ratio)) / median


def memberships(s: FloatArray, centroids: FloatArray, temperature: float) -> NDArray[np.float64]:
    """Return phi (n, K), proportional to exp(-tau d_ik^2), rows on the simplex."""
    phi = np.empty((len(s), len(centroids)))
    done = 0
    for block in blocks(s, np.float64):
        scores = -temperature * squared_distances(block, centroids)
        scores -= scores.max(axis=1, keepdims=True)
        mass = np.exp(scores)
        phi[done : done + len(block)] = mass / mass.sum(axis=1, keepdims=True)
        done += len(block)
    return phi
