"""Bounds on a learner's regret, and what they need (section theory, appendix theoreticalanalysis).

Regret against the reader's true path is what Theorem omd-dynamic-regret bounds; for a path that stands still it is the
static regret of Theorem omd-regret-main.
"""

import math

from prefer_core.errors import ConfigError


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


def _above(name: str, value: float) -> float:
    if not (0.0 < value < math.inf):
        raise ConfigError(f"The {name} must be above 0 and finite, found {value}.")
    return value


def _share(floor: float) -> float:
    if not 0.0 < floor < 1.0:
        raise ConfigError(f"A floor must lie between 0 and 1, both left out, found {floor}.")
    return floor
