"""One round of PREFER: propose evidence, then learn from its rating.

Pages, experiments, bots and tests all come through here (Algorithm prefer), so a round is the same live, replayed and
simulated: its randomness depends on nothing but (seed, round, stream).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from prefer_core.config import SessionSettings
from prefer_core.errors import ConfigError, DataError
from prefer_core.keypoints.pool import Pool, pool_of, tone_of, total_reviewers
from prefer_core.learning import UPDATERS, Learner
from prefer_core.learning.profile import aspect_profile
from prefer_core.selection import EXTRACTORS, Extractor, Gumbel, reserve
from prefer_core.types import (
    BoolArray,
    Budget,
    EvidenceSentence,
    FloatArray,
    IntArray,
    LearnerState,
    ProductCorpus,
    Round,
    Selection,
    ShownPoint,
    Step,
)

RECENT = 3
"""Proposals for which a point that was shown waits."""


ENOUGH = 2
"""Points, as a multiple of those shown in a round, from which single voices speak of cared-for aspects only."""
CARED_FOR = 1.5
"""Multiple of an even weight from which a reader cares for an aspect."""
_UNCLEAR, CLEAR = 0.3, 0.7
"""Largest weight up to which a preference is not clear at all, and from which it is wholly clear."""


class Stream(IntEnum):
    """One stream of randomness a purpose; the numbers are part of every recorded session and never change."""

    SELECTION = 1
    TARGET = 2
    READER = 3
    SLIDER = 4


class Products(Protocol):
    """Anything that has products: a corpus, or a made one in a test."""

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product."""
        ...


@dataclass(frozen=True)
class Replay:
    """Where ratings led: the state after the last one, and the step of each."""

    state: LearnerState
    steps: tuple[Step, ...]


def slider_start(settings: SessionSettings, seed: int, round_number: int) -> float:
    """Return where the slider of a round begins, in [0, 1]: as set, or drawn for the round in whole percents."""
    if settings.slider_start is not None:
        return settings.slider_start
    return float(generator(seed, round_number, Stream.SLIDER).integers(0, 101)) / 100


def generator(seed: int, round_number: int, stream: Stream) -> np.random.Generator:
    """Return the random generator of one purpose in one round."""
    return np.random.default_rng([seed, round_number, int(stream)])


def extractor(settings: SessionSettings) -> Extractor:
    """Make the extractor that the settings name."""
    made: Extractor = _make(EXTRACTORS, settings.extractor, "extractor", settings)
    return made


def updater(settings: SessionSettings) -> Learner:
    """Make the learner that the settings name."""
    made: Learner = _make(UPDATERS, settings.learner, "learner", settings)
    return made


def start(n_aspects: int, seed: int, settings: SessionSettings) -> LearnerState:
    """Return the state of a reader who has rated nothing."""
    return updater(settings).start(n_aspects, seed)


def propose(
    corpus: Products,
    product_id: str,
    state: LearnerState,
    settings: SessionSettings,
    round: int,
    shown: Sequence[Sequence[int]] = (),
) -> Round:
    """Select the evidence of one round.

    Parameters
    ----------
    corpus : Products
        Where the product is found.
    product_id : str
        Product to summarise.
    state : LearnerState
        What is known about the reader.
    settings : SessionSettings
        Pool, extractor, budget and weighting. A product without key points is summarised from its sentences.
    round : int
        Number of the proposal: never reused for a reader, seeds the randomness.
    shown : sequence of sequences of int
        `Round.points` of the reader's earlier proposals on this product, the oldest first: none of the latest three
        comes back while another one of its aspect is left.

    Raises
    ------
    DataError
        If the product has no sentence that fits the budget, or another number of aspects than the reader's preference.
    """
    product = corpus.product(product_id)
    w_used = updater(settings).target(state, generator(state.seed, round, Stream.TARGET))
    among = choosing(product, w_used, settings, state.t, shown)
    pool, candidates, chooser = among.pool, among.candidates, among.chooser
    selection = among.select(generator(state.seed, round, Stream.SELECTION))
    if len(selection) == 0:
        raise DataError(
            f"{product.title or product_id} has no sentence of at most {settings.max_tokens} tokens; choose another."
        )
    alpha, z = aspect_profile(
        candidates.phi[selection.indices],
        selection.scores,
        settings.weighting,
        utility_weight=settings.utility_weight,
        rank_decay=settings.rank_decay,
    )
    beta_at = getattr(chooser, "beta_at", None)
    return Round(
        number=round,
        t=state.t,
        product_id=product_id,
        w=state.w,
        w_used=w_used,
        selection=selection,
        alpha=alpha,
        z=z,
        beta=None if beta_at is None else beta_at(state.t),
        points=np.zeros(0, dtype=np.int64) if pool is None else pool.points[selection.indices],
        cited=() if pool is None else tuple(pool.cited[i] for i in selection.indices),
    )


def clarity(w: FloatArray) -> float:
    """Return how clear a preference (K,) is, in [0, 1]: 0 up to a largest weight of .3, 1 from `CLEAR` on.

    An even preference counts as clear: it wants what most people say.
    """
    if np.ptp(w) <= 1e-12:
        return 1.0
    return float(np.clip((w.max() - _UNCLEAR) / (CLEAR - _UNCLEAR), 0.0, 1.0))


def focused(chooser: Extractor, settings: SessionSettings, w: FloatArray, t: int) -> Extractor:
    """Return the extractor with its numbers moved toward their focused values as the preference (K,) gets clear.

    At an even preference what is common keeps its weight: there is nothing else to go by.
    """
    share = clarity(w)
    changed: dict[str, float] = {}
    if settings.focused_trade_off is not None:
        changed["trade_off"] = settings.trade_off + share * (settings.focused_trade_off - settings.trade_off)
    if settings.focused_prevalence is not None and np.ptp(w) > 1e-12:
        changed["prevalence"] = settings.prevalence + share * (settings.focused_prevalence - settings.prevalence)
    if settings.focused_beta is not None and isinstance(chooser, Gumbel):
        start = chooser.beta_at(t)
        changed["beta"] = start + share * (settings.focused_beta - start)
    if not changed:
        return chooser
    refined: Extractor = replace(chooser, **changed)
    return refined


@dataclass(frozen=True, eq=False)
class Choosing:
    """What one selection chooses from, and by which rule; nothing is drawn yet.

    Attributes
    ----------
    candidates : ProductCorpus
        The product's sentences, or the candidates of `pool`.
    pool : Pool or None
        The product's key points, where these are chosen from.
    w : ndarray of shape (K,)
        Preference used for relevance.
    t : int
        Ratings in force + 1.
    chooser : Extractor
        With its numbers as focused as the preference is clear.
    budget : Budget
        The whole budget.
    tier : ndarray of shape (c,) or None
        Who waits for whom, see `selection.base.greedy`.
    lead : ndarray of shape (c,) or None
        What the first place is for: the aspect that a reader clearly wants, if there is one.
    dissent : ndarray of shape (c,) or None
        What the reserved place may take; None where no place is kept.
    """

    candidates: ProductCorpus
    pool: Pool | None
    w: FloatArray
    t: int
    chooser: Extractor
    budget: Budget
    tier: IntArray | None
    lead: BoolArray | None
    dissent: BoolArray | None

    @property
    def room(self) -> Budget:
        """What the extractor may take so that the reserved place can still be filled."""
        if self.dissent is None:
            return self.budget
        return reserve.room(self.candidates, self.budget, self.dissent)

    def select(self, rng: np.random.Generator) -> Selection:
        """Let the extractor choose, then fill the reserved place if one is kept."""
        chosen = self.chooser.select(
            self.candidates, self.w, self.room, t=self.t, rng=rng, tier=self.tier, lead=self.lead
        )
        if self.dissent is None:
            return chosen
        return reserve.fill(
            self.candidates, chosen, self.dissent, self.budget, self.w, self.chooser.trade_off, self.chooser.prevalence
        )


def choosing(
    product: ProductCorpus, w: FloatArray, settings: SessionSettings, t: int, shown: Sequence[Sequence[int]] = ()
) -> Choosing:
    """Return what a round of a reader with preference w (K,) chooses from, and how; the others as in `propose`."""
    pool = pool_of(product) if settings.pool == "keypoints" and product.keypoints else None
    candidates = product if pool is None else pool.candidates
    chooser = extractor(settings)
    budget = Budget(settings.max_sentences, settings.max_tokens)
    tier = lead = None
    if pool is not None:
        chooser = focused(chooser, settings, w, t)
        # Points that were not shown lately come first, then single voices, then what was shown.
        tier = np.where(np.isin(pool.points, [i for points in shown[-RECENT:] for i in points]), 2, pool.voice)
        if (~pool.voice).sum() >= ENOUGH * settings.max_sentences:
            # A voice speaks where the reader cares for an aspect; elsewhere points have more to say.
            tier[pool.voice & (w[candidates.dominant] < CARED_FOR / len(w))] = -1
        if w.max() >= CLEAR:
            lead = candidates.dominant == w.argmax()
    dissent = None
    if settings.reserve:
        kinds: Sequence[BoolArray] | None = None
        if pool is not None:
            before = np.isin(pool.points, [i for points in shown for i in points])
            # What the reader has not been shown yet comes first; when all has been, anything may come back.
            kinds = [*(kind & ~before for kind in pool.dissent_kinds), *pool.dissent_kinds]
        dissent = reserve.dissent(candidates, budget, kinds)
    return Choosing(candidates, pool, w, t, chooser, budget, tier, lead, dissent)


def rate(state: LearnerState, round: Round, feedback: float, settings: SessionSettings) -> LearnerState:
    """Return the reader's state after rating `round` with `feedback` in [0, 1]."""
    return updater(settings).update(state, round.z, feedback)


def learn(state: LearnerState, round: Round, feedback: float, settings: SessionSettings) -> tuple[LearnerState, Step]:
    """Return the state after a rating, and the step that led there."""
    return updater(settings).learn(state, round.z, feedback)


def replay(
    n_aspects: int, seed: int, settings: SessionSettings, rated: Iterable[tuple[FloatArray, float]],
    begun: Replay | None = None,
) -> Replay:  # fmt: skip
    """Learn again from recorded ratings: nothing is selected, so w comes out bit for bit.

    Parameters
    ----------
    n_aspects, seed, settings
        As the reader started.
    rated : iterable of (ndarray of shape (K,), float)
        z and rating of each round, oldest first.
    begun : Replay, optional
        Where earlier ratings led, which then are not learned from again.
    """
    learner = updater(settings)
    if begun is None:
        begun = Replay(learner.start(n_aspects, seed), ())
    state, steps = begun.state, list(begun.steps)
    for z, feedback in rated:
        state, step = learner.learn(state, z, feedback)
        steps.append(step)
    return Replay(state, tuple(steps))


def evidence(product: ProductCorpus, round: Round) -> tuple[EvidenceSentence, ...]:
    """Return the sentences of S_t in order of extraction, as a ledger can keep them."""
    behind = round.cited or tuple(np.array([index]) for index in round.selection.indices)
    return tuple(
        replace(sentence(product, int(index)), reserved=place == round.selection.reserved, point=place)
        for place, rows in enumerate(behind)
        for index in rows
    )


def claims(product: ProductCorpus, round: Round) -> tuple[ShownPoint, ...]:
    """Return what each chosen key point says and by how many, as a ledger can keep it.

    Empty where sentences were chosen. `cites` are places in `evidence`.
    """
    if not round.cited:
        return ()
    pool = pool_of(product)
    found = []
    start = 0
    for place, (candidate, point, rows) in enumerate(
        zip(round.selection.indices, round.points, round.cited, strict=True)
    ):
        other = product.keypoints[int(point)].opposed
        places = {int(row): start + i for i, row in enumerate(rows)}
        start += len(rows)
        found.append(
            replace(
                _shown(product, int(point), places),
                opposed=None if other is None else _shown(product, other, places),
                both=int(pool.reviewers[candidate]),
                reserved=place == round.selection.reserved,
            )
        )
    return tuple(found)


def _shown(product: ProductCorpus, place: int, cited: Mapping[int, int]) -> ShownPoint:
    point = product.keypoints[place]
    said = set(point.members.tolist())
    return ShownPoint(
        id=str(point.representative) if product.ids is None else str(product.ids[point.representative]),
        clause=point.text or ("" if product.text is None else str(product.text[point.representative])),
        point=place,
        position=point.representative,
        form=point.form,
        writer=point.writer,
        aspect=point.aspect,
        negative=point.negative,
        voice=point.voice,
        tone=tone_of(product, place),
        reviewers=point.reviewers,
        about=point.about,
        total=total_reviewers(product),
        cites=tuple(cited[row] for row in cited if row in said),
    )


def sentence(product: ProductCorpus, index: int) -> EvidenceSentence:
    """Return one sentence of a product as it would be shown."""
    rating = None if product.rating is None or np.isnan(product.rating[index]) else float(product.rating[index])
    written = None if product.time is None or product.time[index] < 0 else int(product.time[index])
    verified = None if product.verified is None or product.verified[index] < 0 else bool(product.verified[index])
    return EvidenceSentence(
        id=str(index) if product.ids is None else str(product.ids[index]),
        text="" if product.text is None else str(product.text[index]),
        aspect=int(product.dominant[index]),
        position=index,
        rating=rating,
        time=written,
        verified=verified,
        reviewers=1 if product.supporters is None else len(product.supporters[index]),
    )


def _make(registry: Mapping[str, Any], name: str, kind: str, settings: SessionSettings) -> Any:
    if name not in registry:
        raise ConfigError(f"There is no {kind} {name!r}; choose one of {', '.join(registry)}.")
    return _made(registry[name], settings)


@lru_cache(64)
def _made(factory: Any, settings: SessionSettings) -> Any:
    # Frozen values without state: one serves every reader with these settings.
    return factory(**{f.name: getattr(settings, f.name) for f in fields(factory) if hasattr(settings, f.name)})
