"""Tables of the ledger as the code uses them today; `store.migrations` makes them, step by step.

Rows are only ever added. What is current follows from them: the open round is the one opened last, a rating is in force
unless a retraction names it, and a reader's preference is the fold of the ratings in force. Only an erasure at the
reader's wish removes rows, and leaves a receipt that names nobody.
"""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
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
    Column("pool", String(16), nullable=False, server_default="sentences"),
    Column("points", JSON),
    UniqueConstraint("session_id", "number"),
)
"""`points` holds what `session.claims` gave: what each chosen key point said, and by how many, when it was shown."""

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
    Column("slider_start", Float),
    UniqueConstraint("session_id", "round", "attempt"),
)
"""`slider_start` is where the slider stood before it was moved; None where no slider was used, or nobody knows."""

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

corrections = Table(
    "corrections",
    metadata,
    _id(),
    _session(),
    Column("round", Integer, nullable=False),
    Column("product_id", String, nullable=False),
    Column("point_id", String(64), nullable=False),
    Column("sentence_id", String(64), nullable=False),
    Column("point", String, nullable=False),
    Column("sentence", String, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    _created(),
)
"""A reader's word that a sentence does not say a point, or, `withdrawn`, that it does after all; the last one holds.

`point_id` is the id of the point's representative sentence; the texts stand beside the ids, since a corpus may be gone.
"""

OF_A_SESSION = (corrections, retractions, ratings, texts, openings, rounds)
"""Tables whose rows belong to one session, children first."""
