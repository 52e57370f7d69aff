"""Single values of raw rows, brought to one type each; what cannot be trusted becomes unknown."""

import math
from typing import Any

UNKNOWN = -1
"""Stands for an unknown time or verified flag."""

_YES = frozenset({"true", "1", "yes", "y", "t", "1.0"})
_NO = frozenset({"false", "0", "no", "n", "f", "0.0"})
_NULL = frozenset({"", "none", "null", "nan"})


def as_text(value: Any) -> str | None:
    """Return a non-empty string, or None; a number is written out."""
    if value is None or isinstance(value, (dict, list)) or (isinstance(value, float) and math.isnan(value)):
        return None
    text = str(value).strip()
    return text or None


def as_id(value: Any) -> str | None:
    """Return an identifier, or None for a missing one ("nan" and "null" are missing too)."""
    text = as_text(value)
    return None if text is None or text.lower() in _NULL else text


def as_number(value: Any) -> float:
    """Return a finite number, or NaN."""
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def as_rating(value: Any) -> float:
    """Return stars in 1..5, or NaN.

    >>> as_rating("4"), as_rating(6.0), as_rating("good")
    (4.0, nan, nan)
    """
    number = as_number(value)
    return number if 1 <= number <= 5 else math.nan


def as_time(value: Any) -> int:
    """Return milliseconds since 1970, or -1."""
    number = as_number(value)
    return int(number) if number >= 0 and number < 2**53 else UNKNOWN


def as_votes(value: Any) -> int:
    """Return a count of helpful votes; an unknown one is 0."""
    number = as_number(value)
    return int(number) if 0 < number < 2**31 else 0


def as_verified(value: Any) -> int:
    """Return 1 or 0 for a verified purchase, -1 for unknown."""
    word = "" if value is None else str(value).strip().lower()
    return 1 if word in _YES else 0 if word in _NO else UNKNOWN
