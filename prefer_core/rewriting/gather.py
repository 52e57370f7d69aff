"""From a selection to evidence: bins, groups, near-duplicates, and who says the same."""

from collections.abc import Sequence

import numpy as np

from prefer_core.config import SupportSettings
from prefer_core.errors import DataError
from prefer_core.rewriting.base import Evidence, Group
from prefer_core.rewriting.support import Bin, aspect_reviewers, backers, bins, total_reviewers
from prefer_core.rewriting.words import tokens
from prefer_core.types import Flag, FloatArray, ProductCorpus, Selection


def gather(
    product: ProductCorpus,
    selection: Selection,
    labels: Sequence[str] = (),
    settings: SupportSettings | None = None,
    relevance: FloatArray | None = None,
) -> Evidence:
    """Make the evidence of one summary.

    Parameters
    ----------
    product : ProductCorpus
        Must hold `text`.
    selection : Selection
        Chosen sentences (k,), in order of extraction.
    labels : sequence of K str
        Names of the aspects; may be empty.
    settings : SupportSettings, optional
        Limits of the words and of what one statement covers.
    relevance : ndarray of shape (k,), optional
        Rel_i for the bins of one-aspect evidence; the selection's scores if left out.

    Raises
    ------
    DataError
        If the product has no texts.
    """
    if product.text is None:
        raise DataError(f"Product {product.product_id!r} has no sentence texts; a summary needs them.")
    limits = settings or SupportSettings()
    where = np.asarray(selection.indices, dtype=np.int64)
    text = tuple(str(product.text[int(i)]) for i in where)
    dominant = product.dominant[where]
    parts = bins(
        dominant,
        None if product.reviewer is None else np.asarray(product.reviewer)[where],
        np.asarray(selection.scores if relevance is None else relevance, dtype=np.float64),
    )
    cosine = _cosine(product, selection, text)
    negative = np.zeros(len(where), dtype=bool)
    if product.flags is not None:
        negative = (np.asarray(product.flags)[where] & Flag.NEGATIVE) != 0
    saying = backers(product, [int(i) for i in where], limits.closeness)
    total = total_reviewers(product)
    groups: list[Group] = []
    kind = [(int(a), bool(n)) for a, n in zip(dominant, negative, strict=True)]
    for part in parts:
        for members in _together(part, kind, cosine, limits):
            aspect = int(dominant[members[0]])
            groups.append(
                Group(
                    bin=part.name,
                    aspect=aspect,
                    members=members,
                    reviewers=len(frozenset().union(*(saying[i] for i in members))),
                    total=total,
                    kept=_distinct(members, cosine, limits.duplicate),
                    about=aspect_reviewers(product, aspect),
                )
            )
    wrote = () if product.reviewer is None else tuple(int(r) for r in np.asarray(product.reviewer)[where])
    return Evidence(product.product_id, product.title, text, tuple(groups), tuple(labels), saying, limits, wrote)


def _together(
    part: Bin, kind: Sequence[tuple[int, bool]], cosine: FloatArray, limits: SupportSettings
) -> list[tuple[int, ...]]:
    """Split a bin into groups: same aspect, same polarity, close enough for one sentence to report them.

    `kind` (k,) is aspect and polarity of each evidence sentence, `cosine` (k, k). A group keeps the place of its first
    sentence.
    """
    found: list[list[int]] = []
    for i in part.members:
        for group in found:
            lead = group[0]
            if kind[lead] == kind[i] and len(group) < limits.group_size and cosine[lead, i] >= limits.together:
                group.append(i)
                break
        else:
            found.append([i])
    return [tuple(group) for group in found]


def _distinct(members: tuple[int, ...], cosine: FloatArray, limit: float) -> tuple[int, ...]:
    """Leave out members that nearly repeat an earlier one; `cosine` is (k, k)."""
    kept: list[int] = []
    for i in members:
        if all(cosine[i, j] <= limit for j in kept):
            kept.append(i)
    return tuple(kept)


def _cosine(product: ProductCorpus, selection: Selection, text: tuple[str, ...]) -> FloatArray:
    """Cosines (k, k) of the chosen sentences; equal words count as 1, reduced vectors stand in for missing ones."""
    where = np.asarray(selection.indices, dtype=np.int64)
    if product.embedding is not None and len(where):
        vectors = np.asarray(product.embedding[where], dtype=np.float32)
        cosine = np.asarray(vectors @ vectors.T, dtype=np.float64)
    else:
        vectors = product.unit[where]
        cosine = (
            np.asarray(vectors @ vectors.T, dtype=np.float64) * 0.94
        )  # reduced vectors alone never make a duplicate
    words = [tuple(t.word for t in tokens(one)) for one in text]
    for i, a in enumerate(words):
        for j, b in enumerate(words):
            if a == b:
                cosine[i, j] = 1.0
    return cosine
