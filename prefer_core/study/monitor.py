"""What a researcher watches while people take part."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from prefer_core.store.rows import aware
from prefer_core.store.studies import ParticipantRecord
from prefer_core.study.assignment import cells
from prefer_core.study.definition import Study
from prefer_core.study.export import Row, judged
from prefer_core.study.participation import step

AWAY = timedelta(minutes=30)
"""Silence after which a participant who has not finished counts as gone."""
RECENT = timedelta(minutes=10)


def latest(record: ParticipantRecord) -> datetime | None:
    """Return when a participant last did something that was kept."""
    times = [*record.times.values(), *(aware(one.rated_at or one.shown_at) for one in record.placed)]
    return max(times, default=None)


def overview(
    study: Study,
    records: Sequence[ParticipantRecord],
    sent: Mapping[int, Mapping[str, Mapping[str, Any]]],
    now: datetime,
) -> list[Row]:
    """Return one row a participant: where, since when, which condition, how reliable.

    Parameters
    ----------
    study, records : Study, sequence of ParticipantRecord
        The definition, and what is kept.
    sent : mapping
        `export.sent_by` of the events.
    now : datetime
        With its offset.
    """
    rows: list[Row] = []
    for record in records:
        who, seen = record.participant, latest(record)
        found = judged(study, record, sent.get(who.id, {}))
        state = next((name for name in ("withdrawn", "completed") if name in record.answers), None)
        away = seen is not None and now - seen > AWAY
        rows.append(
            {
                "participant": who.pseudonym,
                "kind": who.kind,
                "condition": " > ".join(cells(study)[who.cell or 0]),
                "step": state or step(study, record).name,
                "state": state or ("away" if away else "going on"),
                "last seen": seen,
                "ratings": sum(one.feedback is not None for one in record.placed),
                "reliability": None if found is None else found.score,
                "reasons": "" if found is None else "; ".join(found.reasons),
            }
        )
    return rows


def ratings_per_minute(records: Sequence[ParticipantRecord], now: datetime) -> float:
    """Return how many ratings a minute were kept in the last ten."""
    times = [aware(one.rated_at) for record in records for one in record.placed if one.rated_at is not None]
    return sum(timedelta(0) <= now - time <= RECENT for time in times) / (RECENT.total_seconds() / 60)


def by_round(long: Sequence[Row], value: str) -> dict[str, dict[int, list[float]]]:
    """Return a column of the long table by arm and round, for a chart; practice and repeats are left out."""
    found: dict[str, dict[int, list[float]]] = {}
    for row in long:
        if row["rating"] is not None and not row["practice"] and not row["repeats"]:
            number = int(str(row["slot"]).removeprefix("round-"))
            found.setdefault(row["arm"], {}).setdefault(number, []).append(float(row[value]))
    return dict(sorted(found.items()))
