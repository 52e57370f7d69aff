"""Entropic online mirror descent, the paper's learner."""

from dataclasses import dataclass

import numpy as np

from prefer_core import simplex
from prefer_core.errors import ConfigError
from prefer_core.learning.base import START, Learner, check_feedback
from prefer_core.schedules import StepSize
from prefer_core.types import FloatArray, LearnerState, Step


def exponentiated(w: FloatArray, z: FloatArray, centred: float, step_size: float) -> FloatArray:
    """Return w_k exp(eta f~ z_k) / Z, the closed form of Eq. exp-gradient-update, without the floor."""
    exponent = step_size * centred * np.asarray(z, dtype=np.float64)
    grown: FloatArray = np.asarray(w, dtype=np.float64) * np.exp(exponent - exponent.max())
    grown /= grown.sum()
    return grown


def entropic_step(w: FloatArray, z: FloatArray, centred: float, step_size: float, floor: float = 1e-4) -> FloatArray:
    """Take one mirror-descent step (Eq. omd-update) and keep it in the truncated simplex (Assumption omd-delta).

    Parameters
    ----------
    w, z : ndarray of shape (K,)
        Preference before the step, and aspect profile of what was shown.
    centred : float
        f~_t, positive where the rating was above what was expected.
    step_size : float
        eta_t > 0.
    floor : float
        delta in [0, 1/K]: no coordinate ends below it.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> entropic_step(np.array([0.5, 0.5]), np.array([1.0, 0.0]), centred=0.5, step_size=2.0).round(3)
    array([0.731, 0.269])
    """
    return simplex.project(exponentiated(w, z, centred, step_size), floor)


@dataclass(frozen=True, kw_only=True)
class OMD(Learner):
    """Online mirror descent with the entropy as distance-generating function; other settings as in `Learner`.

    Parameters
    ----------
    step_size, decay : float
        eta0 and c_eta of the schedule eta_t = eta0 / sqrt(1 + c_eta t).
    floor : float
        delta, the smallest coordinate kept.
    clip : float
        c: the centred feedback is clipped to [-c, c].
    """

    step_size: float = 2.0
    decay: float = 0.002
    floor: float = 1e-4
    clip: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        StepSize(self.step_size, self.decay)
        if self.floor < 0 or self.clip <= 0:
            raise ConfigError(f"floor must be at least 0 and clip above 0, found {self.floor} and {self.clip}.")

    def start(self, n_aspects: int, seed: int) -> LearnerState:
        """Return the state before any rating: w_1, t = 1, b_1 = 0.5."""
        if self.floor * n_aspects > 1:
            raise ConfigError(
                f"A floor of {self.floor} leaves no room for {n_aspects} aspects; use at most {1 / n_aspects:.4f}."
            )
        w = self.first_preference(n_aspects, self.floor)
        return LearnerState(t=1, w=w, baseline=START, seed=seed)

    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Learn from one rating of evidence with profile `z` (K,), `feedback` in [0, 1]; return state and step."""
        check_feedback(feedback)
        centred = float(np.clip(feedback - state.baseline, -self.clip, self.clip))
        eta = StepSize(self.step_size, self.decay)(state.t)
        z = np.asarray(z, dtype=np.float64)
        stepped = exponentiated(state.w, z, centred, eta)
        step = Step(
            feedback=feedback,
            baseline=state.baseline,
            centred=centred,
            step_size=eta,
            z=z,
            w_before=state.w,
            w_step=stepped,
            w_after=simplex.project(stepped, self.floor),
        )
        return self.after(state, step), step
