"""A place that is kept for what a preference alone would leave out: safety, negative or low-support evidence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from prefer_core.types import BoolArray, Budget, Flag, FloatArray, IntArray, ProductCorpus, Selection

LOW_SUPPORT = 0.05
"""An aspect has low support if it is the dominant one of at most this share of the product's sentences."""


def dissent(product: ProductCorpus, budget: Budget, kinds: Sequence[BoolArray] | None = None) -> BoolArray:
    """Return which candidates (n,) the reserved place may take: those of the first kind that the product has.

    Only candidates that leave room for another one count. A budget of one has no reserved place.

    Parameters
    ----------
    kinds : sequence of bool arrays of shape (n,), optional
        What the place is for, the most important first; of sentences: safety, then negative, then low support, and none
        where the product has no flags.
    """
    none = np.zeros(len(product), dtype=bool)
    if kinds is None:
        kinds = _of_sentences(product)
    if not kinds or budget.max_sentences < 2 or len(product) < 2:
        return none
    fits = np.ones(len(product), dtype=bool)
    if budget.max_tokens is not None:
        fits = product.tokens + product.tokens.min() <= budget.max_tokens
    return next((fits & kind for kind in kinds if (fits & kind).any()), none)


def _of_sentences(product: ProductCorpus) -> tuple[BoolArray, ...]:
    if product.flags is None or not len(product):
        return ()
    flags = np.asarray(product.flags)
    counts = np.bincount(product.dominant, minlength=product.n_aspects)
    low = counts[product.dominant] <= LOW_SUPPORT * len(product)
    return (flags & Flag.SAFETY) != 0, (flags & Flag.NEGATIVE) != 0, low


def room(product: ProductCorpus, budget: Budget, pool: BoolArray) -> Budget:
    """Return what the extractor may take so that the shortest sentence of the pool (n,) still fits."""
    if budget.max_tokens is None or not pool.any():
        return budget
    return replace(budget, max_tokens=budget.max_tokens - int(product.tokens[pool].min()))


def fill(
    product: ProductCorpus,
    chosen: Selection,
    pool: BoolArray,
    budget: Budget,
    w: FloatArray,
    trade_off: float,
    prevalence: float = 0.0,
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
    trade_off, prevalence : float
        lambda of Algorithm mmr-select, and the weight of how common a key point is.
    """
    before = chosen.indices[: budget.max_sentences - 1]
    if not pool.any() or pool[before].any():
        return chosen
    score = scores(product, before, pool, budget, w, trade_off, prevalence)
    best = int(score.argmax())
    kept = len(before)
    return Selection(
        np.append(before, best),
        np.append(chosen.scores[:kept], score[best]),
        np.append(chosen.propensities[:kept], 1.0),
        reserved=kept,
    )


def scores(
    product: ProductCorpus,
    before: IntArray,
    pool: BoolArray,
    budget: Budget,
    w: FloatArray,
    trade_off: float,
    prevalence: float = 0.0,
) -> FloatArray:
    """Return a(j) of each candidate (n,) for the reserved place after `before` was chosen; -inf where it may not."""
    open_ = pool.copy()
    if budget.max_tokens is not None:
        open_ &= product.tokens <= budget.max_tokens - product.tokens[before].sum()
    candidates = np.flatnonzero(open_)
    redundancy = np.zeros(len(candidates))
    if len(before):
        redundancy = np.maximum(0.0, (product.unit[candidates] @ product.unit[before].T).max(axis=1))
    relevance = product.phi[candidates] @ w
    if prevalence and product.prevalence is not None:
        relevance = relevance + prevalence * product.prevalence[candidates]
    found = np.full(len(product), -np.inf)
    found[candidates] = trade_off * relevance - (1.0 - trade_off) * redundancy
    return found
