"""Why two columns differ: what each weighed when it chose, and the smallest change of w that would bring a thing in.

Everything is asked of the selection itself: scores come from the greedy loop run again along the recorded choices, and
a change counts only if the round chosen with the changed w really has the thing in it.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from prefer_core import session
from prefer_core.errors import ConfigError
from prefer_core.insight.comparison import SEED, AsReviews, Compared
from prefer_core.selection import reserve
from prefer_core.selection.base import greedy
from prefer_core.session import Choosing, Products
from prefer_core.types import FloatArray, ProductCorpus, Selection

COARSE = 0.02
"""Steps of weight in which changes are tried, in total variation: two points of a hundred."""
FINE = 1e-3
"""Size to which a step is halved wherever the selection changes within it."""

OTHER, ITSELF = "other", "itself"
"""Names of the two targets that are no aspect: the other column's w, and what the thing itself is about."""


@dataclass(frozen=True)
class Weighed:
    """What a column made of a candidate when it took it, or when it came nearest to taking it.

    Attributes
    ----------
    step : int
        Place that was being filled, from 0.
    rank, among : int
        Place by score among the candidates that were open then, from 1.
    redundancy : float
        m(j): largest similarity to what had been chosen, at least 0.
    score, gap : float
        a(j), and how far it lies below the score of what was taken; 0 or less for what was.
    reserved : bool
        Whether the place was the one kept for dissent.
    """

    step: int
    rank: int
    among: int
    redundancy: float
    score: float
    gap: float
    reserved: bool


@dataclass(frozen=True)
class Change:
    """A preference that brings a candidate in.

    Attributes
    ----------
    w : ndarray of shape (K,)
        The changed preference; a round proposed with it has the candidate.
    moved : float
        Total variation distance from the column's own w: the weight that changes hands, in [0, 1].
    target : int or str
        The aspect that gains, OTHER or ITSELF.
    """

    w: FloatArray
    moved: float
    target: int | str


@dataclass(frozen=True)
class Difference:
    """A thing that one of two columns was given and the other was not.

    Attributes
    ----------
    candidate : int
        Its place among the candidates.
    place : int
        Its place among the product's key points, its sentences or its reviews.
    has : int
        Which of the two has it: 0 or 1.
    relevance : (float, float)
        w . phi for each.
    prevalence : float or None
        How common it is, log(1 + N) / log(1 + M); None where candidates are no key points.
    weighed : (Weighed or None, Weighed or None)
        None where it was never open: it waited for another of its aspect, or was too long.
    change : Change or None
        What would bring it to the column that lacks it; None if nothing that was tried does.
    """

    candidate: int
    place: int
    has: int
    relevance: tuple[float, float]
    prevalence: float | None
    weighed: tuple[Weighed | None, Weighed | None]
    change: Change | None


def differences(
    corpus: Products, product_id: str, one: Compared, other: Compared, *, changes: bool = True
) -> list[Difference]:
    """Return what `one` was given and `other` was not, then the other way round, each in order of selection.

    Parameters
    ----------
    changes : bool
        Whether the smallest changes are looked for, which takes nearly all of the time.

    Raises
    ------
    ConfigError
        If the two choose among different things.
    """
    if one.preset != other.preset or one.kind != other.kind:
        raise ConfigError(
            f"One chooses among {one.kind}, the other among {other.kind}, so no rank compares them; give both the same "
            "kind of evidence."
        )
    products: Products = AsReviews(corpus) if one.preset == "reviews" else corpus
    product = products.product(product_id)
    pair = (one, other)
    among = [choosing(product, each) for each in pair]
    candidates = among[0].candidates
    told = [weighed(each, column.round.selection) for each, column in zip(among, pair, strict=True)]
    found = []
    for has, (giver, lacks) in enumerate([(one, other), (other, one)]):
        missing = [int(j) for j in giver.round.selection.indices if j not in lacks.round.selection.indices]
        bring: dict[int, Change] = {}
        if changes:
            wanted = {j: candidates.phi[j] for j in missing}
            bring = smallest_changes(partial(chosen_by, product, lacks), lacks.profile.w, wanted, giver.profile.w)
        found += [
            Difference(
                candidate=j,
                place=_place(among[0], j),
                has=has,
                relevance=(float(candidates.phi[j] @ one.profile.w), float(candidates.phi[j] @ other.profile.w)),
                prevalence=None if candidates.prevalence is None else float(candidates.prevalence[j]),
                weighed=(told[0](j), told[1](j)),
                change=bring.get(j),
            )
            for j in missing
        ]
    return found


def choosing(product: ProductCorpus, one: Compared) -> Choosing:
    """Return what a column chose from, and how."""
    return session.choosing(product, one.round.w_used, one.how, one.round.t)


def chosen_by(product: ProductCorpus, one: Compared, w: FloatArray) -> set[int]:
    """Return the candidates that the round of a column would have with another preference, all else the same."""
    among = session.choosing(product, w, one.how, one.round.t)
    rng = session.generator(SEED, one.round.number, session.Stream.SELECTION)
    return {int(j) for j in among.select(rng).indices}


def weighed(among: Choosing, selection: Selection) -> Callable[[int], Weighed | None]:
    """Return what tells how a candidate stood at the moment of choice.

    The moment is the step at which it was taken; for one that was not, the step at which its score came nearest to that
    of what was.
    """
    scores = scores_at(among, selection)
    unit, taken = among.candidates.unit, selection.indices

    def tell(j: int) -> Weighed | None:
        gaps = [float(score[i] - score[j]) if np.isfinite(score[j]) else np.inf
                for score, i in zip(scores, taken, strict=True)]  # fmt: skip
        own = np.flatnonzero(taken == j)
        step = int(own[0]) if len(own) else int(np.argmin(gaps))
        if not np.isfinite(gaps[step]):
            return None
        score = scores[step]
        before = taken[:step]
        near = float((unit[before] @ unit[j]).max()) if step else 0.0
        return Weighed(
            step=step,
            rank=1 + int((score > score[j]).sum()),
            among=int(np.isfinite(score).sum()),
            redundancy=max(0.0, near),
            score=float(score[j]),
            gap=gaps[step],
            reserved=step == selection.reserved,
        )

    return tell


def scores_at(among: Choosing, selection: Selection) -> list[FloatArray]:
    """Return a(j) of every candidate (c,) at each step of a selection, -inf where it was not open.

    The greedy loop runs again and takes what it took; the reserved place is scored by its own rule.
    """
    rule, candidates = among.chooser, among.candidates
    by_rule = selection.indices if selection.reserved is None else selection.indices[: selection.reserved]
    seen: list[FloatArray] = []
    rest = iter(by_rule)

    def again(score: FloatArray) -> tuple[int, float]:
        seen.append(score.copy())
        return int(next(rest)), 1.0

    budget = replace(among.room, max_sentences=max(1, len(by_rule)))
    if len(by_rule):
        greedy(
            candidates, among.w, budget, rule.trade_off, again, prevalence=rule.prevalence, tier=among.tier,
            lead=among.lead,
        )  # fmt: skip
    if selection.reserved is not None and among.dissent is not None:
        seen.append(
            reserve.scores(
                candidates, by_rule, among.dissent, among.budget, among.w, rule.trade_off, rule.prevalence
            )
        )  # fmt: skip
    return seen


def smallest_changes(
    chosen: Callable[[FloatArray], set[int]],
    w: FloatArray,
    wanted: Mapping[int, FloatArray],
    other: FloatArray,
) -> dict[int, Change]:
    """Return, for each wanted candidate, the smallest change of w with which it is chosen.

    Weight moves in a straight line from w toward one aspect, toward what the candidate is about, or toward the other
    column's w. All lines are tried at once, a step further each time; a step within which the selection changes is
    halved until every change in it lies between two tries that are FINE apart. So the change is the smallest on these
    lines, to FINE, unless a candidate comes in for less than that, or comes and goes between two equal selections.

    Parameters
    ----------
    chosen : callable
        From a preference (K,) to the candidates that are chosen with it.
    w : ndarray of shape (K,)
        Where all changes begin.
    wanted : mapping of int to ndarray of shape (K,)
        Memberships phi of the candidates.
    other : ndarray of shape (K,)
        The other column's preference.
    """
    ends: list[tuple[int | str, FloatArray, int | None]] = [(k, end, None) for k, end in enumerate(np.eye(len(w)))]
    ends += [(OTHER, np.asarray(other), None), *((ITSELF, np.asarray(phi), j) for j, phi in wanted.items())]
    search = _Search(chosen, np.asarray(w), wanted.keys(), {})
    lines = [_Line(*end, float(np.abs(end[1] - w).sum() / 2), 0.0, frozenset(chosen(w))) for end in ends]
    lines = [line for line in lines if line.reach >= FINE]
    for tick in range(1, round(1 / COARSE) + 1):
        if len(search.found) == len(wanted):
            break
        for line in lines:
            if line.tried < line.reach and not search.settled(line):
                search.go_on(line, min(tick * COARSE, line.reach))
    return search.found


@dataclass
class _Line:
    """A way that weight can move: where to, for whom (None: all), how far; how far it was tried, what is there."""

    target: int | str
    end: FloatArray
    only: int | None
    reach: float
    tried: float
    there: frozenset[int]


@dataclass(frozen=True)
class _Search:
    """What is being looked for along all lines, and what has been found so far."""

    chosen: Callable[[FloatArray], set[int]]
    w: FloatArray
    wanted: Set[int]
    found: dict[int, Change]

    def settled(self, line: _Line) -> bool:
        """Return whether a line that is for one candidate comes too late for it."""
        return line.only in self.found and self.found[line.only].moved <= line.tried

    def go_on(self, line: _Line, size: float) -> None:
        """Try a line further, and everything between where the selection changes on the way."""
        after = self._try(line, size)
        self._halve(line, line.tried, line.there, size, after)
        line.tried, line.there = size, after

    def _halve(self, line: _Line, low: float, before: frozenset[int], high: float, after: frozenset[int]) -> None:
        if before == after or high - low <= FINE:
            return
        middle = (low + high) / 2
        between = self._try(line, middle)
        self._halve(line, low, before, middle, between)
        self._halve(line, middle, between, high, after)

    def _try(self, line: _Line, size: float) -> frozenset[int]:
        share = min(1.0, size / line.reach)
        w = np.maximum(0.0, (1.0 - share) * self.w + share * line.end)
        given = frozenset(self.chosen(w))
        for j in given & self.wanted:
            if line.only in (None, j) and (j not in self.found or size < self.found[j].moved):
                self.found[j] = Change(w, size, line.target)
        return given


def _place(among: Choosing, candidate: int) -> int:
    return candidate if among.pool is None else int(among.pool.points[candidate])


def gained(before: FloatArray, after: FloatArray, labels: Sequence[str], least: float = 0.005) -> str:
    """Say in words what changed between two preferences: each aspect that gains, then what the others lose.

    >>> gained(np.array([0.5, 0.5]), np.array([0.38, 0.62]), ("smell", "lid"))
    'lid 50 % to 62 %'
    """
    up = [int(k) for k in np.argsort(before - after, kind="stable") if after[k] - before[k] >= least]
    if not up:
        k = int(np.argmax(after - before))
        up = [k]
    return ", ".join(f"{labels[k]} {100 * before[k]:.0f} % to {100 * after[k]:.0f} %" for k in up[:3])
