"""What the learners share: how a rating is checked, and the state it leads to."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError
from prefer_core.types import FloatArray, LearnerState, Step


class Learner(ABC):
    """A learner steps in one place, `learn`."""

    @abstractmethod
    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Learn from one rating of evidence with profile `z` (K,), `feedback` in [0, 1]; return state and step."""

    def update(self, state: LearnerState, z: FloatArray, feedback: float) -> LearnerState:
        """Return the state after one rating of evidence with profile `z` (K,); `feedback` in [0, 1]."""
        return self.learn(state, z, feedback)[0]


def first_preference(start_profile: Sequence[float], n_aspects: int, floor: float) -> FloatArray:
    """Return w_1 (K,): uniform unless a starting profile is set, which is kept above the floor."""
    if not start_profile:
        return simplex.uniform(n_aspects)
    if len(start_profile) != n_aspects:
        raise ConfigError(f"A starting profile of {len(start_profile)} weights does not fit {n_aspects} aspects.")
    return simplex.project(np.array(start_profile, dtype=np.float64), floor)


def check_feedback(feedback: float) -> None:
    """Raise DataError unless `feedback` is a rating in [0, 1]."""
    if not 0.0 <= feedback <= 1.0:
        raise DataError(f"A rating must lie between 0 and 1, found {feedback}.")
