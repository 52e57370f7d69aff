"""The ledger: what was shown to whom, what they answered, and what follows from it."""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, delete, func, insert, select, update

from prefer_core import session as core
from prefer_core.config import SessionSettings
from prefer_core.errors import StoreError
from prefer_core.store import export, rows, schema
from prefer_core.store.codes import hash_of, pseudonym
from prefer_core.store.engine import Database
from prefer_core.store.rows import Past, Session, SessionRecord, StoredRound, Who
from prefer_core.types import EvidenceSentence, FloatArray, LearnerState, ProductCorpus, Round, ShownPoint, Step

Propose = Callable[
    [LearnerState, int, Sequence[Sequence[str]]], tuple[Round, Sequence[EvidenceSentence], Sequence[ShownPoint]]
]
"""From the reader's state, the round's number, and the ids of the points of the reader's earlier proposals on the
product, oldest first, to the round, its evidence, and its claims."""


def proposer(corpus: core.Products, product_id: str, settings: SessionSettings) -> Propose:
    """Return what the ledger asks for a new round on a product."""

    def propose(
        state: LearnerState, number: int, shown: Sequence[Sequence[str]]
    ) -> tuple[Round, tuple[EvidenceSentence, ...], tuple[ShownPoint, ...]]:
        product = corpus.product(product_id)
        earlier = [_points_of(product, ids) for ids in shown]
        proposal = core.propose(corpus, product_id, state, settings, number, earlier)
        return proposal, core.evidence(product, proposal), core.claims(product, proposal)

    return propose


def _points_of(product: ProductCorpus, ids: Sequence[str]) -> list[int]:
    """Return the places of points by the ids of their representatives; those that a new build lost are left out."""
    at = [product.places[name] for name in ids if name in product.places]
    return [product.represented[row] for row in at if row in product.represented]


REMEMBERED = 64
"""Sessions of which a process remembers what it has read; of the others all is read again."""


@dataclass(frozen=True)
class Outcome:
    """What a rating led to; `repeated` when its round had been rated already and nothing was added."""

    step: Step
    state: LearnerState
    repeated: bool = False


class Ledger(Database):
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
        super().__init__(url)
        self._pasts: dict[Session, Past] = {}
        self._remembering = threading.Lock()

    def _past(self, connection: Connection, session: Session) -> Past:
        """Return what has happened in a session: what this process has read of it, and what was added since.

        The database decides: whatever else wrote to it, another tab or another server, is read before this returns.
        """
        past = rows.go_on(connection, session, self._pasts.get(session))
        with self._remembering:
            self._pasts.pop(session, None)
            self._pasts[session] = past  # the latest stands last
            while len(self._pasts) > REMEMBERED:
                del self._pasts[next(iter(self._pasts))]
        return past

    def start(
        self, corpus_id: str, n_aspects: int, settings: SessionSettings, participant: str | None = None,
        seed: int | None = None, who: Who = "person",
    ) -> tuple[Session, str]:  # fmt: skip
        """Begin a session; return it with the token that resumes it, which is kept only as a hash.

        The seed is drawn unless it is given, as for a run of the learning lab that is played again. Exports say `who`
        rated; corrections of what is no person's own are left out.
        """
        core.start(n_aspects, 0, settings)  # settings that no learner takes are refused before anything is kept
        token = secrets.token_urlsafe(24)
        with self._write() as connection:
            taken = set(connection.execute(select(schema.sessions.c.pseudonym)).scalars())
            connection.execute(
                insert(schema.sessions).values(
                    token_hash=hash_of(token),
                    pseudonym=pseudonym(taken),
                    participant=participant,
                    corpus_id=corpus_id,
                    n_aspects=n_aspects,
                    seed=secrets.randbelow(2**31) if seed is None else seed,
                    settings=settings.to_dict(),
                    who=who,
                )
            )
            [session] = rows.session_where(connection, schema.sessions.c.token_hash == hash_of(token))
        return session, token

    def resume(self, token: str) -> Session:
        """Return the session of `token`, or raise StoreError if there is none."""
        with self._read() as connection:
            return _session_of(connection, token)

    def of_participant(self, code: str, corpus_id: str) -> list[Session]:
        """Return the sessions begun with a participant code on a corpus, newest first."""
        table = schema.sessions
        with self._read() as connection:
            return rows.session_where(connection, (table.c.participant == code) & (table.c.corpus_id == corpus_id))

    def record(self, token: str) -> SessionRecord:
        """Return all that a page shows of the session of `token`, read at once; StoreError if there is none."""
        with self._read() as connection:
            return self._record(connection, _session_of(connection, token))

    def record_of(self, session: Session) -> SessionRecord:
        """Return the same of a session that is known."""
        with self._read() as connection:
            return self._record(connection, session)

    def _record(self, connection: Connection, session: Session) -> SessionRecord:
        # Read first: what another tab adds between these lines is then noticed by `open`.
        past = self._past(connection, session)
        number = rows.open_number(connection, session.id)
        opened = None if number is None else rows.round_of(connection, past, number)
        return SessionRecord(past, opened, rows.comparison_allowed(connection, session.id))

    def open(
        self, session: Session, product_id: str, propose: Propose, known: SessionRecord | None = None
    ) -> StoredRound:
        """Return the open round on a product, proposing one if there is none.

        Another product's open round is put aside; it comes back when the reader returns to it before the next rating.
        Nothing is locked while a round is proposed: if another tab adds something meanwhile, it is looked at again.

        Parameters
        ----------
        session : Session
            Whose round.
        product_id : str
            Product to summarise.
        propose : callable
            See `Propose`.
        known : SessionRecord, optional
            What was just read of the session, which then is not read again.
        """
        if known is not None and known.waits(product_id):
            assert known.opened is not None
            return known.opened
        while True:
            with self._read() as connection:
                rows.require(connection, session.id)
                past = self._past(connection, session)
                state = past.learned.state
                number = rows.waiting_number(connection, session.id, product_id, state.t, state.w)
                if number is not None and rows.open_number(connection, session.id) == number:
                    return rows.round_of(connection, past, number)
            proposed = None
            if number is None:
                number = past.standing[-1] + 1
                began = time.perf_counter()
                made = propose(state, number, past.shown_of(product_id, number))
                proposed = *made, 1000 * (time.perf_counter() - began)
            with self._write() as connection:
                rows.require(connection, session.id, lock=True)
                if rows.standing(connection, session.id) != past.standing:
                    continue
                if proposed is not None:
                    rows.add_round(connection, session.id, *proposed)
                connection.execute(insert(schema.openings).values(session_id=session.id, round=number))
                return rows.round_of(connection, past, number)

    def round(self, session: Session, number: int) -> StoredRound:
        """Return one round of a session; StoreError if there is none of that number."""
        with self._read() as connection:
            return rows.round_of(connection, self._past(connection, session), number)

    def rate(
        self, session: Session, number: int, feedback: float, *, shown: dict[str, Any], source: str,
        slider_start: float | None = None,
    ) -> Outcome:  # fmt: skip
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
        slider_start : float, optional
            Where the slider stood before it was moved, in [0, 1].

        Raises
        ------
        StoreError
            If another round has been opened since, in another tab for example.
        """
        with self._write() as connection:
            rows.require(connection, session.id, lock=True)
            past = self._past(connection, session)
            for position, earlier in enumerate(past.rated, start=1):
                if earlier.round == number:
                    found = rows.replay(session, past.rated[:position])
                    return Outcome(found.steps[-1], found.state, repeated=True)
            if rows.open_number(connection, session.id) != number:
                raise StoreError(
                    "Another summary was opened since, in another tab perhaps; please rate the one that is shown now."
                )
            shown_then = schema.rounds
            query = select(shown_then.c.z).where(shown_then.c.session_id == session.id, shown_then.c.number == number)
            z = np.array(connection.execute(query).scalar_one(), dtype=np.float64)
            found = core.replay(session.n_aspects, session.seed, session.settings, [(z, feedback)], past.learned)
            state, step = found.state, found.steps[-1]
            connection.execute(
                insert(schema.ratings).values(
                    session_id=session.id,
                    round=number,
                    attempt=_attempts(connection, session.id, number),
                    t=len(past.rated) + 1,
                    feedback=feedback,
                    baseline=step.baseline,
                    centred=step.centred,
                    step_size=step.step_size,
                    w_after=state.w.tolist(),
                    shown=shown,
                    source=source,
                    slider_start=slider_start,
                )
            )
            return Outcome(step, state)

    def undo(self, session: Session) -> StoredRound | None:
        """Take back the latest rating and open its round again; None if there is nothing to take back."""
        with self._write() as connection:
            rows.require(connection, session.id, lock=True)
            past = self._past(connection, session)
            if not past.rated:
                return None
            last = past.rated[-1]
            connection.execute(insert(schema.retractions).values(session_id=session.id, rating_id=last.id))
            connection.execute(insert(schema.openings).values(session_id=session.id, round=last.round))
            return rows.round_of(connection, past, last.round)

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
            rows.require(connection, session.id, lock=True)
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
        with self._read() as connection:
            return rows.text_of(connection, session.id, number)

    def correct(
        self, session: Session, number: int, claim: ShownPoint, sentence_id: str, sentence: str, *,
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
        claim : ShownPoint
            The point: its id and clause are kept.
        sentence_id, sentence : str
            The sentence that was counted.
        withdrawn : bool
            Whether an earlier word is taken back.
        """
        with self._write() as connection:
            rows.require(connection, session.id, lock=True)
            connection.execute(
                insert(schema.corrections).values(
                    session_id=session.id,
                    round=number,
                    product_id=rows.round_of(connection, self._past(connection, session), number).product_id,
                    point_id=claim.id,
                    point=claim.clause,
                    sentence_id=sentence_id,
                    sentence=sentence,
                    withdrawn=withdrawn,
                )
            )

    def corrected(self, session: Session, product_id: str) -> set[tuple[str, str]]:
        """Return the (point id, sentence id) that a reader says do not belong together."""
        table = schema.corrections
        query = (
            select(table.c.point_id, table.c.sentence_id, table.c.withdrawn)
            .where(table.c.session_id == session.id, table.c.product_id == product_id)
            .order_by(table.c.id)
        )
        with self._read() as connection:
            last = {(row.point_id, row.sentence_id): row.withdrawn for row in connection.execute(query)}
        return {pair for pair, withdrawn in last.items() if not withdrawn}

    def corrections(self) -> list[dict[str, Any]]:
        """Return what readers corrected and did not take back, as labels to learn from: one row a point and sentence.

        Each has label 0, the sentence does not say the point, and how many readers say so.
        """
        with self._read() as connection:
            return export.corrections(connection)

    def allow_comparison(self, session: Session, allowed: bool) -> None:
        """Keep whether a reader lets others put the preferences of a session beside other profiles."""
        with self._write() as connection:
            rows.require(connection, session.id, lock=True)
            connection.execute(insert(schema.permissions).values(session_id=session.id, comparison=allowed))

    def for_comparison(self, corpus_id: str) -> list[Session]:
        """Return the sessions on a corpus whose readers allow others to compare with them, newest first."""
        said, sessions = schema.permissions, schema.sessions
        last = select(func.max(said.c.id)).group_by(said.c.session_id)
        allowed = select(said.c.session_id).where(said.c.id.in_(last), said.c.comparison.is_(True))
        with self._read() as connection:
            return rows.session_where(connection, (sessions.c.corpus_id == corpus_id) & sessions.c.id.in_(allowed))

    def rate_in_crowd(self, session_id: int, number: int, phone: str, feedback: float) -> None:
        """Keep what one phone of an audience says to a round, in [0, 1]; a later word takes the place of an earlier.

        One short write: no preference is learned here (see `crowd`).
        """
        table = schema.crowd_ratings
        mine = (table.c.session_id == session_id) & (table.c.round == number) & (table.c.phone == phone)
        with self._write() as connection:
            rows.require(connection, session_id)
            if connection.execute(update(table).where(mine).values(feedback=feedback)).rowcount == 0:
                connection.execute(
                    insert(table).values(session_id=session_id, round=number, phone=phone, feedback=feedback)
                )

    def crowd(self, session: Session) -> dict[str, dict[int, float]]:
        """Return, for each phone, its rating of each round of a session."""
        table = schema.crowd_ratings
        query = select(table.c.phone, table.c.round, table.c.feedback).where(table.c.session_id == session.id)
        found: dict[str, dict[int, float]] = {}
        with self._read() as connection:
            for phone, number, feedback in connection.execute(query.order_by(table.c.round, table.c.id)):
                found.setdefault(phone, {})[number] = feedback
        return found

    def profiles(self, session: Session) -> dict[int, FloatArray]:
        """Return z (K,) of each round of a session."""
        table = schema.rounds
        query = select(table.c.number, table.c.z).where(table.c.session_id == session.id)
        with self._read() as connection:
            return {number: np.array(z, dtype=np.float64) for number, z in connection.execute(query)}

    def erase(self, session: Session) -> tuple[str, dict[str, int]]:
        """Remove every row about a reader; return a receipt code and how many rows of each kind are gone.

        What this process remembers goes too; another server on the same database lets go of it with its next visitors.
        """
        with self._write() as connection:
            rows.require(connection, session.id, lock=True)
            counts = {
                table.name: connection.execute(delete(table).where(table.c.session_id == session.id)).rowcount
                for table in schema.OF_A_SESSION
            }
            connection.execute(delete(schema.sessions).where(schema.sessions.c.id == session.id))
            counts["sessions"] = 1
            code = secrets.token_hex(6)
            connection.execute(insert(schema.deletions).values(receipt=code, counts=counts))
        with self._remembering:
            self._pasts.pop(session, None)
        self._forget()
        return code, counts

    def export(self) -> list[dict[str, Any]]:
        """Return one plain row for each round of a reader, with its rating in force if it has one; pseudonyms only."""
        with self._read() as connection:
            return export.rows(connection)

    def counts(self) -> dict[str, int]:
        """Return how many sessions, rounds, ratings and deletions the ledger holds."""
        tables = (schema.sessions, schema.rounds, schema.ratings, schema.deletions)
        with self._read() as connection:
            return {t.name: connection.execute(select(func.count()).select_from(t)).scalar_one() for t in tables}


def _session_of(connection: Connection, token: str) -> Session:
    found = rows.session_where(connection, schema.sessions.c.token_hash == hash_of(token))
    if not found:
        raise StoreError("This resume link is not known here; perhaps its session was deleted. Please start anew.")
    return found[0]


def _attempts(connection: Connection, session_id: int, number: int) -> int:
    table = schema.ratings
    query = select(func.count()).where(table.c.session_id == session_id, table.c.round == number)
    return int(connection.execute(query).scalar_one())
