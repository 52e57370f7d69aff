"""The bytes of a review file, unpacked; what holds neither a table of text nor JSON is refused in words."""

import bz2
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from prefer_core.errors import DataError

ENDINGS = (".gz", ".bz2", ".xz", ".zip")
"""How the names of packed files end; what a file is, its first bytes tell."""

_OPENERS: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_ZIP = b"PK\x03\x04"
SAVE = "open it in a spreadsheet and save it as CSV UTF-8"
"""What to do with a workbook."""
_UNPACK = "unpack it and give the file in it"
_OTHERS = {
    b"\xd0\xcf\x11\xe0": f"is an old Excel workbook; {SAVE}",
    b"SQLite format 3": "is a database; export the table of reviews as CSV",
    b"%PDF": "is a PDF; give the table that it was made from",
    b"(\xb5/\xfd": f"is packed with zstd; {_UNPACK}",
    b"7z\xbc\xaf": f"is packed with 7-Zip; {_UNPACK}",
    b"Rar!": f"is packed with RAR; {_UNPACK}",
}
_SQL = (b"insert into", b"create table", b"-- mysql dump", b"-- postgresql database dump")
_MARKUP = (b"<!doctype html", b"<html", b"<table", b"<?xml")
_HIDDEN = re.compile(r"(?:^|/)(?:\.|__MACOSX/)")
_SHEETS = ("xl/workbook.xml", "content.xml")
"""What tells a workbook of Excel and of OpenDocument among the names in a zip file."""


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[BinaryIO, str]]:
    """Open a file and yield its unpacked bytes, with the name of what was in it.

    Raises
    ------
    DataError
        If it cannot be read, or holds something else than text or parquet.
    """
    with _readable(path), path.open("rb") as raw:
        head = raw.read(512)
        raw.seek(0)
        for start, kind in _OTHERS.items():
            if head.startswith(start):
                raise DataError(f"{path} {kind}.")
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if begin.startswith(_SQL):
            raise DataError(f"{path} is a dump of a database; load it there and export the table of reviews as CSV.")
        if begin.startswith(_MARKUP):
            raise DataError(f"{path} is HTML or XML: a page, or an answer that is no file; {SAVE}, or fetch it again.")
        opener = next((opener for start, opener in _OPENERS.items() if head.startswith(start)), None)
        if head.startswith(_ZIP):
            with zipfile.ZipFile(raw) as archive, archive.open(_only_member(path, archive)) as stream:
                yield cast(BinaryIO, stream), stream.name
        elif opener is not None:
            with cast(BinaryIO, opener(raw)) as stream:
                yield stream, path.name
        else:
            yield raw, path.name


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the one file in a zip file; hidden ones and what macOS puts beside it do not count."""
    if any(name in _SHEETS for name in archive.namelist()):
        raise DataError(f"{path} is a workbook of a spreadsheet; {SAVE}.")
    found = [member for member in archive.infolist() if not member.is_dir() and not _HIDDEN.search(member.filename)]
    if len(found) != 1:
        names = ", ".join(member.filename for member in found[:5]) or "none"
        raise DataError(f"{path} holds {len(found)} files ({names}); unpack it and give one of them.")
    if found[0].flag_bits & 1:
        raise DataError(f"{path} is locked with a password; {_UNPACK}.")
    return found[0]


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
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError):
        raise DataError(f"{path} is a damaged or cut-off packed file; fetch or compress it again.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or error}).") from None
