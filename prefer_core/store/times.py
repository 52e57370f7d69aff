"""Times as they leave the database."""

from datetime import UTC, datetime


def aware(moment: datetime) -> datetime:
    """Return a time with its offset: SQLite gives back UTC without saying so."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def with_offset(moment: datetime) -> str:
    """Return a time as text with its offset.

    >>> with_offset(datetime(2026, 11, 29, 18, 0))
    '2026-11-29T18:00:00+00:00'
    """
    return aware(moment).isoformat()
