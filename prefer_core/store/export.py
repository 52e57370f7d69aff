"""The ledger as flat tables: rounds with their ratings, and corrections as labels."""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, func, select

from prefer_core.files.manifest import digest_of
from prefer_core.store import schema
from prefer_core.store.rows import with_offset

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
    reader, shown, rating = schema.sessions, schema.rounds, schema.ratings_in_force
    played, member, study = schema.study_sessions, schema.participants, schema.studies
    query = (
        select(shown, shown.c.number.label("round"), shown.c.product_id.label("product"))
        .add_columns(reader.c.pseudonym.label("reader"), reader.c.corpus_id.label("corpus"))
        .add_columns(reader.c.who, reader.c.settings, played.c.arm, member.c.kind)
        .add_columns(member.c.pseudonym.label("participant"), study.c.name.label("study"))
        .add_columns(rating.c.feedback, rating.c.baseline, rating.c.centred, rating.c.step_size, rating.c.w_after)
        .add_columns(rating.c.shown, rating.c.source.label("text_source"), rating.c.slider_start)
        .add_columns(rating.c.created_at.label("rated_at"))
        .join(reader, reader.c.id == shown.c.session_id)
        .outerjoin(rating, (rating.c.session_id == shown.c.session_id) & (rating.c.round == shown.c.number))
        .outerjoin(played, played.c.session_id == reader.c.id)
        .outerjoin(member, member.c.id == played.c.participant_id)
        .outerjoin(study, study.c.id == member.c.study_id)
        .order_by(shown.c.session_id, shown.c.number)
    )
    digest = lru_cache(lambda settings: digest_of(json.loads(settings)))
    found = []
    for row in connection.execute(query).mappings():
        chosen = row["points"] or row["evidence"]
        values = dict(row) | {
            "who": row["who"] or row["kind"] or "unknown",
            "learner": row["settings"]["learner"],
            "extractor": row["settings"]["extractor"],
            "settings_digest": digest(json.dumps(row["settings"])),
            "choices": [one["id"] for one in chosen],
            "points": row["points"] or [],
            "sentence_ids": [piece.get("id") for piece in row["evidence"]],
            "reserved": [bool(one.get("reserved")) for one in chosen],
            "text": row["shown"],
            "proposed_at": with_offset(row["created_at"]),
            "rated_at": None if row["rated_at"] is None else with_offset(row["rated_at"]),
        }
        found.append({name: _plain(values[name]) for name in COLUMNS})
    return found


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


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
