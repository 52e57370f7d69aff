"""The ledger's rows as values, and the questions asked of one session inside a transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, RowMapping, func, insert, select

from prefer_core.config import SessionSettings
from prefer_core.errors import StoreError
from prefer_core.store import schema
from prefer_core.types import FloatArray, Round


@dataclass(frozen=True)
class Session:
    """One reader on one corpus."""

    id: int
    pseudonym: str
    participant: str | None
    corpus_id: str
    n_aspects: int
    seed: int
    settings: SessionSettings
    created_at: datetime


@dataclass(frozen=True)
class StoredRound:
    """A round as the ledger keeps it.

    Attributes
    ----------
    number, t, product_id, beta
        As in `prefer_core.types.Round`.
    evidence : list of dict
        What each chosen sentence was when it was shown: id, text, dominant aspect, stars, time and so on.
    scores, propensities, alpha : list of float
        One each for every sentence or point, in order of extraction.
    z, w, w_used : ndarray of shape (K,)
        Aspect profile, preference before, preference used for selection.
    milliseconds : float
        How long the proposal took.
    pool : {"sentences", "keypoints"}
        What was chosen from.
    claims : list of dict
        What each chosen point said and by how many, as `session.claims` gave it; empty where sentences were chosen.
    """

    number: int
    t: int
    product_id: str
    evidence: list[dict[str, Any]]
    scores: list[float]
    propensities: list[float]
    alpha: list[float]
    z: FloatArray
    w: FloatArray
    w_used: FloatArray
    beta: float | None
    milliseconds: float
    pool: str
    claims: list[dict[str, Any]]


@dataclass(frozen=True)
class Rated:
    """One rating in force, with the profile that it rated."""

    id: int
    round: int
    t: int
    product_id: str
    feedback: float
    z: FloatArray
    w_after: FloatArray
    created_at: datetime


def session_where(connection: Connection, condition: ColumnElement[bool]) -> list[Session]:
    """Return the sessions that meet a condition, newest first."""
    table = schema.sessions
    rows = connection.execute(select(table).where(condition).order_by(table.c.id.desc())).mappings()
    return [_session(row) for row in rows]


def lock(connection: Connection, session_id: int) -> None:
    """Hold the session's row until the transaction ends; StoreError if it has been erased."""
    table = schema.sessions
    row = connection.execute(select(table.c.id).where(table.c.id == session_id).with_for_update()).first()
    if row is None:
        raise StoreError("This session has been deleted; start a new one from the home page.")


def ratings_in_force(connection: Connection, session_id: int) -> list[Rated]:
    """Return a session's ratings that no retraction names, oldest first."""
    rating, shown, gone = schema.ratings, schema.rounds, schema.retractions
    query = (
        select(rating, shown.c.product_id, shown.c.z)
        .join(shown, (shown.c.session_id == rating.c.session_id) & (shown.c.number == rating.c.round))
        .outerjoin(gone, gone.c.rating_id == rating.c.id)
        .where(rating.c.session_id == session_id, gone.c.id.is_(None))
        .order_by(rating.c.id)
    )
    return [
        Rated(
            id=row["id"],
            round=row["round"],
            t=row["t"],
            product_id=row["product_id"],
            feedback=row["feedback"],
            z=np.array(row["z"], dtype=np.float64),
            w_after=np.array(row["w_after"], dtype=np.float64),
            created_at=row["created_at"],
        )
        for row in connection.execute(query).mappings()
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


def next_number(connection: Connection, session_id: int) -> int:
    """Return the number of the session's next proposal."""
    table = schema.rounds
    last = connection.execute(select(func.max(table.c.number)).where(table.c.session_id == session_id)).scalar_one()
    return (last or 0) + 1


def points_shown(connection: Connection, session_id: int, product_id: str, before: int) -> list[list[str]]:
    """Return the ids of the points that each earlier round on a product was proposed with, oldest first.

    A point is known by its representative sentence; one that is contradicted brings the other one's id along.
    """
    table = schema.rounds
    query = (
        select(table.c.points)
        .where(table.c.session_id == session_id, table.c.product_id == product_id, table.c.number < before)
        .order_by(table.c.number)
    )
    return [
        [str(one["id"]) for claim in claims or () for one in (claim, claim["opposed"]) if one is not None]
        for claims in connection.execute(query).scalars()
    ]


def add_round(
    connection: Connection,
    session_id: int,
    proposal: Round,
    evidence: list[dict[str, Any]],
    claims: list[dict[str, Any]],
    milliseconds: float,
) -> None:
    """Add a proposed round."""
    connection.execute(
        insert(schema.rounds).values(
            session_id=session_id,
            number=proposal.number,
            t=proposal.t,
            product_id=proposal.product_id,
            evidence=evidence,
            scores=proposal.selection.scores.tolist(),
            propensities=proposal.selection.propensities.tolist(),
            alpha=proposal.alpha.tolist(),
            z=proposal.z.tolist(),
            w=proposal.w.tolist(),
            w_used=proposal.w_used.tolist(),
            beta=proposal.beta,
            milliseconds=milliseconds,
            pool="keypoints" if claims else "sentences",
            points=claims,
        )
    )


def evidence_of(connection: Connection, session_id: int, numbers: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """Return the evidence of some rounds of a session by number."""
    table = schema.rounds
    query = select(table.c.number, table.c.evidence)
    query = query.where(table.c.session_id == session_id, table.c.number.in_(numbers))
    return {row.number: row.evidence for row in connection.execute(query)}


def round_of(connection: Connection, session_id: int, number: int) -> StoredRound:
    """Return one round; StoreError if the session has none of that number."""
    table = schema.rounds
    query = select(table).where(table.c.session_id == session_id, table.c.number == number)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise StoreError(f"There is no round {number} in this session; reload the page to see the open one.")
    return StoredRound(
        number=row["number"],
        t=row["t"],
        product_id=row["product_id"],
        evidence=row["evidence"],
        scores=row["scores"],
        propensities=row["propensities"],
        alpha=row["alpha"],
        z=np.array(row["z"], dtype=np.float64),
        w=np.array(row["w"], dtype=np.float64),
        w_used=np.array(row["w_used"], dtype=np.float64),
        beta=row["beta"],
        milliseconds=row["milliseconds"],
        pool=row["pool"],
        claims=row["points"] or [],
    )


def add_correction(
    connection: Connection, session_id: int, number: int, claim: dict[str, Any], product_id: str,
    sentence: tuple[str, str], *, withdrawn: bool,
) -> None:  # fmt: skip
    """Add what a reader says of one sentence that was counted; `sentence` is its id and its text."""
    connection.execute(
        insert(schema.corrections).values(
            session_id=session_id,
            round=number,
            product_id=product_id,
            point_id=str(claim["id"]),
            point=str(claim["clause"]),
            sentence_id=sentence[0],
            sentence=sentence[1],
            withdrawn=withdrawn,
        )
    )


def corrected(connection: Connection, session_id: int, product_id: str) -> set[tuple[str, str]]:
    """Return the (point id, sentence id) that a reader's corrections in force name on a product."""
    table = schema.corrections
    query = (
        select(table.c.point_id, table.c.sentence_id, table.c.withdrawn)
        .where(table.c.session_id == session_id, table.c.product_id == product_id)
        .order_by(table.c.id)
    )
    last = {(row.point_id, row.sentence_id): row.withdrawn for row in connection.execute(query)}
    return {pair for pair, withdrawn in last.items() if not withdrawn}


def _session(row: RowMapping) -> Session:
    return Session(
        id=row["id"],
        pseudonym=row["pseudonym"],
        participant=row["participant"],
        corpus_id=row["corpus_id"],
        n_aspects=row["n_aspects"],
        seed=row["seed"],
        settings=SessionSettings.from_dict(row["settings"]),
        created_at=row["created_at"],
    )
