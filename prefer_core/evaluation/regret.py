"""Surrogate regret of a learner, its bounds, and what they need (section theory, appendix theoreticalanalysis).

The loss of round t is l_t(w) = -f~_t w . z_t. Regret against the reader's true path is what Theorem omd-dynamic-regret
bounds; for a path that stands still it is the static regret of Theorem omd-regret-main. Real readers have no known
truth: for them the comparator is the best fixed w in hindsight, which is found exactly because the loss is linear.
"""

import math

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


def lipschitz(floor: float) -> float:
    """Return L_delta = 1 + log(1 / delta) (Lemma entropy-bregman-lipschitz)."""
    return 1.0 + math.log(1.0 / _share(floor))


def complexity(floor: float, variation: float = 0.0) -> float:
    """Return A_T = log(1 / delta) + L_delta V_T (Corollary omd-dynamic-sample-complexity)."""
    if not (0.0 <= variation < math.inf):
        raise ConfigError(f"A path variation must be at least 0 and finite, found {variation}.")
    return math.log(1.0 / _share(floor)) + lipschitz(floor) * variation


def tuned_step(floor: float, decay: float, clip: float, variation: float = 0.0) -> float:
    """Return the eta0 = sqrt(c_eta A_T) / c that makes either bound smallest."""
    return math.sqrt(_above("decay", decay) * complexity(floor, variation)) / _above("clip", clip)


def static_bound(rounds: int, floor: float, initial: float | None, decay: float, clip: float) -> float:
    """Return the bound of Theorem omd-regret-main on the regret against one fixed preference.

    Parameters
    ----------
    rounds : int
        T >= 1.
    floor : float
        delta in (0, 1).
    initial : float or None
        eta0; None for the tuned one.
    decay : float
        c_eta > 0.
    clip : float
        c > 0 with every |f~_t| <= c.
    """
    return dynamic_bound(rounds, floor, initial, decay, clip, 0.0)


def dynamic_bound(
    rounds: int, floor: float, initial: float | None, decay: float, clip: float, variation: float
) -> float:
    """Return the bound of Theorem omd-dynamic-regret; `variation` is V_T, the others as in `static_bound`.

    Examples
    --------
    >>> round(dynamic_bound(100, 1e-4, 2.0, 0.002, 1.0, 0.0), 1)
    1100.5
    """
    if rounds < 1:
        raise ConfigError(f"A regret bound needs at least 1 round, found {rounds}.")
    eta = tuned_step(floor, decay, clip, variation) if initial is None else _above("initial step size", initial)
    scale = math.sqrt(1.0 + _above("decay", decay) * rounds)
    return scale * (complexity(floor, variation) / eta + _above("clip", clip) ** 2 * eta / decay)


def sample_complexity(epsilon: float, floor: float, decay: float, clip: float, variation: float = 0.0) -> float:
    """Return how many rounds bring the average regret to `epsilon`, for the tuned eta0 only.

    Corollary omd-sample-complexity-main for `variation` 0, else Corollary omd-dynamic-sample-complexity. It is a worst
    case, thousands of rounds: what a person needs comes from calibration instead.
    """
    square = _above("epsilon", epsilon) ** 2
    scaled = _above("clip", clip) ** 2 * complexity(floor, variation)
    return 2.0 / square * (scaled + math.sqrt(scaled**2 + square * scaled / _above("decay", decay)))


def running_floor(w: FloatArray) -> FloatArray:
    """Return the smallest coordinate met so far in each round of (T, K): the delta that holds, shape (T,)."""
    lowest: FloatArray = np.minimum.accumulate(np.asarray(w, dtype=np.float64).min(axis=1))
    return lowest


def running_clip(centred: FloatArray) -> FloatArray:
    """Return the largest |f~| met so far in each of T rounds: the c that holds, shape (T,)."""
    largest: FloatArray = np.maximum.accumulate(np.abs(np.asarray(centred, dtype=np.float64)))
    return largest


def _above(name: str, value: float) -> float:
    if not (0.0 < value < math.inf):
        raise ConfigError(f"The {name} must be above 0 and finite, found {value}.")
    return value


def _share(floor: float) -> float:
    if not 0.0 < floor < 1.0:
        raise ConfigError(f"A floor must lie between 0 and 1, both left out, found {floor}.")
    return floor
