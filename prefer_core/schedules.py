"""How the learning rate falls and the extractor sharpens over the rounds."""

import math
from dataclasses import dataclass

from prefer_core.errors import ConfigError


@dataclass(frozen=True)
class StepSize:
    """eta_t = initial / sqrt(1 + decay * t), footnote eta of the paper.

    Examples
    --------
    >>> StepSize(initial=2.0, decay=3.0)(1)
    1.0
    """

    initial: float
    decay: float

    def __post_init__(self) -> None:
        if self.initial <= 0 or self.decay < 0:
            raise ConfigError(f"A step size needs initial > 0 and decay >= 0, found {self.initial} and {self.decay}.")

    def __call__(self, t: int) -> float:
        """Step size of round t = 1, 2, ..."""
        return self.initial / math.sqrt(1.0 + self.decay * t)


@dataclass(frozen=True)
class Beta:
    """beta_t = min(cap, 1 + growth * log(t + 2)), the inverse temperature of the Gumbel extractor.

    Examples
    --------
    >>> Beta(cap=50.0, growth=0.0)(1)
    1.0
    """

    cap: float
    growth: float

    def __post_init__(self) -> None:
        if self.cap <= 0 or self.growth < 0:
            raise ConfigError(f"Beta needs cap > 0 and growth >= 0, found {self.cap} and {self.growth}.")

    def __call__(self, t: int) -> float:
        """Inverse temperature of round t = 1, 2, ..."""
        return min(self.cap, 1.0 + self.growth * math.log(t + 2))
