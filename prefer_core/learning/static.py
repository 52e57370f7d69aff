"""The learner that does not learn: the paper's static baseline."""

from dataclasses import dataclass

import numpy as np

from prefer_core.learning.base import START, Learner, check_feedback
from prefer_core.types import FloatArray, LearnerState, Step


@dataclass(frozen=True, kw_only=True)
class Static(Learner):
    """Keeps w as it started; the baseline still follows the ratings. Settings as in `Learner`."""

    def start(self, n_aspects: int, seed: int) -> LearnerState:
        """Return the state before any rating."""
        return LearnerState(t=1, w=self.first_preference(n_aspects, floor=0.0), baseline=START, seed=seed)

    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Count the rating and follow it with the baseline; the step goes nowhere."""
        check_feedback(feedback)
        shown, centred = np.asarray(z, dtype=np.float64), feedback - state.baseline
        step = Step(feedback, state.baseline, centred, 0.0, shown, state.w, state.w, state.w)
        return self.after(state, step), step
