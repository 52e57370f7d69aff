"""A Bayesian linear model of the rating: a learner that a person can feel within ten ratings.

Eq. feedbackprotocol makes the log-odds of a rating exactly linear in what was shown: with z on the simplex,

    y_t = log(f_t / (1 - f_t)) = gamma (w . z_t - 1/K) + noise = theta . z_t + noise,   theta_k = gamma (w_k - 1/K).

So theta has a conjugate Gaussian posterior (Bishop, Pattern Recognition and Machine Learning, section 3.3). Its prior
is N(0, s^2 (I - 11'/K) + s_0^2 11'): s is how far tastes differ, s_0 how far a person's ratings may lie above or below
the simulated ones as a whole, which says nothing about w. Before each rating precision and shift fall back towards the
prior by a forgetting factor (stabilised forgetting: Kulhavy and Zarrop, Int. J. Control 58, 1993): drift is followed.

* w-hat is the point of the truncated simplex next to 1/K + centred mean of theta / gamma (Euclidean projection: Duchi,
  Shalev-Shwartz, Singer and Chandra, ICML 2008), for a gamma that is set; a diffuse reader keeps a diffuse w-hat.
* Selection uses a Thompson draw (Thompson, Biometrika 25, 1933; Agrawal and Goyal, ICML 2013) of theta, made into a
  preference in the same way. Its largest aspect and, where the draw leaves it weight, its second share the evidence
  equally, as in top-two sampling (Russo, COLT 2016): greedy selection would give an uneven pair to the larger alone,
  and a reader who wants two things would never be shown the other one. Early draws are wide, so evidence is focused on
  a few aspects at a time and says the most about them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError
from prefer_core.learning.base import START, Learner, check_feedback
from prefer_core.types import FloatArray, LearnerState, Step

EXTREME = 0.01
"""Ratings are kept this far from 0 and 1: the slider's own step, and the log-odds stay finite."""
LEVEL_NORMAL = {0.5: 0.6745, 0.8: 1.2816, 0.9: 1.6449, 0.95: 1.96}


@dataclass(frozen=True, kw_only=True)
class Posterior(Learner):
    """Bayesian linear regression of the log-odds of a rating on the aspect profile, with Thompson draws.

    Settings beside these are those of `Learner`. The baseline is for the record only: the model has its own
    expectation. A starting profile is the prior's mean, to which forgetting leads back.

    Parameters
    ----------
    prior_scale : float
        s: prior standard deviation of theta across aspects.
    common_scale : float
        s_0: prior standard deviation of what all ratings of a reader share.
    rating_noise : float
        Standard deviation of the log-odds of one rating.
    response : float
        gamma: how many log-odds a whole unit of preference is worth when theta is read as a preference.
    forgetting : float
        In (0, 1]: what is kept from one rating to the next; 1 forgets nothing.
    exploration : float
        Width of the Thompson draws in standard deviations; 0 always uses the mean.
    second_share : float
        In (0, 1]: least weight of a draw's second aspect, against its first, to be shown as well.
    floor : float
        delta, the smallest coordinate of w.
    """

    prior_scale: float = 3.0
    common_scale: float = 0.5
    rating_noise: float = 0.7
    response: float = 8.0
    forgetting: float = 0.97
    exploration: float = 0.6
    second_share: float = 0.15
    floor: float = 1e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("prior_scale", "common_scale", "rating_noise", "response"):
            if not 0 < getattr(self, name) < np.inf:
                raise ConfigError(f"{name} must be above 0 and finite, found {getattr(self, name)}.")
        for name in ("forgetting", "second_share"):
            if not 0 < getattr(self, name) <= 1:
                raise ConfigError(f"{name} must lie in (0, 1], found {getattr(self, name)}.")
        if not 0 <= self.exploration < np.inf or self.floor < 0:
            raise ConfigError(f"exploration and floor start at 0, found {self.exploration} and {self.floor}.")

    def start(self, n_aspects: int, seed: int) -> LearnerState:
        """Return the state before any rating: the prior, whose mean is w_1."""
        if self.floor * n_aspects > 1:
            raise ConfigError(f"A floor of {self.floor} leaves no room for {n_aspects} aspects.")
        w = self.first_preference(n_aspects, self.floor)
        extra = {"precision": self._prior_precision(n_aspects), "shift": self._prior_shift(n_aspects)}
        return LearnerState(t=1, w=w, baseline=START, seed=seed, extra=extra)

    def target(self, state: LearnerState, rng: np.random.Generator | None = None) -> FloatArray:
        """Return a Thompson draw as the preference (K,) that selection uses; without `rng` w itself."""
        if rng is None:
            return state.w
        mean, covariance = self.theta(state)
        noise = np.linalg.cholesky(covariance) @ rng.standard_normal(len(mean))
        drawn = self._preference(mean + self.exploration * noise)
        first, second = np.argsort(-drawn, kind="stable")[:2]
        shown = np.full(len(mean), self.floor)
        chosen = [first, second] if drawn[second] >= self.second_share * drawn[first] else [first]
        shown[chosen] += (1.0 - self.floor * len(mean)) / len(chosen)
        return shown

    def learn(self, state: LearnerState, z: FloatArray, feedback: float) -> tuple[LearnerState, Step]:
        """Learn from one rating of evidence with profile `z` (K,), `feedback` in [0, 1]; return state and step.

        The step size is 0: no single number moves w here.
        """
        check_feedback(feedback)
        z = np.asarray(z, dtype=np.float64)
        if z.shape != state.w.shape:
            raise DataError(f"The profile has shape {z.shape} where the preference has {state.w.shape}.")
        kept = float(np.clip(feedback, EXTREME, 1.0 - EXTREME))
        weight = 1.0 / self.rating_noise**2
        fresh = (1.0 - self.forgetting) * self._prior_precision(len(z))
        precision = self.forgetting * state.extra["precision"] + fresh + weight * np.outer(z, z)
        shift = self.forgetting * state.extra["shift"] + weight * np.log(kept / (1.0 - kept)) * z
        if self.start_profile:
            shift += (1.0 - self.forgetting) * self._prior_shift(len(z))
        w = self._preference(np.linalg.solve(precision, shift))
        extra = {"precision": precision, "shift": shift}
        step = Step(feedback, state.baseline, feedback - state.baseline, 0.0, z, state.w, w, w)
        return replace(self.after(state, step), extra=extra), step

    def theta(self, state: LearnerState) -> tuple[FloatArray, FloatArray]:
        """Return mean (K,) and covariance (K, K) of theta."""
        covariance: FloatArray = np.linalg.inv(state.extra["precision"])
        covariance = 0.5 * (covariance + covariance.T)
        mean: FloatArray = covariance @ state.extra["shift"]
        return mean, covariance

    def intervals(
        self, state: LearnerState, level: float = 0.9, rows: Sequence[Sequence[int]] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper end (K,) of the credible interval of each weight, cut to [0, 1].

        `level` is one of 0.5, 0.8, 0.9 and 0.95. With `rows`, R lists of aspects, the intervals (R,) are those of the
        sums of their weights.
        """
        if level not in LEVEL_NORMAL:
            raise ConfigError(f"A level is one of {', '.join(map(str, LEVEL_NORMAL))}, found {level}.")
        mean, covariance = self.theta(state)
        k = len(mean)
        centre = np.eye(k) - 1.0 / k
        summed = np.eye(k) if rows is None else np.array([np.isin(np.arange(k), row) for row in rows], dtype=float)
        spread = np.sqrt(np.diag(summed @ centre @ covariance @ centre @ summed.T)) / self.response
        middle = summed @ (1.0 / k + (mean - mean.mean()) / self.response)
        reach = LEVEL_NORMAL[level] * spread
        return np.clip(middle - reach, 0.0, 1.0), np.clip(middle + reach, 0.0, 1.0)

    def _prior_precision(self, n_aspects: int) -> FloatArray:
        # The two parts of the prior covariance act on orthogonal spaces, so the inverse is the sum of theirs.
        common = np.full((n_aspects, n_aspects), 1.0 / n_aspects)
        apart = np.eye(n_aspects) - common
        precision: FloatArray = apart / self.prior_scale**2 + common / (n_aspects * self.common_scale**2)
        return precision

    def _prior_shift(self, n_aspects: int) -> FloatArray:
        if not self.start_profile:
            return np.zeros(n_aspects)
        w = self.first_preference(n_aspects, self.floor)
        shift: FloatArray = self._prior_precision(n_aspects) @ (self.response * (w - 1.0 / n_aspects))
        return shift

    def _preference(self, theta: FloatArray) -> FloatArray:
        """Return the point of the truncated simplex next to 1/K + centred theta / gamma."""
        k = len(theta)
        free = 1.0 - self.floor * k
        if free <= 0:
            return simplex.uniform(k)
        centred = 1.0 / k + (theta - theta.mean()) / self.response
        w: FloatArray = self.floor + free * nearest((centred - self.floor) / free)
        return w


def nearest(v: FloatArray) -> FloatArray:
    """Return the point of the simplex with the least Euclidean distance to `v` (K,).

    Examples
    --------
    >>> nearest(np.array([1.2, 0.4, -0.3])).round(3)
    array([0.9, 0.1, 0. ])
    """
    falling = np.sort(v)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(v) + 1)
    held = int(np.flatnonzero(falling > excess)[-1])
    w: FloatArray = np.maximum(v - excess[held], 0.0)
    w /= w.sum()
    return w
