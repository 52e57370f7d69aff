"""Whoever plays a scene: sessions marked as the stage's, and the simulated reader who rates in them."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prefer_core import session as core
from prefer_core import simplex
from prefer_core.config import SessionSettings
from prefer_core.corpus import Corpus
from prefer_core.experiments import simulator
from prefer_core.experiments.alignment import preference_alignment
from prefer_core.experiments.simulator import SimulatedReader
from prefer_core.insight import comparison
from prefer_core.insight.calibrated import settings_of
from prefer_core.insight.comparison import Compared
from prefer_core.insight.profiles import Profile
from prefer_core.rewriting import Evidence, write_template
from prefer_core.session import Stream, generator
from prefer_core.stage.script import Act
from prefer_core.store import Ledger, Session, StoredRound
from prefer_core.store.ledger import proposer
from prefer_core.store.rows import round_evidence
from prefer_core.types import FloatArray

SHARPNESS, NOISE = 10.0, 0.05
"""How a simulated reader rates, as in the learning lab."""
START = 0.5
"""Where the slider begins."""


def settings(corpus: Corpus) -> SessionSettings:
    """Return what sessions of the stage learn with: the same as a visitor's."""
    return replace(settings_of(corpus.manifest), slider_start=START)


def begin(ledger: Ledger, corpus: Corpus, act: Act) -> tuple[Session, str]:
    """Start the session of a scene; return it with its token."""
    return ledger.start(corpus.id, corpus.n_aspects, settings(corpus), seed=act.seed, who="stage")


def reader(act: Act, n_aspects: int) -> SimulatedReader | None:
    """Return who plays a scene, or None where only people do."""
    if act.scene.kind != "play":
        return None
    one, *then = (aspect for aspect in act.wants if aspect is not None)
    if not then:
        return simulator.single(n_aspects, one)
    return simulator.drift(n_aspects, one, then[0], act.scene.turn + 1, act.scene.turn + 1)


def rating(played: SimulatedReader, session: Session, shown: StoredRound) -> int:
    """Return what the reader says to a round, in whole percent as the slider has it."""
    rng = generator(session.seed, shown.number, Stream.READER)
    return round(100 * simulator.feedback(played.at(shown.t), shown.z, SHARPNESS, NOISE, rng))


def known(played: SimulatedReader, w: FloatArray, t: int) -> float:
    """Return how well a preference (K,) fits what the reader wants in round t: A_pref, 1 at best."""
    return float(preference_alignment(played.at(t), w))


def side_by_side(corpus: Corpus, act: Act) -> list[Compared]:
    """Return what the two readers of a comparison are shown."""
    k = corpus.n_aspects
    profiles = [
        Profile("even", "No preference", simplex.uniform(k))
        if aspect is None
        else Profile(f"theme-{aspect}", corpus.labels[aspect], simplex.corner(k, aspect))
        for aspect in act.wants
    ]
    return [comparison.shown_to(corpus, act.product_id, profile, comparison.settings()) for profile in profiles]


def generic(corpus: Corpus, act: Act) -> tuple[Evidence, Compared]:
    """Return what a reader is shown of whom nothing is known: the first round of the show's sessions."""
    how = settings(corpus)
    product = corpus.product(act.product_id)
    start = core.start(corpus.n_aspects, act.seed, how)
    first = core.propose(corpus, act.product_id, start, how, 1)
    shown = comparison.column_of(product, Profile("even", "No preference", start.w), first, how)
    return comparison.column_evidence(product, shown), shown


def texts(corpus: Corpus, acts: tuple[Act, ...]) -> Iterator[Evidence]:
    """Yield all that a show asks a writer for, as long as nobody takes over, in order.

    Simulated readers play their scenes through a ledger of their own, which is thrown away.
    """
    with tempfile.TemporaryDirectory(prefix="prefer-stage-") as folder:
        ledger = Ledger(f"sqlite:///{Path(folder) / 'ledger.db'}")
        for act in acts:
            kind = act.scene.kind
            if kind == "compare":
                product = corpus.product(act.product_id)
                for one in side_by_side(corpus, act):
                    yield comparison.column_evidence(product, one)
            elif kind in ("summary", "rate", "crowd", "visitor"):
                yield generic(corpus, act)[0]
            elif kind == "play":
                yield from _played(ledger, corpus, act)
        ledger.close()


def _played(ledger: Ledger, corpus: Corpus, act: Act) -> Iterator[Evidence]:
    session, _ = begin(ledger, corpus, act)
    played = reader(act, corpus.n_aspects)
    assert played is not None
    propose = proposer(corpus, act.product_id, session.settings)
    for _ in range(act.scene.rounds + 1):
        shown = ledger.open(session, act.product_id, propose)
        written = round_evidence(corpus, shown)
        yield written
        said = rating(played, session, shown) / 100
        ledger.rate(session, shown.number, said, shown=write_template(written).to_dict(), source="template",
                    slider_start=START)  # fmt: skip
