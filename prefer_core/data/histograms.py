"""Histograms of counts with long tails: bins that are equally wide on a logarithmic axis."""

from typing import Any

import numpy as np

from prefer_core.types import IntArray

MARKS = (0.5, 0.9, 0.99)
"""Parts of the whole whose largest value is told beside a histogram."""


def log_edges(largest: int) -> IntArray:
    """Return whole numbers from 1 to beyond `largest`, each about sqrt(2) times the one before.

    >>> log_edges(20).tolist()
    [1, 2, 3, 4, 6, 8, 11, 16, 23]
    """
    steps = 2 * np.log2(max(largest, 1)) + 2
    edges: IntArray = np.unique(np.round(2.0 ** (np.arange(int(steps) + 1) / 2))).astype(np.int64)
    return edges[: int(np.searchsorted(edges, largest, side="right")) + 1]


def log_histogram(values: IntArray) -> dict[str, Any]:
    """Count positive whole numbers in bins [edge, next edge).

    Returns
    -------
    dict
        edges (B + 1), counts (B), and `at_most`: for 50, 90 and 99 % of the values, the number they do not exceed.

    Examples
    --------
    >>> log_histogram(np.array([1, 1, 1, 5]))
    {'edges': [1, 2, 3, 4, 6], 'counts': [3, 0, 0, 1], 'at_most': {'0.5': 1, '0.9': 5, '0.99': 5}}
    """
    values = np.asarray(values, dtype=np.int64)
    values = values[values >= 1]
    edges = log_edges(int(values.max(initial=1)))
    counts, _ = np.histogram(values, bins=np.append(edges[:-1], edges[-1] - 0.5))
    at_most = np.quantile(values, MARKS, method="inverted_cdf") if len(values) else np.ones(len(MARKS))
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "at_most": {str(mark): int(value) for mark, value in zip(MARKS, at_most, strict=True)},
    }
