"""The log of writing: why a text, or one sentence of it, is the template's."""

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO

LOG = logging.getLogger("prefer.writing")

_BYTES, _KEPT = 1_000_000, 2


class _Quiet(RotatingFileHandler):
    """A full disk costs the log's line, never the text."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the library's name
        """Give up this line."""


def keep(folder: Path) -> None:
    """Write the log to `folder`/writing.log, at most three files of a megabyte; nowhere if that cannot be done."""
    path = (folder / "writing.log").absolute()
    if any(isinstance(h, _Quiet) and h.baseFilename == str(path) for h in LOG.handlers):
        return
    for old in [h for h in LOG.handlers if isinstance(h, _Quiet)]:
        LOG.removeHandler(old)
        old.close()
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _Quiet(path, maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8", delay=True)
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)


def open_log(path: Path | None) -> IO[bytes]:
    """Open a file for what a child process prints, anew once it is too long; nowhere if it cannot be written."""
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            mode = "wb" if path.is_file() and path.stat().st_size > _BYTES else "ab"
            return path.open(mode)
        except OSError:
            pass
    return Path(os.devnull).open("ab")
