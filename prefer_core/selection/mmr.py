"""Deterministic extraction by maximal marginal relevance."""

from dataclasses import dataclass

import numpy as np

from prefer_core.selection.base import Choose, Extractor
from prefer_core.types import FloatArray, ProductCorpus

TIE = 1e-12


@dataclass(frozen=True, kw_only=True)
class MMR(Extractor):
    """Algorithm mmr-select: always take the best-scoring candidate. Settings as in `Extractor`.

    Ties go by the corpus's own order, not by a run's seed.

    Examples
    --------
    >>> from prefer_core.types import Budget
    >>> product = ProductCorpus(phi=np.array([[0.9, 0.1], [0.8, 0.2]]), s=np.eye(2), tokens=np.array([5, 5]))
    >>> MMR(trade_off=0.8).select(product, np.array([0.0, 1.0]), Budget(1)).indices
    array([1])
    """

    def chooser(self, product: ProductCorpus, t: int, rng: np.random.Generator | None) -> Choose:
        """Return the rule that takes the best; `t` and `rng` do not matter."""
        rank = product.tie_rank

        def best(score: FloatArray) -> tuple[int, float]:
            tied = np.flatnonzero(score >= score.max() - TIE)
            return int(tied[np.argmin(rank[tied])]), 1.0

        return best
