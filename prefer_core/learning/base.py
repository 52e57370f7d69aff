"""What the learners share: the baseline b_t, how a rating is checked, and the first preference."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError
from prefer_core.types import FloatArray, LearnerState, Step

START = 0.5
"""b_1 of every baseline."""

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


@dataclass(frozen=True, kw_only=True)
class Learner(ABC):
    """Pure functions from one state of a reader to the next; a learner steps in one place, `learn`.

    Parameters
    ----------
    baseline : {"ema", "mean"}
        What rating is expected.
    ema_rate : float
        rho in (0, 1].
    start_profile : tuple of float
        w_1, one weight an aspect; uniform if empty.
    """

    baseline: str = "ema"
    ema_rate: float = 0.2
    start_profile: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.baseline not in BASELINES:
            raise ConfigError(f"baseline must be one of {', '.join(BASELINES)}, found {self.baseline!r}.")
        if not 0 < self.ema_rate <= 1:
            raise ConfigError(f"ema_rate must lie in (0, 1], found {self.ema_rate}.")

    @abstractmethod
    def start(self, n_aspects: int, seed: int) -> LearnerState:
        """Return the state before any rating: w_1, t = 1, b_1 = 0.5."""

    def target(self, state: LearnerState, rng: np.random.Generator | None = None) -> FloatArray:
        """Return the preference (K,) that selection uses in this round: w itself, unless the learner explores."""
        return state.w

    @abstractmethod
    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Learn from one rating of evidence with profile `z` (K,), `feedback` in [0, 1]; return state and step."""

    def update(self, state: LearnerState, z: FloatArray, feedback: float) -> LearnerState:
        """Return the state after one rating of evidence with profile `z` (K,); `feedback` in [0, 1]."""
        return self.learn(state, z, feedback)[0]

    def after(self, state: LearnerState, step: Step) -> LearnerState:
        """Return the state after a step: the rating counted, w moved, the baseline following the rating."""
        expected = BASELINES[self.baseline](state.baseline, step.feedback, state.t, self.ema_rate)
        return replace(state, t=state.t + 1, w=step.w_after, baseline=expected)

    def first_preference(self, n_aspects: int, floor: float) -> FloatArray:
        """Return w_1 (K,): uniform unless a starting profile is set, which is kept above the floor."""
        if not self.start_profile:
            return simplex.uniform(n_aspects)
        if len(self.start_profile) != n_aspects:
            raise ConfigError(
                f"A starting profile of {len(self.start_profile)} weights does not fit {n_aspects} aspects."
            )
        return simplex.project(np.array(self.start_profile, dtype=np.float64), floor)


def check_feedback(feedback: float) -> None:
    """Raise DataError unless `feedback` is a rating in [0, 1]."""
    if not 0.0 <= feedback <= 1.0:
        raise DataError(f"A rating must lie between 0 and 1, found {feedback}.")
