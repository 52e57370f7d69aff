"""Tables of the ledger, and the ordered migrations that make them.

Rows are only ever added. What is current follows from them: the open round is the one opened last, a rating is in force
unless a retraction names it, and a reader's preference is the fold of the ratings in force. Only an erasure at the
reader's wish removes rows, and leaves a receipt that names nobody.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    DateTime,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
)

metadata = MetaData()


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _session() -> Column[int]:
    return Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True)


def _created() -> Column[datetime]:
    return Column("created_at", DateTime(timezone=True), nullable=False, default=lambda: datetime.now(UTC))


versions = Table("schema_versions", metadata, Column("version", Integer, primary_key=True), _created())

sessions = Table(
    "sessions",
    metadata,
    _id(),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("pseudonym", String(32), nullable=False, unique=True),
    Column("participant", String(64), index=True),
    Column("corpus_id", String(64), nullable=False),
    Column("n_aspects", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
    _created(),
)

rounds = Table(
    "rounds",
    metadata,
    _id(),
    _session(),
    Column("number", Integer, nullable=False),
    Column("t", Integer, nullable=False),
    Column("product_id", String, nullable=False),
    Column("evidence", JSON, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("propensities", JSON, nullable=False),
    Column("alpha", JSON, nullable=False),
    Column("z", JSON, nullable=False),
    Column("w", JSON, nullable=False),
    Column("w_used", JSON, nullable=False),
    Column("beta", Float),
    Column("milliseconds", Float, nullable=False),
    _created(),
    UniqueConstraint("session_id", "number"),
)

openings = Table("openings", metadata, _id(), _session(), Column("round", Integer, nullable=False), _created())

texts = Table(
    "texts",
    metadata,
    _id(),
    _session(),
    Column("round", Integer, nullable=False),
    Column("writer", String, nullable=False),
    Column("summary", JSON, nullable=False),
    Column("seconds_first", Float),
    Column("seconds_last", Float),
    _created(),
)

ratings = Table(
    "ratings",
    metadata,
    _id(),
    _session(),
    Column("round", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("t", Integer, nullable=False),
    Column("feedback", Float, nullable=False),
    Column("baseline", Float, nullable=False),
    Column("centred", Float, nullable=False),
    Column("step_size", Float, nullable=False),
    Column("w_after", JSON, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("source", String(16), nullable=False),
    _created(),
    UniqueConstraint("session_id", "round", "attempt"),
)

retractions = Table(
    "retractions",
    metadata,
    _id(),
    _session(),
    Column("rating_id", Integer, nullable=False, unique=True),
    _created(),
)

deletions = Table(
    "deletions",
    metadata,
    _id(),
    Column("receipt", String(32), nullable=False, unique=True),
    Column("counts", JSON, nullable=False),
    _created(),
)

OF_A_SESSION = (retractions, ratings, texts, openings, rounds)
"""Tables whose rows belong to one session, children first."""


def _first(connection: Connection) -> None:
    metadata.create_all(
        connection, tables=[sessions, rounds, openings, texts, ratings, retractions, deletions], checkfirst=True
    )


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first,)
"""Append only: the position + 1 of each function is the version it makes."""


def migrate(connection: Connection) -> int:
    """Apply the migrations that are missing; return the version reached.

    The caller's transaction holds each change together with its record.
    """
    if not inspect(connection).has_table(versions.name):
        metadata.create_all(connection, tables=[versions])
    reached: int = connection.execute(select(func.coalesce(func.max(versions.c.version), 0))).scalar_one()
    for version, change in enumerate(MIGRATIONS[reached:], start=reached + 1):
        change(connection)
        connection.execute(insert(versions).values(version=version))
    return max(reached, len(MIGRATIONS))
