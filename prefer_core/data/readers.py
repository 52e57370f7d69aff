"""Files of raw reviews, row by row: one reader for each kind of file."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from prefer_core.errors import DataError

Row = dict[str, Any]

_LONGEST_FIELD = 16 * 1024 * 1024


def read_rows(path: Path) -> Iterator[Row | None]:
    """Yield the rows of a file as dicts; a line that is no row comes as None.

    Raises
    ------
    DataError
        If the file cannot be read, or its kind is not known.
    """
    suffix = suffix_of(path)
    with _readable(path), gzip.open(path) if suffix.endswith(".gz") else path.open("rb") as stream:
        yield from READERS[suffix](cast(BinaryIO, stream))


def suffix_of(path: Path) -> str:
    """Return the suffix that names the kind of a file (".jsonl.gz"); an unknown kind is a DataError."""
    for suffix in READERS:
        if path.name.lower().endswith(suffix):
            return suffix
    raise DataError(
        f"{path} is of no kind that can be read; give a file that ends in {', '.join(READERS)}, or `sample`."
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
        raise DataError(f"{path} cannot be read ({error.strerror}).") from None


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
        return None
    return row if isinstance(row, dict) else None


def _csv_rows(stream: BinaryIO) -> Iterator[Row | None]:
    # A quoted field may hold line breaks, so the encoding is settled for the whole file, not line by line.
    csv.field_size_limit(_LONGEST_FIELD)
    lines = csv.reader(io.StringIO(decode(stream.read()), newline=""))
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
        if not header:
            header = [cell.strip() for cell in cells]
        elif len(cells) != len(header):
            yield None
        else:
            yield {name: cell or None for name, cell in zip(header, cells, strict=True)}


READERS: dict[str, Callable[[BinaryIO], Iterator[Row | None]]] = {
    ".jsonl": _json_lines,
    ".jsonl.gz": _json_lines,
    ".csv": _csv_rows,
    ".csv.gz": _csv_rows,
}
"""Reader by suffix; each takes the uncompressed bytes."""
