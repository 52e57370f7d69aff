"""The models that are known by name: origin, size, licence, context, prompts, expected speed.

Repositories and sizes were last seen in November 2026. A repository changes: which files it has and how large they
are is read from the hub when one is fetched, and the sizes here are only shown before that.
"""

from dataclasses import dataclass
from typing import Literal

from prefer_core.rewriting.prompts import STYLES, Style

Kind = Literal["gguf", "t5", "server"]

LAST_SEEN = "November 2026"


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
    sha256 : str
        Digest of the file that comes in a package, by which its texts are known on every machine.
    kind : {"gguf", "t5", "server"}
        What runs it: llama.cpp, transformers, or a server.
    repository : str
        Where it is fetched on the hub; empty if it is not.
    files : tuple of str
        Names in the repository, the largest last. A GGUF model has one, and may be had in another quantisation.
    speed : float
        Tokens a second that it writes on two laptop cores: measured for the embedded model, for the others estimated
        from the size of their files; 0 where nothing is known.
    patience : float
        Factor on the time limits of `WritingSettings`.
    """

    key: str
    name: str
    file: str
    size_mib: int
    licence: str
    context: int
    style: Style
    sha256: str = ""
    kind: Kind = "gguf"
    repository: str = ""
    files: tuple[str, ...] = ()
    speed: float = 0.0
    patience: float = 1.0


_GEMMA = "Gemma terms of use, ai.google.dev/gemma/terms"
_APACHE = "Apache 2.0"
_MEASURED_SPEED, _MEASURED_MIB = 35.0, 241

DEFAULT = "gemma-3-270m"
RECOMMENDED = "gemma-4-E2B-it"


def estimated_speed(size_mib: int) -> float:
    """Return tokens a second on two cores for a quantised model: writing is bound by reading its weights once a token.

    Examples
    --------
    >>> [round(estimated_speed(mib)) for mib in (241, 769)]
    [35, 11]
    """
    return _MEASURED_SPEED * _MEASURED_MIB / size_mib


def _gguf(key: str, name: str, repository: str, file: str, size_mib: int, licence: str, context: int) -> Model:
    return Model(
        key=key,
        name=name,
        file=file,
        size_mib=size_mib,
        licence=licence,
        context=context,
        style=STYLES["instruct"],
        repository=repository,
        files=(file,),
        speed=estimated_speed(size_mib),
        patience=max(2.0, size_mib / 300),
    )


MODELS: dict[str, Model] = {
    model.key: model
    for model in (
        _gguf("gemma-4-E4B-it", "Gemma 4 E4B it", "ggml-org/gemma-4-E4B-it-GGUF", "gemma-4-E4B-it-Q4_K_M.gguf", 4747,
              _APACHE, 131072),
        _gguf(RECOMMENDED, "Gemma 4 E2B it", "ggml-org/gemma-4-E2B-it-GGUF", "gemma-4-E2B-it-Q4_0.gguf", 2710,
              _APACHE, 131072),
        _gguf("gemma-3-4b-it", "Gemma 3 4B it", "ggml-org/gemma-3-4b-it-GGUF", "gemma-3-4b-it-Q4_K_M.gguf", 2374,
              _GEMMA, 131072),
        _gguf("gemma-3-1b-it", "Gemma 3 1B it", "ggml-org/gemma-3-1b-it-GGUF", "gemma-3-1b-it-Q4_K_M.gguf", 769,
              _GEMMA, 32768),
        Model(
            key=DEFAULT,
            name="Gemma 3 270M",
            file="gemma-3-270m-q4_k_m.gguf",
            size_mib=_MEASURED_MIB,
            licence=_GEMMA,
            context=32768,
            style=STYLES["base"],
            sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
            speed=_MEASURED_SPEED,
        ),
        Model(
            key="flan-t5-large",
            name="FLAN-T5 large",
            file="flan-t5-large",
            size_mib=2990,
            licence=_APACHE,
            context=512,
            style=STYLES["t5"],
            kind="t5",
            repository="google/flan-t5-large",
            files=(
                "config.json",
                "generation_config.json",
                "special_tokens_map.json",
                "tokenizer_config.json",
                "tokenizer.json",
                "model.safetensors",
            ),
            patience=4.0,
        ),
    )
}  # fmt: skip
"""Best first; `models.resolve` takes the first of the ladder that is on this computer."""

LADDER: tuple[str, ...] = ("gemma-4-E4B-it", RECOMMENDED, "gemma-3-4b-it", "gemma-3-1b-it", DEFAULT)
"""What is looked for where PREFER_MODEL is not set."""

_ROOM_MIB = 2500
"""Memory that the application, a browser and the system want beside the model."""
_SLOWEST = 4.0
"""Tokens a second below which nobody waits for a summary."""


def recommended(memory_mib: float, cores: int) -> tuple[Model, str]:
    """Return which model to take on a machine, and why in one sentence.

    Parameters
    ----------
    memory_mib : float
        Memory of the machine.
    cores : int
        Cores that the application may use; beyond four, reading the weights from memory is what takes time.

    Examples
    --------
    >>> [recommended(mib, cores)[0].key for mib, cores in ((32000, 8), (16000, 4), (8000, 2), (2000, 2))]
    ['gemma-4-E4B-it', 'gemma-4-E2B-it', 'gemma-3-1b-it', 'gemma-3-270m']
    """
    quicker = min(cores, 4) / 2 * (1.5 if cores >= 8 else 1.0)
    for key in ("gemma-4-E4B-it", RECOMMENDED, "gemma-3-1b-it"):
        model = MODELS[key]
        if model.size_mib + _ROOM_MIB <= memory_mib and model.speed * quicker >= _SLOWEST:
            return model, (
                f"For this machine ({memory_mib / 1024:.0f} GiB of memory, {cores} cores) take {model.name}: it fits, "
                f"writes about {model.speed * quicker:.0f} tokens a second, licence {model.licence.split(',')[0]}."
            )
    model = MODELS[DEFAULT]
    return model, (
        f"This machine ({memory_mib / 1024:.0f} GiB of memory, {cores} cores) is best served by {model.name}, which "
        "comes with the application; larger ones would be too slow or not fit."
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
