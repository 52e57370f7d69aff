"""How much support a piece of evidence has: bins over S_t, and reviewers of the product who say the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from prefer_core.config import SupportSettings
from prefer_core.types import Flag, FloatArray, IntArray, ProductCorpus

BinName = Literal["high", "mid", "low"]
Word = Literal["Many reviewers", "Some reviewers", "A few reviewers", "One reviewer"]

ORDER: tuple[BinName, ...] = ("high", "mid", "low")
"""Bins in the order in which a summary speaks of them."""

WORDS: tuple[Word, ...] = ("Many reviewers", "Some reviewers", "A few reviewers", "One reviewer")

_BLOCK = 2048


@dataclass(frozen=True)
class Bin:
    """Evidence of one support level.

    Attributes
    ----------
    name : {"high", "mid", "low"}
        Support level.
    members : tuple of int
        Positions in S_t, in order of extraction.
    rule : {"support", "relevance"}
        Whether the level comes from reviewers per aspect, or, where one aspect alone occurs, from terciles of Rel_i.
    """

    name: BinName
    members: tuple[int, ...]
    rule: Literal["support", "relevance"] = "support"


def bins(dominant: IntArray, reviewer: IntArray | None, relevance: FloatArray | None = None) -> tuple[Bin, ...]:
    """Part the evidence into support bins (Section contextual-abstractive-rewriting, stage i).

    n_k counts the distinct reviewers of S_t whose sentence has dominant aspect k; the quantiles are taken over the
    aspects that occur. Strictly above the 0.67 quantile is high, strictly below the 0.33 quantile is low.

    Parameters
    ----------
    dominant : ndarray of shape (k,)
        Dominant aspect of each evidence sentence, in order of extraction.
    reviewer : ndarray of shape (k,) or None
        Reviewer code of each; None counts every sentence as a reviewer of its own.
    relevance : ndarray of shape (k,) or None
        Rel_i, used only where fewer than two aspects occur.

    Returns
    -------
    tuple of Bin
        High, mid, low; empty ones are left out.

    Examples
    --------
    >>> [(b.name, b.members) for b in bins(np.array([3, 3, 3, 1, 2, 2]), np.array([7, 8, 9, 7, 7, 8]))]
    [('high', (0, 1, 2)), ('mid', (4, 5)), ('low', (3,))]
    """
    dominant = np.asarray(dominant)
    if not len(dominant):
        return ()
    writers = np.arange(len(dominant)) if reviewer is None else np.asarray(reviewer)
    aspects = np.unique(dominant)
    rule: Literal["support", "relevance"] = "support"
    if len(aspects) >= 2:
        support = {int(k): len(np.unique(writers[dominant == k])) for k in aspects}
        value = np.array([support[int(k)] for k in dominant], dtype=np.float64)
        population = np.array(list(support.values()), dtype=np.float64)
    else:
        rule = "relevance"
        value = np.zeros(len(dominant)) if relevance is None else np.asarray(relevance, dtype=np.float64)
        population = value
    low, high = np.quantile(population, [0.33, 0.67])
    names = np.where(value > high, "high", np.where(value < low, "low", "mid"))
    parts = ((name, tuple(int(i) for i in np.flatnonzero(names == name))) for name in ORDER)
    return tuple(Bin(name, members, rule) for name, members in parts if members)


def backers(product: ProductCorpus, positions: Sequence[int], closeness: float) -> tuple[frozenset[int], ...]:
    """Return, for each sentence, the codes of the product's reviewers who say the same.

    A reviewer says the same with a sentence of equal polarity whose cosine to it is at least `closeness`; without
    embeddings only those who wrote this very sentence count.

    Parameters
    ----------
    product : ProductCorpus
        `embedding` (n, 384), `flags`, `reviewer` and `supporters` are used where they are there.
    positions : sequence of int
        Product-local sentence indices.
    closeness : float
        Least cosine.
    """
    where = np.asarray(positions, dtype=np.int64)
    near = np.zeros((len(where), len(product)), dtype=bool)
    near[np.arange(len(where)), where] = True
    if product.embedding is not None and len(where):
        target = np.asarray(product.embedding[where], dtype=np.float32).T
        for start in range(0, len(product), _BLOCK):
            block = np.asarray(product.embedding[start : start + _BLOCK], dtype=np.float32)
            near[:, start : start + _BLOCK] |= (block @ target >= closeness).T
        if product.flags is not None:
            negative = (np.asarray(product.flags) & Flag.NEGATIVE) != 0
            near &= negative[None, :] == negative[where][:, None]
    return tuple(_writers(product, np.flatnonzero(row)) for row in near)


def reviewers_saying(product: ProductCorpus, positions_in_product: Sequence[int], closeness: float) -> int:
    """Return N: distinct reviewers of the product with a sentence close to one of the cited ones."""
    return len(frozenset().union(*backers(product, positions_in_product, closeness)))


def total_reviewers(product: ProductCorpus) -> int:
    """Return M: distinct reviewers of the whole product."""
    found = len(_writers(product, np.arange(len(product))))
    return max(found, product.n_reviewers or 0)


def aspect_reviewers(product: ProductCorpus, *aspects: int) -> int:
    """Return how many distinct reviewers have a sentence whose dominant aspect is one of `aspects`."""
    return len(_writers(product, np.flatnonzero(np.isin(product.dominant, aspects))))


def quantifier(n: int, total: int, settings: SupportSettings) -> Word:
    """Return the words for n of `total` reviewers.

    Examples
    --------
    >>> [quantifier(n, 212, SupportSettings()) for n in (61, 20, 4, 1)]
    ['Many reviewers', 'Some reviewers', 'A few reviewers', 'One reviewer']
    """
    if n <= 1:
        return "One reviewer"
    if n >= settings.many_share * total and n >= settings.many_least:
        return "Many reviewers"
    if n >= settings.some_share * total and n >= settings.some_least:
        return "Some reviewers"
    return "A few reviewers"


def _writers(product: ProductCorpus, rows: IntArray) -> frozenset[int]:
    """Codes of those who wrote any of the sentences `rows` (r,), word for word."""
    found: set[int] = set()
    if product.reviewer is not None:
        found.update(np.unique(np.asarray(product.reviewer)[rows]).tolist())
    if product.supporters is not None:
        for row in rows:
            found.update(np.asarray(product.supporters[int(row)]).tolist())
    if product.reviewer is None and product.supporters is None:
        found.update(rows.tolist())
    return frozenset(int(code) for code in found)
