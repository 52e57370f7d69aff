"""What rating is expected next: the baseline b_t. Every baseline starts at 0.5."""

from collections.abc import Callable

from prefer_core.errors import ConfigError

START = 0.5

Baseline = Callable[[float, float, int, float], float]
"""From (b_t, f_t, t, ema_rate) to b_{t+1}."""


def ema(baseline: float, feedback: float, t: int, ema_rate: float) -> float:
    """Follow the ratings by an exponential moving average: b_{t+1} = (1 - rho) b_t + rho f_t.

    Examples
    --------
    >>> ema(0.5, 1.0, t=1, ema_rate=0.5)
    0.75
    """
    return (1.0 - ema_rate) * baseline + ema_rate * feedback


def mean(baseline: float, feedback: float, t: int, ema_rate: float) -> float:
    """Follow the mean of the ratings so far: b_{t+1} = (f_1 + ... + f_t) / t; the start value drops out.

    Examples
    --------
    >>> mean(mean(0.5, 1.0, t=1, ema_rate=0.2), 0.0, t=2, ema_rate=0.2)
    0.5
    """
    return ((t - 1) * baseline + feedback) / t


BASELINES: dict[str, Baseline] = {"ema": ema, "mean": mean}


def check_baseline(name: str) -> None:
    """Raise ConfigError unless there is a baseline of that name."""
    if name not in BASELINES:
        raise ConfigError(f"baseline must be one of {', '.join(BASELINES)}, found {name!r}.")
