"""A place that is kept for what a preference alone would leave out: safety, negative or low-support evidence."""

from dataclasses import replace

import numpy as np

from prefer_core.types import BoolArray, Budget, Flag, FloatArray, ProductCorpus, Selection

LOW_SUPPORT = 0.05
"""An aspect has low support if it is the dominant one of at most this share of the product's sentences."""


def dissent(product: ProductCorpus, budget: Budget) -> BoolArray:
    """Return which sentences (n,) the reserved place may take: those of the first kind that the product has.

    The kinds are safety, then negative, then low support; only sentences that leave room for another one count. A
    product without flags has none, nor has a budget of one sentence.
    """
    none = np.zeros(len(product), dtype=bool)
    if product.flags is None or budget.max_sentences < 2 or len(product) < 2:
        return none
    fits = np.ones(len(product), dtype=bool)
    if budget.max_tokens is not None:
        fits = product.tokens + product.tokens.min() <= budget.max_tokens
    flags = np.asarray(product.flags)
    counts = np.bincount(product.dominant, minlength=product.n_aspects)
    kinds = ((flags & Flag.SAFETY) != 0, (flags & Flag.NEGATIVE) != 0,
             counts[product.dominant] <= LOW_SUPPORT * len(product))  # fmt: skip
    return next((fits & kind for kind in kinds if (fits & kind).any()), none)


def room(product: ProductCorpus, budget: Budget, pool: BoolArray) -> Budget:
    """Return what the extractor may take so that the shortest sentence of the pool (n,) still fits."""
    if budget.max_tokens is None or not pool.any():
        return budget
    return replace(budget, max_tokens=budget.max_tokens - int(product.tokens[pool].min()))


def fill(
    product: ProductCorpus, chosen: Selection, pool: BoolArray, budget: Budget, w: FloatArray, trade_off: float
) -> Selection:
    """Give the last place to the pool if none of the places before it holds one of its sentences.

    The decision depends on the places before the last only, and the sentence is the pool's best by its score a(j): so
    the propensity of the reserved place is exactly 1, and the others keep theirs.

    Parameters
    ----------
    product : ProductCorpus
        Candidates, n of them.
    chosen : Selection
        What the extractor took within `room`.
    pool : ndarray of shape (n,)
        From `dissent`.
    budget : Budget
        The whole budget.
    w : ndarray of shape (K,)
        Preference used for relevance.
    trade_off : float
        lambda of Algorithm mmr-select.
    """
    before = chosen.indices[: budget.max_sentences - 1]
    if not pool.any() or pool[before].any():
        return chosen
    open_ = pool.copy()
    if budget.max_tokens is not None:
        open_ &= product.tokens <= budget.max_tokens - product.tokens[before].sum()
    candidates = np.flatnonzero(open_)
    redundancy = np.zeros(len(candidates))
    if len(before):
        redundancy = np.maximum(0.0, (product.unit[candidates] @ product.unit[before].T).max(axis=1))
    scores = trade_off * (product.phi[candidates] @ w) - (1.0 - trade_off) * redundancy
    best = int(scores.argmax())
    kept = len(before)
    return Selection(
        np.append(before, candidates[best]),
        np.append(chosen.scores[:kept], scores[best]),
        np.append(chosen.propensities[:kept], 1.0),
        reserved=kept,
    )
