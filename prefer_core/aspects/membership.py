"""Soft aspect memberships, their temperature, and how sharp they are at others (paper, app:tausoftaspectmembership)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import DataError
from prefer_core.files.blocks import by_block, sampled_rows
from prefer_core.types import FloatArray


def squared_distances(s: FloatArray, centroids: FloatArray) -> NDArray[np.float64]:
    """Return d_ik^2 (n, K) between reduced vectors (n, m) and centroids (K, m)."""
    points = np.asarray(s, dtype=np.float64)
    # Centroid by centroid: no cancellation as with |a|^2 - 2ab + |b|^2, and no (n, K, m) array.
    return np.stack([((points - c) ** 2).sum(axis=1) for c in np.asarray(centroids, dtype=np.float64)], axis=1)


def nearest_gaps(s: FloatArray, centroids: FloatArray) -> NDArray[np.float64]:
    """Return Delta_i (n,), the second smallest minus the smallest squared distance of each vector to a centroid."""

    def gaps(block: NDArray[np.float64]) -> NDArray[np.float64]:
        nearest = np.partition(squared_distances(block, centroids), 1, axis=1)
        return np.asarray(nearest[:, 1] - nearest[:, 0])

    return by_block(gaps, s, np.float64)


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

    def phi(block: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = -temperature * squared_distances(block, centroids)
        scores -= scores.max(axis=1, keepdims=True)
        mass = np.exp(scores)
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    return by_block(phi, s, np.float64)


TEMPERATURES = (1.0, 5.0, 10.0, 15.0, 20.0, 25.0)
"""The paper's sweep; the calibrated temperature is added as the last."""

_SAMPLE = 20_000
_BINS = 50


def temperature_sweep(s: FloatArray, centroids: FloatArray, calibrated: float, seed: int) -> list[dict[str, float]]:
    """Measure the memberships of a seeded sample of 20,000 sentences at each temperature.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    centroids : ndarray of shape (K, m)
        Prototypes of the aspects.
    calibrated : float
        tau*.

    Returns
    -------
    list of dict
        One row a temperature, tau* last: temperature, mean_top (mean of max_k phi_ik), entropy (mean of
        H(phi_i) / log K), effective (mean of exp H(phi_i): how many aspects a sentence has in effect), ratio (median of
        the largest over the second membership).
    """
    rows = sampled_rows(len(s), _SAMPLE, seed)
    points = np.asarray(s[rows], dtype=np.float64)
    return [_sharpness(memberships(points, centroids, tau), tau) for tau in (*TEMPERATURES, calibrated)]


def top_memberships(phi: FloatArray) -> dict[str, Any]:
    """Return the distribution of max_k phi_ik over the sentences (paper, Figure aspect_diagnostics a).

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Memberships.
    """
    top = np.asarray(phi).max(axis=1)
    counts, edges = np.histogram(top, bins=_BINS, range=(0.0, 1.0))
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "mean": float(top.mean()),
        "median": float(np.median(top)),
        "above_half": float((top > 0.5).mean()),
    }


def _sharpness(phi: FloatArray, temperature: float) -> dict[str, float]:
    entropy = -(phi * np.log(np.maximum(phi, 1e-300))).sum(axis=1)
    largest = np.sort(phi, axis=1)[:, -2:]
    # Not phi over phi: the second may be zero in floats at a high temperature.
    ratio = np.exp(np.minimum(np.log(largest[:, 1]) - np.log(np.maximum(largest[:, 0], 1e-300)), 700.0))
    return {
        "temperature": float(temperature),
        "mean_top": float(largest[:, 1].mean()),
        "entropy": float(entropy.mean() / np.log(phi.shape[1])),
        "effective": float(np.exp(entropy).mean()),
        "ratio": float(np.median(ratio)),
    }
