"""Arms compared: differences with intervals, and the power of a design from what simulated participants did.

The unit is the participant: rounds of one person are not independent, so each arm's rounds are averaged first. Every
function takes one sample, the differences within participants, or two, the means of two groups.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prefer_core.types import FloatArray

LEVEL = 0.95
STUDIES = 500
"""How many studies are drawn to see how often the interval holds the truth."""


@dataclass(frozen=True)
class Interval:
    """A mean difference with the ends of its interval; `n` participants."""

    mean: float
    low: float
    high: float
    n: int


def interval(*samples: Sequence[float] | FloatArray, level: float = LEVEL) -> Interval | None:
    """Return the mean of paired differences with its t interval, or the difference of two means with Welch's.

    None where a sample has fewer than two values. For blind two-arm rounds one difference is a participant's mean of
    learner minus other. The interval holds for a study that ends at a number settled in advance; who stops when it
    looks good has a smaller chance than `level`.

    >>> interval([0.1, 0.2, 0.3]).mean
    0.2
    """
    if min(map(len, samples)) < 2:
        return None
    mean, half = _mean_and_half(*(np.asarray(one, dtype=np.float64) for one in samples), level=level)
    return Interval(round(float(mean), 12), float(mean - half), float(mean + half), sum(map(len, samples)))


def power(*samples: Sequence[float], n: int, seed: int = 0, studies: int = 2000) -> float:
    """Return the share of studies of `n` participants a sample whose interval leaves 0 out on the side of the mean.

    The studies are drawn, with replacement, from what simulated participants showed.
    """
    if n < 2 or min(map(len, samples)) < 2:
        return float("nan")
    mean, half = _mean_and_half(*_drawn(samples, n, seed, studies))
    return float((np.sign(_difference(*samples)) * mean > half).mean())


def coverage(*samples: Sequence[float], n: int, seed: int = 0, studies: int = STUDIES) -> float:
    """Return the share of studies, drawn as for `power`, whose interval holds the difference of the samples' means."""
    if n < 2 or min(map(len, samples)) < 2:
        return float("nan")
    mean, half = _mean_and_half(*_drawn(samples, n, seed, studies))
    truth = _difference(*samples)
    return float(((mean - half <= truth) & (truth <= mean + half)).mean())


def _drawn(samples: Sequence[Sequence[float]], n: int, seed: int, studies: int) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [rng.choice(np.asarray(one, dtype=np.float64), (studies, n)) for one in samples]


def _difference(*samples: Sequence[float] | FloatArray) -> FloatArray:
    """Return the means of one sample (..., n), or those of the first less those of the second."""
    means = [np.mean(one, axis=-1) for one in samples]
    difference: FloatArray = means[0] - means[1] if len(means) > 1 else means[0]
    return difference


def _mean_and_half(*samples: FloatArray, level: float = LEVEL) -> tuple[FloatArray, FloatArray]:
    """Return the differences of samples (..., n) and half the lengths of their intervals."""
    from scipy.stats import t  # type: ignore[import-untyped]  # it ships no types

    parts = [one.var(axis=-1, ddof=1) / one.shape[-1] for one in samples]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [part**2 / (one.shape[-1] - 1) for part, one in zip(parts, samples, strict=True)]
        freedom = np.nan_to_num(sum(parts) ** 2 / sum(shares), nan=1.0)
    half: FloatArray = t.ppf(0.5 + level / 2, freedom) * np.sqrt(sum(parts))
    return _difference(*samples), half
