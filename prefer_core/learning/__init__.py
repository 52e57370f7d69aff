"""Learning a reader's preference from ratings (paper, section online-preference-adaptation)."""

from typing import Protocol

import numpy as np

from prefer_core.learning.omd import OMD
from prefer_core.learning.posterior import Posterior
from prefer_core.learning.static import Static
from prefer_core.types import FloatArray, LearnerState, Step


class Updater(Protocol):
    """A learner: pure functions from one state to the next."""

    def start(self, n_aspects: int, seed: int) -> LearnerState:
        """Return the state before any rating."""
        ...

    def target(self, state: LearnerState, rng: np.random.Generator | None = None) -> FloatArray:
        """Return the preference (K,) that selection uses in this round."""
        ...

    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Return the state after one rating of evidence with profile `z` (K,), and the step that led there."""
        ...

    def update(self, state: LearnerState, z: FloatArray, feedback: float) -> LearnerState:
        """Return the state after one rating of evidence with profile `z` (K,)."""
        ...


UPDATERS: dict[str, type[OMD] | type[Posterior] | type[Static]] = {"omd": OMD, "posterior": Posterior, "static": Static}

__all__ = ["OMD", "UPDATERS", "Posterior", "Static", "Updater"]
