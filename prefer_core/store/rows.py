"""The ledger's rows as values, and the questions asked of one session inside a transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
from sqlalchemy import ColumnElement, Connection, RowMapping, func, insert, select

from prefer_core import session as core
from prefer_core.config import SessionSettings
from prefer_core.errors import StoreError
from prefer_core.rewriting import Evidence, gather
from prefer_core.store import schema
from prefer_core.types import EvidenceSentence, FloatArray, LearnerState, Round, ShownPoint, Step

Who = Literal["person", "bot", "replay", "stage"]


@dataclass(frozen=True)
class Session:
    """One reader on one corpus; `who` as in `schema.sessions`."""

    id: int
    pseudonym: str
    participant: str | None
    corpus_id: str
    n_aspects: int
    seed: int
    settings: SessionSettings
    created_at: datetime
    who: Who | None = "person"


@dataclass(frozen=True)
class StoredRound:
    """A round as the ledger keeps it.

    Attributes
    ----------
    number, t, product_id, beta
        As in `prefer_core.types.Round`.
    evidence : tuple of EvidenceSentence
        S_t as it was shown, in order of extraction.
    scores, propensities, alpha : list of float
        One each for every sentence or point, in order of extraction.
    z, w, w_used : ndarray of shape (K,)
        Aspect profile, preference before, preference used for selection.
    milliseconds : float
        How long the proposal took.
    pool : {"sentences", "keypoints"}
        What was chosen from.
    claims : tuple of ShownPoint
        What each chosen point said and by how many; empty where sentences were chosen.
    text : dict or None
        The latest text kept for it, as plain values.
    earlier : frozenset of str
        Ids of the points that earlier rounds showed the reader of this product.
    """

    number: int
    t: int
    product_id: str
    evidence: tuple[EvidenceSentence, ...]
    scores: list[float]
    propensities: list[float]
    alpha: list[float]
    z: FloatArray
    w: FloatArray
    w_used: FloatArray
    beta: float | None
    milliseconds: float
    pool: str
    claims: tuple[ShownPoint, ...]
    text: dict[str, Any] | None = None
    earlier: frozenset[str] = frozenset()

    @property
    def aspects(self) -> list[int]:
        """Dominant aspect of each point, or of each sentence where sentences were chosen."""
        return _aspects(self.claims, self.evidence)


@dataclass(frozen=True)
class Rated:
    """One rating in force, with what it rated."""

    id: int
    round: int
    t: int
    product_id: str
    feedback: float
    z: FloatArray
    w_after: FloatArray
    created_at: datetime
    evidence: tuple[EvidenceSentence, ...]
    claims: tuple[ShownPoint, ...]

    @property
    def aspects(self) -> list[int]:
        """Dominant aspect of each point that was rated, or of each sentence where sentences were chosen."""
        return _aspects(self.claims, self.evidence)


def _aspects(claims: Sequence[ShownPoint], evidence: Sequence[EvidenceSentence]) -> list[int]:
    return [one.aspect for one in claims or evidence]


Standing = tuple[int, int, int]
"""Ids of the latest rating and retraction and number of the latest round: while it is the same, so is what follows."""


@dataclass(frozen=True)
class Past:
    """What has happened in a session so far. It never changes: more of the session makes another one (`go_on`).

    Attributes
    ----------
    session : Session
        Whose it is.
    standing : tuple of int
        Tells whether anything was added since.
    rated : tuple of Rated
        Ratings in force, oldest first.
    learned : Replay
        Where they led.
    shown : tuple of (int, str, tuple of str)
        Number and product of each round, and the ids of the points that it was proposed with, oldest first.
    """

    session: Session
    standing: Standing
    rated: tuple[Rated, ...]
    learned: core.Replay
    shown: tuple[tuple[int, str, tuple[str, ...]], ...]

    def shown_of(self, product_id: str, before: int) -> list[tuple[str, ...]]:
        """Return the ids of the points that each round on a product below a number was proposed with, oldest first."""
        return [ids for number, product, ids in self.shown if product == product_id and number < before]

    @property
    def moments(self) -> list[FloatArray]:
        """The reader's preference at the start and after each rating in force."""
        one = self.session
        return [core.start(one.n_aspects, one.seed, one.settings).w, *(rated.w_after for rated in self.rated)]


@dataclass(frozen=True)
class SessionRecord:
    """All that a page shows of a session, read at one moment.

    Attributes
    ----------
    past : Past
        The ratings in force, and where they led.
    opened : StoredRound or None
        The round that was opened last, rated or not.
    comparable : bool
        Whether the reader lets others compare with the session.
    """

    past: Past
    opened: StoredRound | None
    comparable: bool

    @property
    def session(self) -> Session:
        """Whose it is."""
        return self.past.session

    @property
    def rated(self) -> tuple[Rated, ...]:
        """Ratings in force with what they rated, oldest first."""
        return self.past.rated

    @property
    def state(self) -> LearnerState:
        """The reader's state after all ratings in force."""
        return self.past.learned.state

    @property
    def steps(self) -> tuple[Step, ...]:
        """The learning step of each rating in force."""
        return self.past.learned.steps

    @property
    def moments(self) -> list[FloatArray]:
        """The reader's preference at the start and after each rating in force."""
        return self.past.moments

    def waits(self, product_id: str) -> bool:
        """Return whether the round opened last is on a product, and proposed for exactly the state there is now."""
        one = self.opened
        return (
            one is not None
            and (one.product_id, one.t) == (product_id, self.state.t)
            and np.array_equal(one.w, self.state.w)
        )


def go_on(connection: Connection, session: Session, past: Past | None) -> Past:
    """Return what has happened in a session, reading and learning only what came after `past`.

    Where a rating was taken back since, or the database is an older copy, all is read again from the beginning.
    """
    rating, retraction, number = now = standing(connection, session.id)
    if past is not None and past.standing == now:
        return past
    if past is None or past.standing[0] > rating or past.standing[1] != retraction or past.standing[2] > number:
        past = Past(session, (0, 0, 0), (), replay(session, ()), ())
    new = _ratings_in_force(connection, session.id, past.standing[0], rating)
    shown = _points_shown(connection, session.id, past.standing[2], number)
    return Past(session, now, (*past.rated, *new), replay(session, new, past.learned), (*past.shown, *shown))


def replay(session: Session, rated: Sequence[Rated], begun: core.Replay | None = None) -> core.Replay:
    """Learn from recorded ratings of a session, from the beginning or from where earlier ones led."""
    one = session
    return core.replay(one.n_aspects, one.seed, one.settings, ((r.z, r.feedback) for r in rated), begun)


def session_where(connection: Connection, condition: ColumnElement[bool]) -> list[Session]:
    """Return the sessions that meet a condition, newest first."""
    table = schema.sessions
    rows = connection.execute(select(table).where(condition).order_by(table.c.id.desc())).mappings()
    return [_session(row) for row in rows]


def require(connection: Connection, session_id: int, *, lock: bool = False) -> None:
    """Raise StoreError if a session has been erased; with `lock` hold its row until the transaction ends."""
    query = select(schema.sessions.c.id).where(schema.sessions.c.id == session_id)
    if connection.execute(query.with_for_update() if lock else query).first() is None:
        raise StoreError("This session has been deleted; start a new one from the home page.")


def standing(connection: Connection, session_id: int) -> Standing:
    """Return what tells whether ratings, retractions or rounds were added to a session."""
    last = [
        select(func.coalesce(func.max(column), 0)).where(column.table.c.session_id == session_id).scalar_subquery()
        for column in (schema.ratings.c.id, schema.retractions.c.id, schema.rounds.c.number)
    ]
    rating, retraction, number = connection.execute(select(*last)).one()
    return rating, retraction, number


def _ratings_in_force(connection: Connection, session_id: int, after: int, last: int) -> list[Rated]:
    """Return a session's ratings of ids above `after` up to `last` that no retraction names, oldest first."""
    rating, shown, gone = schema.ratings, schema.rounds, schema.retractions
    kept = (rating.c.id, rating.c.round, rating.c.t, rating.c.feedback, rating.c.w_after, rating.c.created_at)
    query = (
        select(*kept, shown.c.product_id, shown.c.z, shown.c.evidence, shown.c.points)
        .join(shown, (shown.c.session_id == rating.c.session_id) & (shown.c.number == rating.c.round))
        .outerjoin(gone, gone.c.rating_id == rating.c.id)
        .where(rating.c.session_id == session_id, rating.c.id > after, rating.c.id <= last, gone.c.id.is_(None))
        .order_by(rating.c.id)
    )
    return [Rated(**_values(row, Rated)) for row in connection.execute(query).mappings()]


def _points_shown(
    connection: Connection, session_id: int, after: int, last: int
) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return number, product and ids of the points of the rounds above `after` up to `last`, oldest first.

    A point is known by its representative sentence; one that is contradicted brings the other one's id along.
    """
    table = schema.rounds
    query = (
        select(table.c.number, table.c.product_id, table.c.points)
        .where(table.c.session_id == session_id, table.c.number > after, table.c.number <= last)
        .order_by(table.c.number)
    )
    return [
        (number, product, tuple(side.id for one in _claims(points) for side in one.sides))
        for number, product, points in connection.execute(query)
    ]


def open_number(connection: Connection, session_id: int) -> int | None:
    """Return the number of the round opened last."""
    table = schema.openings
    return connection.execute(
        select(table.c.round).where(table.c.session_id == session_id).order_by(table.c.id.desc()).limit(1)
    ).scalar_one_or_none()


def waiting_number(connection: Connection, session_id: int, product_id: str, t: int, w: FloatArray) -> int | None:
    """Return the newest round on a product proposed for exactly this state and not yet rated, if there is one."""
    table = schema.rounds
    rows = connection.execute(
        select(table.c.number, table.c.w)
        .where(table.c.session_id == session_id, table.c.product_id == product_id, table.c.t == t)
        .order_by(table.c.number.desc())
    )
    return next((number for number, stored in rows if np.array_equal(stored, w)), None)


def add_round(
    connection: Connection,
    session_id: int,
    proposal: Round,
    evidence: Sequence[EvidenceSentence],
    claims: Sequence[ShownPoint],
    milliseconds: float,
) -> None:
    """Add a proposed round."""
    connection.execute(
        insert(schema.rounds).values(
            session_id=session_id,
            number=proposal.number,
            t=proposal.t,
            product_id=proposal.product_id,
            evidence=[one.to_dict() for one in evidence],
            scores=proposal.selection.scores.tolist(),
            propensities=proposal.selection.propensities.tolist(),
            alpha=proposal.alpha.tolist(),
            z=proposal.z.tolist(),
            w=proposal.w.tolist(),
            w_used=proposal.w_used.tolist(),
            beta=proposal.beta,
            milliseconds=milliseconds,
            pool="keypoints" if claims else "sentences",
            points=[one.to_dict() for one in claims],
        )
    )


def text_of(connection: Connection, session_id: int, number: int) -> dict[str, Any] | None:
    """Return the latest text kept for a round."""
    table = schema.texts
    query = select(table.c.summary).where(table.c.session_id == session_id, table.c.round == number)
    found: dict[str, Any] | None = connection.execute(query.order_by(table.c.id.desc()).limit(1)).scalar_one_or_none()
    return found


def round_of(connection: Connection, past: Past, number: int) -> StoredRound:
    """Return one round of a session with its text; StoreError if there is none of that number."""
    table, session_id = schema.rounds, past.session.id
    query = select(table).where(table.c.session_id == session_id, table.c.number == number)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise StoreError(f"There is no round {number} in this session; reload the page to see the open one.")
    return StoredRound(
        **_values(row, StoredRound),
        text=text_of(connection, session_id, number),
        earlier=frozenset(name for ids in past.shown_of(row["product_id"], number) for name in ids),
    )


def _values(row: RowMapping, kind: type[Rated] | type[StoredRound]) -> dict[str, Any]:
    """Return what a row holds for the fields of `kind`."""
    found: dict[str, Any] = {one.name: row[one.name] for one in fields(kind) if one.name in row}
    vectors = {name: np.array(found[name], dtype=np.float64) for name in _VECTORS if name in found}
    evidence = tuple(EvidenceSentence.from_dict(one) for one in row["evidence"])
    return found | vectors | {"evidence": evidence, "claims": _claims(row["points"])}


_VECTORS = ("z", "w", "w_used", "w_after")


def round_evidence(corpus: core.Products, stored: StoredRound) -> Evidence:
    """Return a stored round's evidence and points as they were shown, in the order in which a text tells them."""
    title = corpus.product(stored.product_id).title
    return gather(stored.product_id, title, stored.evidence, stored.claims)


def aware(moment: datetime) -> datetime:
    """Return a time with its offset: SQLite gives back UTC without saying so."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def with_offset(moment: datetime) -> str:
    """Return a time as text with its offset.

    >>> with_offset(datetime(2026, 11, 29, 18, 0))
    '2026-11-29T18:00:00+00:00'
    """
    return aware(moment).isoformat()


def _claims(kept: list[dict[str, Any]] | None) -> tuple[ShownPoint, ...]:
    return tuple(ShownPoint.from_dict(one) for one in kept or ())


def comparison_allowed(connection: Connection, session_id: int) -> bool:
    """Return whether a reader's last word lets others compare with a session."""
    table = schema.permissions
    query = select(table.c.comparison).where(table.c.session_id == session_id).order_by(table.c.id.desc()).limit(1)
    return bool(connection.execute(query).scalar_one_or_none())


def _session(row: RowMapping) -> Session:
    values = {one.name: row[one.name] for one in fields(Session)}
    return Session(**values | {"settings": SessionSettings.from_dict(row["settings"])})
