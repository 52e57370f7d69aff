"""A participant's way through a study, from consent to the code at the end. Pages and bots take every step here.

Ratings live in the ledger, all other answers in the study book. Where a participant stands follows from what is
kept, so after a crash, a refresh or a lost network the way goes on at the same step, with the same evidence and text.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from prefer_core.aspects.names import View
from prefer_core.corpus import Corpus
from prefer_core.errors import DataError, RefusedError
from prefer_core.rewriting import Evidence, Job, Summary, Writer, write_template
from prefer_core.store import Ledger, Session, StoredRound, StudyBook
from prefer_core.store.ledger import proposer
from prefer_core.store.rows import round_evidence
from prefer_core.store.studies import Participant, ParticipantRecord, refuse_unless_open
from prefer_core.study.assignment import Slot, cell_of, plan, session_seed
from prefer_core.study.definition import Question, Study
from prefer_core.study.texts import texts

StepKind = Literal["consent", "questions", "round", "done", "withdrawn"]


@dataclass(frozen=True)
class Step:
    """One screen of the way.

    Attributes
    ----------
    name : str
        What its answers are kept under.
    kind : str
        What is on the screen.
    slot : Slot or None
        The summaries of a round.
    questions : tuple of Question
        What is asked, in a round besides the sliders.
    """

    name: str
    kind: StepKind
    slot: Slot | None = None
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True)
class Shown:
    """One summary on the screen; `job` is the model's while it writes, and then there is no text yet."""

    session: Session
    stored: StoredRound
    evidence: Evidence
    text: Summary | None
    job: Job | None = None


Jobs = MutableMapping[tuple[int, int], Job]
"""Texts in the making, by session and round."""


class Participation:
    """One participant in one study.

    Parameters
    ----------
    book, ledger : StudyBook, Ledger
        Where everything is kept; of the same database.
    corpus : Corpus
        The study's reviews. Aspects have the names of the build: nobody can change them in mid-study.
    study : Study
        The definition.
    participant : Participant
        Whose way it is.
    writer : Writer or None
        Writes the texts of arms whose text is "model".
    jobs : mutable mapping
        Texts in the making, kept between calls by the caller.
    """

    def __init__(
        self, book: StudyBook, ledger: Ledger, corpus: Corpus, study: Study, participant: Participant,
        writer: Writer | None = None, jobs: Jobs | None = None,
    ) -> None:  # fmt: skip
        self.book, self.ledger, self.study, self.participant = book, ledger, study, participant
        self.corpus = corpus.named(View.of(corpus.aspects["labels"], corpus.other))
        self.texts = texts(study.about.language)
        self._writer = writer
        self._jobs: Jobs = {} if jobs is None else jobs

    def record(self) -> ParticipantRecord:
        """Return what is kept of this participant now."""
        return self.book.record(self.participant)

    def way(self, record: ParticipantRecord) -> list[Step]:
        """Return all steps in order; before consent the rounds are not known yet."""
        return way(self.study, record)

    def step(self, record: ParticipantRecord) -> Step:
        """Return where the participant stands."""
        return step(self.study, record)

    def progress(self, record: ParticipantRecord) -> float:
        """Return the share of steps that are done."""
        way = self.way(record)
        return sum(_done(step, record) for step in way) / (len(way) - 1)

    def agree(self) -> None:
        """Keep that the participant agrees to take part, and deal arms and products."""
        pool = self.study.pool(self.corpus)
        self.participant = self.book.begin(
            self.participant,
            lambda number: (
                cell_of(self.study, number),
                [slot.to_dict() for slot in plan(self.study, pool, number)],
            ),
        )
        self.book.answer(self.participant, "consent", {"agreed": True})

    def answer(self, step: Step, answers: Mapping[str, Any], tab: str | None = None) -> bool:
        """Keep the answers of a questionnaire; False if it had been answered. `tab` is as in `rate`.

        Raises
        ------
        DataError
            If a required answer is missing or none of those offered.
        StoreError
            If the study is paused or closed, or another tab was opened since.
        """
        _require_this(tab, self.record())
        checked = _checked(step.questions, answers, self.texts)
        first = self.book.answer(self.participant, step.name, checked)
        if first:
            self.book.log(self.participant, "answered", step.name)
        return first

    def show(self, step: Step, record: ParticipantRecord | None = None) -> list[Shown]:
        """Return the summaries of a round, from left to right; the same ones whenever they are asked for.

        A record that has just been read is not read again.
        """
        return self._shown(step, self.record() if record is None else record)

    def _shown(self, step: Step, record: ParticipantRecord) -> list[Shown]:
        slot = step.slot
        assert slot is not None
        placed = {one.side: one for one in record.at(slot.repeats or slot.name)}
        shown = []
        for side, arm in enumerate(slot.arms):
            session = self._session(record, arm, practice=slot.practice)
            if side in placed:
                stored = self.ledger.round(session, placed[side].round)
            else:
                refuse_unless_open(record.status)
                stored = self.ledger.open(
                    session, slot.product_id, proposer(self.corpus, slot.product_id, session.settings)
                )
                self.book.show(self.participant, slot.name, side, session, stored.number)
            shown.append(self._with_text(session, stored, arm))
        return shown

    def rate(
        self, step: Step, values: Sequence[float], *, seconds: float, answers: Mapping[str, Any] | None = None,
        tab: str | None = None,
    ) -> bool:  # fmt: skip
        """Keep the ratings of a round; False if it had been rated, and then the first ratings stand.

        Parameters
        ----------
        step : Step
            The round.
        values : sequence of float
            One rating in [0, 1] a summary, from left to right.
        seconds : float
            How long the summaries were in view.
        answers : mapping, optional
            Answers to the round's questions.
        tab : str, optional
            The tab that sends them; it must be the one opened last.

        Raises
        ------
        DataError
            If an answer is missing or a rating is not between 0 and 1.
        StoreError
            If another tab was opened since, or the study is paused or closed.
        """
        slot = step.slot
        assert slot is not None
        if len(values) != len(slot.arms) or not all(0 <= value <= 1 for value in values):
            raise DataError(f"A round needs {len(slot.arms)} ratings between 0 and 1, found {list(values)}.")
        checked = _checked(step.questions, answers or {}, self.texts)
        record = self.record()
        _require_this(tab, record)
        if _done(step, record):
            return False
        detail = {
            "values": [float(value) for value in values], "starts": list(slot.starts),
            "seconds": round(max(0.0, seconds), 3), "answers": checked,
        }  # fmt: skip
        if slot.repeats:
            return self.book.answer(self.participant, slot.name, detail)
        rated = self._texts(step, record)
        # What goes with a rating is kept first: a rating that the ledger has is never without it.
        self.book.log(self.participant, "sent", slot.name, detail)
        outcomes = [
            self.ledger.rate(session, number, float(value), shown=text.to_dict(), source=_source(text))
            for (session, number, text), value in zip(rated, values, strict=True)
        ]
        return not all(outcome.repeated for outcome in outcomes)

    def _texts(self, step: Step, record: ParticipantRecord) -> list[tuple[Session, int, Summary]]:
        """Return what is rated in a round: session, number and text of each summary, from left to right."""
        assert step.slot is not None
        sessions = {session.id: session for session in record.sessions.values()}
        placed = [(sessions[one.session_id], one.round) for one in record.at(step.slot.name)]
        kept = [self.ledger.text(session, number) for session, number in placed]
        found = [
            (*place, Summary.from_dict(text)) for place, text in zip(placed, kept, strict=True) if text is not None
        ]
        if len(found) == len(step.slot.arms):
            return found
        shown = self._shown(step, record)
        if any(one.text is None for one in shown):
            raise RefusedError("still_writing", "The summary is still being written; please wait a moment.")
        return [(one.session, one.stored.number, one.text) for one in shown if one.text is not None]

    def finish(self) -> bool:
        """Keep that the end was reached; False if it had been before."""
        first = self.book.answer(self.participant, "completed", {})
        if first:
            self.book.log(self.participant, "completed")
        return first

    def shows(self, record: ParticipantRecord) -> tuple[str, ...]:
        """Return what the arm in sight shows beside its summary; in practice and between rounds nothing."""
        slot = self.step(record).slot
        return () if slot is None or slot.practice else self.study.arm(slot.arms[0]).shows

    def withdraw(self) -> None:
        """End the participation; with ``withdrawal = "erase"`` nothing that the participant said or saw is kept."""
        erase = self.study.about.withdrawal == "erase"
        if erase:
            for session in self.record().sessions.values():
                self.ledger.erase(session)
            self.book.forget(self.participant)
        if self.book.answer(self.participant, "withdrawn", {"erased": erase}):
            self.book.log(self.participant, "withdrawn")

    def _session(self, record: ParticipantRecord, arm: str, *, practice: bool) -> Session:
        """Return the session that plays an arm, beginning it if there is none; that of practice never learns."""
        name = f"practice:{arm}" if practice else arm
        if name in record.sessions:
            return record.sessions[name]
        settings = self.study.arm(arm).session_settings(self.corpus)
        if practice:
            settings = replace(settings, learner="static")
        number = record.participant.number
        assert number is not None
        seed = session_seed(self.study, number, arm)
        session, _ = self.ledger.start(
            self.corpus.id, self.corpus.n_aspects, settings, seed=seed, who=record.participant.kind
        )
        return self.book.use_session(self.participant, name, session)

    def _with_text(self, session: Session, stored: StoredRound, arm: str) -> Shown:
        """Return a round with its text, which is kept when it is first there and never changes."""
        evidence = round_evidence(self.corpus, stored)
        if stored.text is not None:
            return Shown(session, stored, evidence, Summary.from_dict(stored.text))
        if self._writer is None or self.study.arm(arm).text == "template":
            text, first, last = write_template(evidence), None, None
        else:
            key = (session.id, stored.number)
            job = self._jobs.get(key)
            if job is None or job.state == "cancelled":
                job = self._jobs[key] = self._writer.submit(evidence)
            if not job.finished:
                return Shown(session, stored, evidence, None, job)
            text, first, last = job.summary, job.seconds_first, job.seconds_last
            self._jobs.pop(key, None)
        self.ledger.add_text(session, stored.number, text.to_dict(), seconds_first=first, seconds_last=last)
        return Shown(session, stored, evidence, text)


def way(study: Study, record: ParticipantRecord) -> list[Step]:
    """Return all steps of a participant in order; before consent the rounds are not known yet."""
    steps = [Step("consent", "consent")]
    if study.before:
        steps.append(Step("before", "questions", questions=study.before))
    passed = 0
    waiting = sorted(enumerate(study.attention, start=1), key=lambda pair: pair[1].after_round)
    for slot in map(Slot.from_dict, record.participant.plan or []):
        if slot.name.startswith("round-"):
            while waiting and waiting[0][1].after_round <= passed:
                steps.append(_attention(*waiting.pop(0)))
            passed += 1
        asked = () if slot.practice or slot.repeats else study.each_round
        steps.append(Step(slot.name, "round", slot, asked))
    steps += [_attention(*pair) for pair in waiting] if record.participant.plan else []
    if study.closing:
        steps.append(Step("after", "questions", questions=study.closing))
    return [*steps, Step("done", "done")]


def step(study: Study, record: ParticipantRecord) -> Step:
    """Return where a participant stands."""
    if "withdrawn" in record.answers:
        return Step("withdrawn", "withdrawn")
    return next(one for one in way(study, record) if not _done(one, record))


def _require_this(tab: str | None, record: ParticipantRecord) -> None:
    """Refuse what comes to a study that is not open, or from a tab that is not the one opened last."""
    refuse_unless_open(record.status)
    if tab is not None and record.tab != tab:
        raise RefusedError("other_tab", "This study is open in another tab; go on there, or open your link here again.")


def _source(text: Summary) -> str:
    """Return where a text comes from, as the ledger has it."""
    return "model" if text.model_share > 0 else "template"


def _done(step: Step, record: ParticipantRecord) -> bool:
    if step.slot is None or step.slot.repeats:
        return step.name in record.answers
    placed = record.at(step.name)
    return len(placed) == len(step.slot.arms) and all(one.feedback is not None for one in placed)


def _attention(number: int, item: Any) -> Step:
    question = Question(f"attention_{number}", item.text, "choice", options=item.options)
    return Step(f"attention-{number}", "questions", questions=(question,))


def _checked(
    questions: Sequence[Question], answers: Mapping[str, Any], words: Mapping[str, str]
) -> dict[str, Any]:  # fmt: skip
    found: dict[str, Any] = {}
    for question in questions:
        given = answers.get(question.name)
        if question.kind == "text":
            # PostgreSQL takes no NUL, which a paste can bring along.
            found[question.name] = str(given or "").replace("\x00", "").strip()[:10_000]
            continue
        if given is None:
            if question.required:
                raise DataError(words["please_answer"].format(question=question.text))
            found[question.name] = None
            continue
        if str(given) not in question.values:
            raise DataError(f"{given!r} is no answer to: {question.text}")
        found[question.name] = int(given) if question.kind == "scale" else str(given)
    return found
