"""What every extractor does, and the one greedy loop."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prefer_core.errors import ConfigError, DataError
from prefer_core.types import BoolArray, Budget, FloatArray, IntArray, ProductCorpus, Selection

Choose = Callable[[FloatArray], tuple[int, float]]
"""From the scores (n,) of all candidates, -inf where one is closed, to (index chosen, its probability)."""


@dataclass(frozen=True, kw_only=True)
class Extractor(ABC):
    """Selects the evidence S_t of one round by the greedy loop; a subclass says which candidate is taken.

    Parameters
    ----------
    trade_off : float
        lambda in [0, 1]: relevance against redundancy; 1 ignores redundancy.
    prevalence : float
        Weight in Rel of how common a candidate is, where candidates are key points.
    """

    trade_off: float = 0.8
    prevalence: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.trade_off <= 1:
            raise ConfigError(f"trade_off must lie between 0 and 1, found {self.trade_off}.")

    @abstractmethod
    def chooser(self, product: ProductCorpus, t: int, rng: np.random.Generator | None) -> Choose:
        """Return the rule that picks among the open candidates of round `t`."""

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
        """Select from `product` for preference `w` (K,) within `budget`, in round `t`.

        A candidate waits while one of its dominant aspect with a lower `tier` (n,) is left. The first place is for
        candidates of `lead` (n,), if one of them is open. Without `rng` noise, where there is any, comes from a fresh
        unseeded generator.
        """
        choose = self.chooser(product, t, rng)
        return greedy(product, w, budget, self.trade_off, choose, prevalence=self.prevalence, tier=tier, lead=lead)


def greedy(
    product: ProductCorpus,
    w: FloatArray,
    budget: Budget,
    trade_off: float,
    choose: Choose,
    *,
    prevalence: float = 0.0,
    tier: IntArray | None = None,
    lead: BoolArray | None = None,
) -> Selection:
    """Run the greedy loop shared by Algorithms mmr-select and mmr-select-gumbel in O(k n m).

    The score of candidate j is a(j) = trade_off * Rel(j) - (1 - trade_off) * m(j) with Rel(j) = w . phi_j, to which
    candidates that know how common they are add `prevalence` times that. The redundancy m(j), its largest
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
        The rule that picks among the open candidates; at least one is open when it is asked.
    prevalence : float
        Weight of `product.prevalence` in Rel.
    tier : ndarray of shape (n,), optional
        A candidate is closed while an open one of its dominant aspect has a lower tier; a negative tier closes it.
    lead : ndarray of shape (n,), optional
        What the first place is for: all others are closed for it while one of these is open.
    """
    w = np.asarray(w, dtype=np.float64)
    if w.shape != (product.n_aspects,):
        raise DataError(f"The preference has shape {w.shape}; the product has {product.n_aspects} aspects.")
    relevance = trade_off * (product.phi @ w)  # -inf once a candidate is closed
    if prevalence and product.prevalence is not None:
        relevance += trade_off * prevalence * product.prevalence
    if tier is not None:
        relevance[tier < 0] = -np.inf
    redundancy = np.zeros(len(product))
    left = np.inf if budget.max_tokens is None else budget.max_tokens
    indices: list[int] = []
    scores: list[float] = []
    propensities: list[float] = []
    while len(indices) < budget.max_sentences:
        if budget.max_tokens is not None:
            relevance[product.tokens > left] = -np.inf
        score = relevance - (1.0 - trade_off) * redundancy
        if tier is not None:
            score[_waiting(product.dominant, relevance > -np.inf, tier)] = -np.inf
        if lead is not None and not indices and score[lead].max(initial=-np.inf) > -np.inf:
            score[~lead] = -np.inf
        if score.max(initial=-np.inf) == -np.inf:
            break
        chosen, probability = choose(score)
        indices.append(chosen)
        scores.append(float(score[chosen]))
        propensities.append(probability)
        relevance[chosen] = -np.inf
        left -= product.tokens[chosen]
        if len(indices) < budget.max_sentences:
            np.maximum(redundancy, product.unit @ product.unit[chosen], out=redundancy)
    return Selection(np.array(indices, dtype=np.int64), np.array(scores), np.array(propensities))


def _waiting(dominant: IntArray, open_: BoolArray, tier: IntArray) -> BoolArray:
    """Return which candidates (n,) wait for an open one of their aspect with a lower tier."""
    lowest = np.full(int(dominant.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(lowest, dominant[open_], tier[open_])
    return np.asarray(tier > lowest[dominant])
