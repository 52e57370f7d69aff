"""The key points of one product, from its sentences: candidates, who says them, cover, opposed pairs, single voices."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from prefer_core.config import KeyPointSettings
from prefer_core.encoders.entailment import SAYS, Entailment
from prefer_core.files.progress import Tick, silent
from prefer_core.keypoints.candidates import (
    can_be_quoted,
    form_of,
    form_of_voice,
    of_other_number,
    parts_of,
    plain,
    plural,
    thinned,
    useful,
)
from prefer_core.keypoints.cover import cover, writers
from prefer_core.keypoints.matching import GATE, SAME_MATTER, contradicting, decision, opposing
from prefer_core.types import TOLD, BoolArray, Flag, FloatArray, Form, IntArray, KeyPoint

_BLOCK = 4096
_NOT_GOOD = 0.25
"""What the density of a candidate counts for that is not said in a plain degree, or takes many things for one."""
_LOOKED_AT = 3
"""Among how many times the candidates wanted close opposites are looked for: the densest."""
_ASKED = 128
"""Sentences that a point is held against at a time, the nearest first."""
_WORTH_ASKING_ON = 2
"""How many of them must say it for the next ones to be asked: a third of the pairs go, and 3 in 100 of the counts."""


@dataclass(frozen=True)
class Material:
    """The n sentences of one product, as the build has them.

    Attributes
    ----------
    texts : sequence of n str
        The sentences.
    vectors : ndarray of shape (n, d)
        Unit sentence vectors.
    supporters : sequence of n int arrays
        Codes of the reviewers who wrote each sentence.
    flags : ndarray of shape (n,)
        `Flag` bits.
    """

    texts: Sequence[str]
    vectors: FloatArray
    supporters: Sequence[IntArray]
    flags: IntArray


@dataclass(frozen=True)
class Matched:
    """What the model was asked about a product: independent of aspects, so it can be kept while they change.

    Attributes
    ----------
    useful : ndarray of shape (u,)
        Rows of all sentences that could stand for a point.
    density : ndarray of shape (u,)
        How many sentences lie near each of them.
    quotable : ndarray of shape (q,)
        Rows of all other sentences that may be quoted as a single voice and tell a buyer something.
    chosen : ndarray of shape (p,)
        Rows of the representatives of the points, in order of choice.
    members : sequence of p int arrays
        Rows that say each point: the representative, then the surest matches first.
    scores : sequence of p float arrays
        Log odds above the decision for each member.
    opposed : ndarray of shape (p,)
        Which point contradicts each; -1 for none.
    """

    useful: IntArray
    density: IntArray
    quotable: IntArray
    chosen: IntArray
    members: Sequence[IntArray]
    scores: Sequence[NDArray[np.float32]]
    opposed: IntArray


def match(material: Material, model: Entailment | None, settings: KeyPointSettings, tick: Tick = silent) -> Matched:
    """Find the points of a product and who says them.

    Candidates are thinned to the densest before any is matched, so that the pairs grow with the number of sentences,
    not with its square. Without a model a sentence is counted for a point only if it is equal to it.
    """
    n = len(material.texts)
    forms = {i: form for i, text in enumerate(material.texts) if (form := form_of(text))}
    formed = np.array([*forms], dtype=np.intp)
    others = np.setdiff1d(np.arange(n), formed)
    rows, quotable = formed, np.array([i for i in others if can_be_quoted(material.texts[i])], dtype=np.intp)
    reviewers = len(writers(np.arange(n), material.supporters))
    if model is not None:
        rows, quotable = (
            part[useful([material.texts[i] for i in part], model) >= least] if len(part) else part
            for part, least in ((rows, settings.useful), (quotable, settings.useful_quote))
        )
    if not len(rows) or reviewers < settings.least_reviewers:
        return _none(rows, quotable)
    near, density = _near(material.vectors, rows, settings.near)
    vectors = np.asarray(material.vectors[rows], dtype=np.float32)
    contrary = frozenset[tuple[int, int]]()
    if model is not None:
        looked_at = np.sort(np.argsort(-density, kind="stable")[: _LOOKED_AT * settings.candidates])
        texts = [material.texts[row] for row in rows[looked_at]]
        pairs = opposing(texts, vectors[looked_at], model, settings.apart)
        contrary = frozenset((int(looked_at[i]), int(looked_at[j])) for i, j, _ in pairs)
    several = plural(material.texts)
    good = np.array([plain(material.texts[row]) and not of_other_number(material.texts[row], forms[int(row)], several)
                     for row in rows])  # fmt: skip
    worth = density * np.where(good, 1.0, _NOT_GOOD)
    kept = thinned(vectors, worth, settings.candidates, settings.apart, contrary)
    points = rows[kept]
    members, scores = _who_says(material, points, [near[k] for k in kept], model, tick)
    if model is not None:
        texts = [material.texts[row] for row in points]
        for i, j, _ in opposing(texts, vectors[kept], model, SAME_MATTER):
            _keep_surer(members, scores, i, j)
    place = {int(row): i for i, row in enumerate(points)}
    said = np.zeros((len(points), len(points)), dtype=bool)
    for i, rows_of in enumerate(members):
        said[[place[int(row)] for row in rows_of if int(row) in place], i] = True
    chosen = cover(members, material.supporters, _one(said, members), settings.least_gain, settings.most)
    opposed = np.full(len(chosen), -1)
    if model is not None:
        near_points = np.asarray(material.vectors[points[chosen]], dtype=np.float32)
        for i, j in contradicting([material.texts[points[c]] for c in chosen], near_points, model):
            opposed[i], opposed[j] = j, i
    return Matched(
        rows, density, quotable, points[chosen], [members[c] for c in chosen], [scores[c] for c in chosen], opposed
    )


def _keep_surer(members: list[IntArray], scores: list[NDArray[np.float32]], one: int, other: int) -> None:
    """Leave sentences that are counted for both of two opposite points with the one that they say more surely."""
    _, here, there = np.intersect1d(members[one], members[other], return_indices=True)
    weaker = scores[one][here] < scores[other][there]
    for point, rows in ((one, here[weaker]), (other, there[~weaker])):
        members[point], scores[point] = np.delete(members[point], rows), np.delete(scores[point], rows)


def _one(said: BoolArray, members: Sequence[IntArray]) -> BoolArray:
    """Return which points (p, p) are one: each says the other, or one does and a third of its sentences say both."""
    n = 1 + max(int(rows.max()) for rows in members)
    counted = np.zeros((len(members), n), dtype=np.float32)
    for i, rows in enumerate(members):
        counted[i, rows] = 1
    both = counted @ counted.T
    fewer = np.minimum.outer(both.diagonal(), both.diagonal())
    return np.asarray((said & said.T) | ((said | said.T) & (both >= fewer / 3)))


def _none(rows: IntArray, quotable: IntArray) -> Matched:
    empty = np.zeros(0, dtype=np.intp)
    return Matched(rows, np.zeros(len(rows), dtype=np.intp), quotable, empty, [], [], empty)


def _near(vectors: FloatArray, rows: IntArray, close: float) -> tuple[list[IntArray], IntArray]:
    """Return for each of `rows` the sentences above the gate, and how many lie at least at `close`."""
    target = np.asarray(vectors[rows], dtype=np.float32).T
    near: list[list[IntArray]] = [[] for _ in rows]
    density = np.zeros(len(rows), dtype=np.intp)
    for start in range(0, len(vectors), _BLOCK):
        cosine = np.asarray(vectors[start : start + _BLOCK], dtype=np.float32) @ target
        density += (cosine >= close).sum(axis=0)
        sentence, point = np.nonzero((cosine >= GATE).T)[::-1]
        cuts = np.searchsorted(point, np.arange(1, len(rows)))
        for found, part in zip(near, np.split(sentence + start, cuts), strict=True):
            found.append(part)
    return [np.concatenate(parts) for parts in near], density


def _who_says(
    material: Material, points: IntArray, near: Sequence[IntArray], model: Entailment | None, tick: Tick
) -> tuple[list[IntArray], list[NDArray[np.float32]]]:
    """Return rows and scores of the sentences that say each point, the point's own sentence first.

    A point is held against ever farther sentences until hardly one of a block says it.
    """
    if model is None:
        return [np.array([point]) for point in points], [np.array([99.0], dtype=np.float32) for _ in points]
    vectors = np.asarray(material.vectors, dtype=np.float32)
    cosines = [vectors[rows] @ vectors[point] for point, rows in zip(points, near, strict=True)]
    orders = [np.argsort(-cosine, kind="stable") for cosine in cosines]
    found: list[list[tuple[IntArray, NDArray[np.float64]]]] = [[] for _ in points]
    open_ones, start, total = list(range(len(points))), 0, sum(len(rows) for rows in near)
    while open_ones:
        blocks = [orders[p][start : start + _ASKED] for p in open_ones]
        pairs = [
            (material.texts[near[p][i]], material.texts[points[p]])
            for p, block in zip(open_ones, blocks, strict=True)
            for i in block
        ]
        says = np.split(model.probabilities(pairs)[:, SAYS], np.cumsum([len(block) for block in blocks])[:-1])
        start += _ASKED
        going_on = []
        for p, block, part in zip(open_ones, blocks, says, strict=True):
            rows = near[p][block]
            strength = decision().strength(part, cosines[p][block])
            strength[rows == points[p]] = np.inf
            found[p].append((rows[strength >= 0], strength[strength >= 0]))
            if start < len(near[p]) and (strength >= 0).sum() >= _WORTH_ASKING_ON:
                going_on.append(p)
        open_ones = going_on
        tick(total - sum(len(near[p]) - start for p in open_ones), total)
    members, scores = [], []
    for parts in found:
        rows, strength = (np.concatenate(side) for side in zip(*parts, strict=True))
        order = np.argsort(-strength, kind="stable")
        members.append(rows[order])
        scores.append(np.minimum(strength[order], 99).astype(np.float32))
    return members, scores


def key_points(
    material: Material, matched: Matched, phi: FloatArray, settings: KeyPointSettings
) -> tuple[KeyPoint, ...]:
    """Return the points of a product, then its single voices, with their aspects and counts.

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Memberships of the sentences.
    """
    dominant = np.asarray(phi).argmax(axis=1)
    about = [writers(np.flatnonzero(dominant == k), material.supporters) for k in range(phi.shape[1])]
    negative = (np.asarray(material.flags) & Flag.NEGATIVE) != 0
    found = []
    for row, members, opposed in zip(matched.chosen, matched.members, matched.opposed, strict=True):
        said_by = writers(members, material.supporters)
        cited = distinct(members, material.supporters, settings.cited)
        aspect = int(np.asarray(phi[cited]).mean(axis=0).argmax())
        found.append(
            KeyPoint(
                representative=int(row),
                aspect=aspect,
                negative=bool(negative[row]),
                reviewers=len(said_by),
                about=len(about[aspect] | said_by),
                members=members,
                opposed=None if opposed < 0 else int(opposed),
                form=form_of(material.texts[row]) or "quote",
            )
        )
    voices = _voices(material, matched, np.asarray(phi), [point.aspect for point in found], settings)
    for row, form in voices.items():
        said_by = writers(np.array([row]), material.supporters)
        aspect = int(dominant[row])
        found.append(
            KeyPoint(
                representative=row,
                aspect=aspect,
                negative=bool(negative[row]),
                reviewers=len(said_by),
                about=len(about[aspect] | said_by),
                members=np.array([row]),
                voice=True,
                form=form,
            )
        )
    return tuple(found)


def distinct(members: IntArray, supporters: Sequence[IntArray], most: int) -> IntArray:
    """Return the first members, each by a reviewer who wrote none of those before it."""
    seen: set[int] = set()
    kept: list[int] = []
    for row in members:
        codes = {int(code) for code in supporters[int(row)]}
        if len(kept) < most and not codes <= seen:
            kept.append(int(row))
            seen |= codes
    return np.array(kept or [int(members[0])], dtype=np.intp)


def _voices(
    material: Material, matched: Matched, phi: FloatArray, aspects: Sequence[int], settings: KeyPointSettings
) -> dict[int, Form]:
    """Return rows and forms of single voices: for aspects with few points what else is said, and of safety.

    What could stand for a point comes first, the densest before; then what may be told, then what may be quoted, most
    about the aspect first. No two are by one reviewer: a text says "another".
    """
    dominant = phi.argmax(axis=1)
    counted = set(np.concatenate([*matched.members, np.zeros(0, dtype=np.intp)]).tolist())
    vectors = np.asarray(material.vectors, dtype=np.float32)
    parts, several = parts_of(material.texts, material.supporters), plural(material.texts)
    kept: dict[int, Form] = {}
    heard: set[int] = set()
    form_at = cache(lambda row: form_of_voice(material.texts[row], parts))

    def take(row: int, apart_from: Sequence[int]) -> bool:
        near = [*apart_from, *kept]
        codes = {int(code) for code in material.supporters[row]}
        if heard & codes or (near and float((vectors[near] @ vectors[row]).max()) >= settings.apart):
            return False
        form = form_at(row)
        if form is None:
            return False
        if of_other_number(material.texts[row], form, several):
            form = "quote"
        kept[row] = form
        heard.update(codes)
        return True

    points = [int(row) for row in matched.chosen]
    order = np.argsort(-matched.density, kind="stable")
    free = [int(row) for row in matched.useful[order] if int(row) not in counted]
    for aspect in np.unique(dominant):
        missing = settings.voices_below - sum(int(k) == int(aspect) for k in aspects)
        if missing <= 0:
            continue
        own = matched.quotable[dominant[matched.quotable] == aspect]
        purest = [int(row) for row in own[np.argsort(-phi[own, aspect], kind="stable")] if int(row) not in counted]
        purest.sort(key=lambda row: form_at(row) not in TOLD)
        for row in chain((row for row in free if dominant[row] == aspect), purest):
            if missing <= 0:
                break
            missing -= row not in kept and take(row, points)
    # "It burned my cheeks" rather than "I went to urgent care", which nobody understands alone, if there is a choice.
    tells = set(matched.useful.tolist()) | set(matched.quotable.tolist())
    safety = (int(row) for row in np.flatnonzero((np.asarray(material.flags) & Flag.SAFETY) != 0))
    open_ones = [row for row in safety if row not in counted and can_be_quoted(material.texts[row])]
    open_ones = [row for row in open_ones if row in tells] or open_ones
    first_of = {int(codes[0]): row for row in reversed(open_ones) if len(codes := material.supporters[row])}
    begins = set(first_of.values())
    open_ones.sort(key=lambda row: (row not in begins, len(material.texts[row])))
    for row in open_ones[: settings.safety_voices]:
        take(row, points)
    return kept
