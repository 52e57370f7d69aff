"""Stochastic extraction by Gumbel perturbation."""

from dataclasses import dataclass

import numpy as np

from prefer_core.errors import ConfigError
from prefer_core.schedules import Beta
from prefer_core.selection.base import Choose, Extractor
from prefer_core.types import FloatArray, ProductCorpus

TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, kw_only=True)
class Gumbel(Extractor):
    """Algorithm mmr-select-gumbel: perturb beta * a(j) by Gumbel noise, take the best.

    Each choice then follows the Boltzmann law of Eq. gumbel-softmax exactly; its probability is returned.
    `Extractor` has the other settings.

    Parameters
    ----------
    beta_cap, beta_growth : float
        Schedule of the inverse temperature beta_t over the rounds.
    beta : float or None
        A fixed inverse temperature in place of the schedule.
    """

    beta_cap: float = 50.0
    beta_growth: float = 5.0
    beta: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta is not None and self.beta <= 0:
            raise ConfigError(f"beta must be positive, found {self.beta}.")

    def beta_at(self, t: int) -> float:
        """Inverse temperature of round `t`."""
        return self.beta if self.beta is not None else Beta(self.beta_cap, self.beta_growth)(t)

    def chooser(self, product: ProductCorpus, t: int, rng: np.random.Generator | None) -> Choose:
        """Return the rule that takes the best after perturbation, with the beta of round `t` and noise from `rng`."""
        noise = rng if rng is not None else np.random.default_rng()
        beta = self.beta_at(t)

        def perturbed(score: FloatArray) -> tuple[int, float]:
            # With g = -log E the perturbed score beta a + g is largest where exp(beta a) / E is: the same choice as by
            # Gumbel noise at a third of the cost, and exp(beta a) is needed for the propensity anyway.
            weight = score - score.max()
            weight *= beta
            np.exp(weight, out=weight)
            race = noise.standard_exponential(len(score))
            np.divide(weight, np.maximum(race, TINY, out=race), out=race)
            chosen = int(race.argmax())
            return chosen, float(weight[chosen] / weight.sum())

        return perturbed
