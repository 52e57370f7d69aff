"""When a review was written: numbers of seconds or milliseconds, and dates in digits or words."""

import re
from datetime import UTC, date, datetime
from typing import Any

UNKNOWN = -1
"""Stands for an unknown time or verified flag."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_WORDS = (
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.I),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?{_MONTH},?[\s-]+(?P<year>\d{{4}})\b", re.I),
)
_AMERICAN = re.compile(r"(\d{1,2})[\s/.-]+(\d{1,2}),?[\s/.-]+(\d{4})")
_COMPACT = re.compile(r"(?:19|20)\d{6}")
_FIRST_SECONDS = 10**8
_FIRST_MILLISECONDS = 10**11
_LAST = 2**53


def milliseconds(value: Any, number: float) -> int:
    """Return milliseconds since 1970 (UTC), or -1.

    A number from 1e8 to 1e11 is of seconds, any other of milliseconds; 20210303 is a date. Of 3/4/2021 the month stands
    first, as Amazon writes, unless that cannot be.

    Parameters
    ----------
    value : object
        As it stands in the row.
    number : float
        The value as a number, NaN where it is none.

    Examples
    --------
    >>> import math
    >>> milliseconds("March 3, 2021", math.nan) == milliseconds("03 3, 2021", math.nan) == 1614729600000
    True
    """
    if isinstance(value, (date, datetime)):
        return _of_date(value)
    text = str(value).strip() if value is not None else ""
    if _COMPACT.fullmatch(text):
        return _of_numbers(int(text[:4]), int(text[4:6]), int(text[6:]))
    if number == number:
        if _FIRST_SECONDS <= number < _FIRST_MILLISECONDS:
            return int(number * 1000)
        return int(number) if 0 <= number < _LAST else UNKNOWN
    return _of_text(text)


def _of_text(text: str) -> int:
    for pattern in _WORDS:
        if match := pattern.search(text):
            return _of_numbers(int(match["year"]), 1 + _MONTHS.index(match["month"].lower()), int(match["day"]))
    if match := _AMERICAN.fullmatch(text):
        first, second, year = map(int, match.groups())
        return _of_numbers(year, second, first) if first > 12 else _of_numbers(year, first, second)
    try:
        return _of_date(datetime.fromisoformat(text))
    except ValueError:
        return UNKNOWN


def _of_numbers(year: int, month: int, day: int) -> int:
    try:
        return _of_date(date(year, month, day))
    except ValueError:
        return UNKNOWN


def _of_date(moment: date) -> int:
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    try:
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(UNKNOWN, int(aware.timestamp() * 1000))
    except (OverflowError, ValueError):
        return UNKNOWN
