"""Every kind of file gives the same reviews; single values in all the forms that exports have."""

import gzip
import io
import json
import math
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from prefer_core.data.dates import milliseconds
from prefer_core.data.ratings import read_ratings
from prefer_core.data.sources import Source, read_source
from prefer_core.data.values import as_number, as_verified, as_votes
from prefer_core.errors import DataError
from tests.data.made import made_reviews

MADE = [row | {"text": f'She said "{row["text"]}"\nand, then; left it'} for row in made_reviews(7)]


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pd.DataFrame(rows).to_parquet(stream)
    return stream.getvalue()


KINDS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    ".jsonl": _lines,
    ".json": lambda rows: json.dumps(rows, indent=2).encode(),
    ".csv": lambda rows: pd.DataFrame(rows).to_csv(index=False).encode("utf-8-sig"),
    ".tsv": lambda rows: pd.DataFrame(rows).to_csv(index=False, sep="\t").encode(),
    ".parquet": _parquet,
}


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_rows(tmp_path: Path, kind: str, ending: str) -> None:
    """Quotes, commas and line breaks in a text come through in each kind, packed or not, as in JSON lines."""
    expected = _read(tmp_path / "plain.jsonl", _lines(MADE)).rows
    content = KINDS[kind](MADE)
    source = _read(tmp_path / f"a{kind}{ending}", gzip.compress(content) if ending else content)
    pd.testing.assert_frame_equal(source.rows, expected)


def _read(path: Path, content: bytes) -> Source:
    path.write_bytes(content)
    return read_source(str(path))


def test_a_packed_file_is_seen_by_its_bytes(tmp_path: Path) -> None:
    """A gzip file without .gz in its name, and a plain one with it, are read."""
    assert len(_read(tmp_path / "a.jsonl", gzip.compress(_lines(MADE))).rows) == 7
    assert len(_read(tmp_path / "b.jsonl.gz", _lines(MADE)).rows) == 7


def test_json_may_be_lines_and_an_array_may_not_break_off(tmp_path: Path) -> None:
    """.json with a row a line is read; an array without its end is refused, not read in part."""
    assert len(_read(tmp_path / "a.json", _lines(MADE)).rows) == 7
    with pytest.raises(DataError, match="breaks off"):
        _read(tmp_path / "b.json", json.dumps(MADE).encode()[:-40])


def test_an_array_larger_than_a_block(tmp_path: Path) -> None:
    """Rows that lie across the blocks in which an array is read arrive whole."""
    rows = [{"asin": "P", "text": f"{number} " + "é" * 70_000} for number in range(40)]
    assert list(_read(tmp_path / "a.json", json.dumps(rows).encode()).rows["text"]) == [row["text"] for row in rows]


def test_tsv_without_quotes_keeps_a_lone_quote(tmp_path: Path) -> None:
    """A quote that opens a field and never closes swallows no line where every line is a row."""
    rows = _read(tmp_path / "a.tsv", b'asin\treview\nP\t"Good soap, she said\nQ\tBad "soap"\n').rows
    assert list(rows["text"]) == ['"Good soap, she said', 'Bad "soap"']


def test_semicolons_and_a_damaged_parquet(tmp_path: Path) -> None:
    """A CSV of a European office is read; a parquet file that is none is refused in words."""
    assert list(_read(tmp_path / "a.csv", b"asin;review;stars\nP;Good, cheap;4,5\n").rows["rating"]) == [4.5]
    with pytest.raises(DataError, match="parquet file cannot be read"):
        _read(tmp_path / "a.parquet", b"PAR1 but nothing else")


def test_fields_of_2014_and_2018(tmp_path: Path) -> None:
    """Names, seconds, [helpful, all], "1,234" votes and rows in Python's repr of the older crawls are read."""
    old = {
        "reviewerID": "A1", "asin": "P", "reviewText": "A very good soap.", "overall": 4.0, "summary": "Good",
        "unixReviewTime": 1252800000, "reviewTime": "09 13, 2009", "helpful": [2, 3],
    }  # fmt: skip
    newer = {
        "reviewerID": "A2", "asin": "P", "reviewText": "Not so good.", "overall": 2.0, "verified": True,
        "reviewTime": "09 13, 2009", "vote": "1,234",
    }  # fmt: skip
    rows = _read(tmp_path / "old.json", repr(old).encode() + b"\n").rows
    assert rows.iloc[0].to_dict() == {
        "user_id": "A1", "parent_asin": "P", "timestamp": 1252800000000, "rating": 4.0, "title": "Good",
        "text": "A very good soap.", "helpful_vote": 2, "verified_purchase": -1,
    }  # fmt: skip
    row = _read(tmp_path / "newer.json", _lines([newer])).rows.iloc[0]
    assert (row["timestamp"], row["helpful_vote"], row["verified_purchase"]) == (1252800000000, 1234, 1)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "March 3, 2021",
            "Reviewed in the United States on March 3, 2021",
            "3 March 2021",
            "Mar 3rd 2021",
            "3-Mar-2021",
        ),
        *("2021-03-03", "2021-03-03T00:00:00Z", "03/03/2021", "03 3, 2021", "20210303", 20210303, 1614729600),
        *("03-Mar-21", "3 марта 2021", "3 Mart 2021", "20210303000000", "20210303T000000Z", "2021-03-03T00:00Z[UTC]"),
        *("/Date(1614729600000)/", "3 marca 2021", "3 mars 2021"),
        *(1614729600000, "1614729600", "1,614,729,600", date(2021, 3, 3), datetime(2021, 3, 3, tzinfo=UTC)),
    ],
)
def test_a_day_in_all_its_forms(value: object) -> None:
    """Words, digits, seconds and milliseconds of one day are one time."""
    assert milliseconds(value) == int(datetime(2021, 3, 3, tzinfo=UTC).timestamp() * 1000)


def test_values_that_are_none() -> None:
    """What cannot be trusted is unknown: impossible dates, NaN, words."""
    assert {milliseconds(v) for v in ("February 30, 2021", "soon", math.nan, None, "", "99/99/2020", -5)} == {-1}
    assert milliseconds("31/12/2020") == milliseconds("12/31/2020") == milliseconds("2020-12-31")
    assert math.isnan(as_number("1,2,3"))
    assert (as_number("12,345.5"), read_ratings(["3 stars"]).stars[0], as_votes("1,234 people found this helpful")) == (
        12345.5,
        3,
        1234,
    )
    assert (as_votes("[]"), as_votes(math.nan), as_verified("Verified Purchase"), as_verified(math.nan)) == (
        0,
        0,
        1,
        -1,
    )


def test_language(tmp_path: Path) -> None:
    """--language en drops the Spanish and German review, counts them, and keeps what is too short to tell."""
    from prefer_core.config import TextSettings
    from prefer_core.data.reviews import review_table
    from prefer_core.errors import ConfigError

    texts = [
        "This soap smells of coconut and lasts all day long.", "Muy buen producto, me gusta mucho y huele bien.",
        "Die Seife riecht sehr gut und hält lange, danke schön.", "Excelente!",
    ]  # fmt: skip
    source = _read(tmp_path / "a.jsonl", _lines([{"asin": "P", "text": text} for text in texts]))
    table = review_table(source, TextSettings(language="en"))
    assert list(table.rows["text"]) == [texts[0], texts[3]]
    assert table.counts["in another language than en"] == 2
    with pytest.raises(ConfigError, match="found 'klingon'"):
        review_table(source, TextSettings(language="klingon"))
