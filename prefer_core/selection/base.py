"""What every extractor does, and the one greedy loop."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from prefer_core.errors import DataError
from prefer_core.types import Budget, FloatArray, IntArray, ProductCorpus, Selection

Choose = Callable[[FloatArray, IntArray], tuple[int, float]]
"""From scores (c,) of the open candidates and their indices (c,) to (position chosen, its probability)."""


class Extractor(Protocol):
    """Selects the evidence S_t of one round."""

    def select(
        self,
        product: ProductCorpus,
        w: FloatArray,
        budget: Budget,
        *,
        t: int = 1,
        rng: np.random.Generator | None = None,
    ) -> Selection:
        """Select from `product` for preference `w` (K,) within `budget`, in round `t`."""
        ...


def greedy(product: ProductCorpus, w: FloatArray, budget: Budget, trade_off: float, choose: Choose) -> Selection:
    """Run the greedy loop shared by Algorithms mmr-select and mmr-select-gumbel in O(k n m).

    The score of candidate j is a(j) = trade_off * w . phi_j - (1 - trade_off) * m(j). The redundancy m(j), its largest
    similarity to a chosen sentence, is kept up to date instead of computed anew; it starts at 0 and never falls below.

    Parameters
    ----------
    product : ProductCorpus
        Candidates, n of them.
    w : ndarray of shape (K,)
        Preference used for relevance.
    budget : Budget
        The loop stops at k sentences, or when no candidate fits the tokens that are left.
    trade_off : float
        lambda in [0, 1]: relevance against redundancy.
    choose : callable
        The rule that picks among the open candidates.
    """
    w = np.asarray(w, dtype=np.float64)
    if w.shape != (product.n_aspects,):
        raise DataError(f"The preference has shape {w.shape}; the product has {product.n_aspects} aspects.")
    relevance = trade_off * (product.phi @ w)
    redundancy = np.zeros(len(product))
    free = np.ones(len(product), dtype=bool)
    left = np.inf if budget.max_tokens is None else budget.max_tokens
    indices: list[int] = []
    scores: list[float] = []
    propensities: list[float] = []
    for _ in range(budget.max_sentences):
        candidates = np.flatnonzero(free & (product.tokens <= left))
        if len(candidates) == 0:
            break
        score = relevance[candidates] - (1.0 - trade_off) * redundancy[candidates]
        position, probability = choose(score, candidates)
        chosen = int(candidates[position])
        indices.append(chosen)
        scores.append(float(score[position]))
        propensities.append(probability)
        free[chosen] = False
        left -= product.tokens[chosen]
        np.maximum(redundancy, product.unit @ product.unit[chosen], out=redundancy)
    return Selection(np.array(indices, dtype=np.int64), np.array(scores), np.array(propensities))
