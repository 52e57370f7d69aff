"""The ledger: what was shown to whom, what they answered, and what follows from it."""

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from prefer_core import session as core
from prefer_core.config import SessionSettings
from prefer_core.errors import StoreError
from prefer_core.store import export, migrations, rows, schema
from prefer_core.store.engine import connect, transaction
from prefer_core.store.names import pseudonym
from prefer_core.store.rows import Rated, Session, StoredRound
from prefer_core.types import LearnerState, Round, Step

Propose = Callable[[LearnerState, int, list[list[str]]], tuple[Round, list[dict[str, Any]], list[dict[str, Any]]]]
"""From the reader's state, the round's number, and the ids of the points of the reader's earlier proposals on the
product, oldest first, to the round, its evidence and its claims; the last two as plain values."""


@dataclass(frozen=True)
class Outcome:
    """What a rating led to; `repeated` when its round had been rated already and nothing was added."""

    step: Step
    state: LearnerState
    round: StoredRound
    repeated: bool = False


def fold(session: Session, rated: Sequence[Rated]) -> LearnerState:
    """Replay recorded ratings from the start: nothing is selected again, so w comes out bit for bit."""
    learner = core.updater(session.settings)
    state = learner.start(session.n_aspects, session.seed)
    for rating in rated:
        state = learner.update(state, rating.z, rating.feedback)
    return state


def steps(session: Session, rated: Sequence[Rated]) -> list[Step]:
    """Return the learning steps behind recorded ratings, oldest first."""
    learner = core.updater(session.settings)
    state = learner.start(session.n_aspects, session.seed)
    taken = []
    for rating in rated:
        state, step = learner.learn(state, rating.z, rating.feedback)
        taken.append(step)
    return taken


class Ledger:
    """An append-only record of sessions in any database that SQLAlchemy speaks.

    Parameters
    ----------
    url : str
        For example ``sqlite:///.prefer/ledger.db``.

    Raises
    ------
    StoreError
        If the database cannot be opened or changed.
    """

    def __init__(self, url: str) -> None:
        self._engine = connect(url)
        with self._write() as connection:
            migrations.migrate(connection)

    def _read(self) -> AbstractContextManager[Connection]:
        return transaction(self._engine, writes=False)

    def _write(self) -> AbstractContextManager[Connection]:
        return transaction(self._engine, writes=True)

    def close(self) -> None:
        """Give back the connections that are kept open; using the ledger opens new ones."""
        self._engine.dispose()

    def start(
        self, corpus_id: str, n_aspects: int, settings: SessionSettings, participant: str | None = None,
        seed: int | None = None,
    ) -> tuple[Session, str]:  # fmt: skip
        """Begin a session; return it with the token that resumes it, which is kept only as a hash.

        The seed is drawn unless it is given, as for a run of the learning lab that is played again.
        """
        core.updater(settings).start(n_aspects, 0)
        token = secrets.token_urlsafe(24)
        with self._write() as connection:
            taken = set(connection.execute(select(schema.sessions.c.pseudonym)).scalars())
            connection.execute(
                insert(schema.sessions).values(
                    token_hash=_hash(token),
                    pseudonym=pseudonym(taken),
                    participant=participant,
                    corpus_id=corpus_id,
                    n_aspects=n_aspects,
                    seed=secrets.randbelow(2**31) if seed is None else seed,
                    settings=settings.to_dict(),
                )
            )
            [session] = rows.session_where(connection, schema.sessions.c.token_hash == _hash(token))
        return session, token

    def resume(self, token: str) -> Session:
        """Return the session of `token`, or raise StoreError if there is none."""
        with self._read() as connection:
            found = rows.session_where(connection, schema.sessions.c.token_hash == _hash(token))
        if not found:
            raise StoreError("This resume link is not known here; perhaps its session was deleted. Please start anew.")
        return found[0]

    def of_participant(self, code: str, corpus_id: str) -> list[Session]:
        """Return the sessions begun with a participant code on a corpus, newest first."""
        table = schema.sessions
        with self._read() as connection:
            return rows.session_where(connection, (table.c.participant == code) & (table.c.corpus_id == corpus_id))

    def new_token(self, session: Session) -> str:
        """Give a session a fresh resume token; its old link stops working."""
        token = secrets.token_urlsafe(24)
        with self._write() as connection:
            rows.lock(connection, session.id)
            connection.execute(
                update(schema.sessions).where(schema.sessions.c.id == session.id).values(token_hash=_hash(token))
            )
        return token

    def history(self, session: Session) -> list[Rated]:
        """Return the ratings in force, oldest first."""
        with self._read() as connection:
            return rows.ratings_in_force(connection, session.id)

    def points_shown(self, session: Session, product_id: str, before: int) -> list[list[str]]:
        """Return the ids of the points of each round on a product before round `before`, oldest first."""
        with self._read() as connection:
            return rows.points_shown(connection, session.id, product_id, before)

    def rated_evidence(self, session: Session) -> list[tuple[str, list[dict[str, Any]]]]:
        """Return product and evidence of the rounds whose ratings are in force, oldest first."""
        with self._read() as connection:
            rated = rows.ratings_in_force(connection, session.id)
            evidence = rows.evidence_of(connection, session.id, [r.round for r in rated])
        return [(r.product_id, evidence[r.round]) for r in rated]

    def state(self, session: Session) -> LearnerState:
        """Return the reader's state, replayed from the ratings in force."""
        return fold(session, self.history(session))

    def open(self, session: Session, product_id: str, propose: Propose) -> StoredRound:
        """Return the open round on a product, proposing one if there is none.

        Another product's open round is put aside; it comes back when the reader returns to it before the next rating.
        """
        with self._write() as connection:
            rows.lock(connection, session.id)
            state = fold(session, rows.ratings_in_force(connection, session.id))
            number = rows.waiting_number(connection, session.id, product_id, state.t, state.w)
            if number is None:
                number = rows.next_number(connection, session.id)
                shown = rows.points_shown(connection, session.id, product_id, number)
                began = time.perf_counter()
                proposal, evidence, claims = propose(state, number, shown)
                taken = 1000 * (time.perf_counter() - began)
                rows.add_round(connection, session.id, proposal, evidence, claims, taken)
            if rows.open_number(connection, session.id) != number:
                connection.execute(insert(schema.openings).values(session_id=session.id, round=number))
            return rows.round_of(connection, session.id, number)

    def current(self, session: Session) -> StoredRound | None:
        """Return the round that was opened last, rated or not."""
        with self._read() as connection:
            number = rows.open_number(connection, session.id)
            return None if number is None else rows.round_of(connection, session.id, number)

    def round(self, session: Session, number: int) -> StoredRound:
        """Return one round of a session; StoreError if there is none of that number."""
        with self._read() as connection:
            return rows.round_of(connection, session.id, number)

    def rate(self, session: Session, number: int, feedback: float, *, shown: dict[str, Any], source: str) -> Outcome:
        """Record one rating and return what it led to.

        A second rating of the same round (a double click) changes nothing and returns the first one's outcome.

        Parameters
        ----------
        session : Session
            Who rates.
        number : int
            Round that is rated; it must be the open one.
        feedback : float
            In [0, 1].
        shown : dict
            The text on screen, as plain values.
        source : {"draft", "model", "template", "partial"}
            Where that text came from.

        Raises
        ------
        StoreError
            If another round has been opened since, in another tab for example.
        """
        with self._write() as connection:
            rows.lock(connection, session.id)
            rated = rows.ratings_in_force(connection, session.id)
            for position, earlier in enumerate(rated):
                if earlier.round == number:
                    return _outcome(connection, session, rated[:position], number, earlier.feedback, repeated=True)
            if rows.open_number(connection, session.id) != number:
                raise StoreError(
                    "Another summary was opened since, in another tab perhaps; please rate the one that is shown now."
                )
            outcome = _outcome(connection, session, rated, number, feedback)
            connection.execute(
                insert(schema.ratings).values(
                    session_id=session.id,
                    round=number,
                    attempt=_attempts(connection, session.id, number),
                    t=len(rated) + 1,
                    feedback=feedback,
                    baseline=outcome.step.baseline,
                    centred=outcome.step.centred,
                    step_size=outcome.step.step_size,
                    w_after=outcome.state.w.tolist(),
                    shown=shown,
                    source=source,
                )
            )
            return outcome

    def last_outcome(self, session: Session) -> Outcome | None:
        """Return what the latest rating in force led to."""
        with self._read() as connection:
            rated = rows.ratings_in_force(connection, session.id)
            if not rated:
                return None
            return _outcome(connection, session, rated[:-1], rated[-1].round, rated[-1].feedback)

    def undo(self, session: Session) -> StoredRound | None:
        """Take back the latest rating and open its round again; None if there is nothing to take back."""
        with self._write() as connection:
            rows.lock(connection, session.id)
            rated = rows.ratings_in_force(connection, session.id)
            if not rated:
                return None
            connection.execute(insert(schema.retractions).values(session_id=session.id, rating_id=rated[-1].id))
            connection.execute(insert(schema.openings).values(session_id=session.id, round=rated[-1].round))
            return rows.round_of(connection, session.id, rated[-1].round)

    def add_text(
        self,
        session: Session,
        number: int,
        summary: dict[str, Any],
        *,
        seconds_first: float | None,
        seconds_last: float | None,
    ) -> None:
        """Keep a text that was made for a round, with the seconds to its first and last words."""
        with self._write() as connection:
            rows.lock(connection, session.id)
            connection.execute(
                insert(schema.texts).values(
                    session_id=session.id,
                    round=number,
                    writer=summary["writer"],
                    summary=summary,
                    seconds_first=seconds_first,
                    seconds_last=seconds_last,
                )
            )

    def text(self, session: Session, number: int) -> dict[str, Any] | None:
        """Return the latest text kept for a round."""
        table = schema.texts
        query = select(table.c.summary).where(table.c.session_id == session.id, table.c.round == number)
        with self._read() as connection:
            found: dict[str, Any] | None = connection.execute(
                query.order_by(table.c.id.desc()).limit(1)
            ).scalar_one_or_none()
        return found

    def correct(
        self, session: Session, number: int, claim: dict[str, Any], sentence_id: str, sentence: str, *,
        withdrawn: bool = False,
    ) -> None:  # fmt: skip
        """Keep a reader's word that a counted sentence does not say a point, or, `withdrawn`, that it does after all.

        It changes no count that is shown: the next build may learn from it.

        Parameters
        ----------
        session : Session
            Who says so.
        number : int
            Round that showed the point.
        claim : dict
            The point as the round holds it: its id and clause are kept.
        sentence_id, sentence : str
            The sentence that was counted.
        withdrawn : bool
            Whether an earlier word is taken back.
        """
        with self._write() as connection:
            rows.lock(connection, session.id)
            product_id = rows.round_of(connection, session.id, number).product_id
            rows.add_correction(
                connection, session.id, number, claim, product_id, (sentence_id, sentence), withdrawn=withdrawn
            )

    def corrected(self, session: Session, product_id: str) -> set[tuple[str, str]]:
        """Return the (point id, sentence id) that a reader says do not belong together."""
        with self._read() as connection:
            return rows.corrected(connection, session.id, product_id)

    def corrections(self) -> list[dict[str, Any]]:
        """Return what readers corrected and did not take back, as labels to learn from: one row a point and sentence.

        Each has label 0, the sentence does not say the point, and how many readers say so.
        """
        with self._read() as connection:
            return export.corrections(connection)

    def erase(self, session: Session) -> tuple[str, dict[str, int]]:
        """Remove every row about a reader; return a receipt code and how many rows of each kind are gone."""
        with self._write() as connection:
            rows.lock(connection, session.id)
            counts = {
                table.name: connection.execute(delete(table).where(table.c.session_id == session.id)).rowcount
                for table in schema.OF_A_SESSION
            }
            connection.execute(delete(schema.sessions).where(schema.sessions.c.id == session.id))
            counts["sessions"] = 1
            code = secrets.token_hex(6)
            connection.execute(insert(schema.deletions).values(receipt=code, counts=counts))
        return code, counts

    def export(self) -> list[dict[str, Any]]:
        """Return one plain row for each round, with its rating in force if it has one; pseudonyms only."""
        with self._read() as connection:
            return export.rows(connection)

    def counts(self) -> dict[str, int]:
        """Return how many sessions, rounds, ratings and deletions the ledger holds."""
        tables = (schema.sessions, schema.rounds, schema.ratings, schema.deletions)
        with self._read() as connection:
            return {t.name: connection.execute(select(func.count()).select_from(t)).scalar_one() for t in tables}


def _outcome(
    connection: Connection,
    session: Session,
    earlier: Sequence[Rated],
    number: int,
    feedback: float,
    *,
    repeated: bool = False,
) -> Outcome:
    before = fold(session, earlier)
    stored = rows.round_of(connection, session.id, number)
    learner = core.updater(session.settings)
    after, step = learner.learn(before, stored.z, feedback)
    return Outcome(step, after, stored, repeated)


def _attempts(connection: Connection, session_id: int, number: int) -> int:
    table = schema.ratings
    query = select(func.count()).where(table.c.session_id == session_id, table.c.round == number)
    return int(connection.execute(query).scalar_one())


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
