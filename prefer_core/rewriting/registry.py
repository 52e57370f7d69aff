"""The models that are known by name: size, licence, context, prompts, expected speed, and where they are fetched."""

from dataclasses import dataclass
from typing import Literal

from prefer_core.rewriting.prompts import STYLES, Style

Kind = Literal["gguf", "t5", "server"]


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
        Size on disk; 0 where it is elsewhere.
    licence : str
        Terms, shown before anything is fetched.
    context : int
        Tokens it can read.
    style : PromptStyle or InstructStyle
        How it is asked.
    sha256 : str
        Digest of the file (of a folder: of its weights); empty if any file will do.
    kind : {"gguf", "t5", "server"}
        What runs it: llama.cpp, transformers, or a server.
    repository : str
        Where it is fetched on the hub; empty if it is not.
    files : tuple of str
        Names in the repository; the largest last.
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
_MEASURED_SPEED, _MEASURED_MIB = 35.0, 241

DEFAULT = "gemma-3-270m"


def estimated_speed(size_mib: int) -> float:
    """Return tokens a second on two cores for a quantised model: writing is bound by reading its weights once a token.

    Examples
    --------
    >>> [round(estimated_speed(mib)) for mib in (241, 769)]
    [35, 11]
    """
    return _MEASURED_SPEED * _MEASURED_MIB / size_mib


MODELS: dict[str, Model] = {
    model.key: model
    for model in (
        Model(
            key="gemma-3-4b-it",
            name="Gemma 3 4B it",
            file="gemma-3-4b-it-Q4_K_M.gguf",
            size_mib=2374,
            licence=_GEMMA,
            context=131072,
            style=STYLES["instruct"],
            sha256="882e8d2db44dc554fb0ea5077cb7e4bc49e7342a1f0da57901c0802ea21a0863",
            repository="ggml-org/gemma-3-4b-it-GGUF",
            files=("gemma-3-4b-it-Q4_K_M.gguf",),
            speed=estimated_speed(2374),
            patience=8.0,
        ),
        Model(
            key="gemma-3-1b-it",
            name="Gemma 3 1B it",
            file="gemma-3-1b-it-Q4_K_M.gguf",
            size_mib=769,
            licence=_GEMMA,
            context=32768,
            style=STYLES["instruct"],
            sha256="8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135",
            repository="ggml-org/gemma-3-1b-it-GGUF",
            files=("gemma-3-1b-it-Q4_K_M.gguf",),
            speed=estimated_speed(769),
            patience=3.0,
        ),
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
            licence="Apache 2.0",
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
}
"""Best first; `models.resolve` takes the first of those without need of a server that is on this computer."""

LADDER: tuple[str, ...] = ("gemma-3-4b-it", "gemma-3-1b-it", DEFAULT)
"""What is looked for where PREFER_MODEL is not set."""


def known_by(served: str) -> Model | None:
    """Return the entry that a server's name for its model belongs to, if any.

    Examples
    --------
    >>> known_by("/models/gemma-3-270m-q4_k_m.gguf").key, known_by("google/gemma-3-4b-it").key, known_by("other")
    ('gemma-3-270m', 'gemma-3-4b-it', None)
    """
    name = served.lower().replace(":", "-")
    fitting = [m for m in MODELS.values() if m.key in name or m.file.lower() in name]
    return max(fitting, key=lambda m: len(m.key), default=None)
