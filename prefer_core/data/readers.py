"""Files of raw reviews, row by row: one reader for each kind of file, packed or not."""

import ast
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from prefer_core.data.columns import holds_a_text, names_a_product
from prefer_core.data.delimited import table_rows
from prefer_core.data.encodings import as_line, encoding_of, line_blocks, may_read_bytes, text_blocks, text_lines
from prefer_core.data.json_text import JsonText, without_script
from prefer_core.data.packed import ENDINGS, SAVE, unpacked
from prefer_core.data.reading import Broken, HowRead, Row
from prefer_core.errors import DataError

_REPR = re.compile(r"\s*(?:\[\s*)?\{\s*[urb]{0,2}['\"]")
# What Python 2 and numpy write and no literal of Python 3 is: 12L, nan.
_NO_LITERAL = re.compile(r"(?<=[:\[,]\s)(?:(-?\d+)L|nan|inf|NaN|null)(?=\s*[,}\]])")


def read_rows(path: Path, how: HowRead | None = None) -> Iterator[Row | Broken]:
    """Yield the rows of a file as dicts; what is no row comes as `Broken`.

    Whether the file is packed is seen from its first bytes, not from its name.

    Parameters
    ----------
    path : Path
        File of a kind in `READERS`.
    how : HowRead, optional
        Told the encoding, delimiter and what else was found out.

    Raises
    ------
    DataError
        If the file cannot be read, or its kind is not known.
    """
    suffix_of(path)
    with unpacked(path) as (stream, name):
        reader = READERS[_bare_suffix(Path(name))]
        rows = reader(stream, how or HowRead())
        yield from _unnested(rows) if reader is _json else rows


def suffix_of(path: Path) -> str:
    """Return the suffix that names the kind of a file (".jsonl.gz"); an unknown kind is a DataError."""
    name = path.name.lower()
    for suffix in READERS:
        for ending in (*(suffix + packed for packed in ENDINGS), suffix):
            if name.endswith(ending):
                return ending
    if name.endswith(".zip"):
        return ".zip"
    if name.endswith((".xlsx", ".xls", ".ods", ".numbers")):
        raise DataError(f"{path} is a workbook of a spreadsheet; {SAVE}.")
    raise DataError(
        f"{path} is of no kind that can be read; give a file that ends in {', '.join(READERS)} (also packed: "
        f"{', '.join(ENDINGS)}), `amazon:CATEGORY`, or `sample`."
    )


def _bare_suffix(path: Path) -> str:
    """Return the suffix without that of packing."""
    suffix = suffix_of(path)
    return next((suffix.removesuffix(packed) for packed in ENDINGS if suffix.endswith(packed)), suffix)


def _blocks(stream: BinaryIO, how: HowRead) -> Iterator[str]:
    """Yield a file of JSON as text, without the script around it."""
    blocks = text_blocks(stream, how.encoding)
    first = next((text for block in blocks if (text := block.lstrip("\ufeff \t\r\n"))), "")
    yield without_script(first)
    yield from blocks


def _json_lines(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    number, table = 0, _ListRows()
    for given in stream if may_read_bytes(stream, how.encoding) else text_lines(stream, how.encoding):
        row = _usual_row(given) if isinstance(given, bytes) else None
        if row is None:
            line, strange = as_line(given) if isinstance(given, bytes) else given
            how.strays += strange
            text = line.strip().strip("\ufeff\x1e")
            if not text:
                continue
            row = _json_row(text)
            if row is None and text[0] == "[" and table.takes(text):
                row = table.row
                if row is None:
                    continue
        number += 1
        yield Broken(number, text) if row is None else row


def _usual_row(line: bytes | str) -> Row | None:
    """Return a row of plain JSON; None for anything that only the readers of all the other forms can tell.

    What msgspec reads it reads as the standard library does, whole numbers of any length included, in a seventh of the
    time; NaN, halves of emoji and the like it refuses.
    """
    try:
        row = _decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


_decode = msgspec.json.Decoder().decode


def _json_row(line: str) -> Row | None:
    row = _usual_row(line)
    if row is not None:
        return row
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = _python_row(line) if not line.endswith("},") else _json_row(line[:-1])
    if isinstance(row, str) and row.startswith("{"):  # a row that was written as JSON twice
        return _json_row(row)
    return row if isinstance(row, dict) else None


def _python_row(line: str) -> Any:
    """Read a row that was written with Python's repr, of version 3 or 2 (u'text', 12L), as the metadata of 2014 were.

    >>> _python_row("{u'asin': u'P', 'time': 12L, 'price': nan}")
    {'asin': 'P', 'time': 12, 'price': None}
    """
    if not _REPR.match(line):
        return None
    for text in (line, _NO_LITERAL.sub(lambda m: m[1] or "None", line)):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return None


def _json(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read rows line by line, an array of rows piece by piece, or an object that holds one, whatever the name says."""
    how.encoding = encoding_of(stream)
    begin = next(_blocks(stream, how), "")
    stream.seek(0)
    if begin.startswith("[") and not re.match(r"\[[^\n{]*\]\s*\n\s*\[", begin):
        yield from _array(stream, how)
    elif begin.startswith("{") and _is_object(begin):
        yield from _held(stream, how)
    elif begin[:1] not in '{["' and _is_header(begin.partition("\n")[0]):
        yield from _table(stream, how, prefer=",")
    else:
        yield from _json_lines(stream, how)


def _is_header(line: str) -> bool:
    """Whether a line is the header of a table that was saved under the name of JSON."""
    names = [name.strip(' \r"') for name in re.split(r"[,;\t|]", line)]
    return len(names) > 1 and holds_a_text(dict.fromkeys(names, ""))


def _is_object(begin: str) -> bool:
    """Whether a file is one JSON object, of several lines, of a very long one or of the only one, and not rows."""
    first, _, rest = begin.partition("\n")
    if _json_row(first.strip()) is not None:
        return not rest.strip() and '"' in first[:3]
    return bool(re.match(r'\{\s*("(?:[^"\\]|\\.)*"\s*:|\})', begin)) and not re.match(r"\{[^\n]*\}\s*\n", begin)


def _array(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read an array of rows, or several one after the other; one of strings is texts."""
    text = JsonText(_blocks(stream, how))
    number, table, has_strings = 0, _ListRows(), False
    try:
        while not text.is_at_end():
            for value in text.items():
                number += 1
                has_strings |= number == 1 and isinstance(value, str)
                if isinstance(value, list) and table.takes(value):
                    yield from () if table.row is None else (table.row,)
                elif has_strings and isinstance(value, str):
                    yield {"text": value}
                else:
                    yield value if isinstance(value, dict) else Broken(number, str(value))
    except ValueError:
        stream.seek(0)
        rows = _python_row("".join(text_blocks(stream, how.encoding)).strip()) if number == 0 else None
        if not isinstance(rows, list):
            raise _damaged("array", stream) from None
        yield from (row if isinstance(row, dict) else Broken(i, str(row)) for i, row in enumerate(rows, 1))


def _damaged(what: str, stream: BinaryIO) -> DataError:
    return DataError(f"The JSON {what} in {getattr(stream, 'name', 'the file')} breaks off or is damaged; repair it.")


class _ListRows:
    """Rows written as lists below a list of the names of their columns."""

    def __init__(self) -> None:
        self._names: list[str] | None = None
        self.row: Row | None = None
        """The row of the last list taken; None where it was the names."""

    def takes(self, values: list[Any] | str) -> bool:
        """Whether a list, or the JSON of one, is the names of columns or a row below them."""
        if isinstance(values, str):
            try:
                values = json.loads(values.rstrip(","))
            except (ValueError, RecursionError):
                return False
        if self._names is None:
            if not all(isinstance(name, str) for name in values) or not holds_a_text(dict.fromkeys(values, "")):
                return False
            self._names, self.row = list(values), None
            return True
        self.row = dict(zip(self._names, values, strict=False))
        return len(values) == len(self._names)


def _held(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read the array of objects with most text in it that lies in an object; what else says of all is added to each.

    Where several lie beside each other (`{"P1": [..], "P2": [..]}`), all are read and their names are the products.
    """
    text = JsonText(_blocks(stream, how))
    try:
        found = _Within.of(text)
        is_one = text.is_at_end()
    except ValueError:
        yield from _lines_after_all(stream, how)
        return
    stream.seek(0)
    if not is_one:
        yield from _one_after_the_other(stream, how)
    elif found.is_row or not found.words:
        yield from _turned(json.loads("".join(_blocks(stream, how)).rstrip(" \t\r\n;)")))
    else:
        yield from found.rows(JsonText(_blocks(stream, how)))


_Way = tuple[str, ...]
"""Names on the way to a value in an object of objects."""


@dataclass
class _Within:
    """What lies in an object of objects.

    Attributes
    ----------
    words : dict of way to int
        Words of the texts in every array of objects.
    fields : dict of way to set of str
        Names of the fields of its first object.
    about : dict
        What names a product for all of them.
    is_row : bool
        Whether the object is a row itself.
    """

    words: dict[_Way, int] = field(default_factory=dict)
    fields: dict[_Way, frozenset[str]] = field(default_factory=dict)
    about: Row = field(default_factory=dict)
    is_row: bool = False

    @classmethod
    def of(cls, text: JsonText) -> "_Within":
        found = cls()
        for way, value in text.members():
            if isinstance(value, dict):
                found.words[way] = found.words.get(way, 0) + count_words(value)
                found.fields.setdefault(way, frozenset(value))
                continue
            found.is_row |= len(way) == 1 and holds_a_text({way[0]: value})
            if len(way) > 1 and way[-1] in _OWN_NAMES and names_a_product(way[-2]):
                found.about.setdefault(".".join(way[-2:]), value)
            elif names_a_product(way[-1]):
                found.about.setdefault(way[-1], value)
        return found

    def rows(self, text: JsonText) -> Iterator[Row]:
        """Yield the rows of the best array and of those like it, which are of other products."""
        best = max(self.words, key=self.words.__getitem__)
        place = _where_names_differ(best, self.fields)
        for way, value in text.members():
            if not isinstance(value, dict):
                continue
            if way == best or (place is not None and _are_alike(way, best, place) and self._same_fields(way, best)):
                is_product = place is not None and way[place].lower() not in _PARTS
                yield ({"product": way[place]} if place is not None and is_product else {}) | self.about | value

    def _same_fields(self, one: _Way, other: _Way) -> bool:
        return 2 * len(self.fields[one] & self.fields[other]) >= len(self.fields[one] | self.fields[other])


_OWN_NAMES = frozenset({"id", "name", "title", "asin", "sku", "key", "code"})
_PARTS = frozenset({"train", "test", "dev", "validation", "valid", "positive", "negative", "pos", "neg"})
"""Names of parts of a collection, which are no products."""


def _are_alike(one: _Way, other: _Way, place: int) -> bool:
    return len(one) == len(other) and one[:place] + one[place + 1 :] == other[:place] + other[place + 1 :]


def _where_names_differ(best: _Way, fields: Mapping[_Way, frozenset[str]]) -> int | None:
    """Return the place of the way to the best array in which arrays of the same fields have another name, else None.

    >>> own = frozenset({"text", "stars"})
    >>> _where_names_differ(("all", "P1", "reviews"), {("all", "P1", "reviews"): own, ("all", "P2", "reviews"): own})
    1
    """
    own = fields[best]
    enough = [path for path, names in fields.items() if path != best and 2 * len(names & own) >= len(names | own)]
    counts = [sum(_are_alike(path, best, place) for path in enough) for place in range(len(best))]
    return max(range(len(best)), key=counts.__getitem__) if any(counts) else None


def _one_after_the_other(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read objects that stand one after the other, each on a line of its own or on several."""
    first, _ = next(text_lines(stream, how.encoding))
    stream.seek(0)
    if _json_row(first.strip()) is not None:
        yield from _json_lines(stream, how)
        return
    try:
        for number, value in enumerate(JsonText(_blocks(stream, how)).values(), 1):
            yield value if isinstance(value, dict) else Broken(number, str(value))
    except ValueError:
        raise _damaged("object", stream) from None


def _lines_after_all(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read rows line by line where the first of them is broken and looked like the beginning of an object."""
    stream.seek(0)
    first = islice(text_lines(stream, how.encoding), 100)
    is_lines = any(_json_row(line.strip()) is not None for line, _ in first)
    stream.seek(0)
    if not is_lines:
        raise _damaged("object", stream)
    yield from _json_lines(stream, how)


def _turned(whole: Row) -> Iterator[Row]:
    """Yield the rows of a table that pandas wrote by column, by row name, or as columns and data.

    Lists of texts under names that say nothing of a text are the reviews of products of these names.

    >>> list(_turned({"text": {"0": "soft", "1": "warm"}, "item": {"0": "P", "1": "P"}}))
    [{'text': 'soft', 'item': 'P'}, {'text': 'warm', 'item': 'P'}]
    """
    parts = list(whole.values())
    if {"columns", "data"} <= whole.keys():
        yield from (dict(zip(whole["columns"], cells, strict=False)) for cells in whole["data"])
    elif not holds_a_text(dict.fromkeys(whole, "")) and all(map(_are_texts, parts)):
        yield from ({"product": name, "text": text} for name, texts in whole.items() for text in texts)
    elif len(parts) > 1 and all(isinstance(part, list) and len(part) == len(parts[0]) for part in parts):
        yield from (dict(zip(whole, cells, strict=True)) for cells in zip(*parts, strict=True))
    elif parts and all(isinstance(part, dict) for part in parts):
        if holds_a_text(dict.fromkeys(whole, "")):
            yield from ({name: part.get(key) for name, part in whole.items()} for key in parts[0])
        else:
            yield from parts
    else:
        yield whole


def _are_texts(values: Any) -> bool:
    """Whether these are a list of strings of several words."""
    is_list = isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)
    return is_list and sum(len(value.split()) for value in values) >= 4 * len(values)


def _unnested(rows: Iterator[Row | Broken]) -> Iterator[Row | Broken]:
    """Make a row of every review where the rows are products that hold lists of them (`{"id": 7, "reviews": [..]}`)."""
    before: list[Row | Broken] = []
    first: Row = {}
    for row in rows:
        before.append(row)
        if isinstance(row, dict):
            first = row
            break
    key = None if holds_a_text(first) else _list_of_reviews(first)
    envelope = next((name for name in _ENVELOPES if isinstance(first.get(name), dict)), None)
    if key is None:
        every = chain(before, rows)
        yield from every if envelope is None else (_opened(row, envelope) for row in every)
        return
    for row in chain(before, rows):
        if isinstance(row, Broken) or not isinstance(row.get(key), list):
            yield row
            continue
        about = {name: value for name, value in row.items() if not isinstance(value, (dict, list))}
        yield from (about | inner for inner in row[key] if isinstance(inner, dict))


_ENVELOPES = ("_source", "node", "fields", "attributes")
"""Under which names search engines, GraphQL, Django and JSON:API hold a row."""


def _opened(row: Row | Broken, envelope: str) -> Row | Broken:
    """Take a row out of its envelope; of what stands around it only the product is kept.

    >>> _opened({"_score": 1.0, "_source": {"text": "soft", "stars": 4}}, "_source")
    {'text': 'soft', 'stars': 4}
    """
    if isinstance(row, Broken) or not isinstance(row.get(envelope), dict):
        return row
    product = {name: value for name, value in row.items() if names_a_product(name.partition(".")[0])}
    inner: Row = row[envelope]
    return product | inner


def _list_of_reviews(row: Row) -> str | None:
    lists = {
        name: sum(map(count_words, value))
        for name, value in row.items()
        if isinstance(value, list) and value and all(isinstance(inner, dict) for inner in value)
    }
    return max(lists, key=lists.__getitem__, default=None)


def count_words(row: Row) -> int:
    """Count the words of the texts in a row."""
    return sum(len(value.split()) for value in row.values() if isinstance(value, str))


def _table(stream: BinaryIO, how: HowRead, prefer: str) -> Iterator[Row | Broken]:
    how.encoding = encoding_of(stream)
    begin = next(text_blocks(stream, how.encoding), "").lstrip("\ufeff \t\r\n")
    stream.seek(0)
    if re.match(r'\{\s*"[^"]*"\s*:|\[\s*\{', begin):  # JSON that was saved under the name of a table
        yield from _unnested(_json(stream, how))
    else:
        yield from table_rows(line_blocks(stream, how.encoding), how, prefer)


def _parquet_rows(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source: BinaryIO = stream if isinstance(stream, io.BufferedReader) else io.BytesIO(stream.read())
    if not source.read(1):
        return
    source.seek(0)
    try:
        for batch in pq.ParquetFile(source).iter_batches(batch_size=4096):
            yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise DataError(f"The parquet file cannot be read ({error}); write it again.") from None


READERS: dict[str, Callable[[BinaryIO, HowRead], Iterator[Row | Broken]]] = {
    ".jsonl": _json,
    ".ndjson": _json,
    ".json": _json,
    ".csv": partial(_table, prefer=","),
    ".tsv": partial(_table, prefer="\t"),
    ".parquet": _parquet_rows,
}
"""Reader by suffix; each takes the unpacked bytes of a stream that can go back to its start."""
