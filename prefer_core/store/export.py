"""The ledger as flat tables: rounds with their ratings, and corrections as labels."""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, func, select

from prefer_core.files.manifest import digest_of
from prefer_core.store import schema
from prefer_core.store.times import with_offset

COLUMNS = (
    "reader", "who", "study", "participant", "arm", "learner", "extractor", "settings_digest", "corpus",
    "round", "t", "product", "feedback", "baseline", "centred", "step_size", "beta", "w", "w_used",
    "w_after", "z", "alpha", "scores", "propensities", "pool", "choices", "points", "sentence_ids", "reserved", "text",
    "text_source", "proposed_at", "rated_at", "slider_start",
)  # fmt: skip

CORRECTIONS = ("corpus", "product", "point_id", "point", "sentence_id", "sentence", "label", "readers")
"""What a row of corrections holds; label 0: the sentence does not say the point."""


def rows(connection: Connection) -> list[dict[str, Any]]:
    """Return one row for each round and rating in force (COLUMNS), in the order things happened; lists as JSON.

    `choices` are ids of what was chosen, one for each of `propensities`: of a point that of its representative.
    Readers appear by pseudonym only: no participant code, no token. `who` is person, bot, replay (a run of the learning
    lab), stage, or unknown where an earlier version began the session; `participant` is the made-up name that the
    export of the `study` uses.
    """
    reader, shown, rating, gone = schema.sessions, schema.rounds, schema.ratings, schema.retractions
    played, member, study = schema.study_sessions, schema.participants, schema.studies
    in_force = (
        select(rating)
        .outerjoin(gone, gone.c.rating_id == rating.c.id)
        .where(gone.c.id.is_(None))
        .subquery("ratings_in_force")
    )
    query = (
        select(shown, reader.c.pseudonym, reader.c.corpus_id, reader.c.who, reader.c.settings, played.c.arm)
        .add_columns(member.c.pseudonym.label("participant"), member.c.kind, study.c.name.label("study"))
        .add_columns(
            in_force.c.feedback,
            in_force.c.baseline,
            in_force.c.centred,
            in_force.c.step_size,
            in_force.c.w_after,
            in_force.c.shown,
            in_force.c.source,
            in_force.c.created_at.label("rated_at"),
            in_force.c.slider_start,
        )
        .join(reader, reader.c.id == shown.c.session_id)
        .outerjoin(in_force, (in_force.c.session_id == shown.c.session_id) & (in_force.c.round == shown.c.number))
        .outerjoin(played, played.c.session_id == reader.c.id)
        .outerjoin(member, member.c.id == played.c.participant_id)
        .outerjoin(study, study.c.id == member.c.study_id)
        .order_by(shown.c.session_id, shown.c.number)
    )
    digest = lru_cache(lambda settings: digest_of(json.loads(settings)))
    return [
        {
            "reader": row["pseudonym"],
            "who": row["who"] or row["kind"] or "unknown",
            "study": row["study"],
            "participant": row["participant"],
            "arm": row["arm"],
            "learner": row["settings"]["learner"],
            "extractor": row["settings"]["extractor"],
            "settings_digest": digest(json.dumps(row["settings"])),
            "corpus": row["corpus_id"],
            "round": row["number"],
            "t": row["t"],
            "product": row["product_id"],
            "feedback": row["feedback"],
            "baseline": row["baseline"],
            "centred": row["centred"],
            "step_size": row["step_size"],
            "beta": row["beta"],
            "w": json.dumps(row["w"]),
            "w_used": json.dumps(row["w_used"]),
            "w_after": None if row["w_after"] is None else json.dumps(row["w_after"]),
            "z": json.dumps(row["z"]),
            "alpha": json.dumps(row["alpha"]),
            "scores": json.dumps(row["scores"]),
            "propensities": json.dumps(row["propensities"]),
            "pool": row["pool"],
            "choices": json.dumps([one["id"] for one in row["points"] or row["evidence"]]),
            "points": json.dumps(row["points"] or [], ensure_ascii=False),
            "sentence_ids": json.dumps([piece.get("id") for piece in row["evidence"]]),
            "reserved": json.dumps([bool(one.get("reserved")) for one in row["points"] or row["evidence"]]),
            "text": None if row["shown"] is None else json.dumps(row["shown"], ensure_ascii=False),
            "text_source": row["source"],
            "proposed_at": with_offset(row["created_at"]),
            "rated_at": None if row["rated_at"] is None else with_offset(row["rated_at"]),
            "slider_start": row["slider_start"],
        }
        for row in connection.execute(query).mappings()
    ]


def corrections(connection: Connection) -> list[dict[str, Any]]:
    """Return what readers corrected and did not take back (CORRECTIONS), one row a point and sentence."""
    reader, said = schema.sessions, schema.corrections
    query = (
        select(said, reader.c.corpus_id)
        .join(reader, reader.c.id == said.c.session_id)
        .where(func.coalesce(reader.c.who, "person") == "person")
        .order_by(said.c.id)
    )
    latest = {
        (row["session_id"], row["product_id"], row["point_id"], row["sentence_id"]): row
        for row in connection.execute(query).mappings()
    }
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in latest.values():
        if row["withdrawn"]:
            continue
        place = row["corpus_id"], row["product_id"], row["point_id"], row["sentence_id"]
        values = (*place[:3], row["point"], place[3], row["sentence"], 0, 0)
        found.setdefault(place, dict(zip(CORRECTIONS, values, strict=True)))["readers"] += 1
    return list(found.values())
