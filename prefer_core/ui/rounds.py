"""One round on the screen: opening it, its text as it is written, and its rating."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from prefer_core import session as core
from prefer_core.config import SessionSettings
from prefer_core.corpus import Corpus
from prefer_core.errors import PreferError
from prefer_core.learning import Posterior
from prefer_core.rewriting import Evidence, Job, Summary, gather
from prefer_core.rewriting.citing import Citing, citing
from prefer_core.store import Rated, StoredRound, fold
from prefer_core.store.ledger import Propose
from prefer_core.types import FloatArray, LearnerState, ProductCorpus, Round, Selection
from prefer_core.ui import reader as readers
from prefer_core.ui import resources
from prefer_core.ui.reader import Reader

JOB = "job"
CITED = "cited"


@dataclass(frozen=True)
class OpenRound:
    """The round that is shown, with the job that writes its text (None where the ledger has the text already)."""

    reader: Reader
    product: ProductCorpus
    stored: StoredRound
    kept: Summary | None
    job: Job | None

    @property
    def summary(self) -> Summary:
        """The text as it stands."""
        if self.kept is not None:
            return self.kept
        assert self.job is not None
        return self.job.summary

    @property
    def writing(self) -> bool:
        """Whether a model is still at work on the text."""
        return self.job is not None and self.job.state in ("queued", "writing")

    @property
    def source(self) -> str:
        """Where the text on screen comes from: draft, partial, model or template."""
        models = [s.source == "model" for s in self.summary.statements]
        if self.writing:
            return "partial" if any(models) else "draft"
        return "model" if any(models) else "template"


def open_round(reader: Reader, product_id: str) -> OpenRound:
    """Open the round on a product and have its text written, unless it has been."""
    product = reader.corpus.product(product_id)
    ledger = resources.ledger()
    stored = ledger.open(reader.session, product_id, proposer(reader.corpus, product_id, reader.session.settings))
    kept = ledger.text(reader.session, stored.number)
    if kept is not None:
        return OpenRound(reader, product, stored, Summary.from_dict(kept), None)
    shown = OpenRound(reader, product, stored, None, _job(reader, stored))
    keep_text(shown)
    return shown


def proposer(corpus: Corpus, product_id: str, settings: SessionSettings) -> Propose:
    """Return what the ledger asks for a new round on a product."""

    def propose(state: LearnerState, number: int) -> tuple[Round, list[dict[str, object]]]:
        proposal = core.propose(corpus, product_id, state, settings, number)
        return proposal, core.evidence(corpus.product(product_id), proposal)

    return propose


def credible(reader: Reader, history: list[Rated]) -> tuple[FloatArray, FloatArray] | None:
    """Return the ends of the rows' 90 % credible intervals, each (R,), where the learner is one that has them."""
    learner = core.updater(reader.session.settings)
    if not isinstance(learner, Posterior):
        return None
    return learner.intervals(fold(reader.session, history), rows=[row.members for row in reader.corpus.view.rows])


def evidence_of(corpus: Corpus, stored: StoredRound) -> Evidence:
    """Return a stored round's evidence, ready to be written up."""
    product = corpus.product(stored.product_id)
    position = {name: i for i, name in enumerate(product.ids or ())}
    chosen = Selection(
        np.array([position[piece["id"]] for piece in stored.evidence], dtype=np.int64),
        np.array(stored.scores),
        np.array(stored.propensities),
    )
    return gather(product, chosen, corpus.labels_in_texts)


def keep_text(shown: OpenRound) -> None:
    """Put a finished text into the ledger, once."""
    job = shown.job
    if job is not None and job.state == "done":
        resources.ledger().add_text(
            shown.reader.session,
            shown.stored.number,
            job.summary.to_dict(),
            seconds_first=job.seconds_first,
            seconds_last=job.seconds_last,
        )


def cited(shown: OpenRound) -> Citing:
    """Count the citations of the text on screen: once a text, since every move of the slider draws the page."""
    key = (shown.reader.session.id, shown.stored.number, shown.summary.statements)
    held: tuple[object, Citing] | None = st.session_state.get(CITED)
    if held is None or held[0] != key:
        held = key, citing(shown.summary.statements, evidence_of(shown.reader.corpus, shown.stored))
        st.session_state[CITED] = held
    return held[1]


def rate(shown: OpenRound, slider: str) -> None:
    """Record the rating on the slider; called by the button."""
    feedback = st.session_state[slider] / 100
    try:
        outcome = resources.ledger().rate(
            shown.reader.session,
            shown.stored.number,
            feedback,
            shown=shown.summary.to_dict(),
            source=shown.source,
        )
        if not outcome.repeated:
            keep_text(shown)
    except PreferError as error:
        readers.say(str(error))
        return
    if shown.job is not None:
        shown.job.cancel()
    if outcome.repeated:
        readers.say("This summary had been rated already; the first rating counts.")


def undo(reader: Reader) -> None:
    """Take back the latest rating; called by the button."""
    try:
        resources.ledger().undo(reader.session)
    except PreferError as error:
        readers.say(str(error))


def _job(reader: Reader, stored: StoredRound) -> Job:
    key = (reader.session.id, stored.number)
    held: tuple[tuple[int, int], Job] | None = st.session_state.get(JOB)
    if held is not None and held[0] == key and held[1].state != "cancelled":
        return held[1]
    job = resources.writer().submit(evidence_of(reader.corpus, stored))
    st.session_state[JOB] = (key, job)
    return job
