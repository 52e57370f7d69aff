"""What a researcher wants to know of an aspect space (paper, app:aspect-discovery-diagnostics)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.membership import temperature_sweep, top_memberships
from prefer_core.aspects.space import FittedSpace
from prefer_core.files.blocks import sampled_rows
from prefer_core.types import FloatArray

_PAIR_SAMPLE = 5000
_BINS = 50
_COSINE_BINS = 200


def diagnose(fitted: FittedSpace, embeddings: FloatArray, seed: int) -> dict[str, Any]:
    """Return plain values: spectrum, K sweep, gaps, temperatures, top memberships, cosines of pairs.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit sentence vectors; the cosines are taken over all pairs of 5,000 of them.
    """
    total = float(fitted.spectrum.sum())
    cumulative = np.cumsum(fitted.spectrum) / total if total else np.zeros_like(fitted.spectrum)
    median = float(np.median(fitted.gaps))
    return {
        "spectrum": fitted.spectrum.tolist(),
        "cumulative_variance": cumulative.tolist(),
        "n_components": len(fitted.space.components),
        "components_for": {str(share): int(np.searchsorted(cumulative, share)) + 1 for share in (0.5, 0.7, 0.9)},
        "variance_at": {str(m): float(cumulative[min(m, len(cumulative)) - 1]) for m in (16, 17)},
        "k_sweep": [candidate.to_dict() for candidate in fitted.candidates],
        "temperature": fitted.space.temperature,
        "median_gap": median,
        "gaps": _histogram(fitted.gaps, 0.0, float(np.quantile(fitted.gaps, 0.99)) or 1.0),
        "temperatures": temperature_sweep(fitted.reduced, fitted.space.centroids, fitted.space.temperature, seed),
        "top_membership": top_memberships(fitted.phi),
        "cosines": pair_cosines(embeddings, seed),
    }


def _histogram(values: FloatArray, low: float, high: float, bins: int = _BINS) -> dict[str, Any]:
    counts, edges = np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def pair_cosines(embeddings: FloatArray, seed: int) -> dict[str, Any]:
    """Return histogram, mode, median and mean of the cosines of all pairs of 5,000 units (Figure pairwise-cosine)."""
    n = len(embeddings)
    rows = sampled_rows(n, _PAIR_SAMPLE, seed)
    values = _pairs(np.asarray(embeddings[rows], dtype=np.float32))
    histogram = _histogram(values, -1.0, 1.0, _COSINE_BINS)
    top = int(np.argmax(histogram["counts"]))
    return histogram | {
        "mode": float(np.mean(histogram["edges"][top : top + 2])),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
        "negative": float((values < 0).mean()),
    }


def _pairs(unit: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosines of all pairs (n (n - 1) / 2,), row after row: the whole matrix would take ten times that."""
    n = len(unit)
    values = np.empty(n * (n - 1) // 2, dtype=np.float32)
    start = 0
    for row in range(n - 1):
        stop = start + n - 1 - row
        np.matmul(unit[row + 1 :], unit[row], out=values[start:stop])
        start = stop
    return values
