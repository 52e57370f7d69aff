"""Whole reviews as candidates, beside single sentences: the paper's two levels on one product, in one aspect space.

A review is about what its sentences are about: phi and reduced vector are their means, so a preference means the same
at both levels. (A corpus built with ``--unit review`` embeds whole reviews and finds aspects of its own; a preference
over those says nothing about these.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from prefer_core.session import Products
from prefer_core.types import IntArray, ProductCorpus


@dataclass(frozen=True, eq=False)
class WholeReviews:
    """The reviews of one product as candidates.

    Attributes
    ----------
    candidates : ProductCorpus
        One row a review, without key points.
    sentences : sequence of r int arrays
        Product-local positions of the sentences of each.
    """

    candidates: ProductCorpus
    sentences: Sequence[IntArray]


_made: WeakKeyDictionary[ProductCorpus, WholeReviews] = WeakKeyDictionary()


def whole_reviews(product: ProductCorpus) -> WholeReviews:
    """Return the reviews of a product; made once for each product value.

    Sentences are of one review if reviewer, time and title are the same. A sentence that several wrote word for word
    stands in the review of the first of them.
    """
    if product not in _made:
        _made[product] = _whole(product)
    return _made[product]


class AsReviews:
    """The same products with whole reviews in place of sentences."""

    def __init__(self, corpus: Products) -> None:
        self._corpus = corpus

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product."""
        return whole_reviews(self._corpus.product(product_id)).candidates


def _whole(product: ProductCorpus) -> WholeReviews:
    n = len(product)
    reviewer = np.arange(n) if product.reviewer is None else np.asarray(product.reviewer)
    time = np.full(n, -1) if product.time is None else np.asarray(product.time)
    titles = product.review_title or [""] * n
    found: dict[tuple[int, int, str], list[int]] = {}
    for row in range(n):
        found.setdefault((int(reviewer[row]), int(time[row]), str(titles[row])), []).append(row)
    members = [np.array(rows, dtype=np.int64) for rows in found.values()]
    first = np.array([rows[0] for rows in members])

    def of_first(values: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if values is None else np.asarray(values)[first]

    def each(values: Sequence[str] | None) -> list[str] | None:
        return None if values is None else [str(values[int(row)]) for row in first]

    flags = None if product.flags is None else np.asarray(product.flags)
    candidates = ProductCorpus(
        product_id=product.product_id,
        title=product.title,
        text=None if product.text is None else [" ".join(str(product.text[i]) for i in rows) for rows in members],
        phi=np.stack([product.phi[rows].mean(axis=0) for rows in members]),
        s=np.stack([product.s[rows].mean(axis=0) for rows in members]),
        tokens=np.array([int(product.tokens[rows].sum()) for rows in members]),
        reviewer=reviewer[first],
        rating=of_first(product.rating),
        time=of_first(product.time),
        verified=of_first(product.verified),
        helpful=of_first(product.helpful),
        flags=None if flags is None else np.array([np.bitwise_or.reduce(flags[rows]) for rows in members]),
        supporters=None,
        ids=None if product.ids is None else [f"review-{name}" for name in each(product.ids) or ()],
        review_title=each(product.review_title),
        n_reviewers=product.n_reviewers,
        digest=product.digest,
    )
    return WholeReviews(candidates, members)
