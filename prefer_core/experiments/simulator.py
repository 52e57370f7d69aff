"""Simulated readers: what they want, and how they rate what they are shown (section feedback-simulation-control)."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError
from prefer_core.types import FloatArray


def feedback(
    w_true: FloatArray, z: FloatArray, sharpness: float, noise: float, rng: np.random.Generator | None = None
) -> float:
    """Return the rating f of Eq. feedbackprotocol: the sigmoid of sharpness * (q - mean w_true), q = w_true . z + e.

    Parameters
    ----------
    w_true, z : ndarray of shape (K,)
        Hidden preference and aspect profile, both on the simplex.
    sharpness : float
        gamma >= 0; at 0 every rating is 0.5.
    noise : float
        Standard deviation of the noise on q; at 0 no generator is needed.
    rng : numpy.random.Generator or None
        Where the noise comes from.

    Examples
    --------
    >>> round(feedback(np.array([1.0, 0.0]), np.array([0.9, 0.1]), sharpness=10.0, noise=0.0), 3)
    0.982
    """
    w_true, z = simplex.check(w_true, "The hidden preference"), simplex.check(z, "The aspect profile")
    if len(w_true) != len(z):
        raise DataError(f"A preference and a profile must have one length, found {len(w_true)} and {len(z)}.")
    for name, value in (("sharpness", sharpness), ("noise", noise)):
        if not 0 <= value < math.inf:
            raise ConfigError(f"{name} must be at least 0 and finite, found {value}.")
    utility = float(w_true @ z)
    if noise > 0:
        if rng is None:
            raise ConfigError(f"A noise of {noise} needs a generator; pass rng, or set noise to 0.")
        utility += noise * float(rng.standard_normal())
    return sigmoid(sharpness * (utility - float(w_true.mean())))


def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)) without overflow at either end."""
    small = math.exp(-abs(x))
    return 1.0 / (1.0 + small) if x >= 0 else small / (1.0 + small)


class SimulatedReader(Protocol):
    """A hidden preference that may move."""

    @property
    def name(self) -> str:
        """Return how tables and figures call this reader."""
        ...

    def at(self, t: int) -> FloatArray:
        """Return the hidden preference (K,) in round t = 1, 2, ..."""
        ...


@dataclass(frozen=True)
class Fixed:
    """A reader who wants the same all along."""

    name: str
    w: FloatArray

    def __post_init__(self) -> None:
        simplex.check(self.w, f"The preference of reader {self.name}")

    def at(self, t: int) -> FloatArray:
        """Return the preference; the round does not matter."""
        return self.w


@dataclass(frozen=True)
class Drifting:
    """A reader whose preference moves in a straight line from `start` to `end` (section adaptive_preferences).

    rho_t is 0 before round `first`, grows by equal steps in each round of the window, and is 1 from round `last` on.
    """

    name: str
    start: FloatArray
    end: FloatArray
    first: int
    last: int

    def __post_init__(self) -> None:
        simplex.check(self.start, f"The first preference of reader {self.name}")
        simplex.check(self.end, f"The last preference of reader {self.name}")
        if len(self.start) != len(self.end):
            raise DataError(f"A drift needs two preferences of one length: {len(self.start)} and {len(self.end)}.")
        if not 1 <= self.first <= self.last:
            raise ConfigError(f"A drift window needs 1 <= first <= last, found {self.first} to {self.last}.")

    def at(self, t: int) -> FloatArray:
        """Return (1 - rho_t) start + rho_t end."""
        rho = min(1.0, max(0.0, (t - self.first + 1) / (self.last - self.first + 1)))
        w: FloatArray = (1.0 - rho) * np.asarray(self.start) + rho * np.asarray(self.end)
        return w


def single(n_aspects: int, aspect: int) -> Fixed:
    """Return the reader who wants one aspect only."""
    return Fixed(f"e_{aspect}", simplex.corner(n_aspects, aspect))


def two_aspects(n_aspects: int, one: int, other: int) -> Fixed:
    """Return the reader who wants two aspects equally."""
    return Fixed(f"e_{one}+e_{other}", 0.5 * (simplex.corner(n_aspects, one) + simplex.corner(n_aspects, other)))


def diffuse(n_aspects: int, rng: np.random.Generator) -> Fixed:
    """Return a reader drawn evenly from the whole simplex."""
    return Fixed("diffuse", rng.dirichlet(np.ones(n_aspects)))


def drift(n_aspects: int, one: int, other: int, first: int, last: int) -> Drifting:
    """Return the paper's drifting reader: all mass moves from one aspect to another."""
    return Drifting(f"e_{one}>e_{other}", simplex.corner(n_aspects, one), simplex.corner(n_aspects, other), first, last)


def persona(empirical: FloatArray, rng: np.random.Generator) -> Fixed:
    """Return a reader with the taste of one real reviewer, drawn from their profiles (P, K)."""
    if len(empirical) == 0:
        raise DataError("No reviewer here wrote enough sentences for a persona; choose another kind of reader.")
    return Fixed("persona", simplex.normalise(empirical[int(rng.integers(len(empirical)))]))
