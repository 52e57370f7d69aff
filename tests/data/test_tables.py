"""Tables of text in every dialect give back what was written; quotes that are wrong cost no other row."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prefer_core.data.readers import read_rows
from prefer_core.data.reading import Broken, HowRead, Row
from prefer_core.errors import DataError

LETTERS = "abcdefghij äöüéñç 0123456789 ,;|\t'!?.-"
CELLS = st.text(alphabet=LETTERS + '"\n', min_size=1, max_size=60).map(lambda text: f"w{text}w")
PLAIN = st.text(alphabet=LETTERS.replace("\t", ""), min_size=1, max_size=60).map(lambda text: f"w{text}w")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252")
NAMES = ["product", "user", "rating", "review"]


def _rows(texts: list[str]) -> list[list[str]]:
    return [[f"p{i % 3}", f"u{i}", str(1 + i % 5), text] for i, text in enumerate(texts)]


def _read(folder: Path, content: bytes, name: str = "a.csv") -> tuple[list[Row], list[Broken], HowRead]:
    path, how = folder / name, HowRead()
    path.write_bytes(content)
    found = list(read_rows(path, how))
    return [r for r in found if isinstance(r, dict)], [r for r in found if isinstance(r, Broken)], how


def _written(rows: list[list[str]], delimiter: str, quoting: str, newline: str) -> str:
    stream = io.StringIO()
    if quoting == "backslash":
        escaped = [[cell.replace("\\", "\\\\").replace('"', '\\"') for cell in row] for row in [NAMES, *rows]]
        return "".join(delimiter.join(f'"{cell}"' for cell in row) + newline for row in escaped)
    style = csv.QUOTE_ALL if quoting == "all" else csv.QUOTE_MINIMAL
    csv.writer(stream, delimiter=delimiter, lineterminator=newline, quoting=style).writerows([NAMES, *rows])
    return stream.getvalue()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("quoting", ["minimal", "all", "backslash"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@given(texts=st.lists(CELLS, min_size=4, max_size=12), encoding=st.sampled_from(ENCODINGS), named=st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_written_is_read(
    tmp_path: Path, delimiter: str, quoting: str, newline: str, texts: list[str], encoding: str, named: bool
) -> None:
    """Delimiter x quoting x newline x encoding: every cell comes back as it was, line breaks and quotes included.

    Escaped by backslash, a quote before a delimiter can be read in two ways where every row has one, and is left out.
    """
    if quoting == "backslash":
        texts = [text.replace(f'"{delimiter}', '"') for text in texts]
    if encoding == "cp1252":  # as in languages, where two such letters seldom stand together
        texts = [re.sub("([äöüéñç])(?=[äöüéñç])", "", text) for text in texts]
    rows = _rows(texts)
    text = (f"sep={delimiter}{newline}" if named else "") + _written(rows, delimiter, quoting, newline)
    found, broken, _ = _read(tmp_path, text.encode(encoding))
    assert not broken
    assert [list(row.values()) for row in found] == rows


@given(texts=st.lists(PLAIN, min_size=6, max_size=30), place=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_lone_quote_swallows_no_row(tmp_path: Path, texts: list[str], place: st.DataObject) -> None:
    """One cell that opens with a quote and never closes, in a table with quotes: every row comes, or is counted."""
    rows = _rows(texts)
    at = place.draw(st.integers(0, len(rows) - 1))
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    lines[at] = ",".join(rows[at][:3]) + f',"{texts[at]}'
    found, broken, how = _read(tmp_path, "\n".join([",".join(NAMES), *lines, ""]).encode())
    assert len(found) + len(broken) == len(rows)
    assert [row["review"] for row in found if row["user"] != f"u{at}"] == [t for i, t in enumerate(texts) if i != at]
    assert how.repaired + len(broken) == 1


def test_a_lone_quote_among_rows_without_quotes(tmp_path: Path) -> None:
    """Two lone quotes rows apart, each of which would close the other one, swallow nothing."""
    texts = [f"the lid is {word}" for word in ("soft", "warm", "red", "large", "small", "loud", "dull")]
    texts[1], texts[5] = '"Silent they said', 'It is 15"'
    rows = _rows(texts)
    found, broken, how = _read(tmp_path, "\n".join([",".join(NAMES), *map(",".join, rows), ""]).encode())
    assert [row["review"] for row in found] == texts
    assert (broken, how.repaired) == ([], 1)


def test_quotes_that_are_not_doubled(tmp_path: Path) -> None:
    """A quoted cell with quotes and delimiters in it that nobody doubled is read whole."""
    content = 'product,rating,review\nP,5,"He said "wow, so soft" to me"\nP,4,"It is fine"\n'
    found, broken, how = _read(tmp_path, content.encode())
    assert [row["review"] for row in found] == ['He said "wow, so soft" to me', "It is fine"]
    assert (broken, how.repaired) == ([], 1)


def test_a_quote_that_never_closes_costs_no_memory_and_no_row(tmp_path: Path) -> None:
    """One quote at the beginning of 20,000 rows without any other gives 20,000 rows."""
    rows = _rows([f"the lid is fine {i}" for i in range(20_000)])
    rows[0][3] = '"Oh'
    found, broken, _ = _read(tmp_path, "\n".join([",".join(NAMES), *map(",".join, rows)]).encode())
    assert (len(found), broken) == (20_000, [])


def test_rows_that_are_too_short_are_told_and_too_long_ones_joined(tmp_path: Path) -> None:
    """A row with too few cells is broken, with its number; delimiters in the one column of free text belong to it."""
    lines = [",".join(row) for row in _rows(["fine lid"] * 9)]
    lines[4] = "p1,u4,5"
    lines[7] = "p1,u7,5,soft, warm, red"
    found, broken, how = _read(tmp_path, "\n".join([",".join(NAMES), *lines]).encode())
    assert len(found) == 8
    assert broken == [Broken(5, lines[4])]
    assert found[6]["review"] == "soft, warm, red"
    assert how.repaired == 1


@pytest.mark.parametrize("commas", [1, 2, 5])
def test_commas_that_nobody_quoted(tmp_path: Path, commas: int) -> None:
    """A text with commas in every row, without quotes and not in the last column, is whole; no cell moves."""
    texts = [f"the lid {i} is soft" + ", warm" * commas for i in range(12)]
    lines = [f"p{i % 3},u{i % 5},{text},{1 + i % 5}" for i, text in enumerate(texts)]
    found, broken, _ = _read(tmp_path, "\n".join(["product,user,review,rating", *lines]).encode())
    assert not broken
    assert [row["review"] for row in found] == texts
    assert [row["rating"] for row in found] == [str(1 + i % 5) for i in range(12)]


def test_lines_above_the_header_and_rare_delimiters(tmp_path: Path) -> None:
    """A title and a date above the table are told and left out, bare or padded; rare delimiters are found."""
    rows = _rows([f"the lid, of {i}" for i in range(9)])
    for title in ("Reviews of 2024\n\n", "Reviews of 2024;;;\n"):
        found, broken, how = _read(tmp_path, (title + _written(rows, ";", "minimal", "\n")).encode())
        assert [list(row.values()) for row in found] == rows
        assert (broken, how.above) == ([], title.count("\n"))
    for delimiter in "^~\x01\x1f":
        assert [
            list(row.values()) for row in _read(tmp_path, _written(rows, delimiter, "minimal", "\n").encode())[0]
        ] == rows


def test_single_quotes_around_texts(tmp_path: Path) -> None:
    """A column in single quotes throughout loses them; an apostrophe within stays."""
    lines = [f"p{i % 3},{1 + i % 5},'it''s soft, and warm {i}'" for i in range(8)]
    found, _, _ = _read(tmp_path, "\n".join(["product,rating,review", *lines]).encode())
    assert [row["review"] for row in found] == [f"it's soft, and warm {i}" for i in range(8)]


def test_stray_rows_of_windows(tmp_path: Path) -> None:
    """In a UTF-8 file the rows pasted in as Windows-1252 are read as such and counted; a Mac's line ends are ends."""
    lines = [b"product,review", "p,caf\xe9 na\xefve".encode(), "p,caf\xe9 na\xefve".encode("cp1252")]
    found, _, how = _read(tmp_path, b"\n".join(lines))
    assert [row["review"] for row in found] == ["café naïve"] * 2
    assert how.strays == 1
    assert len(_read(tmp_path, b"\r".join(lines))[0]) == 2


def test_names_of_rows_and_spare_delimiters(tmp_path: Path) -> None:
    """R writes a row's name before its cells, others a delimiter behind the last: both are no cells."""
    assert _read(tmp_path, b"product,review\n1,p,soft\n2,q,warm\n")[0][0] == {"": "1", "product": "p", "review": "soft"}
    assert _read(tmp_path, b"product,review,\np,soft,\nq,warm,\n")[0][1]["review"] == "warm"


def test_long_cells(tmp_path: Path) -> None:
    """A cell of 24 MB is a cell."""
    found, broken, _ = _read(tmp_path, b'product,review\np,"' + b"soft " * 5_000_000 + b'"\nq,warm\n')
    assert (len(found[0]["review"]), found[1]["review"], broken) == (25_000_000, "warm", [])


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), PLAIN, st.lists(st.integers(), max_size=2))


@given(
    rows=st.lists(st.fixed_dictionaries({"text": CELLS, "value": VALUES, "n": VALUES}), min_size=1, max_size=8),
    encoding=st.sampled_from(ENCODINGS[:-1]),
    newline=st.sampled_from(["\n", "\r\n", "\n\n"]),
    plain=st.booleans(),
    kind=st.sampled_from(["a.jsonl", "a.json"]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_of_json_come_back(
    tmp_path: Path, rows: list[Row], encoding: str, newline: str, plain: bool, kind: str
) -> None:
    """As lines and as an array, in every encoding: long numbers, NaN and halves of emoji are what they were."""
    rows[0]["half"] = "\ud83d" if plain else "\U0001f642"
    lines = [json.dumps(row, ensure_ascii=plain) for row in rows]
    text = newline.join(lines) if kind == "a.jsonl" else f"[{(',' + newline).join(lines)}]"
    found, broken, _ = _read(tmp_path, text.encode(encoding), kind)
    assert not broken
    assert [json.dumps(row) for row in found] == [json.dumps(row) for row in rows]


@pytest.mark.parametrize(
    "content",
    [
        '{"success": 1, "appId": "P", "page": {"reviews": [{"text": "soft lid", "n": NaN}, {"text": "warm lid"}]}}',
        '[{"id": "P", "reviews": [{"text": "soft lid"}, {"text": "warm lid"}]}]',
        '{"text": {"0": "soft lid", "1": "warm lid"}, "item": {"0": "P", "1": "P"}}',
        '{"columns": ["text", "item"], "data": [["soft lid", "P"], ["warm lid", "P"]]}',
        "[{'text': 'soft lid', 'item': 'P'}, {'text': 'warm lid', 'item': 'P'}]",
        '{\n "text": "soft lid",\n "n": 1\n}\n{\n "text": "warm lid"\n}\n',
        '[{"text": "soft lid"},\n{"text": "warm lid"}\n]\n',
        '{"text": "soft lid"},\n{"text": "warm lid"},\n',
        "{u'text': u'soft lid', u'n': 12L}\n{'text': 'warm lid', 'n': nan}\n",
        'var found = [{"text": "soft lid"}, {"text": "warm lid"}];',
        ')]}\',\n{"reviews": [{"text": "soft lid"}, {"text": "warm lid"}]}',
        'callback({"reviews": [{"text": "soft lid"}, {"text": "warm lid"}]});',
        '[["text", "item"], ["soft lid", "P"], ["warm lid", "P"]]',
        '["text", "item"]\n["soft lid", "P"]\n["warm lid", "P"]\n',
        '\x1e{"text": "soft lid"}\n\x1e{"text": "warm lid"}\n',
        '{"P": [{"text": "soft lid", "n": 1}], "Q": [{"text": "warm lid", "n": 2}]}',
        '{"all": {"P": {"reviews": [{"text": "soft lid"}]}, "Q": {"reviews": [{"text": "warm lid"}]}}}',
        '{"reviews": [{"text": "soft lid"}, {"text": "warm lid"}], "photos": [{"file": "a", "caption": "a lid"}]}',
    ],
)
def test_json_in_every_shape(tmp_path: Path, content: str) -> None:
    """An object that holds the array, products that hold reviews, tables of pandas, Python's repr of both ages."""
    found, broken, _ = _read(tmp_path, content.encode(), "a.json")
    assert [row["text"] for row in found] == ["soft lid", "warm lid"]
    assert not broken


def test_whose_reviews_an_object_holds(tmp_path: Path) -> None:
    """Names of arrays beside each other are products, parts of a collection none; a product named once is of all."""
    rows = '[{"text": "soft lid"}]'
    assert [row["product"] for row in _read(tmp_path, f'{{"P": {rows}, "Q": {rows}}}'.encode(), "a.json")[0]] == [
        "P",
        "Q",
    ]
    assert "product" not in _read(tmp_path, f'{{"train": {rows}, "test": {rows}}}'.encode(), "a.json")[0][0]
    named = f'{{"product": {{"id": "P9", "name": "Kettle"}}, "page": {{"reviews": {rows}}}}}'
    assert _read(tmp_path, named.encode(), "a.json")[0] == [
        {"product.id": "P9", "product.name": "Kettle", "text": "soft lid"}
    ]


def test_a_broken_first_row_is_one_row(tmp_path: Path) -> None:
    """Rows whose first is cut off are rows; an array under the name of rows is read; a cut object is refused."""
    found, broken, _ = _read(tmp_path, b'{"text": "soft\n{"text": "warm lid"}\n{"text": "red lid"}\n', "a.json")
    assert ([row["text"] for row in found], len(broken)) == (["warm lid", "red lid"], 1)
    assert len(_read(tmp_path, b'[\n{"text": "soft lid"},\n{"text": "warm lid"}\n]', "a.jsonl")[0]) == 2
    with pytest.raises(DataError, match="breaks off"):
        _read(tmp_path, b'{"reviews": [{"text": "soft lid"}, {"te', "b.json")
