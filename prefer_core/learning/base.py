"""What the learners share: how a rating is checked, and the step read two ways."""

from abc import ABC, abstractmethod

from prefer_core.errors import DataError
from prefer_core.types import FloatArray, LearnerState, Step


class Learner(ABC):
    """A learner steps in one place, `learn`; what changed and where it ended are two readings of it."""

    @abstractmethod
    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Learn from one rating of evidence with profile `z` (K,), `feedback` in [0, 1]; return state and step."""

    def explain(self, state: LearnerState, z: FloatArray, feedback: float) -> Step:
        """Return the step that `update` takes, with all its parts."""
        return self.learn(state, z, feedback)[1]

    def update(self, state: LearnerState, z: FloatArray, feedback: float) -> LearnerState:
        """Return the state after one rating of evidence with profile `z` (K,); `feedback` in [0, 1]."""
        return self.learn(state, z, feedback)[0]


def check_feedback(feedback: float) -> None:
    """Raise DataError unless `feedback` is a rating in [0, 1]."""
    if not 0.0 <= feedback <= 1.0:
        raise DataError(f"A rating must lie between 0 and 1, found {feedback}.")
