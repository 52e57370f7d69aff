"""Stochastic extraction by Gumbel perturbation."""

from dataclasses import dataclass

import numpy as np

from prefer_core.errors import ConfigError
from prefer_core.schedules import Beta
from prefer_core.selection.base import greedy
from prefer_core.types import BoolArray, Budget, FloatArray, IntArray, ProductCorpus, Selection

TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Gumbel:
    """Algorithm mmr-select-gumbel: perturb beta * a(j) by Gumbel noise, take the best.

    Each choice then follows the Boltzmann law of Eq. gumbel-softmax exactly; its probability is returned.

    Parameters
    ----------
    trade_off : float
        lambda in [0, 1].
    beta_cap, beta_growth : float
        Schedule of the inverse temperature beta_t over the rounds.
    beta : float or None
        A fixed inverse temperature in place of the schedule.
    prevalence : float
        Weight in Rel of how common a candidate is, where candidates are key points.
    """

    trade_off: float = 0.8
    beta_cap: float = 50.0
    beta_growth: float = 5.0
    beta: float | None = None
    prevalence: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.trade_off <= 1:
            raise ConfigError(f"trade_off must lie between 0 and 1, found {self.trade_off}.")
        if self.beta is not None and self.beta <= 0:
            raise ConfigError(f"beta must be positive, found {self.beta}.")

    def beta_at(self, t: int) -> float:
        """Inverse temperature of round `t`."""
        return self.beta if self.beta is not None else Beta(self.beta_cap, self.beta_growth)(t)

    def select(
        self,
        product: ProductCorpus,
        w: FloatArray,
        budget: Budget,
        *,
        t: int = 1,
        rng: np.random.Generator | None = None,
        tier: IntArray | None = None,
        lead: BoolArray | None = None,
    ) -> Selection:
        """Select evidence in round `t` with noise from `rng` (a fresh unseeded generator where None).

        A candidate waits while one of its aspect with a lower `tier` is left.
        """
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

        return greedy(product, w, budget, self.trade_off, perturbed, prevalence=self.prevalence, tier=tier, lead=lead)
