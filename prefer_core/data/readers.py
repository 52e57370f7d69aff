"""Files of raw reviews, row by row: one reader for each kind of file, packed with gzip or not."""

import ast
import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from prefer_core.errors import DataError

Row = dict[str, Any]

_LONGEST_FIELD = 16 * 1024 * 1024
_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_DELIMITERS = ",;\t|"


def read_rows(path: Path) -> Iterator[Row | None]:
    """Yield the rows of a file as dicts; a line that is no row comes as None.

    Whether the file is packed is seen from its first bytes, not from its name.

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
            yield from reader(cast(BinaryIO, stream))


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


def decode(line: bytes) -> str:
    """Decode UTF-8 (with or without byte-order mark), else Windows-1252, the other encoding that exports have."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


def _json_lines(stream: BinaryIO) -> Iterator[Row | None]:
    for raw in stream:
        line = decode(raw).strip()
        if line:
            yield _json_row(line)


def _json_row(line: str) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = _python_row(line)
    return row if isinstance(row, dict) else None


def _python_row(line: str) -> Any:
    """Read a row that was written with Python's repr, as the metadata of 2014 were."""
    if not line.startswith("{'"):
        return None
    try:
        return ast.literal_eval(line)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _json(stream: BinaryIO) -> Iterator[Row | None]:
    """Read one array of rows, piece by piece, or rows line by line."""
    head = stream.read(_BLOCK)
    stream.seek(0)
    if not decode(head[:4096]).lstrip().startswith("["):
        yield from _json_lines(stream)
        return
    decoder, buffer, position = json.JSONDecoder(), "", 0
    for block in _text_blocks(stream):
        buffer, position = buffer[position:] + block, 0
        while True:
            start = _skip(buffer, position)
            try:
                row, end = decoder.raw_decode(buffer, start)
            except ValueError:
                break
            if end == len(buffer):  # a number or word may go on in the next block
                break
            yield row if isinstance(row, dict) else None
            position = end
    if buffer[_skip(buffer, position) :].strip() != "]":
        raise DataError(f"The JSON array in {getattr(stream, 'name', 'the file')} breaks off or is damaged; repair it.")


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n,[\ufeff":
        position += 1
    return position


def _encoding(stream: BinaryIO) -> str:
    """Settle the encoding of a whole file: a quoted field may hold line breaks, so it cannot be done line by line."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := stream.read(_BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    finally:
        stream.seek(0)
    return "utf-8-sig"


@contextmanager
def _text(stream: BinaryIO) -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(stream, encoding=_encoding(stream), errors="replace", newline="")
    try:
        yield text
    finally:
        text.detach()  # else it would close the stream, which is its owner's


def _text_blocks(stream: BinaryIO) -> Iterator[str]:
    with _text(stream) as text:
        while block := text.read(_BLOCK):
            yield block


def _csv_rows(stream: BinaryIO) -> Iterator[Row | None]:
    """Read a table whose delimiter is the one most frequent in its header."""
    with _text(stream) as text:
        first = text.readline()
        text.seek(0)
        yield from _table_rows(text, max(_DELIMITERS, key=first.count), csv.QUOTE_MINIMAL)


def _tsv_rows(stream: BinaryIO) -> Iterator[Row | None]:
    """Read a table with tabs, quoted or not: in one that is not, a lone quote would swallow the lines behind it."""
    with _text(stream) as text:
        plain = _one_line_a_row(text)
        yield from _table_rows(text, "\t", csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL)


def _table_rows(text: io.TextIOWrapper, delimiter: str, quoting: Literal[0, 3]) -> Iterator[Row | None]:
    csv.field_size_limit(_LONGEST_FIELD)
    lines = csv.reader(text, delimiter=delimiter, quoting=quoting)
    header: list[str] = []
    while True:
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error:
            yield None
            continue
        if not any(cells):
            continue
        if quoting == csv.QUOTE_NONE:
            cells = list(map(_unquoted, cells))
        if not header:
            header = [cell.strip() for cell in cells]
        elif len(cells) != len(header):
            yield None
        else:
            yield {name: cell or None for name, cell in zip(header, cells, strict=True)}


def _one_line_a_row(text: io.TextIOWrapper) -> bool:
    """Whether every line has as many tabs as the first, so that no field holds a line break."""
    tabs = {line.count("\t") for line in text if line.strip()}
    text.seek(0)
    return len(tabs) <= 1


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _parquet_rows(stream: BinaryIO) -> Iterator[Row | None]:
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


READERS: dict[str, Callable[[BinaryIO], Iterator[Row | None]]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".csv": _csv_rows,
    ".tsv": _tsv_rows,
    ".parquet": _parquet_rows,
}
"""Reader by suffix; each takes the unpacked bytes of a stream that can go back to its start."""
