"""Files of raw reviews, row by row: one reader for each kind of file, packed with gzip or not."""

import ast
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from prefer_core.data.columns import holds_a_text, names_a_product
from prefer_core.data.delimited import table_rows
from prefer_core.data.encodings import encoding_of, text_blocks, text_lines
from prefer_core.data.json_text import JsonText
from prefer_core.data.reading import Broken, HowRead, Row
from prefer_core.errors import DataError

_GZIP = b"\x1f\x8b"
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
    reader = READERS[suffix_of(path).removesuffix(".gz")]
    with _readable(path), path.open("rb") as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        with gzip.open(raw) if packed else raw as stream:
            rows = reader(cast(BinaryIO, stream), how or HowRead())
            yield from _unnested(rows) if reader in (_json, _lines) else rows


def suffix_of(path: Path) -> str:
    """Return the suffix that names the kind of a file (".jsonl.gz"); an unknown kind is a DataError."""
    name = path.name.lower()
    for suffix in READERS:
        for ending in (f"{suffix}.gz", suffix):
            if name.endswith(ending):
                return ending
    raise DataError(
        f"{path} is of no kind that can be read; give a file that ends in {', '.join(READERS)} (also with .gz), "
        "`amazon:CATEGORY`, or `sample`."
    )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what can go wrong with a file into one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"There is no file {path}; give the path of a review file, or `sample`.") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder; give the review file in it.") from None
    except PermissionError:
        raise DataError(f"{path} may not be read; change its permissions or copy it to a place of yours.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError(f"{path} is a damaged or cut-off gzip file; fetch or compress it again.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or error}).") from None


def _lines(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read rows line by line, or the array that someone saved under this name."""
    how.encoding = encoding_of(stream)
    begin = next(text_blocks(stream, how.encoding), "").lstrip("\ufeff \t\r\n")
    stream.seek(0)
    is_array = re.match(r"\[\s*(?:\{[^\n]*\n|$)", begin) and not re.match(r"\[[^\n]*\]\s*\n", begin)
    yield from _array(stream, how) if is_array else _json_lines(stream, how)


def _json_lines(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    how.encoding = how.encoding or encoding_of(stream)
    number = 0
    for line, strange in text_lines(stream, how.encoding):
        how.strays += strange
        if text := line.strip().lstrip("\ufeff"):
            number += 1
            row = _json_row(text)
            yield Broken(number, text) if row is None else row


def _json_row(line: str) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = _python_row(line) if not line.endswith("},") else _json_row(line[:-1])
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
    """Read an array of rows piece by piece, an object that holds one, or rows line by line."""
    how.encoding = encoding_of(stream)
    begin = next((text for block in text_blocks(stream, how.encoding) if (text := block.lstrip("\ufeff \t\r\n"))), "")
    stream.seek(0)
    if begin.startswith("["):
        yield from _array(stream, how)
    elif begin.startswith("{") and _is_object(begin):
        yield from _held(stream, how)
    else:
        yield from _json_lines(stream, how)


def _is_object(begin: str) -> bool:
    """Whether a file is one JSON object, of several lines, of a very long one or of the only one, and not rows."""
    first, _, rest = begin.partition("\n")
    if _json_row(first.strip()) is not None:
        return not rest.strip() and '"' in first[:3]
    return bool(re.match(r'\{\s*("(?:[^"\\]|\\.)*"\s*:|\})', begin)) and not re.match(r"\{[^\n]*\}\s*\n", begin)


def _array(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    text = JsonText(text_blocks(stream, how.encoding))
    number = 0
    try:
        for number, value in enumerate(text.items(), 1):
            yield value if isinstance(value, dict) else Broken(number, str(value))
    except ValueError:
        stream.seek(0)
        rows = _python_row("".join(text_blocks(stream, how.encoding)).strip()) if number == 0 else None
        if not isinstance(rows, list):
            name = getattr(stream, "name", "the file")
            raise DataError(f"The JSON array in {name} breaks off or is damaged; repair it.") from None
        yield from (row if isinstance(row, dict) else Broken(i, str(row)) for i, row in enumerate(rows, 1))


def _held(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read the array of objects with most text in it that lies in an object; what else says of all is added to each."""
    words: dict[tuple[str, ...], int] = {}
    about: Row = {}
    is_row = False
    text = JsonText(text_blocks(stream, how.encoding))
    try:
        for path, value in text.members():
            if isinstance(value, dict):
                words[path] = words.get(path, 0) + count_words(value)
                continue
            is_row |= len(path) == 1 and holds_a_text({path[0]: value})
            if names_a_product(path[-1]):
                about.setdefault(path[-1], value)
        is_one = text.is_at_end()
    except ValueError:
        yield from _lines_after_all(stream, how)
        return
    if not is_one:
        stream.seek(0)
        values = JsonText(text_blocks(stream, how.encoding)).values()
        yield from (value if isinstance(value, dict) else Broken(i, str(value)) for i, value in enumerate(values, 1))
        return
    stream.seek(0)
    if is_row or not words:
        yield from _turned(json.loads("".join(text_blocks(stream, how.encoding)).lstrip("\ufeff")))
        return
    best = max(words, key=words.__getitem__)
    for path, value in JsonText(text_blocks(stream, how.encoding)).members():
        if path == best and isinstance(value, dict):
            yield about | value


def _lines_after_all(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    """Read rows line by line where the first of them is broken and looked like the beginning of an object."""
    stream.seek(0)
    first = islice(text_lines(stream, how.encoding), 100)
    is_lines = any(_json_row(line.strip()) is not None for line, _ in first)
    stream.seek(0)
    if not is_lines:
        name = getattr(stream, "name", "the file")
        raise DataError(f"The JSON object in {name} breaks off or is damaged; repair it.")
    yield from _json_lines(stream, how)


def _turned(whole: Row) -> Iterator[Row]:
    """Yield the rows of a table that pandas wrote by column, by row name, or as columns and data.

    >>> list(_turned({"text": {"0": "soft", "1": "warm"}, "item": {"0": "P", "1": "P"}}))
    [{'text': 'soft', 'item': 'P'}, {'text': 'warm', 'item': 'P'}]
    """
    parts = list(whole.values())
    if {"columns", "data"} <= whole.keys():
        yield from (dict(zip(whole["columns"], cells, strict=False)) for cells in whole["data"])
    elif len(parts) > 1 and all(isinstance(part, list) and len(part) == len(parts[0]) for part in parts):
        yield from (dict(zip(whole, cells, strict=True)) for cells in zip(*parts, strict=True))
    elif parts and all(isinstance(part, dict) for part in parts):
        if holds_a_text(dict.fromkeys(whole, "")):
            yield from ({name: part.get(key) for name, part in whole.items()} for key in parts[0])
        else:
            yield from parts
    else:
        yield whole


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
    for row in chain(before, rows):
        if key is None or isinstance(row, Broken) or not isinstance(row.get(key), list):
            yield row
            continue
        about = {name: value for name, value in row.items() if not isinstance(value, (dict, list))}
        yield from (about | inner for inner in row[key] if isinstance(inner, dict))


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


def _csv_rows(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    how.encoding = encoding_of(stream)
    yield from table_rows(text_lines(stream, how.encoding), how)


def _tsv_rows(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    how.encoding = encoding_of(stream)
    yield from table_rows(text_lines(stream, how.encoding), how, prefer="\t")


def _parquet_rows(stream: BinaryIO, how: HowRead) -> Iterator[Row | Broken]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source: BinaryIO = io.BytesIO(stream.read()) if isinstance(stream, gzip.GzipFile) else stream
    if not source.read(1):
        return
    source.seek(0)
    try:
        for batch in pq.ParquetFile(source).iter_batches(batch_size=4096):
            yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise DataError(f"The parquet file cannot be read ({error}); write it again.") from None


READERS: dict[str, Callable[[BinaryIO, HowRead], Iterator[Row | Broken]]] = {
    ".jsonl": _lines,
    ".ndjson": _lines,
    ".json": _json,
    ".csv": _csv_rows,
    ".tsv": _tsv_rows,
    ".parquet": _parquet_rows,
}
"""Reader by suffix; each takes the unpacked bytes of a stream that can go back to its start."""
