"""Arms compared: differences with intervals, and the power of a design from what simulated participants did.

The unit is the participant: rounds of one person are not independent, so each arm's rounds are averaged first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def _t(level: float, freedom: Any) -> Any:
    """Return the quantile of Student's t that leaves (1 - level) / 2 above it."""
    from scipy.stats import t  # type: ignore[import-untyped]  # it ships no types

    return t.ppf(0.5 + level / 2, freedom)


def paired(differences: Sequence[float] | FloatArray, level: float = LEVEL) -> Interval | None:
    """Return the mean of paired differences (n,) with its t interval; None for fewer than two.

    For blind two-arm rounds one difference is a participant's mean of learner minus other. The interval holds for a
    study that ends at a number settled in advance; who stops when it looks good has a smaller chance than `level`.

    >>> paired([0.1, 0.2, 0.3]).mean
    0.2
    """
    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    if n < 2:
        return None
    mean = float(values.mean())
    half = float(_t(level, n - 1) * values.std(ddof=1) / np.sqrt(n))
    return Interval(round(mean, 12), mean - half, mean + half, n)


def unpaired(ours: Sequence[float], theirs: Sequence[float], level: float = LEVEL) -> Interval | None:
    """Return the difference of two groups' means with Welch's interval; None where one has fewer than two."""
    one, other = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if min(len(one), len(other)) < 2:
        return None
    parts = one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)
    mean = float(one.mean() - other.mean())
    if sum(parts) == 0:
        return Interval(mean, mean, mean, len(one) + len(other))
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(one) - 1) + parts[1] ** 2 / (len(other) - 1))
    half = float(_t(level, freedom) * np.sqrt(sum(parts)))
    return Interval(mean, mean - half, mean + half, len(one) + len(other))


def coverage_paired(differences: Sequence[float], n: int, seed: int = 0, studies: int = STUDIES) -> float:
    """Return the share of studies of `n` such participants whose interval holds the true mean difference.

    The studies are drawn, with replacement, from the differences that simulated participants showed; the mean of
    those is then the truth.
    """
    if n < 2 or len(differences) < 2:
        return float("nan")
    pool = np.asarray(differences, dtype=np.float64)
    drawn = np.random.default_rng(seed).choice(pool, (studies, n))
    return float(np.mean([float(pool.mean()) in found for one in drawn if (found := paired(one)) is not None]))


def coverage_unpaired(
    ours: Sequence[float], theirs: Sequence[float], n: int, seed: int = 0, studies: int = STUDIES
) -> float:  # fmt: skip
    """Return the same for two groups of `n` participants each."""
    if n < 2 or min(len(ours), len(theirs)) < 2:
        return float("nan")
    rng = np.random.default_rng(seed)
    one, other = (rng.choice(np.asarray(pool, dtype=np.float64), (studies, n)) for pool in (ours, theirs))
    truth = float(np.mean(ours) - np.mean(theirs))
    drawn = [unpaired(list(a), list(b)) for a, b in zip(one, other, strict=True)]
    return float(np.mean([truth in found for found in drawn if found is not None]))


def power_paired(differences: Sequence[float], n: int, seed: int = 0, studies: int = 2000) -> float:
    """Return the share of studies of `n` such participants whose 95 % interval leaves 0 out on the side of the mean.

    The studies are drawn, with replacement, from the differences that simulated participants showed.
    """
    if n < 2 or len(differences) < 2:
        return float("nan")
    pool = np.asarray(differences, dtype=np.float64)
    drawn = np.random.default_rng(seed).choice(pool, (studies, n))
    half = _t(LEVEL, n - 1) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
    return float((np.sign(pool.mean()) * drawn.mean(axis=1) > half).mean())


def power_unpaired(ours: Sequence[float], theirs: Sequence[float], n: int, seed: int = 0, studies: int = 2000) -> float:
    """Return the same for two groups of `n` participants each."""
    if n < 2 or min(len(ours), len(theirs)) < 2:
        return float("nan")
    rng = np.random.default_rng(seed)
    one, other = (rng.choice(np.asarray(pool, dtype=np.float64), (studies, n)) for pool in (ours, theirs))
    parts = one.var(axis=1, ddof=1) / n, other.var(axis=1, ddof=1) / n
    error = np.sqrt(parts[0] + parts[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = (parts[0] + parts[1]) ** 2 / ((parts[0] ** 2 + parts[1] ** 2) / (n - 1))
    half = _t(LEVEL, np.nan_to_num(freedom, nan=1.0)) * error
    side = np.sign(np.mean(ours) - np.mean(theirs))
    return float((side * (one.mean(axis=1) - other.mean(axis=1)) > half).mean())
