"""The ledger as flat tables: rounds with their ratings, and corrections as labels."""

import json
from typing import Any

from sqlalchemy import Connection, select

from prefer_core.store import schema

COLUMNS = (
    "reader", "corpus", "round", "t", "product", "feedback", "baseline", "centred", "step_size", "beta", "w", "w_used",
    "w_after", "z", "alpha", "scores", "propensities", "pool", "choices", "points", "sentence_ids", "reserved", "text",
    "text_source", "proposed_at", "rated_at", "slider_start",
)  # fmt: skip

CORRECTIONS = ("corpus", "product", "point_id", "point", "sentence_id", "sentence", "label", "readers")
"""What a row of corrections holds; label 0: the sentence does not say the point."""


def rows(connection: Connection) -> list[dict[str, Any]]:
    """Return one row for each round and rating in force (COLUMNS), in the order things happened; lists as JSON.

    Of people only: replays of the learning lab and sessions of the stage are left out.
    `choices` are ids of what was chosen, one for each of `propensities`: of a point that of its representative.
    Readers appear by pseudonym only: no participant code, no token.
    """
    reader, shown, rating, gone = schema.sessions, schema.rounds, schema.ratings, schema.retractions
    in_force = (
        select(rating)
        .outerjoin(gone, gone.c.rating_id == rating.c.id)
        .where(gone.c.id.is_(None))
        .subquery("ratings_in_force")
    )
    query = (
        select(shown, reader.c.pseudonym, reader.c.corpus_id)
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
        .where(reader.c.origin == "reader")
        .order_by(shown.c.session_id, shown.c.number)
    )
    return [
        {
            "reader": row["pseudonym"],
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
            "proposed_at": row["created_at"].isoformat(),
            "rated_at": None if row["rated_at"] is None else row["rated_at"].isoformat(),
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
        .where(reader.c.origin == "reader")
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
