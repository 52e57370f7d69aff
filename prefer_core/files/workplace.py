"""Where a build keeps what it has done so far, so that the same command goes on after it was cut off.

``DIR.work`` beside the corpus folder DIR holds finished pieces, and the lock of the one build that may write to DIR.
The lock belongs to the process: it is gone when the process is, however it ended.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prefer_core.errors import ConfigError, CorpusError, DataError

_LOCK = "lock"


def work_of(folder: Path) -> Path:
    """Return where the pieces of a build into `folder` lie."""
    return folder.with_name(folder.name + ".work")


def has_pieces(folder: Path) -> bool:
    """Whether a build into `folder` was cut off that can go on."""
    work = work_of(folder)
    return work.is_dir() and any(path.name != _LOCK for path in work.iterdir())


@contextmanager
def workplace(folder: Path) -> Iterator[Path]:
    """Give the place for the pieces of a build into `folder`, for one build at a time.

    The pieces are dropped when the block ends well, and when source or settings cannot work; after anything else (a
    full disk, Ctrl-C, a kill) they stay for the next build, if there are any.

    Raises
    ------
    CorpusError
        If another build is writing to the same folder, or the place cannot be made.
    """
    work = work_of(folder)
    made = [place for place in (work, *work.parents) if not place.exists()]
    handle = _locked(folder, work)
    try:
        yield work
    except (DataError, ConfigError):
        _drop(work, made)
        raise
    except BaseException:
        if not has_pieces(folder):
            _drop(work, made)
        raise
    else:
        _drop(work, made)
    finally:
        os.close(handle)


def _drop(work: Path, made: list[Path]) -> None:
    """Take the place away, and the folders made for it that hold nothing else."""
    shutil.rmtree(work, ignore_errors=True)
    with suppress(OSError):
        for place in made[1:]:
            place.rmdir()


def _locked(folder: Path, work: Path) -> int:
    while True:
        try:
            work.mkdir(parents=True, exist_ok=True)
            handle = os.open(work / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:
            continue  # the build before us is just taking its place away
        except OSError as error:
            raise CorpusError(
                f"{work} cannot be written ({error.strerror}); give a folder in a place of yours with --out."
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(handle, 20, 0).decode() or "unknown"
            os.close(handle)
            raise CorpusError(
                f"Another build (process {owner}) is writing to {folder}; wait for it, or give another --out."
            ) from None
        if _is_there(work / _LOCK, handle):
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
            return handle
        os.close(handle)  # locked a file that the build before us has removed meanwhile


def _is_there(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
