"""The head of a GGUF file, read without llama.cpp: its context, and whether it follows instructions."""

import struct
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from prefer_core.errors import BackendError

_SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_PAIRS, _LONGEST = 10_000, 2**30


class Head(NamedTuple):
    """What the file says of itself: tokens it can read (0 if it does not say), its chat template, its architecture."""

    context: int
    chat_template: str
    architecture: str

    @property
    def helper(self) -> str:
        """What the file is, if it only helps another model, and what to take instead; else empty."""
        name = self.architecture.lower()
        if any(mark in name for mark in ("assistant", "draft", "eagle", "mtp")):
            return (
                f"it holds a draft head ({self.architecture}), which only speeds up the model it belongs to; take that "
                "model's own file, whose name ends in a quantisation such as Q4_0 and has no draft, assistant or mtp."
            )
        if name in ("clip", "mmproj", "siglip"):
            return "it holds the part that reads images (mmproj); take the model's own file beside it."
        if "bert" in name or "embedding" in name:
            return f"it turns texts into vectors ({self.architecture}) and does not write; take a model that does."
        return ""


def read_head(path: Path) -> Head:
    """Read the head of a GGUF file of version 2 or 3; BackendError if it is missing, no GGUF file or damaged."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BackendError(f"{path} cannot be read ({error}); give the path of a GGUF file.") from error


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Head:
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BackendError(f"{path} is no GGUF file; give the path of one, a name of the registry, or none.")
        try:
            version, _, pairs = (_take(file, form) for form in "IQQ")
            if version not in (2, 3) or pairs > _MOST_PAIRS:
                raise struct.error(f"version {version} with {pairs} entries")
            values = {_value(file, _STRING): _value(file, _take(file, "I")) for _ in range(pairs)}
        except (struct.error, OverflowError, RecursionError, MemoryError) as error:
            raise BackendError(f"{path} breaks off or is damaged ({error}); fetch it again.") from error
    context = max((v for k, v in values.items() if k.endswith(".context_length") and isinstance(v, int)), default=0)
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    return Head(int(context), texts.get("tokenizer.chat_template", ""), texts.get("general.architecture", ""))


def _take(file: BinaryIO, form: str) -> Any:
    """Return the next number; struct.error where the file ends too soon."""
    return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))[0]


def _value(file: BinaryIO, kind: int) -> Any:
    """Return one value; None for an array, which is skipped."""
    if kind == _STRING:
        length = _take(file, "Q")
        found = file.read(length) if length < _LONGEST else b""
        if len(found) < length:
            raise struct.error("a string goes beyond the end")
        return found.decode("utf-8", "replace")
    if kind == _ARRAY:
        inner, length = _take(file, "I"), _take(file, "Q")
        if inner in _SIMPLE:
            file.seek(struct.calcsize(f"<{_SIMPLE[inner]}") * length, 1)
        else:
            for _ in range(length):
                _value(file, inner)
        return None
    if kind not in _SIMPLE:
        raise struct.error(f"a value of unknown kind {kind}")
    return _take(file, _SIMPLE[kind])
