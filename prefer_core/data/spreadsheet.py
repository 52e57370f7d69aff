"""Every table that leaves the app as CSV, so that a spreadsheet opens it as it is meant."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd

MARK = "\ufeff"
"""Byte-order mark: without it Excel reads UTF-8 as Windows-1252."""

# A cell that begins so is a formula, in whatever width the sign is written, also behind white space.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?")


def to_csv(
    rows: pd.DataFrame | Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None, *, mark: bool = True
) -> str:
    r"""Return rows as the text of a CSV file.

    A text that a spreadsheet would take for a formula gets an apostrophe in front; negative numbers stay numbers. Times
    are written in ISO 8601 with their offset (UTC where they have none), numbers in full, what is missing as nothing.

    Parameters
    ----------
    rows : DataFrame or iterable of mapping
        One a line.
    columns : sequence of str, optional
        Names and order; by default those of the first row.
    mark : bool
        Whether the text begins with a byte-order mark, as a file needs it.

    Examples
    --------
    >>> to_csv([{"text": "=1+1", "value": -0.5}, {"text": "-3", "value": None}], mark=False)
    "text,value\r\n'=1+1,-0.5\r\n-3,\r\n"
    """
    if isinstance(rows, pd.DataFrame):
        names = list(rows.columns) if columns is None else list(columns)
        lines: Iterable[Sequence[Any]] = rows[names].itertuples(index=False, name=None)
    else:
        known = list(rows)
        names = list(columns) if columns is not None else list(dict.fromkeys(name for row in known for name in row))
        lines = ([row.get(name) for name in names] for row in known)
    stream = io.StringIO()
    out = csv.writer(stream)
    out.writerow(map(cell, names))
    out.writerows([cell(value) for value in line] for line in lines)
    return (MARK if mark else "") + stream.getvalue()


def cell(value: Any) -> str:
    """Return a value as it stands in a cell.

    >>> cell("@SUM(A1)"), cell("+4.5"), cell(-2), cell(datetime(2026, 1, 2, 3, 4, tzinfo=UTC)), cell("- it leaks")
    ("'@SUM(A1)", '+4.5', '-2', '2026-01-02T03:04:00+00:00', "'- it leaks")
    """
    if value is None or value is pd.NaT or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return ""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(value)
    text = str(value).replace("\x00", "")
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text.strip()):
        return f"'{text}"
    return text
