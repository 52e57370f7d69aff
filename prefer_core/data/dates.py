"""When a review was written: numbers of any unit, and dates in digits or words; one order of days for a column."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.compact import Values, column_of

UNKNOWN = -1
"""Stands for an unknown time or verified flag."""

Order = Literal["day", "month", "year"]
"""What stands first in 3/4/21."""

_FIRST_YEAR = 1990
_FIRST_SERIAL, _LAST_DIGITS = 32874, 21_000_000
"""The first of 1990 as spreadsheets count days; below which number the eight digits of a day lie."""
_FIRST = int(datetime(_FIRST_YEAR, 1, 1, tzinfo=UTC).timestamp() * 1000)

# The first letters of the months in English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish,
# Polish, Turkish and Russian.
_MONTHS = {
    **{"jan": 1, "jän": 1, "ene": 1, "gen": 1, "feb": 2, "fév": 2, "fev": 2, "mar": 3, "mär": 3, "mrz": 3, "maa": 3},
    **{"mrt": 3, "apr": 4, "avr": 4, "abr": 4, "may": 5, "mai": 5, "mag": 5, "mei": 5, "jun": 6, "juin": 6, "giu": 6},
    **{"jul": 7, "juil": 7, "lug": 7, "aug": 8, "aoû": 8, "aou": 8, "ago": 8, "sep": 9, "set": 9, "oct": 10, "okt": 10},
    **{"ott": 10, "out": 10, "nov": 11, "dec": 12, "dez": 12, "déc": 12, "dic": 12, "maj": 5},
    **{"sty": 1, "lut": 2, "kwi": 4, "cze": 6, "lip": 7, "sie": 8, "wrz": 9, "paź": 10, "lis": 11, "gru": 12},
    **{"oca": 1, "şub": 2, "nis": 4, "haz": 6, "tem": 7, "ağu": 8, "eyl": 9, "eki": 10, "kas": 11, "ara": 12},
    **{"янв": 1, "фев": 2, "мар": 3, "апр": 4, "мая": 5, "май": 5, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "окт": 10},
    **{"ноя": 11, "дек": 12},
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})[^\W\d_]*\.?"
_WORDS = (
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.I),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|°)?\.?[\s-]+(?:(?:of|de|di)\s+)?{_MONTH},?[\s-]+"
        r"(?:de\s+)?(?P<year>\d{4})\b",
        re.I,
    ),
    re.compile(rf"\b(?P<year>\d{{4}})[\s-]{_MONTH}[\s-](?P<day>\d{{1,2}})\b", re.I),
)
_SHORT_YEAR = re.compile(
    rf"(?P<day>\d{{1,2}})[\s/-]{_MONTH}[\s/'-]+(?P<year>\d{{2}})(?:\s+\d{{1,2}}:\d\d(?::\d\d)?)?", re.I
)
_ASCTIME = re.compile(
    rf"[a-z]{{3}},?\s+{_MONTH}\s+(?P<day>\d{{1,2}})\s+(?P<clock>\d{{1,2}}:\d\d:\d\d)\s+"
    r"(?:(?P<zone>[+-]\d{2}:?\d{2}|UTC|GMT)\s+)?(?P<year>\d{4})",
    re.I,
)
_MAY_BE_DIGITS = re.compile(r"\s*\d{1,2}[/.-]")
_OF_2014 = re.compile(r"(\d{1,2}) (\d{1,2}), (\d{4})")  # "09 13, 2009", as Amazon wrote: the month first
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?=$|[T\s])")
_EAST = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})")
_COMPACT = re.compile(r"((?:19|20)\d{2})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)Z?)?")
_OFFSETS = {"Z": "+00:00", "UTC": "+00:00", "GMT": "+00:00", "BST": "+01:00", "CET": "+01:00", "CEST": "+02:00"}
_OFFSETS |= {"EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00"}
_OFFSETS |= {"PST": "-08:00", "PDT": "-07:00"}
_ZONES = "|".join(sorted(_OFFSETS, key=len, reverse=True))
_ZONE = re.compile(rf"\s*({_ZONES})$", re.IGNORECASE)
_TWELVE_HOURS = re.compile(r"(\d{1,2})(:\d\d(?::\d\d)?)\s*([ap])\.?m\.?", re.IGNORECASE)
_ONE_DIGIT_HOUR = re.compile(r"(?<=[T\s])(\d)(?=:\d\d)")
_DAY_OF_A_SHEET = re.compile(r"\d{5}[.,]\d+")
_CLOCK = (
    r"(?:,?[T\s]\s*(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(?P<half>[ap]\.?m\.?)?"
    rf"\s*(?P<zone>{_ZONES}|[+-]\d{{2}}:?\d{{2}})?)?"
)
_DIGITS = re.compile(
    rf"(?P<one>\d{{1,2}})(?P<sign>[/.-])(?P<two>\d{{1,2}})(?P=sign)(?P<year>\d{{4}}|\d{{2}}){_CLOCK}", re.I
)
_NAMED_ZONE = re.compile(r"\s*\[[\w/+-]+\]$")  # 2021-03-03T10:00:00Z[UTC], as Java writes
_OF_JSON = re.compile(r"\\?/Date\((-?\d+)(?:[+-]\d{4})?\)\\?/")
_SHORT_OFFSET = re.compile(r"(?<=:\d\d)\s?([+-]\d{2})$")


@dataclass(frozen=True)
class Times:
    """A column of times, read.

    Attributes
    ----------
    milliseconds : ndarray of int64 of shape (n,)
        Since 1970, UTC; -1 unknown.
    rule : str
        What was decided for the column, in words; empty where nothing needed to be decided.
    unknown : ndarray of int
        Rows in which something stands that is no time, or an ambiguous one.
    """

    milliseconds: NDArray[np.int64]
    rule: str
    unknown: NDArray[np.int64]


def read_times(values: Iterable[Any]) -> Times:
    """Read a column of times; whether 3/4/2021 is in March or in April is decided for the whole column.

    A day above 12 tells what stands first. A column in which none is (or in which both orders occur) leaves what may be
    read either way unknown; dates with dots are day first, as nobody writes months so.

    Examples
    --------
    >>> read_times(["13/4/2021", "3/4/2021"]).rule
    'day first (3/4/2021 is in April)'
    >>> read_times(["3/4/2021", "4/4/2021", "a week ago"]).unknown.tolist()
    [0, 2]
    """
    column, latest = column_of(values), _latest()
    order, rule = _order(column)
    found = np.empty(len(column), dtype=np.int64)
    is_there = np.empty(len(column), dtype=bool)
    for run in column.runs():
        if run.numbers is not None:
            found[run.place], is_there[run.place] = _of_numbers_alike(run.numbers, latest), ~np.isnan(run.numbers)
            continue
        different, codes = run.different()
        found[run.place] = np.array([milliseconds(value, order, latest) for value in different], dtype=np.int64)[codes]
        is_there[run.place] = ~np.array([_is_empty(value) for value in different])[codes]
    return Times(found, rule, np.flatnonzero((found < 0) & is_there))


def milliseconds(value: Any, order: Order | None = None, latest: int | None = None) -> int:
    """Return milliseconds since 1970 (UTC) of one value, or -1.

    The size of a number tells its unit: seconds, milliseconds, microseconds, nanoseconds, or days of a spreadsheet;
    20210303 is a date. Nothing outside 1990 to the end of next year is a time.

    Parameters
    ----------
    value : object
        As it stands in the row.
    order : {"day", "month"}, optional
        What stands first in dates of digits; without it those that may be read either way are unknown.
    latest : int, optional
        What `_latest` gives, where it is known.

    Examples
    --------
    >>> milliseconds("March 3, 2021") == milliseconds("03 3, 2021") == milliseconds(1614729600000000) == 1614729600000
    True
    >>> milliseconds("Wed Dec 04 19:04:54 -0800 2013") == milliseconds("2013-12-05T03:04:54Z")
    True
    """
    if value is None or isinstance(value, bool):
        return UNKNOWN
    latest = _latest() if latest is None else latest
    if isinstance(value, (int, float, np.number)):
        found = _of_number(float(value), latest)
    elif isinstance(value, (date, datetime)):
        found = _of_date(value)
    else:
        text = str(value).strip()
        usual = _of_usual(text, latest)
        found = _of_text(text, order, latest) if usual is None else usual
    return found if _FIRST <= found < latest else UNKNOWN


def _latest() -> int:
    """Return the end of next year: clocks of phones run ahead, but not further."""
    return int(datetime(datetime.now(UTC).year + 2, 1, 1, tzinfo=UTC).timestamp() * 1000)


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


_UNITS = (1000.0, 1.0, 1e-3, 1e-6)
"""Milliseconds in a second, a millisecond, a microsecond and a nanosecond."""


def _of_numbers_alike(numbers: NDArray[Any], latest: int) -> NDArray[np.int64]:
    """Return the times of many numbers: what `_of_number` gives for each."""
    found = np.full(len(numbers), UNKNOWN, dtype=np.int64)
    floats = numbers.astype(np.float64)
    left = np.ones(len(numbers), dtype=bool)
    for unit in _UNITS:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = floats * unit
        fits = left & (scaled >= _FIRST) & (scaled < latest)
        found[fits] = scaled[fits].astype(np.int64)
        left &= ~fits
    for place in np.flatnonzero(left & (floats >= _FIRST_SERIAL) & (floats < _LAST_DIGITS)).tolist():
        number = _of_number(float(floats[place]), latest)
        found[place] = number if _FIRST <= number < latest else UNKNOWN
    return found


def _of_number(number: float, latest: int) -> int:
    """Return the time of a number whose unit is told by its size."""
    if not math.isfinite(number):
        return UNKNOWN
    for unit in _UNITS:
        if _FIRST <= number * unit < latest:
            return int(number * unit)
    if 19_900_101 <= number < _LAST_DIGITS and number == int(number):
        return _of_numbers(int(number) // 10000, int(number) // 100 % 100, int(number) % 100)
    # Days since 30 December 1899, as spreadsheets count.
    if _FIRST_SERIAL <= number < 60000:
        return int((datetime(1899, 12, 30, tzinfo=UTC) + timedelta(days=number)).timestamp() * 1000)
    return UNKNOWN


def _of_usual(text: str, latest: int) -> int | None:
    """Return the time of the two usual forms, which no other rule reads otherwise: a count of seconds, and ISO 8601."""
    if text.isdecimal() and len(text) not in (8, 14):
        return _of_number(float(text), latest)
    if text[4:5] == text[7:8] == "-":
        try:
            return _of_date(datetime.fromisoformat(text))
        except ValueError:
            pass
    return None


def _of_text(text: str, order: Order | None, latest: int) -> int:
    if match := _OF_JSON.fullmatch(text):
        return int(match[1])
    text = _NAMED_ZONE.sub("", text)
    found = _of_figures(text, order, latest) if text[:1].isdigit() else None
    if found is not None:
        return found
    if match := _ASCTIME.fullmatch(text):
        zone = {"UTC": "+0000", "GMT": "+0000", None: "+0000"}.get(match["zone"], match["zone"])
        written = f"{match['year']}-{_month(match):02}-{int(match['day']):02}T{match['clock']:0>8}{zone}"
        try:
            return _of_date(datetime.strptime(written.replace(":", ""), "%Y-%m-%dT%H%M%S%z"))
        except ValueError:
            return UNKNOWN
    if ":" in text and "," in text:
        try:
            return _of_date(parsedate_to_datetime(text))
        except (ValueError, TypeError, IndexError):
            pass
    for pattern in _WORDS:
        if match := pattern.search(text):
            return _of_numbers(int(match["year"]), _month(match), int(match["day"]))
    if match := _SHORT_YEAR.fullmatch(text):
        return _of_numbers(_whole_year(int(match["year"])), _month(match), int(match["day"]))
    return UNKNOWN


def _of_figures(text: str, order: Order | None, latest: int) -> int | None:
    """Return the time of a text that begins with a digit; None where it may still be a date in words."""
    if match := _COMPACT.fullmatch(text):
        return _of_compact(*(int(part) for part in match.groups("0")))
    if match := _DIGITS.fullmatch(text):
        return _of_digits(match, order)
    if match := _EAST.match(text):
        return _of_numbers(*map(int, match.groups()))
    if match := _OF_2014.fullmatch(text):
        return _of_numbers(int(match[3]), int(match[1]), int(match[2]))
    if _DAY_OF_A_SHEET.fullmatch(text):
        return _of_number(float(text.replace(",", ".")), latest)
    try:
        return _of_number(float(text.replace(",", "")), latest)
    except ValueError:
        pass
    try:
        return _of_date(datetime.fromisoformat(_as_iso(text)))
    except ValueError:
        return None


def _of_compact(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int:
    """Return the time of 20210303 or 20210303T101500."""
    try:
        return _of_date(datetime(year, month, day, hour, minute, second, tzinfo=UTC))
    except ValueError:
        return UNKNOWN


def _as_iso(text: str) -> str:
    """Bring the forms close to ISO 8601 to one that is."""
    text = _YEAR_FIRST.sub(lambda m: f"{m[1]}-{int(m[2]):02}-{int(m[3]):02}", text)
    text = _ZONE.sub(lambda m: _OFFSETS[m[1].upper()], text)
    text = _TWELVE_HOURS.sub(lambda m: f"{_hour(int(m[1]), m[3]):02}{m[2]}", text)
    text = _ONE_DIGIT_HOUR.sub(r"0\1", text)
    text = re.sub(r"\s+(?=[+-]\d{2}:?\d{2}$)", "", text)
    return _SHORT_OFFSET.sub(r"\1:00", text)


def _month(match: re.Match[str]) -> int:
    return _MONTHS[match["month"].lower()]


def _order(values: Values) -> tuple[Order | None, str]:
    """Decide for a column of dates in digits whether the day or the month stands first."""
    day = month = either = dots = 0
    firsts, lasts = set[int](), set[int]()
    for value in _texts(values):
        if (match := _DIGITS.fullmatch(value.strip())) is None:
            continue
        one, two = int(match["one"]), int(match["two"])
        if len(match["year"]) == 2:
            firsts.add(one)
            lasts.add(int(match["year"]))
        day += one > 12 >= two
        month += two > 12 >= one
        either += max(one, two) <= 12 and one != two
        dots += match["sign"] == "."
    if lasts and max(lasts) <= 31 and len(firsts) < len(lasts):  # a column has fewer years than days
        return "year", "year first (21/4/3 is in April 2021)"
    if day and not month:
        return "day", "day first (3/4/2021 is in April)"
    if month and not day:
        return "month", "month first (3/4/2021 is in March)"
    if dots and not month:
        return "day", "day first, as with dots (3.4.2021 is in April)"
    if day and month:
        return None, f"both orders of day and month occur, so {either:,} dates may be read either way and are unknown"
    if either:
        return None, f"whether day or month stands first cannot be told, so {either:,} dates are unknown"
    return None, ""


def _texts(values: Values) -> Iterator[str]:
    """Yield those texts of a column that may be dates in digits, if only by their first signs."""
    for run in values.runs():
        if run.numbers is None:
            for value in run:
                if isinstance(value, str) and _MAY_BE_DIGITS.match(value):
                    yield value


def _of_digits(match: re.Match[str], order: Order | None) -> int:
    one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
    if order == "year" and year < 100:
        return _of_numbers(2000 + one, two, year)
    year = _whole_year(year)
    if one > 12 or two > 12:
        day, month = (one, two) if one > 12 else (two, one)
    elif one == two or order == "day":
        day, month = one, two
    elif order == "month":
        day, month = two, one
    else:
        return UNKNOWN
    whole = _of_numbers(year, month, day)
    return whole + _clock(match) if whole >= 0 else UNKNOWN


def _whole_year(year: int) -> int:
    return year if year >= 100 else year + (2000 if year < 70 else 1900)


def _clock(match: re.Match[str]) -> int:
    """Return the milliseconds since midnight, UTC."""
    if not match["clock"]:
        return 0
    hour, minute, second = (int(part) for part in f"{match['clock']}:0".split(":")[:3])
    if match["half"]:
        hour = _hour(hour, match["half"])
    if not (hour < 24 and minute < 60 and second < 60):
        return 0
    return ((hour * 60 + minute) * 60 + second) * 1000 - _offset(match["zone"] or "Z")


def _hour(hour: int, half: str) -> int:
    return hour % 12 + (12 if half[0] in "pP" else 0)


def _offset(zone: str) -> int:
    """Return the milliseconds by which clocks of a zone ("EST", "-0500") are ahead of UTC."""
    digits = _OFFSETS.get(zone.upper(), zone).replace(":", "")
    return int(f"{digits[0]}1") * (60 * int(digits[1:3]) + int(digits[3:5])) * 60_000


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
