"""Surrogate loss and regret of a learner (section theory).

The loss of round t is l_t(w) = -f~_t w . z_t. Regret is measured against a fixed preference or a path. Real readers
have no known truth: for them the comparator is the best fixed w in hindsight, found exactly as the loss is linear.
"""

import numpy as np

from prefer_core.errors import ConfigError, DataError
from prefer_core.types import FloatArray


def surrogate_loss(w: FloatArray, z: FloatArray, centred: float | FloatArray) -> FloatArray:
    """Return l_t(w) = -f~ w . z, for one round or for T of them.

    Parameters
    ----------
    w, z : ndarray of shape (K,) or (T, K)
        Preference, and aspect profile of what was shown.
    centred : float or ndarray of shape (T,)
        f~_t.

    Examples
    --------
    >>> float(surrogate_loss(np.array([0.5, 0.5]), np.array([1.0, 0.0]), 0.4))
    -0.2
    """
    w, z = np.asarray(w, dtype=np.float64), np.asarray(z, dtype=np.float64)
    if w.shape != z.shape:
        raise DataError(f"A preference and a profile must have one shape, found {w.shape} and {z.shape}.")
    loss: FloatArray = -np.asarray(centred, dtype=np.float64) * np.sum(w * z, axis=-1)
    if not np.all(np.isfinite(loss)):
        raise DataError("A surrogate loss needs finite numbers; there is a NaN or an infinity among them.")
    return loss


def regret(w: FloatArray, z: FloatArray, centred: FloatArray, comparator: FloatArray) -> FloatArray:
    """Return the regret R_t after each of T rounds.

    Parameters
    ----------
    w, z : ndarray of shape (T, K)
        Preference before each rating, and profile that was rated.
    centred : ndarray of shape (T,)
        f~_t.
    comparator : ndarray of shape (K,) or (T, K)
        A fixed preference (static regret), or the reader's path (dynamic regret).

    Returns
    -------
    ndarray of shape (T,)
    """
    w = np.asarray(w, dtype=np.float64)
    against = np.broadcast_to(np.asarray(comparator, dtype=np.float64), w.shape)
    total: FloatArray = np.cumsum(surrogate_loss(w, z, centred) - surrogate_loss(against, z, centred))
    return total


def path_variation(w_true: FloatArray) -> FloatArray:
    """Return V_t = sum of |w_s - w_{s-1}|_1 up to each round of a path (T, K), shape (T,); V_1 = 0."""
    steps = np.abs(np.diff(np.asarray(w_true, dtype=np.float64), axis=0)).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def best_fixed(z: FloatArray, centred: FloatArray, floor: float) -> FloatArray:
    """Return the fixed w (K,) of least total loss over T rounds, with every coordinate at least `floor`.

    The total loss is linear, so its minimum over the truncated simplex lies at a corner: `floor` everywhere and what is
    left on the aspect with the largest sum of f~_t z_t (the first of equal ones).
    """
    gain = np.asarray(centred, dtype=np.float64) @ np.asarray(z, dtype=np.float64)
    if not np.all(np.isfinite(gain)) or gain.ndim != 1:
        raise DataError(f"Profiles (T, K) and centred ratings (T,) must be finite, found shape {np.shape(z)}.")
    if not 0 <= floor <= 1 / len(gain):
        raise ConfigError(f"A floor must lie between 0 and 1/{len(gain)}, found {floor}.")
    w = np.full(len(gain), floor)
    w[int(np.argmax(gain))] = 1.0 - floor * (len(gain) - 1)
    return w
