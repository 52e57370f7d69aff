"""One round of PREFER: propose evidence, then learn from its rating.

Pages, experiments, bots and tests all come through here (Algorithm prefer), so a round is the same live, replayed and
simulated: its randomness depends on nothing but (seed, round, stream).
"""

from collections.abc import Mapping
from dataclasses import fields
from enum import IntEnum
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from prefer_core.config import SessionSettings
from prefer_core.errors import ConfigError, DataError
from prefer_core.learning import UPDATERS, Updater
from prefer_core.learning.profile import aspect_profile
from prefer_core.selection import EXTRACTORS, Extractor, reserve
from prefer_core.types import Budget, FloatArray, LearnerState, ProductCorpus, Round, Selection, Step


class Stream(IntEnum):
    """One stream of randomness a purpose; the numbers are part of every recorded session and never change."""

    SELECTION = 1
    TARGET = 2
    READER = 3


class Products(Protocol):
    """Anything that has products: a corpus, or a made one in a test."""

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product."""
        ...


def generator(seed: int, round_number: int, stream: Stream) -> np.random.Generator:
    """Return the random generator of one purpose in one round."""
    return np.random.default_rng([seed, round_number, int(stream)])


def extractor(settings: SessionSettings) -> Extractor:
    """Make the extractor that the settings name."""
    made: Extractor = _make(EXTRACTORS, settings.extractor, "extractor", settings)
    return made


def updater(settings: SessionSettings) -> Updater:
    """Make the learner that the settings name."""
    made: Updater = _make(UPDATERS, settings.learner, "learner", settings)
    return made


def propose(corpus: Products, product_id: str, state: LearnerState, settings: SessionSettings, round: int) -> Round:
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
        Extractor, budget and weighting.
    round : int
        Number of the proposal: never reused for a reader, seeds the randomness.

    Raises
    ------
    DataError
        If the product has no sentence that fits the budget, or another number of aspects than the reader's preference.
    """
    product = corpus.product(product_id)
    w_used = updater(settings).target(state, generator(state.seed, round, Stream.TARGET))
    chooser = extractor(settings)
    selection = _select(product, w_used, chooser, settings, state.t, generator(state.seed, round, Stream.SELECTION))
    if len(selection) == 0:
        raise DataError(
            f"{product.title or product_id} has no sentence of at most {settings.max_tokens} tokens; choose another."
        )
    alpha, z = aspect_profile(
        product.phi[selection.indices],
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
    )


def _select(
    product: ProductCorpus,
    w: FloatArray,
    chooser: Extractor,
    settings: SessionSettings,
    t: int,
    rng: np.random.Generator,
) -> Selection:
    """Let the extractor choose, then fill the reserved place if the settings keep one."""
    budget = Budget(settings.max_sentences, settings.max_tokens)
    if not settings.reserve:
        return chooser.select(product, w, budget, t=t, rng=rng)
    pool = reserve.dissent(product, budget)
    chosen = chooser.select(product, w, reserve.room(product, budget, pool), t=t, rng=rng)
    return reserve.fill(product, chosen, pool, budget, w, settings.trade_off)


def rate(state: LearnerState, round: Round, feedback: float, settings: SessionSettings) -> LearnerState:
    """Return the reader's state after rating `round` with `feedback` in [0, 1]."""
    return updater(settings).update(state, round.z, feedback)


def learn(state: LearnerState, round: Round, feedback: float, settings: SessionSettings) -> tuple[LearnerState, Step]:
    """Return what `rate` and `explain` would, for the price of one."""
    return updater(settings).learn(state, round.z, feedback)


def explain(state: LearnerState, round: Round, feedback: float, settings: SessionSettings) -> Step:
    """Return what `rate` would do, taken apart."""
    return updater(settings).explain(state, round.z, feedback)


def evidence(product: ProductCorpus, round: Round) -> list[dict[str, Any]]:
    """Return what each chosen sentence was, as plain values that a ledger can keep.

    Unknown stars, times and purchases are None; `aspect` is the dominant one; `reserved` marks the place kept for
    dissent.
    """
    chosen = round.selection
    return [
        _sentence(product, int(index)) | {"reserved": place == chosen.reserved}
        for place, index in enumerate(chosen.indices)
    ]


def _sentence(product: ProductCorpus, index: int) -> dict[str, Any]:
    rating = None if product.rating is None or np.isnan(product.rating[index]) else float(product.rating[index])
    written = None if product.time is None or product.time[index] < 0 else int(product.time[index])
    verified = None if product.verified is None or product.verified[index] < 0 else bool(product.verified[index])
    return {
        "id": str(index) if product.ids is None else str(product.ids[index]),
        "text": "" if product.text is None else str(product.text[index]),
        "aspect": int(product.dominant[index]),
        "rating": rating,
        "time": written,
        "verified": verified,
        "reviewers": 1 if product.supporters is None else len(product.supporters[index]),
    }


def _make(registry: Mapping[str, Any], name: str, kind: str, settings: SessionSettings) -> Any:
    if name not in registry:
        raise ConfigError(f"There is no {kind} {name!r}; choose one of {', '.join(registry)}.")
    return _made(registry[name], settings)


@lru_cache(64)
def _made(factory: Any, settings: SessionSettings) -> Any:
    # Frozen values without state: one serves every reader with these settings.
    return factory(**{f.name: getattr(settings, f.name) for f in fields(factory) if hasattr(settings, f.name)})
