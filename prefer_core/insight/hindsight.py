"""Regret without an oracle, and an alarm for drift: what can be said about a real person (B12)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prefer_core.learning.loss import best_fixed, regret
from prefer_core.types import FloatArray, Step

SLACK, LIMIT, QUIET = 0.05, 0.6, 8
"""Of the alarm: the drop a rating that is called normal, the sum of drops that rings, and ratings that do not count."""


@dataclass(frozen=True)
class Hindsight:
    """How a session went, against the best preference that never changes.

    Attributes
    ----------
    best : ndarray of shape (K,)
        Fixed preference of least total loss, chosen when all is known.
    average_regret : float
        Regret against it over the number of ratings; negative where learning did better than anything fixed.
    smallest : float
        Smallest coordinate met.
    """

    best: FloatArray
    average_regret: float
    smallest: float


def hindsight(steps: Sequence[Step], floor: float) -> Hindsight | None:
    """Look back on the steps of a session; None before the first.

    Parameters
    ----------
    steps : sequence of Step
        In the order they were taken.
    floor : float
        delta of the learner.
    """
    if not steps:
        return None
    w, z = np.array([step.w_before for step in steps]), np.array([step.z for step in steps])
    centred = np.array([step.centred for step in steps])
    best = best_fixed(z, centred, floor)
    total = float(regret(w, z, centred, best)[-1])
    lowest = min(float(step.w_after.min()) for step in steps)
    return Hindsight(best, total / len(steps), lowest)


def drift_alarm(centred: Sequence[float]) -> bool:
    """Return whether the latest rating ends a run of ratings below what was expected.

    One-sided cumulative sum (Page, Biometrika 41, 1954) of -f~ - SLACK, kept at 0 or above; it rings above LIMIT. The
    first QUIET ratings do not count: there the learner is still looking, and low ratings are its own doing.

    Examples
    --------
    >>> drift_alarm([0.0] * 10 + [-0.3, -0.4, -0.2])
    True
    >>> drift_alarm([0.3, -0.3] * 20)
    False
    """
    total = 0.0
    for value in centred[QUIET:]:
        total = max(0.0, total - value - SLACK)
    return total > LIMIT


def alarm_rounds(centred: Sequence[float]) -> list[int]:
    """Return the rounds t = 1, 2, ... after whose rating the alarm stands, if nobody ever starts over."""
    return [t for t in range(1, len(centred) + 1) if drift_alarm(centred[:t])]
