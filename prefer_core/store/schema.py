"""Tables of the ledger as the code uses them today, and the migrations that make them, step by step.

Rows are only ever added. What is current follows from them: the open round is the one opened last, a rating is in force
unless a retraction names it, and a reader's preference is the fold of the ratings in force. Only an erasure at the
reader's wish removes rows, and leaves a receipt that names nobody.
"""

import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
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
    text,
    update,
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
    Column("who", String(16)),
)
"""`who` rates: "person", "bot", "replay" for a run of the learning lab, "stage" for whoever a presenter lets rate.

None where an earlier version began the session.
"""

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

ratings_in_force = (
    select(ratings)
    .outerjoin(retractions, retractions.c.rating_id == ratings.c.id)
    .where(retractions.c.id.is_(None))
    .subquery("ratings_in_force")
)
"""Ratings that no retraction names."""

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

permissions = Table(
    "permissions",
    metadata,
    _id(),
    _session(),
    Column("comparison", Boolean, nullable=False),
    _created(),
)
"""A reader's word on whether others may put the session's preferences beside others; the last one holds, none is no."""

crowd_ratings = Table(
    "crowd_ratings",
    metadata,
    _id(),
    _session(),
    Column("round", Integer, nullable=False),
    Column("phone", String(32), nullable=False),
    Column("feedback", Float, nullable=False),
    _created(),
    UniqueConstraint("session_id", "round", "phone"),
)
"""What each phone of an audience says to a round of a stage session; `phone` is a number that the phone drew."""

studies = Table(
    "studies",
    metadata,
    _id(),
    Column("name", String(40), nullable=False, unique=True),
    Column("definition", String, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("corpus_id", String(64), nullable=False),
    Column("places", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("frozen_at", DateTime(timezone=True)),
    _created(),
)
"""`definition` is the file as it was written; it and `digest` never change once `frozen_at` is set."""

participants = Table(
    "study_participants",
    metadata,
    _id(),
    Column("study_id", ForeignKey("studies.id"), nullable=False, index=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("pseudonym", String(32), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("code", String(64)),
    Column("number", Integer),
    Column("cell", Integer),
    Column("plan", JSON),
    _created(),
    UniqueConstraint("study_id", "number"),
    UniqueConstraint("study_id", "code"),
)
"""A personal link; `number`, `cell` and `plan` are given when its owner agrees to take part."""


def _participant() -> Column[int]:
    return Column("participant_id", ForeignKey("study_participants.id"), nullable=False, index=True)


study_sessions = Table(
    "study_sessions",
    metadata,
    _id(),
    _participant(),
    _session(),
    Column("arm", String(60), nullable=False),
    _created(),
    UniqueConstraint("participant_id", "arm"),
)
"""Which session of the ledger plays an arm for a participant."""

study_rounds = Table(
    "study_rounds",
    metadata,
    _id(),
    _participant(),
    _session(),
    Column("slot", String(40), nullable=False),
    Column("side", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    _created(),
    UniqueConstraint("participant_id", "slot", "side"),
)
"""Which round of the ledger is shown at a place of a participant's plan."""

study_answers = Table(
    "study_answers",
    metadata,
    _id(),
    _participant(),
    Column("step", String(40), nullable=False),
    Column("answers", JSON, nullable=False),
    _created(),
    UniqueConstraint("participant_id", "step"),
)
"""What a participant said at a step, once; ratings of summaries are in `ratings`."""

study_events = Table(
    "study_events",
    metadata,
    _id(),
    Column("study_id", ForeignKey("studies.id"), nullable=False, index=True),
    Column("participant_id", ForeignKey("study_participants.id"), index=True),
    Column("kind", String(24), nullable=False),
    Column("step", String(40)),
    Column("detail", JSON, nullable=False),
    _created(),
)
"""All that happened, in order of `id`: a clock may be set back, the order of rows is not."""

OF_A_SESSION = (crowd_ratings, permissions, corrections, retractions, ratings, texts, openings, rounds)
"""Tables whose rows belong to one session, children first."""

# A migration that has been released never changes: it holds the tables as they were then, not as they stand above.


def _key() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _of_session() -> Column[int]:
    return Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True)


def _made() -> Column[object]:
    return Column("created_at", DateTime(timezone=True), nullable=False)


def _first(connection: Connection) -> None:
    """Make the seven tables of the first version."""
    then = MetaData()
    whole, words, numbers = Integer, String, JSON
    Table(
        "sessions", then, _key(), Column("token_hash", String(64), nullable=False, unique=True),
        Column("pseudonym", String(32), nullable=False, unique=True), Column("participant", String(64), index=True),
        Column("corpus_id", String(64), nullable=False), Column("n_aspects", whole, nullable=False),
        Column("seed", BigInteger, nullable=False), Column("settings", JSON, nullable=False), _made(),
    )  # fmt: skip
    Table(
        "rounds", then, _key(), _of_session(), Column("number", whole, nullable=False),
        Column("t", whole, nullable=False), Column("product_id", words, nullable=False),
        *(
            Column(name, numbers, nullable=False)
            for name in ("evidence", "scores", "propensities", "alpha", "z", "w", "w_used")
        ),
        Column("beta", Float), Column("milliseconds", Float, nullable=False), _made(),
        UniqueConstraint("session_id", "number"),
    )  # fmt: skip
    Table("openings", then, _key(), _of_session(), Column("round", whole, nullable=False), _made())
    Table(
        "texts", then, _key(), _of_session(), Column("round", whole, nullable=False),
        Column("writer", words, nullable=False), Column("summary", JSON, nullable=False),
        Column("seconds_first", Float), Column("seconds_last", Float), _made(),
    )  # fmt: skip
    Table(
        "ratings", then, _key(), _of_session(),
        *(Column(name, whole, nullable=False) for name in ("round", "attempt", "t")),
        *(Column(name, Float, nullable=False) for name in ("feedback", "baseline", "centred", "step_size")),
        Column("w_after", JSON, nullable=False), Column("shown", JSON, nullable=False),
        Column("source", String(16), nullable=False), _made(), UniqueConstraint("session_id", "round", "attempt"),
    )  # fmt: skip
    Table("retractions", then, _key(), _of_session(), Column("rating_id", whole, nullable=False, unique=True), _made())
    Table(
        "deletions", then, _key(), Column("receipt", String(32), nullable=False, unique=True),
        Column("counts", JSON, nullable=False), _made(),
    )  # fmt: skip
    then.create_all(connection)


def _second(connection: Connection) -> None:
    """Keep with each round what it chose from and what its points said; add what readers correct."""
    json = JSON().compile(dialect=connection.dialect)
    connection.execute(text("ALTER TABLE rounds ADD COLUMN pool VARCHAR(16) DEFAULT 'sentences' NOT NULL"))
    connection.execute(text(f"ALTER TABLE rounds ADD COLUMN points {json}"))
    then = MetaData()
    Table("sessions", then, _key())
    made = Table(
        "corrections", then, _key(), _of_session(), Column("round", Integer, nullable=False),
        Column("product_id", String, nullable=False), Column("point_id", String(64), nullable=False),
        Column("sentence_id", String(64), nullable=False), Column("point", String, nullable=False),
        Column("sentence", String, nullable=False), Column("withdrawn", Boolean, nullable=False), _made(),
    )  # fmt: skip
    then.create_all(connection, tables=[made])


def _slider_start(connection: Connection) -> None:
    """Keep with each rating where its slider began; what was rated before is unknown."""
    connection.execute(text("ALTER TABLE ratings ADD COLUMN slider_start FLOAT"))


def _studies(connection: Connection) -> None:
    """Add studies: their participants, what each is shown and says, and what happened."""
    then = MetaData()
    Table("sessions", then, _key())
    words, whole, time = String, Integer, DateTime(timezone=True)

    def of_participant() -> Column[int]:
        return Column("participant_id", ForeignKey("study_participants.id"), nullable=False, index=True)

    made = [
        Table(
            "studies", then, _key(), Column("name", String(40), nullable=False, unique=True),
            Column("definition", words, nullable=False), Column("digest", String(64), nullable=False),
            Column("corpus_id", String(64), nullable=False), Column("places", whole, nullable=False),
            Column("status", String(16), nullable=False), Column("frozen_at", time), _made(),
        ),
        Table(
            "study_participants", then, _key(),
            Column("study_id", ForeignKey("studies.id"), nullable=False, index=True),
            Column("token_hash", String(64), nullable=False, unique=True),
            Column("pseudonym", String(32), nullable=False, unique=True), Column("kind", String(16), nullable=False),
            Column("code", String(64)), Column("number", whole), Column("cell", whole), Column("plan", JSON), _made(),
            UniqueConstraint("study_id", "number"), UniqueConstraint("study_id", "code"),
        ),
        Table(
            "study_sessions", then, _key(), of_participant(), _of_session(), Column("arm", String(60), nullable=False),
            _made(), UniqueConstraint("participant_id", "arm"),
        ),
        Table(
            "study_rounds", then, _key(), of_participant(), _of_session(), Column("slot", String(40), nullable=False),
            Column("side", whole, nullable=False), Column("round", whole, nullable=False), _made(),
            UniqueConstraint("participant_id", "slot", "side"),
        ),
        Table(
            "study_answers", then, _key(), of_participant(), Column("step", String(40), nullable=False),
            Column("answers", JSON, nullable=False), _made(), UniqueConstraint("participant_id", "step"),
        ),
        Table(
            "study_events", then, _key(), Column("study_id", ForeignKey("studies.id"), nullable=False, index=True),
            Column("participant_id", ForeignKey("study_participants.id"), index=True),
            Column("kind", String(24), nullable=False), Column("step", String(40)),
            Column("detail", JSON, nullable=False), _made(),
        ),
    ]  # fmt: skip
    then.create_all(connection, tables=made)


def _who(connection: Connection) -> None:
    """Keep with each session who rates in it; of earlier ones, a replay of the lab may be among them, nobody knows."""
    connection.execute(text("ALTER TABLE sessions ADD COLUMN who VARCHAR(16)"))


def _codes(connection: Connection) -> None:
    """Bring the codes that people typed into one spelling, so that "P-07 " and "p-07" are one person."""
    then = Table("sessions", MetaData(), _key(), Column("participant", String(64)))
    for row in connection.execute(select(then).where(then.c.participant.is_not(None))).all():
        code = unicodedata.normalize("NFKC", row.participant).strip().casefold()[:64]
        connection.execute(update(then).where(then.c.id == row.id).values(participant=code))


def _permissions(connection: Connection) -> None:
    """Keep what readers allow others to see; until they say so, nothing."""
    then = MetaData()
    Table("sessions", then, _key())
    made = Table("permissions", then, _key(), _of_session(), Column("comparison", Boolean, nullable=False), _made())
    then.create_all(connection, tables=[made])


def _crowd(connection: Connection) -> None:
    """Add what an audience rates together."""
    then = MetaData()
    Table("sessions", then, _key())
    made = Table(
        "crowd_ratings", then, _key(), _of_session(), Column("round", Integer, nullable=False),
        Column("phone", String(32), nullable=False), Column("feedback", Float, nullable=False), _made(),
        UniqueConstraint("session_id", "round", "phone"),
    )  # fmt: skip
    then.create_all(connection, tables=[made])


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _first, _second, _slider_start, _studies, _who, _codes, _permissions, _crowd,
)  # fmt: skip
"""Append only: the position + 1 of each function is the version it makes."""


_ONE_AT_A_TIME = 20_261_129
"""A number of PREFER's own among the locks of a PostgreSQL server."""


def migrate(connection: Connection) -> int:
    """Apply the migrations that are missing; return the version reached.

    The caller's transaction holds each change together with its record.
    """
    if connection.dialect.name == "postgresql":
        # Several servers may start on one database; SQLite's write transaction keeps them apart by itself.
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ONE_AT_A_TIME})"))
    if not inspect(connection).has_table(versions.name):
        versions.create(connection)
    reached: int = connection.execute(select(func.coalesce(func.max(versions.c.version), 0))).scalar_one()
    for version, change in enumerate(MIGRATIONS[reached:], start=reached + 1):
        change(connection)
        connection.execute(insert(versions).values(version=version))
    return max(reached, len(MIGRATIONS))
