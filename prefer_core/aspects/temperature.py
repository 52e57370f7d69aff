"""How sharp memberships are at several temperatures (paper, app:tausoftaspectmembership, Table compute_resources)."""

from typing import Any

import numpy as np

from prefer_core.aspects.membership import memberships
from prefer_core.types import FloatArray

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
    rows = np.sort(np.random.default_rng([seed, len(s)]).choice(len(s), min(len(s), _SAMPLE), replace=False))
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
