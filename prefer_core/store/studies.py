"""Studies in the ledger's database: definitions, participants, what each was shown and said, and what happened."""

import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import (
    BindParameter,
    Connection,
    RowMapping,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from prefer_core.errors import RefusedError, StoreError
from prefer_core.store import rows, schema
from prefer_core.store.codes import hash_of, pseudonym
from prefer_core.store.engine import Database
from prefer_core.store.rows import Session, aware

Status = Literal["open", "paused", "closed"]
Kind = Literal["person", "bot"]


@dataclass(frozen=True)
class StoredStudy:
    """One study: its definition as text, and where it stands."""

    id: int
    name: str
    definition: str
    digest: str
    corpus_id: str
    places: int
    status: Status
    frozen_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class Participant:
    """One personal link; number, cell and plan are None until its owner agrees to take part."""

    id: int
    study_id: int
    pseudonym: str
    kind: Kind
    code: str | None
    number: int | None
    cell: int | None
    plan: list[dict[str, Any]] | None
    created_at: datetime


@dataclass(frozen=True)
class Placed:
    """A round of the ledger at a place of a participant's plan, with its rating if it has one."""

    slot: str
    side: int
    session_id: int
    round: int
    shown_at: datetime
    feedback: float | None
    rated_at: datetime | None


@dataclass(frozen=True)
class ParticipantRecord:
    """All that is kept about one participant, read in one transaction.

    Attributes
    ----------
    sessions : dict of str to Session
        By arm.
    placed : list of Placed
        Rounds that were shown, in order.
    answers : dict of str to dict
        By step.
    times : dict of str to datetime
        When each of them was given.
    tab : str
        The tab that was opened last.
    status : str
        Of the study: whether it takes anything now.
    """

    participant: Participant
    sessions: dict[str, Session]
    placed: list[Placed]
    answers: dict[str, dict[str, Any]]
    times: dict[str, datetime]
    tab: str
    status: Status

    def at(self, slot: str) -> list[Placed]:
        """Return what is shown at a slot, from left to right."""
        return sorted((one for one in self.placed if one.slot == slot), key=lambda one: one.side)


class StudyBook(Database):
    """The studies of a database.

    Parameters
    ----------
    url : str
        The same as the `Ledger`'s.
    """

    def keep(self, name: str, definition: str, digest: str, corpus_id: str, places: int) -> StoredStudy:
        """Keep a definition under a name; an earlier one is replaced until its first participant has begun."""
        values = {"definition": definition, "digest": digest, "corpus_id": corpus_id, "places": places}
        table = schema.studies
        with self._write() as connection:
            earlier = connection.execute(select(table).where(table.c.name == name).with_for_update()).mappings().first()
            if earlier is None:
                connection.execute(insert(table).values(name=name, status="open", **values))
            elif earlier["frozen_at"] is None:
                connection.execute(update(table).where(table.c.id == earlier["id"]).values(**values))
            elif earlier["digest"] != digest or earlier["corpus_id"] != corpus_id:
                raise StoreError(
                    f"The study {name} is frozen since its first participant began ({earlier['frozen_at']:%d %B %Y}); "
                    "give the new definition another name."
                )
            return _study(connection, table.c.name == name)

    def study(self, name: str) -> StoredStudy:
        """Return a study; StoreError if there is none of that name."""
        with self._read() as connection:
            return _study(connection, schema.studies.c.name == name)

    def study_of(self, participant: Participant) -> StoredStudy:
        """Return a participant's study."""
        with self._read() as connection:
            return _study(connection, schema.studies.c.id == participant.study_id)

    def all(self) -> list[StoredStudy]:
        """Return every study, newest first."""
        with self._read() as connection:
            found = connection.execute(select(schema.studies).order_by(schema.studies.c.id.desc())).mappings()
            return [StoredStudy(**row) for row in found]

    def set_status(self, study: StoredStudy, status: Status) -> None:
        """Open, pause or close a study."""
        with self._write() as connection:
            connection.execute(update(schema.studies).where(schema.studies.c.id == study.id).values(status=status))
            _log(connection, study.id, None, status)

    def extend(self, study: StoredStudy, places: int) -> None:
        """Change how many participants there is room for."""
        with self._write() as connection:
            connection.execute(update(schema.studies).where(schema.studies.c.id == study.id).values(places=places))
            _log(connection, study.id, None, "places", detail={"places": places})

    def invite(self, study: StoredStudy, count: int = 1, kind: Kind = "person", code: str | None = None) -> list[str]:
        """Make personal links; return their tokens, which are kept only as hashes.

        Raises
        ------
        StoreError
            If `code` has been used in this study: nobody goes on as another without that person's own link.
        """
        tokens = [secrets.token_urlsafe(24) for _ in range(count)]
        table = schema.participants
        with self._write() as connection:
            _hold(connection, study.id)
            if code is not None:
                _require_unused(connection, study.id, code)
            taken = set(connection.execute(select(table.c.pseudonym)).scalars())
            for token in tokens:
                name = pseudonym(taken)
                taken.add(name)
                connection.execute(
                    insert(table).values(
                        study_id=study.id, token_hash=hash_of(token), pseudonym=name, kind=kind, code=code
                    )
                )
        return tokens

    def participant(self, token: str) -> Participant:
        """Return the participant of a personal link."""
        with self._read() as connection:
            return _participant(connection, schema.participants.c.token_hash == hash_of(token))

    def participants(self, study: StoredStudy) -> list[Participant]:
        """Return a study's participants who agreed to take part, by number."""
        with self._read() as connection:
            return _begun(connection, study)

    def invited(self, study: StoredStudy) -> int:
        """Return how many personal links there are, opened or not."""
        table = schema.participants
        with self._read() as connection:
            return int(
                connection.execute(
                    select(func.count()).select_from(table).where(table.c.study_id == study.id)
                ).scalar_one()
            )

    def refuse_unless_free(self, study: StoredStudy) -> None:
        """Raise what `begin` would, for whoever has not agreed yet.

        Raises
        ------
        StoreError
            If the study is full, paused or closed.
        """
        _refuse_unless_free(study, len(self.participants(study)))

    def begin(
        self, participant: Participant, planned: Callable[[int], tuple[int, list[dict[str, Any]]]]
    ) -> Participant:
        """Give a participant the next number with its cell and plan, once, and freeze the study.

        Raises
        ------
        StoreError
            If the study is full, paused or closed.
        """
        table, of_id = schema.participants, schema.participants.c.id == participant.id
        with self._write() as connection:
            _hold(connection, participant.study_id)
            known = _participant(connection, of_id)
            if known.number is not None:
                return known
            study = _study(connection, schema.studies.c.id == participant.study_id)
            begun = connection.execute(
                select(func.count(), func.max(table.c.number)).where(
                    table.c.study_id == study.id, table.c.number.is_not(None)
                )
            ).one()
            _refuse_unless_free(study, int(begun[0]))
            number = 0 if begun[1] is None else int(begun[1]) + 1
            cell, plan = planned(number)
            connection.execute(update(table).where(of_id).values(number=number, cell=cell, plan=plan))
            if study.frozen_at is None:
                connection.execute(
                    update(schema.studies).where(schema.studies.c.id == study.id).values(frozen_at=datetime.now(UTC))
                )
            _log(connection, study.id, participant.id, "begun", detail={"number": number})
            return _participant(connection, of_id)

    def record(self, participant: Participant) -> ParticipantRecord:
        """Return all that is kept about a participant."""
        with self._read() as connection:
            [found] = _records(connection, [_participant(connection, schema.participants.c.id == participant.id)])
            return found

    def records(self, study: StoredStudy) -> list[ParticipantRecord]:
        """Return the records of a study's participants, as of one moment."""
        with self._read() as connection:
            return _records(connection, _begun(connection, study))

    def use_session(self, participant: Participant, arm: str, session: Session) -> Session:
        """Let a session of the ledger play an arm; return the one that was there first if there is one."""
        table = schema.study_sessions
        self._insert_first(table, participant_id=participant.id, arm=arm, session_id=session.id)
        with self._read() as connection:
            found = _sessions(connection, [participant.id])[participant.id][arm]
        return found

    def show(self, participant: Participant, slot: str, side: int, session: Session, number: int) -> None:
        """Keep which round is shown at a place; the first word stands."""
        self._insert_first(
            schema.study_rounds, participant_id=participant.id, slot=slot, side=side, session_id=session.id,
            round=number,
        )  # fmt: skip

    def answer(self, participant: Participant, step: str, answers: Mapping[str, Any]) -> bool:
        """Keep what was said at a step; False if it had been answered before, and then the first answer stands."""
        return self._insert_first(schema.study_answers, participant_id=participant.id, step=step, answers=dict(answers))

    def log(
        self, participant: Participant, kind: str, step: str | None = None, detail: Mapping[str, Any] | None = None
    ) -> None:
        """Add an event."""
        with self._write() as connection:
            _log(connection, participant.study_id, participant.id, kind, step, detail)

    def events(self, study: StoredStudy) -> list[dict[str, Any]]:
        """Return a study's events in the order in which they happened; tabs are left out."""
        event, who = schema.study_events, schema.participants
        query = (
            select(event, who.c.pseudonym)
            .outerjoin(who, who.c.id == event.c.participant_id)
            .where(event.c.study_id == study.id, event.c.kind != "tab")
            .order_by(event.c.id)
        )
        with self._read() as connection:
            return [
                {
                    "event": row["id"], "participant": row["pseudonym"], "participant_id": row["participant_id"],
                    "kind": row["kind"], "step": row["step"], "detail": row["detail"], "at": aware(row["created_at"]),
                }
                for row in connection.execute(query).mappings()
            ]  # fmt: skip

    def shown_rounds(self, study: StoredStudy) -> dict[tuple[int, int], dict[str, Any]]:
        """Return every round that was shown in a study, by session and number, with its rating and its text."""
        placed, shown, who = schema.study_rounds, schema.rounds, schema.participants
        rating = schema.ratings_in_force
        query = (
            select(
                placed.c.session_id, placed.c.round, shown.c.t, shown.c.product_id, shown.c.pool, shown.c.points,
                shown.c.evidence, shown.c.propensities, shown.c.scores, shown.c.z, shown.c.w, shown.c.w_used,
                shown.c.milliseconds, shown.c.created_at, rating.c.feedback, rating.c.baseline,
                rating.c.w_after, rating.c.shown, rating.c.source, rating.c.created_at.label("rated_at"),
            )
            .join(who, who.c.id == placed.c.participant_id)
            .join(shown, (shown.c.session_id == placed.c.session_id) & (shown.c.number == placed.c.round))
            .outerjoin(rating, (rating.c.session_id == placed.c.session_id) & (rating.c.round == placed.c.round))
            .where(who.c.study_id == study.id)
        )  # fmt: skip
        with self._read() as connection:
            return {(row["session_id"], row["round"]): dict(row) for row in connection.execute(query).mappings()}

    def take_tab(self, participant: Participant, tab: str) -> None:
        """Make a tab the one that may go on."""
        self.log(participant, "tab", detail={"tab": tab})

    def forget(self, participant: Participant) -> None:
        """Remove what a participant said and saw in the study; number and cell stay, so that the balance does.

        The sessions themselves are erased by `Ledger.erase`.
        """
        with self._write() as connection:
            for table in (schema.study_rounds, schema.study_sessions, schema.study_answers, schema.study_events):
                connection.execute(delete(table).where(table.c.participant_id == participant.id))
            connection.execute(
                update(schema.participants).where(schema.participants.c.id == participant.id).values(plan=[], code=None)
            )
        self._forget()

    def _insert_first(self, table: Table, **values: Any) -> bool:
        """Add a row; False if its unique place is taken."""
        try:
            with self._write() as connection:
                connection.execute(insert(table).values(**values))
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                return False
            raise
        return True


def _refuse_unless_free(study: StoredStudy, begun: int) -> None:
    refuse_unless_open(study.status)
    if begun >= study.places:
        raise RefusedError("full", "All places of this study are taken; thank you for your interest.")


def refuse_unless_open(status: Status) -> None:
    """Refuse with what a participant should know if a study is paused or closed."""
    if status == "paused":
        raise RefusedError(
            "paused", "This study is paused; what you did so far is kept. Please come back to this link later."
        )
    if status == "closed":
        raise RefusedError("closed", "This study is closed; thank you for your interest.")


def _study(connection: Connection, condition: Any) -> StoredStudy:
    row = connection.execute(select(schema.studies).where(condition)).mappings().first()
    if row is None:
        raise RefusedError("no_study", "There is no study under this link; please check that it is complete.")
    return StoredStudy(**row)


def _participant(connection: Connection, condition: Any) -> Participant:
    row = connection.execute(select(schema.participants).where(condition)).mappings().first()
    if row is None:
        raise RefusedError("no_link", "This personal link is not known here; please check that it is complete.")
    return _as_participant(row)


def _begun(connection: Connection, study: StoredStudy) -> list[Participant]:
    """Return the participants of a study who agreed to take part, by number."""
    table = schema.participants
    query = select(table).where(table.c.study_id == study.id, table.c.number.is_not(None)).order_by(table.c.number)
    return [_as_participant(row) for row in connection.execute(query).mappings()]


def _as_participant(row: RowMapping) -> Participant:
    return Participant(**{name: row[name] for name in Participant.__dataclass_fields__})


# Statements that every step of every participant runs are made once: making them costs more than running them.
_MINE: BindParameter[Any] = bindparam("mine", expanding=True)


def _of(table: Table, *columns: Any) -> Select[Any]:
    return select(table.c.participant_id, *columns).where(table.c.participant_id.in_(_MINE)).order_by(table.c.id)


_ANSWERS = _of(
    schema.study_answers, schema.study_answers.c.step, schema.study_answers.c.answers, schema.study_answers.c.created_at
)
_TABS = _of(schema.study_events, schema.study_events.c.detail).where(schema.study_events.c.kind == "tab")
_ARMS = _of(schema.study_sessions, schema.study_sessions.c.arm, schema.study_sessions.c.session_id)
_STATUS = (
    select(schema.participants.c.id, schema.studies.c.status)
    .join(schema.studies, schema.studies.c.id == schema.participants.c.study_id)
    .where(schema.participants.c.id.in_(_MINE))
)


def _placed_rounds() -> Select[Any]:
    placed, rating, gone = schema.study_rounds, schema.ratings, schema.retractions
    its_own = (rating.c.session_id == placed.c.session_id) & (rating.c.round == placed.c.round)
    back = select(gone.c.id).where(gone.c.rating_id == rating.c.id).correlate(rating).exists()
    return (
        _of(placed, placed.c.slot, placed.c.side, placed.c.session_id, placed.c.round, rating.c.feedback)
        .add_columns(placed.c.created_at.label("shown_at"), rating.c.created_at.label("rated_at"))
        .select_from(placed)
        .outerjoin(rating, its_own & ~back)
    )


_PLACED = _placed_rounds()


def _records(connection: Connection, participants: Sequence[Participant]) -> list[ParticipantRecord]:
    """Return the records of some participants, read together."""
    mine = {"mine": [participant.id for participant in participants]}
    answers: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
    times: dict[int, dict[str, datetime]] = defaultdict(dict)
    for row in connection.execute(_ANSWERS, mine):
        answers[row.participant_id][row.step] = row.answers
        times[row.participant_id][row.step] = aware(row.created_at)
    tabs = {row.participant_id: str(row.detail["tab"]) for row in connection.execute(_TABS, mine)}
    states = {row.id: row.status for row in connection.execute(_STATUS, mine)}
    placed: dict[int, list[Placed]] = defaultdict(list)
    for row in connection.execute(_PLACED, mine):
        placed[row.participant_id].append(
            Placed(row.slot, row.side, row.session_id, row.round, row.shown_at, row.feedback, row.rated_at)
        )
    sessions = _sessions(connection, mine["mine"])
    return [
        ParticipantRecord(
            participant=one,
            sessions=sessions.get(one.id, {}),
            placed=placed[one.id],
            answers=answers[one.id],
            times=times[one.id],
            tab=tabs.get(one.id, ""),
            status=states[one.id],
        )
        for one in participants
    ]


def _sessions(connection: Connection, participant_ids: Sequence[int]) -> dict[int, dict[str, Session]]:
    """Return the sessions of some participants by arm."""
    arms = connection.execute(_ARMS, {"mine": list(participant_ids)}).all()
    known = {
        one.id: one for one in rows.session_where(connection, schema.sessions.c.id.in_([a.session_id for a in arms]))
    }
    found: dict[int, dict[str, Session]] = defaultdict(dict)
    for row in arms:
        found[row.participant_id][row.arm] = known[row.session_id]
    return found


def _require_unused(connection: Connection, study_id: int, code: str) -> None:
    """Raise StoreError if somebody has begun with a code; who was turned away before may come again with it."""
    table = schema.participants
    mine = (table.c.study_id == study_id) & (table.c.code == code)
    if connection.execute(select(table.c.id).where(mine, table.c.number.is_not(None))).first():
        raise RefusedError(
            "code_used",
            "This code has been used already. If that was you, open your own link again; it goes on where you were.",
        )
    connection.execute(update(table).where(mine).values(code=None))


def _hold(connection: Connection, study_id: int) -> None:
    """Hold the study's row until the transaction ends, so that numbers are given out one after the other."""
    connection.execute(select(schema.studies.c.id).where(schema.studies.c.id == study_id).with_for_update())


def _log(
    connection: Connection,
    study_id: int,
    participant_id: int | None,
    kind: str,
    step: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    connection.execute(
        insert(schema.study_events).values(
            study_id=study_id, participant_id=participant_id, kind=kind, step=step, detail=dict(detail or {})
        )
    )
