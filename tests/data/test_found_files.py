"""Files as strangers have them: the same reviews come out of each kind, and nothing is lost without a word."""

import bz2
import csv
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from prefer_core.data.cleaning import clean
from prefer_core.data.ratings import read_ratings
from prefer_core.data.sources import Source, read_source
from prefer_core.errors import DataError

SAID = [
    "The lid closes with a soft click, and never leaks",
    'My flatmate said "what a noise" and moved it',
    "Boils two cups in three minutes.\nQuiet enough for a small flat",
    "Größer als erwartet; the base is steady",
]
DAYS = [datetime(2021, 1, 4, 10, 15, tzinfo=UTC) + timedelta(days=9 * number) for number in range(12)]
ROWS = [
    {
        "product": f"p-{number % 3}",
        "user": f"u{number}",
        "stars": 1 + number % 5,
        "text": f"{SAID[number % 4]} {number}.",
    }
    for number in range(12)
]
ONE_LINE = [row | {"text": str(row["text"]).replace("\n", " ")} for row in ROWS]
NAMES = ["product", "user", "stars", "text"]


def _read(folder: Path, content: str | bytes, name: str = "a.csv", one_product: str | None = None) -> Source:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_source(str(path), one_product=one_product)


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]], delimiter: str = ",", newline: str = "\n") -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator=newline).writerows([names, *rows])
    return stream.getvalue()


def _plain(rows: Sequence[dict[str, Any]] = ROWS, delimiter: str = ",") -> str:
    return _table(NAMES, [list(row.values()) for row in rows], delimiter)


def _zipped(name: str, content: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
        archive.writestr("__MACOSX/._" + name, "nothing")
    return stream.getvalue()


def _quoted_twice() -> str:
    lines = _plain(ONE_LINE).strip().split("\n")
    return "".join('"' + line.replace('"', '""') + '"\n' for line in lines)


def _mixed_ends() -> str:
    lines = _plain(ONE_LINE).strip().split("\n")
    return "".join(line + ("\n", "\r\n", "\r")[number % 3] for number, line in enumerate(lines))


def _in_quotes_of_a_sheet() -> str:
    return _table(NAMES, [[row["product"], row["user"], f'="{row["stars"]}"', row["text"]] for row in ROWS])


WHOLE: dict[str, tuple[str, str | bytes]] = {
    "bz2 by its bytes": ("a.csv", bz2.compress(_plain().encode())),
    "xz by its name": ("a.csv.xz", lzma.compress(_plain().encode())),
    "zip of one file": ("a.zip", _zipped("reviews.csv", _plain())),
    "zip named csv": ("a.csv", _zipped("reviews.csv", _plain())),
    "tab named csv": ("a.csv", _plain(delimiter="\t")),
    "JSON lines named csv": ("a.csv", "\n".join(map(json.dumps, ROWS))),
    "a table named json": ("a.json", _plain()),
    "a table named jsonl": ("a.jsonl", _plain()),
    "objects on several lines named jsonl": ("a.jsonl", "\n".join(json.dumps(row, indent=1) for row in ROWS)),
    "JSON written twice": ("a.jsonl", "\n".join(json.dumps(json.dumps(row)) for row in ROWS)),
    "two arrays": ("a.json", json.dumps(ROWS[:7]) + "\n" + json.dumps(ROWS[7:])),
    "a search engine's answer": (
        "a.json",
        json.dumps({"took": 3, "hits": {"hits": [{"_id": "x", "_score": 1.0, "_source": row} for row in ROWS]}}),
    ),
    "nodes": ("a.json", json.dumps({"data": {"all": {"edges": [{"cursor": "c", "node": row} for row in ROWS]}}})),
    "line ends of three systems": ("a.csv", _mixed_ends()),
    "an old Mac's letters": ("a.csv", _plain(ONE_LINE).replace("\n", "\r").encode("mac_roman")),
    "rows quoted twice": ("a.csv", _quoted_twice()),
    "a header that comes again": ("a.csv", _plain(ROWS[:5]) + _plain(ROWS[5:])),
    "a spreadsheet's mark of text": ("a.csv", _in_quotes_of_a_sheet()),
    "names of groups above": ("a.csv", "Who,,What,\n" + _plain()),
    "line breaks in the header": (
        "a.csv",
        _plain().replace("product,user,stars,text", '"Product\nname","User\nname","Rating\n(1-5)","Review\ntext"'),
    ),
    "two colons": ("a.csv", "\n".join("::".join(map(str, row)) for row in [NAMES, *(r.values() for r in ONE_LINE)])),
    "a column that comes again": (
        "a.csv",
        _table([*NAMES, "text"], [[*row.values(), "ok"] for row in ROWS]),
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_all_reviews_come_whole(tmp_path: Path, kind: str) -> None:
    """Every review, with its product, reviewer and stars, and nothing beside."""
    name, content = WHOLE[kind]
    rows = _read(tmp_path, content, name).rows
    found = rows[["parent_asin", "user_id", "rating", "text"]].to_numpy().tolist()
    for one, other in zip(found, ROWS, strict=True):
        assert (one[:3], one[3].split()) == ([other["product"], other["user"], other["stars"]], other["text"].split())


@pytest.mark.parametrize(
    ("encoding", "names", "text"),
    [
        ("iso8859_2", "produkt,ocena,opinia", "Pokrywka zamyka się cicho, źle pachnie, ale działa świetnie"),
        ("cp1250", "produkt,ocena,opinia", "Pokrywka zamyka się cicho, źle pachnie, ale działa świetnie"),
        ("cp1254", "ürün,puan,yorum", "Kapağı sessizce kapanıyor, kokusu kötü değil. İyi çalışıyor"),
        ("cp1252", "produit,note,avis", "Le couvercle ferme très bien, l’odeur a gêné… mais ça va"),
        ("cp1252", "produto,nota,opinião", "Não é bom: o botão não está alinhado e há ruídos"),
        ("iso8859_5", "product,rating,review", "Крышка закрывается тихо и не течёт совсем"),
        ("cp1251", "товар,оценка,отзыв", "Крышка закрывается тихо и не течёт совсем"),
        ("cp1256", "المنتج,التقييم,النص", "الغطاء يغلق بهدوء ولا يسرب أبدا"),
        ("cp1253", "product,rating,review", "Το καπάκι κλείνει ήσυχα και δεν στάζει"),
    ],
)
def test_encodings_older_than_utf_8(tmp_path: Path, encoding: str, names: str, text: str) -> None:
    """Letters, and the names of columns where they are known, tell the encodings of one script apart."""
    content = _table(names.split(","), [[f"p{number % 3}", 3, f"{text} {number}"] for number in range(12)])
    rows = _read(tmp_path, content.encode(encoding)).rows
    assert list(rows["text"]) == [f"{text} {number}" for number in range(12)]


def test_rows_that_end_too_soon_swallow_no_other(tmp_path: Path) -> None:
    """A row without its last cells is kept with what it has and told, whether its text spans lines or not."""
    cells = [[row["product"], str(row["stars"]), '"' + str(row["text"]).replace('"', '""') + '"'] for row in ROWS]
    lines = [",".join(row + ([f"u{number}"] if number % 4 else [])) for number, row in enumerate(cells)]
    source = _read(tmp_path, "\n".join(["product,stars,text,user", *lines]))
    assert list(source.rows["text"]) == [row["text"] for row in ROWS]
    assert source.rows["user_id"].str.startswith("u").sum() == 9
    assert "3 rows end before the last column; what they lack is unknown" in source.notes


def test_a_table_without_header_loses_no_row(tmp_path: Path) -> None:
    """A first line that is a row is one; the columns are called by their places, and the text is told by content."""
    content = _plain().split("\n", 1)[1]
    with pytest.raises(DataError, match="the file has: column 1, column 2, column 3, column 4"):
        _read(tmp_path, content)
    source = _read(tmp_path, content, one_product="P")
    assert list(source.rows["text"]) == [row["text"] for row in ROWS]
    assert any("no header" in note for note in source.notes)


def test_texts_without_anything_else(tmp_path: Path) -> None:
    """An array of strings is texts; lists of them under names are of the products of these names."""
    texts = [str(row["text"]) for row in ROWS]
    assert list(_read(tmp_path, json.dumps(texts), "a.json", "P").rows["text"]) == texts
    rows = _read(tmp_path, json.dumps({"kettle": texts[:6], "lamp": texts[6:]}), "b.json").rows
    assert list(rows["parent_asin"]) == ["kettle"] * 6 + ["lamp"] * 6


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlsx", b"PK\x03\x04", "is a workbook of a spreadsheet; open it"),
        ("a.csv", _zipped("xl/workbook.xml", ""), "is a workbook of a spreadsheet; open it"),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is an old Excel workbook"),
        ("a.jsonl", b"<!DOCTYPE html>\n<html><body>403</body></html>", "is HTML or XML"),
        ("a.csv", b"\xef\xbb\xbf <table><tr><td>x</td></tr></table>", "is HTML or XML"),
        ("a.csv", b"INSERT INTO reviews VALUES (1, 'p', 'The lid is fine');", "is a dump of a database"),
        ("a.jsonl", b"(\xb5/\xfd" + bytes(99), "is packed with zstd; unpack it"),
        ("a.zip", b"PK\x03\x04 and nothing", "damaged or cut-off packed file"),
        ("a.csv.xz", lzma.compress(b"text,product\n" * 999)[:-30], "damaged or cut-off packed file"),
    ],
)
def test_what_is_no_table_is_refused_by_its_name(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    """Workbooks, pages, dumps and archives of other kinds are named, with what to do."""
    with pytest.raises(DataError, match=message):
        _read(tmp_path, content, name)


def test_a_zip_of_several_files_names_them(tmp_path: Path) -> None:
    """Which of them is meant is not guessed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("one.csv", _plain())
        archive.writestr("two.csv", _plain())
    with pytest.raises(DataError, match=r"holds 2 files \(one.csv, two.csv\); unpack it"):
        _read(tmp_path, stream.getvalue(), "a.zip")


def _dated(name: str, write: Callable[[datetime], str]) -> tuple[str, Callable[[datetime], str]]:
    return name, write


@pytest.mark.parametrize(
    ("name", "write"),
    [
        _dated("Date de l'avis", lambda day: day.strftime("%d/%m/%Y")),
        _dated("Verfasst am", lambda day: f"{day.day}.{day.month}.{day.year}"),
        _dated("when", lambda day: day.strftime("%d %b %y")),
        _dated("reviewedIn", lambda day: f"Reviewed in Germany on {day:%d %B %Y}"),
        _dated("updated", lambda day: day.isoformat()),
        _dated("Timestamp", lambda day: day.strftime("%Y/%m/%d %I:%M:%S %p GMT")),
        _dated("Date", lambda day: f"{(day - datetime(1899, 12, 30, tzinfo=UTC)) / timedelta(days=1):.5f}"),
        _dated(
            "Date", lambda day: f"{(day - datetime(1899, 12, 30, tzinfo=UTC)) / timedelta(1):.5f}".replace(".", ",")
        ),
    ],
)
def test_times_are_told_by_name_or_content(tmp_path: Path, name: str, write: Callable[[datetime], str]) -> None:
    """Where no name is known, a column of dates is the time; the day is right."""
    rows = [[row["product"], row["text"], write(day)] for row, day in zip(ROWS, DAYS, strict=True)]
    source = _read(tmp_path, _table(["product", "review", name], rows))
    days = [datetime.fromtimestamp(time / 1000, UTC).date() for time in source.rows["timestamp"]]
    assert days == [day.date() for day in DAYS]


@pytest.mark.parametrize("name", ["Release date", "birthday", "developer replied at", "season"])
def test_times_of_something_else_are_left_alone(tmp_path: Path, name: str) -> None:
    """A date of the product, the person or the shop's answer is not when the review was written."""
    written = "2021-03-04" if name != "season" else "spring"
    source = _read(tmp_path, _table(["product", "review", name], [[r["product"], r["text"], written] for r in ROWS]))
    assert "timestamp" not in source.columns


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("Review Rating", "Rated {} out of 5 stars"),
        ("Stars", "{} star rating"),
        ("rating_label", "{} - so so"),
        ("My Rating", "{}"),
        ("Overall (1-5)", "{}"),
        ("Reviewer Rating", "{}"),
        ("ratings.overall", "{}"),
        ("what they gave", "{} of 5 stars"),
        ("rating", "{},0/5"),
    ],
)
def test_ratings_are_told_by_name_or_content(tmp_path: Path, name: str, write: str) -> None:
    """Stars come through whatever stands around the number and whatever the column is called."""
    rows = [[row["product"], row["text"], write.format(row["stars"])] for row in ROWS]
    source = _read(tmp_path, _table(["product", "review", name], rows))
    assert list(source.rows["rating"]) == [row["stars"] for row in ROWS]


@pytest.mark.parametrize(
    "scale",
    [
        "poor, fair, average, good, excellent",
        "poor, fair, good, very good, excellent",
        "very poor, poor, fair, good, very good",
        "terrible, poor, average, very good, excellent",
        "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
        "very negative, negative, neutral, positive, very positive",
        "sehr schlecht, schlecht, mittel, gut, sehr gut",
    ],
)
def test_words_are_on_the_scale_that_has_them_all(scale: str) -> None:
    """The same word has other stars on another scale; what was decided is said."""
    read = read_ratings([word.strip().title() for word in scale.split(",")])
    assert read.stars.tolist() == [1, 2, 3, 4, 5]
    assert read.rule.startswith("words for stars (")


def test_authors_of_books_are_no_reviewers(tmp_path: Path) -> None:
    """In a list of books the column Author is of the book; elsewhere it is who wrote the review."""
    rows = [[row["product"], "Jane Roe", row["stars"], row["text"]] for row in ROWS]
    books = _read(tmp_path, _table(["Book Id", "Author", "My Rating", "My Review"], rows))
    assert not books.has_users
    assert _read(tmp_path, _table(["App", "Author", "Rating", "Review"], rows)).has_users


def test_a_survey_of_two_questions(tmp_path: Path) -> None:
    """What one liked and what could be better are joined, the second as negative."""
    names = ["Product", "What did you like?", "What could be better?"]
    source = _read(tmp_path, _table(names, [[row["product"], row["text"], "The spout drips"] for row in ROWS]))
    assert (source.columns["text"], source.columns["negative_text"]) == (names[1], names[2])


def test_signs_that_exports_leave_in_texts() -> None:
    """Control characters go, line breaks written as two signs break the line, and a path stays as it is."""
    assert clean("fine\x00 lid\x1b") == "fine lid"
    assert clean("The lid leaks.\\n\\nSent back.\\r\\nNever again") == "The lid leaks.\nSent back.\nNever again"
    assert clean("saved in C:\\new folder") == "saved in C:\\new folder"
