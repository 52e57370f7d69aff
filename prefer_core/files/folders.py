"""A folder that is replaced as a whole or not at all.

New content is made in ``DIR.building``; then ``DIR`` moves to ``DIR.previous`` and ``DIR.building`` to ``DIR``. A plain
rename onto a full folder fails, so there is a moment with neither; `recover` ends it.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prefer_core.errors import CorpusError

IsWhole = Callable[[Path], bool]


def building_of(folder: Path) -> Path:
    """Return where the new content of `folder` is made."""
    return folder.with_name(folder.name + ".building")


def previous_of(folder: Path) -> Path:
    """Return where the old content of `folder` waits during the swap."""
    return folder.with_name(folder.name + ".previous")


def check_target(folder: Path, known_files: frozenset[str]) -> None:
    """Refuse, before any work is done, a folder that may not be written or that holds anything but the known files."""
    if folder.exists() and not folder.is_dir():
        raise CorpusError(f"{folder} is a file; give a folder that does not exist yet with --out.")
    names = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    # One known name alone may be anyone's: manifest.json is a usual name.
    if names - known_files or len(names) == 1:
        raise CorpusError(
            f"{folder} is no corpus folder (it holds {min(names - known_files or names)}) and is not overwritten; "
            "give another folder with --out."
        )
    parent = next(p for p in folder.parents if p.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise CorpusError(f"{parent} may not be written; give a folder in a place of yours with --out.")


@contextmanager
def replacing(folder: Path, is_whole: IsWhole) -> Iterator[Path]:
    """Give an empty folder to write to; when the block ends well, it takes the place of `folder`.

    If anything goes wrong in the block, Ctrl-C too, `folder` stays as it was and nothing else is left.
    """
    building = building_of(folder)
    try:
        recover(folder, is_whole)
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        yield building
        _swap(folder)
    except OSError as error:
        place = error.filename or folder
        raise CorpusError(
            f"{place} cannot be written ({error.strerror or error}); make room or give another folder with --out."
        ) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def recover(folder: Path, is_whole: IsWhole) -> None:
    """Finish a swap that was cut off, or undo it if the new content is not whole; drop what a finished one left."""
    building, previous = building_of(folder), previous_of(folder)
    if not folder.exists():
        if building.is_dir() and is_whole(building):
            building.rename(folder)
        elif previous.is_dir():
            previous.rename(folder)
    if folder.exists() and previous.is_dir():
        shutil.rmtree(previous, ignore_errors=True)


def _swap(folder: Path) -> None:
    building, previous = building_of(folder), previous_of(folder)
    if not building.exists() and folder.exists():
        return  # someone who opened the folder meanwhile has finished the swap
    shutil.rmtree(previous, ignore_errors=True)
    if folder.exists():
        folder.rename(previous)
    try:
        building.rename(folder)
    except BaseException:
        with suppress(OSError):
            previous.rename(folder)
        raise
    shutil.rmtree(previous, ignore_errors=True)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a path to write to; when the block ends well, what it wrote takes the place of `path`, on the disk too."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        yield fresh
        sync(fresh)
        fresh.replace(path)
        sync(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have the system write a file or folder to the disk, so that a power cut does not leave it empty."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
