"""Where reviews come from, and what becomes of rows that are not as they should be."""

import gzip
import json
import math
from pathlib import Path

import pytest

from prefer_core.data.columns import recognise
from prefer_core.data.sources import read_source
from prefer_core.errors import ConfigError, DataError
from tests.data.made import made_reviews, write_jsonl

ROW = {"parent_asin": "P", "text": "It is a very good soap.", "rating": 4}


def test_standard_rows_come_through_unchanged(tmp_path: Path) -> None:
    """Every field of a well-formed row arrives with its value."""
    made = made_reviews(5)
    rows = read_source(str(write_jsonl(tmp_path / "a.jsonl", made))).rows
    for name in ("user_id", "parent_asin", "timestamp", "rating", "title", "text", "helpful_vote"):
        assert list(rows[name]) == [row[name] for row in made]
    assert list(rows["verified_purchase"]) == [int(row["verified_purchase"]) for row in made]


def test_gzip_and_plain_give_the_same_rows_and_other_digests(tmp_path: Path) -> None:
    """Compression changes the bytes, hence the digest, but not the rows."""
    plain = write_jsonl(tmp_path / "a.jsonl", made_reviews(5))
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    one, two = read_source(str(plain)), read_source(str(packed))
    assert one.rows.equals(two.rows)
    assert one.digest != two.digest
    assert (one.name, two.name) == ("a", "b")


def test_missing_values_become_unknown_and_are_counted(tmp_path: Path) -> None:
    """A rating outside 1..5 is NaN, null text and a missing product drop the row, asin stands in for parent_asin."""
    rows = [
        ROW | {"rating": 6.0, "timestamp": "soon", "verified_purchase": None},
        ROW | {"text": None},
        {"text": "no product here at all"},
        ROW | {"parent_asin": None, "asin": "A", "rating": "x"},
    ]
    source = read_source(str(write_jsonl(tmp_path / "a.jsonl", rows)))
    assert list(source.rows["parent_asin"]) == ["P", "A"]
    assert all(math.isnan(value) for value in source.rows["rating"])
    assert list(source.rows["timestamp"]) == [-1, -1]
    assert list(source.rows["verified_purchase"]) == [-1, -1]
    assert source.counts["ratings outside 1 to 5"] == 2
    assert source.counts["without text"] == 1
    assert source.counts["without product"] == 1


def test_broken_lines_are_counted_and_skipped_up_to_half(tmp_path: Path) -> None:
    """Half the lines may be broken; one more stops the build with the numbers."""
    half = write_jsonl(tmp_path / "a.jsonl", [ROW, "{broken", ROW | {"text": "Another good text."}, "[1, 2]"])
    assert read_source(str(half)).counts["broken lines"] == 2
    most = write_jsonl(tmp_path / "b.jsonl", [ROW, "{broken", "nonsense"])
    with pytest.raises(DataError, match="2 of 3 lines"):
        read_source(str(most))


def test_limit_reads_the_first_rows_only(tmp_path: Path) -> None:
    """--limit 3 gives the first three reviews."""
    made = made_reviews(10)
    source = read_source(str(write_jsonl(tmp_path / "a.jsonl", made)), limit=3)
    assert list(source.rows["text"]) == [row["text"] for row in made[:3]]


def test_titles_come_from_the_file_beside(tmp_path: Path) -> None:
    """X.meta.jsonl names the products of X.jsonl; others are called by category and id, or Product and id."""
    rows = [ROW, ROW | {"parent_asin": "Q", "category": "Tops/Knits"}, ROW | {"parent_asin": "R"}]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    bare = read_source(str(path))
    write_jsonl(tmp_path / "a.meta.jsonl", [{"parent_asin": "P", "title": "Coconut soap &amp;  oil"}])
    named = read_source(str(path))
    assert named.titles == {"P": "Coconut soap & oil", "Q": "Tops/Knits Q", "R": "Product R"}
    assert named.digest != bare.digest


def test_csv_with_other_names_is_recognised(tmp_path: Path) -> None:
    """Common column names are found without --map, whatever their capitals; a row without user is its own reviewer."""
    path = tmp_path / "a.csv"
    path.write_text('Prod ID,Review,Stars\nP,"Good, and\ncheap",4\nP,Bad,9\n', "utf-8")
    source = read_source(str(path))
    assert source.columns == {"text": "Review", "parent_asin": "Prod ID", "rating": "Stars"}
    assert list(source.rows["text"]) == ["Good, and\ncheap", "Bad"]
    assert source.rows["user_id"].nunique() == 2
    assert not source.has_users


def test_map_overrides_what_is_recognised(tmp_path: Path) -> None:
    """--map text=note takes the column note although there is one called text."""
    path = tmp_path / "a.csv"
    path.write_text("product,text,note\nP,wrong,right\n", "utf-8")
    assert list(read_source(str(path), {"text": "note"}).rows["text"]) == ["right"]


def test_unknown_columns_are_listed_with_the_remedy() -> None:
    """The error lists every column found and shows --map."""
    with pytest.raises(DataError, match=r"alpha, beta.*--map text=COLUMN"):
        recognise(["alpha", "beta"], {})
    with pytest.raises(DataError, match=r"no column 'gamma'.*alpha, beta"):
        recognise(["alpha", "beta"], {"text": "gamma"})
    with pytest.raises(ConfigError, match="does not know 'colour'"):
        recognise(["alpha", "beta"], {"colour": "alpha"})


def test_all_columns_are_listed_even_unwanted_ones(tmp_path: Path) -> None:
    """A JSON file whose fields nobody knows is refused with their names."""
    with pytest.raises(DataError, match="foo, asin, bar"):
        read_source(str(write_jsonl(tmp_path / "a.jsonl", [{"foo": 1, "asin": "P"}, {"bar": 2}])))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_encodings(tmp_path: Path, encoding: str, suffix: str) -> None:
    """UTF-8 with or without byte-order mark and Windows-1252 give the same text."""
    text = "Crème “brûlée” — très bon"
    row = f"asin,text\nP,{text}\n" if suffix == "csv" else json.dumps({"asin": "P", "text": text}, ensure_ascii=False)
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(row.encode(encoding))
    assert list(read_source(str(path)).rows["text"]) == [text]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"", "is empty"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"text,asin\n", "is empty"),
        ("a.jsonl", b'{"text": null, "asin": "P"}\n', "No review in"),
        ("a.jsonl.gz", b"\x1f\x8b\x08damaged", "damaged or cut-off packed file"),
        ("a.jsonl.gz", gzip.compress(b'{"text": "x"}\n' * 9999)[:-20], "damaged or cut-off packed file"),
        ("a.doc", b"x", "of no kind that can be read"),
    ],
)
def test_unusable_files_are_refused_in_words(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    """Each kind of unusable file has its own sentence."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_source(str(tmp_path / name))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    """A path that is not there, and one that is a folder, are told apart."""
    with pytest.raises(DataError, match="There is no file"):
        read_source(str(tmp_path / "none.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        read_source(str(tmp_path / "folder.csv"))


def test_real_dirty_rows(real_data: Path) -> None:
    """The six malformed rows give five reviews, one unknown rating and one row without product."""
    source = read_source(str(real_data / "malformed_rows.jsonl"))
    assert len(source.rows) == 5
    assert source.counts["ratings outside 1 to 5"] == 1
    assert source.counts["without product"] == 1


def test_sample_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sample` does not depend on the current folder, is marked as such, and every product has a title."""
    monkeypatch.chdir(tmp_path)
    source = read_source("sample", limit=50)
    assert source.is_sample
    assert not any(title.startswith("Product ") for title in source.titles.values())
