"""Corpora that many tests read: built once for all workers and runs, until the code that builds them changes."""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / ".pytest_cache" / "corpora"
BUILDING = (
    "aspects", "data", "encoders", "files", "keypoints", "config.py", "corpus.py", "errors.py", "pipeline.py",
    "simplex.py", "types.py",
)  # fmt: skip
"""What of prefer_core decides what a build gives."""


def kept(name: str, build: Callable[[Path], object], folder: Path) -> Path:
    """Return `folder` with a corpus of its own: a copy of the one that is kept, which is built if there is none.

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
