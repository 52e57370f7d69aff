"""Deterministic extraction by maximal marginal relevance."""

from dataclasses import dataclass

import numpy as np

from prefer_core.errors import ConfigError
from prefer_core.selection.base import greedy
from prefer_core.types import BoolArray, Budget, FloatArray, IntArray, ProductCorpus, Selection

TIE = 1e-12


@dataclass(frozen=True)
class MMR:
    """Algorithm mmr-select: always take the best-scoring candidate.

    Parameters
    ----------
    trade_off : float
        lambda in [0, 1]; 1 ignores redundancy.
    prevalence : float
        Weight in Rel of how common a candidate is, where candidates are key points.

    Examples
    --------
    >>> product = ProductCorpus(phi=np.array([[0.9, 0.1], [0.8, 0.2]]), s=np.eye(2), tokens=np.array([5, 5]))
    >>> MMR(trade_off=0.8).select(product, np.array([0.0, 1.0]), Budget(1)).indices
    array([1])
    """

    trade_off: float = 0.8
    prevalence: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.trade_off <= 1:
            raise ConfigError(f"trade_off must lie between 0 and 1, found {self.trade_off}.")

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
        """Select evidence by `tier`, if there are any; `t` and `rng` do not matter.

        Ties go by the corpus's own order, not by a run's seed.
        """
        rank = product.tie_rank

        def best(score: FloatArray) -> tuple[int, float]:
            tied = np.flatnonzero(score >= score.max() - TIE)
            return int(tied[np.argmin(rank[tied])]), 1.0

        return greedy(product, w, budget, self.trade_off, best, prevalence=self.prevalence, tier=tier, lead=lead)
