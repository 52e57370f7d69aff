"""Key points as candidates of one round: each point, opposed pair or single voice is one row of a product."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from prefer_core.data.flags import tone
from prefer_core.keypoints.find import distinct
from prefer_core.types import BoolArray, Flag, IntArray, KeyPoint, ProductCorpus

_SEVERAL = 5
"""Reviewers from whom on their stars alone tell whether a point praises or complains."""
_APART = 0.3
"""Stars by which those who say a point differ from everybody if it praises or complains."""

CITED = 4
"""Most sentences cited for a candidate."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The c candidates of a product.

    Attributes
    ----------
    candidates : ProductCorpus
        One row a candidate: phi is the mean over its cited sentences, tokens those of its representatives,
        `prevalence` how common it is.
    points : ndarray of shape (c,)
        Place of each candidate among the product's key points; of an opposed pair the one that more reviewers say.
    cited : sequence of c int arrays
        Product-local positions of the sentences shown for it.
    reviewers, about : ndarray of shape (c,)
        N and A; of an opposed pair those of both together.
    voice : ndarray of shape (c,)
        Which candidates are single voices.
    """

    candidates: ProductCorpus
    points: IntArray
    cited: Sequence[IntArray]
    reviewers: IntArray
    about: IntArray
    voice: BoolArray

    @property
    def dissent_kinds(self) -> tuple[BoolArray, ...]:
        """What the reserved place is for (c,): points of safety, voices of safety, complaints, any single voice."""
        flags = np.asarray(self.candidates.flags)
        safety, negative = (flags & Flag.SAFETY) != 0, (flags & Flag.NEGATIVE) != 0
        return safety & ~self.voice, safety & self.voice, negative, self.voice


_made: WeakKeyDictionary[ProductCorpus, Pool] = WeakKeyDictionary()


def pool_of(product: ProductCorpus) -> Pool:
    """Return the candidates of a product with key points; made once for each product value."""
    if product not in _made:
        _made[product] = _pool(product)
    return _made[product]


_totals: WeakKeyDictionary[ProductCorpus, int] = WeakKeyDictionary()


def total_reviewers(product: ProductCorpus) -> int:
    """Return M, the distinct reviewers of the whole product; counted once for each product value."""
    if product not in _totals:
        _totals[product] = _count_reviewers(product)
    return _totals[product]


def tone_of(product: ProductCorpus, place: int) -> int:
    """Return -1 where a point complains, 1 where it praises, 0 where nobody knows.

    What several say is judged by their stars against those of all reviews, unless its words tell the opposite. Of what
    fewer than five say both must tell the same.
    """
    point = product.keypoints[place]
    words = tone(str(product.text[point.representative])) or 0 if product.text is not None else 0
    stars = 0
    if product.rating is not None and np.isfinite(product.rating[point.members]).any():
        above = float(np.nanmean(product.rating[point.members]) - np.nanmean(product.rating))
        stars = int(above >= _APART) - int(above <= -_APART)
    if words * stars < 0 or ((point.voice or point.reviewers < _SEVERAL) and words != stars):
        return 0
    return stars or words


def _count_reviewers(product: ProductCorpus) -> int:
    codes: set[int] = set()
    if product.supporters is not None:
        codes = {int(code) for row in product.supporters for code in row}
    elif product.reviewer is not None:
        codes = {int(code) for code in product.reviewer}
    return max(len(codes), product.n_reviewers or 0, 1)


def _pool(product: ProductCorpus) -> Pool:
    supporters = product.supporters if product.supporters is not None else [np.array([i]) for i in range(len(product))]
    flags = np.zeros(len(product), dtype=np.int64) if product.flags is None else np.asarray(product.flags)
    total = total_reviewers(product)
    rows: list[tuple[int, IntArray, int, int, int, int]] = []
    for place, point in enumerate(product.keypoints):
        both = [point]
        if point.opposed is not None:
            other = product.keypoints[point.opposed]
            if (other.reviewers, -point.opposed) > (point.reviewers, -place):
                continue  # the other one stands for the pair
            both.append(other)
        cited = np.concatenate([distinct(one.members, supporters, CITED // len(both)) for one in both])
        tokens = sum(int(product.tokens[one.representative]) for one in both)
        flag = int(np.bitwise_or.reduce([flags[one.representative] for one in both]))
        rows.append((place, cited, _said_by(both, supporters), _about(both), tokens, flag))
    points = np.array([row[0] for row in rows], dtype=np.intp)
    reviewers = np.array([row[2] for row in rows], dtype=np.int64)
    candidates = ProductCorpus(
        product_id=product.product_id,
        title=product.title,
        phi=np.stack([product.phi[row[1]].mean(axis=0) for row in rows]),
        s=np.stack([product.s[row[1]].mean(axis=0) for row in rows]),
        tokens=np.array([row[4] for row in rows]),
        flags=np.array([row[5] for row in rows]),
        digest=product.digest,
        prevalence=np.log1p(reviewers) / np.log1p(total),
    )
    voice = np.array([product.keypoints[place].voice for place in points], dtype=bool)
    about = np.array([row[3] for row in rows], dtype=np.int64)
    return Pool(candidates, points, [row[1] for row in rows], reviewers, about, voice)


def _said_by(both: Sequence[KeyPoint], supporters: Sequence[IntArray]) -> int:
    if len(both) == 1:
        return both[0].reviewers
    return len({int(code) for one in both for row in one.members for code in supporters[int(row)]})


def _about(both: Sequence[KeyPoint]) -> int:
    # Of two points of one aspect nearly the same people write; the larger number is never too large.
    return max(one.about for one in both)
