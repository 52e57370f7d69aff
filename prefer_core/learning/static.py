"""The learner that does not learn: the paper's static baseline."""

from dataclasses import dataclass, replace

import numpy as np

from prefer_core.learning.base import Learner, check_feedback, first_preference
from prefer_core.learning.baselines import BASELINES, START, check_baseline
from prefer_core.types import FloatArray, LearnerState, Step


@dataclass(frozen=True)
class Static(Learner):
    """Keeps w as it started; the baseline still follows the ratings.

    Parameters
    ----------
    baseline : {"ema", "mean"}
        What rating is expected.
    ema_rate : float
        rho in (0, 1].
    start_profile : tuple of float
        w, one weight an aspect; uniform if empty.
    """

    baseline: str = "ema"
    ema_rate: float = 0.2
    start_profile: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_baseline(self.baseline)

    def start(self, n_aspects: int, seed: int) -> LearnerState:
        """Return the state before any rating."""
        w = first_preference(self.start_profile, n_aspects, floor=0.0)
        return LearnerState(t=1, w=w, baseline=START, seed=seed)

    def target(self, state: LearnerState, rng: np.random.Generator | None = None) -> FloatArray:
        """Return w."""
        return state.w

    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Count the rating and follow it with the baseline; the step goes nowhere."""
        check_feedback(feedback)
        shown, centred = np.asarray(z, dtype=np.float64), feedback - state.baseline
        step = Step(feedback, state.baseline, centred, 0.0, shown, state.w, state.w, state.w)
        expected = BASELINES[self.baseline](state.baseline, feedback, state.t, self.ema_rate)
        return replace(state, t=state.t + 1, baseline=expected), step
