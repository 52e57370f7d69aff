"""Corpora that many tests read: each is built once, and every test gets a copy of its own."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from filelock import FileLock

from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.encoders.embedders import EMBEDDERS
from tests.data.made import BagOfWords, write_jsonl

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / ".pytest_cache" / "corpora"
BUILDING = (
    "aspects", "data", "encoders", "files", "keypoints", "config.py", "corpus.py", "errors.py", "pipeline.py",
    "simplex.py", "types.py",
)  # fmt: skip
"""What of prefer_core decides what a build gives."""


def kept(name: str, build: Callable[[Path], object], folder: Path) -> Path:
    """Return `folder` with a corpus of its own: a copy of the one that is kept, which is built if there is none.

    It is kept for all workers and runs, until the code that builds it changes.

    Parameters
    ----------
    name : str
        Of the corpus; one file a word.
    build : callable
        Builds the corpus in a folder.
    folder : Path
        Where the copy goes; a test may change it.
    """
    STORE.mkdir(parents=True, exist_ok=True)
    stored = STORE / f"{name}-{code_digest()}"
    with FileLock(STORE / f"{name}.lock"):
        if not (stored / "manifest.json").exists():
            for old in STORE.glob(f"{name}-*"):
                shutil.rmtree(old)
            build(stored)
    shutil.copytree(stored, folder)
    return folder


class SmallCorpora:
    """Corpora of made reviews on bags of words, kept while a worker runs.

    Parameters
    ----------
    room : Path
        An empty folder.
    """

    def __init__(self, room: Path) -> None:
        self._room = room

    def copy(self, rows: Sequence[Any], settings: AspectSettings, folder: Path) -> Path:
        """Return `folder` with a copy of the corpus of some reviews, which is built the first time it is asked for."""
        # Imported late: a test that needs no corpus starts faster without it.
        from prefer_core.pipeline import build

        kept = self._room / sha256(f"{rows!r} {settings!r}".encode()).hexdigest()[:16]
        if not kept.exists():
            kept.mkdir()
            source = write_jsonl(kept / "made.jsonl", rows)
            with patch.dict(EMBEDDERS, {settings.embedder: BagOfWords}):
                build(BuildConfig(source=str(source), out=str(kept / "corpus"), aspects=settings))
        shutil.copytree(kept / "corpus", folder)
        return folder


@cache
def code_digest() -> str:
    """Return a digest of the code, the models and the reviews that decide what a build gives."""
    found = sha256()
    for path in sorted(_deciding()):
        found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _deciding() -> Iterator[Path]:
    for name in BUILDING:
        path = ROOT / "prefer_core" / name
        yield from path.rglob("*.py") if path.is_dir() else [path]
    for folder in ("sample", "models"):
        yield from (path for path in (ROOT / "assets" / folder).rglob("*") if path.is_file())
    yield from (ROOT / "tests").glob("counted.py")
    yield from (ROOT / "prefer_core").rglob("*.toml")
    yield ROOT / "requirements.txt"
