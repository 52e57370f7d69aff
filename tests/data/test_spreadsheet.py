"""Tables that leave the app open in a spreadsheet as they are meant."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefer_core.data.spreadsheet import MARK, cell, to_csv

ROOT = Path(__file__).resolve().parents[2]


@given(st.text(alphabet="=+-@＝\t\r\n 1aé,;\"'", max_size=12))
def test_no_cell_is_a_formula(text: str) -> None:
    """Whatever a reviewer wrote: the cell begins with no sign of a formula unless it is a plain number."""
    written = to_csv([{"text": text, "n": 1}])
    row = next(csv.DictReader(io.StringIO(written.removeprefix(MARK), newline="")))
    read = row["text"]
    assert read.removeprefix("'") == text.removeprefix("'")
    if not re.fullmatch(r"[+-]?[\d.]+", read.strip()):
        assert not re.match(r"\s*[=+\-@＝]|[\t\r\n]", read)


@given(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53), 2**53)))
def test_numbers_stay_numbers(number: float) -> None:
    """Negative ones too, to the last digit, plain or of numpy."""
    assert float(cell(number)) == number
    assert float(cell(np.float64(number))) == float(number)


def test_times_and_gaps() -> None:
    """Times carry their offset, what is missing is empty; tables of pandas and plain rows give the same file."""
    west = datetime(2026, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=-7)))
    rows = [
        {"when": west, "x": None, "y": np.nan, "z": True},
        {"when": west.astimezone(UTC), "x": 1, "y": 2.5, "z": False},
    ]
    text = to_csv(rows)
    assert text.startswith(MARK)
    lines = text.removeprefix(MARK).split("\r\n")
    assert lines[1:3] == ["2026-01-02T03:04:00-07:00,,,True", "2026-01-02T10:04:00+00:00,1,2.5,False"]
    frame = pd.DataFrame({"a": [-1.5, np.nan], "b": ["=x", "é"]})
    assert to_csv(frame) == to_csv(frame.to_dict("records"))
    assert to_csv([], ["a", "b"], mark=False) == "a,b\r\n"


@pytest.mark.parametrize("folder", ["ui", "figures"])
def test_every_table_of_the_pages_goes_through_it(folder: str) -> None:
    """No page writes CSV by itself."""
    for file in (ROOT / "prefer_core" / folder).glob("*.py"):
        text = file.read_text("utf-8")
        assert ".to_csv(index" not in text, file
        assert "csv.writer" not in text, file
        assert "csv.DictWriter" not in text, file
