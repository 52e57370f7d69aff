"""One round on the screen: opening it, its text as it is written, and its rating."""

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from prefer_core import session as core
from prefer_core.errors import PreferError
from prefer_core.learning import Posterior
from prefer_core.rewriting import Evidence, Job, Summary
from prefer_core.store import StoredRound
from prefer_core.store.ledger import proposer
from prefer_core.store.rows import round_evidence
from prefer_core.types import FloatArray, ProductCorpus
from prefer_core.ui import html, resources
from prefer_core.ui import reader as readers
from prefer_core.ui.reader import Reader

JOB = "job"


@dataclass(frozen=True)
class OpenRound:
    """The round that is shown, with its text once the ledger has it, and the job that writes it in this tab.

    Attributes
    ----------
    evidence : Evidence
        The round as the writer reads it: its points in the order of the text.
    """

    reader: Reader
    product: ProductCorpus
    stored: StoredRound
    evidence: Evidence
    kept: Summary | None
    job: Job | None

    @property
    def key(self) -> tuple[int, int]:
        """What tells this round from all others: session and number."""
        return self.reader.session.id, self.stored.number

    @cached_property
    def basis(self) -> html.Basis:
        """Points and evidence, numbered in the order of the text."""
        stored = self.stored
        return html.basis(f"evidence-{stored.number}", stored.evidence, stored.claims, self.evidence, self.kept)

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
        by_model = self.summary.model_share > 0
        if self.writing:
            return "partial" if by_model else "draft"
        return "model" if by_model else "template"


def open_round(reader: Reader, product_id: str) -> OpenRound:
    """Open the round on a product and have its text written, unless it has been."""
    product = reader.corpus.product(product_id)
    propose = proposer(reader.corpus, product_id, reader.session.settings)
    stored = resources.ledger().open(reader.session, product_id, propose, reader.record)
    evidence = round_evidence(reader.corpus, stored)
    if stored.text is not None:
        return OpenRound(reader, product, stored, evidence, Summary.from_dict(stored.text), None)
    job = _job(reader, stored, evidence)
    shown = OpenRound(reader, product, stored, evidence, None, job)
    keep_text(shown)
    return replace(shown, kept=job.summary) if job.state == "done" else shown


def credible(reader: Reader) -> tuple[FloatArray, FloatArray] | None:
    """Return the ends of the rows' 90 % credible intervals, each (R,), where the learner is one that has them."""
    learner = core.updater(reader.session.settings)
    if not isinstance(learner, Posterior):
        return None
    return learner.intervals(reader.record.state, rows=[row.members for row in reader.corpus.view.rows])


def keep_text(shown: OpenRound) -> None:
    """Put a finished text into the ledger, once."""
    job = shown.job
    if job is not None and job.state == "done" and shown.kept is None:
        resources.ledger().add_text(
            shown.reader.session,
            shown.stored.number,
            job.summary.to_dict(),
            seconds_first=job.seconds_first,
            seconds_last=job.seconds_last,
        )


FOCUS = "rated-just-now"
"""Where a tab keeps that the next page begins at the slider."""


def rate(shown: OpenRound, feedback: float, slider_start: float) -> None:
    """Record a rating given with a slider that began at `slider_start`, both in [0, 1]."""
    try:
        outcome = resources.ledger().rate(
            shown.reader.session,
            shown.stored.number,
            feedback,
            shown=shown.summary.to_dict(),
            source=shown.source,
            slider_start=slider_start,
        )
        if not outcome.repeated:
            keep_text(shown)
    except PreferError as error:
        readers.say(str(error))
        return
    st.session_state[FOCUS] = True
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


def _job(reader: Reader, stored: StoredRound, evidence: Evidence) -> Job:
    key = (reader.session.id, stored.number)
    held: tuple[tuple[int, int], Job] | None = st.session_state.get(JOB)
    if held is not None and held[0] == key and held[1].state != "cancelled":
        return held[1]
    job = resources.writer().submit(evidence)
    st.session_state[JOB] = (key, job)
    return job
