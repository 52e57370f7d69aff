"""Arithmetic on the probability simplex."""

import numpy as np

from prefer_core.errors import ConfigError, DataError
from prefer_core.types import FloatArray

TOLERANCE = 1e-6
"""How far from one the sum of a point of the simplex may be; float32 memberships need this much."""


def uniform(n: int) -> FloatArray:
    """Return the centre of the simplex, shape (n,)."""
    return np.full(n, 1.0 / n)


def corner(n: int, at: int) -> FloatArray:
    """Return the corner of the simplex (n,) with all mass on place `at`."""
    if not 0 <= at < n:
        raise ConfigError(f"There are {n} aspects, numbered from 0; found {at}.")
    v = np.zeros(n)
    v[at] = 1.0
    return v


def check(v: FloatArray, what: str = "A preference") -> FloatArray:
    """Return `v` (K,) as float64, or raise DataError unless it has K >= 2 non-negative numbers that sum to one.

    Examples
    --------
    >>> check(np.array([0.25, 0.75]))
    array([0.25, 0.75])
    """
    v = np.asarray(v, dtype=np.float64)
    if v.ndim != 1 or len(v) < 2:
        raise DataError(f"{what} must be one row of at least 2 numbers, found shape {v.shape}.")
    if not (v.min() >= 0 and abs(float(v.sum()) - 1.0) <= TOLERANCE):  # a NaN fails the first
        raise DataError(f"{what} must have non-negative numbers that sum to 1, found {v}.")
    return v


def normalise(v: FloatArray) -> FloatArray:
    """Scale non-negative `v` (K,) to sum to one.

    Raises
    ------
    DataError
        If `v` has a negative or non-finite entry, or no mass.

    Examples
    --------
    >>> normalise(np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    v = np.asarray(v, dtype=np.float64)
    total = v.sum()
    if not (0 < total < np.inf and v.min() >= 0):
        raise DataError(f"A preference needs non-negative numbers with a positive sum, found {v}.")
    normal: FloatArray = v / total
    return normal


def entropy(w: FloatArray) -> float:
    """Shannon entropy of `w` (K,) divided by log K: 0 at a corner, 1 at the centre."""
    w = np.asarray(w, dtype=np.float64)
    positive = w[w > 0]
    return float(-(positive * np.log(positive)).sum() / np.log(len(w)))


def kl(u: FloatArray, v: FloatArray) -> float:
    """Kullback-Leibler divergence KL(u || v), the Bregman divergence of Prop. kl-bregman; v must be positive.

    Examples
    --------
    >>> round(kl(np.array([1.0, 0.0]), np.array([0.5, 0.5])), 4)
    0.6931
    """
    u, v = np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64)
    held = u > 0
    return float((u[held] * np.log(u[held] / v[held])).sum())


def cosine(u: FloatArray, v: FloatArray) -> float:
    """Cosine of two vectors; 0 where one has no length."""
    length = float(np.linalg.norm(u) * np.linalg.norm(v))
    return float(np.dot(u, v) / length) if length > 0 else 0.0


def project(v: FloatArray, lower: float | FloatArray, upper: float | FloatArray | None = None) -> FloatArray:
    """Return argmin KL(w || v) over {w : sum w = 1, lower <= w <= upper}.

    The minimiser is w_k = clip(c v_k, lower_k, upper_k) for the one scale c at which the sum is one. Without upper
    limits it is found exactly: set the small coordinates to their limit, scale the rest, repeat until none is small.

    Parameters
    ----------
    v : ndarray of shape (K,)
        Non-negative with positive sum.
    lower, upper : float or ndarray of shape (K,)
        Limits; `upper` None means 1.

    Raises
    ------
    ConfigError
        If no point of the simplex lies between the limits.

    Examples
    --------
    >>> project(np.array([0.9, 0.1, 0.0]), 0.05)
    array([0.855, 0.095, 0.05 ])
    """
    v = normalise(v)
    if upper is None and isinstance(lower, (int, float)) and 0 <= lower <= v.min():
        return v  # nothing to do, in nearly every step of a learner
    low = np.broadcast_to(np.asarray(lower, dtype=np.float64), v.shape)
    high = np.broadcast_to(np.asarray(1.0 if upper is None else upper, dtype=np.float64), v.shape)
    if np.any(low < 0) or np.any(low > high) or low.sum() > 1 + 1e-12 or high.sum() < 1 - 1e-12:
        raise ConfigError(f"No preference over {len(v)} aspects lies between the limits {lower} and {upper}.")
    return _raise_small(v, low) if upper is None else _clip_to_sum(v, low, high)


def _raise_small(v: FloatArray, low: FloatArray) -> FloatArray:
    held = np.zeros(len(v), dtype=bool)
    w = v
    while np.any(small := ~held & (w < low)):
        held |= small
        free = v[~held].sum()
        scale = (1.0 - low[held].sum()) / free if free > 0 else 0.0
        w = np.where(held, low, v * scale)
    return w


def _clip_to_sum(v: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    # A zero can not be scaled up to a sum of one; the smallest positive number can.
    v = np.maximum(v, np.finfo(np.float64).tiny)
    left, right = -800.0, 800.0  # log c; wide enough for any positive float64
    for _ in range(200):
        middle = 0.5 * (left + right)
        if np.exp(np.clip(middle + np.log(v), -745, 700)).clip(low, high).sum() < 1:
            left = middle
        else:
            right = middle
    w = np.exp(np.clip(right + np.log(v), -745, 700)).clip(low, high)
    inside = (w > low) & (w < high)
    if inside.any():
        w[inside] *= (1.0 - w[~inside].sum()) / w[inside].sum()
    return w.clip(low, high)
