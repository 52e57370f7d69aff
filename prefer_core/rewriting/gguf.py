"""The head of a GGUF file, read without llama.cpp: its name, its context, and whether it follows instructions."""

import mmap
import struct
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from prefer_core.errors import BackendError

_SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_PAIRS = 10_000


class Head(NamedTuple):
    """What the file says of itself.

    Attributes
    ----------
    name : str
        The model's name; may be empty.
    context : int
        Tokens it was trained to read; 0 if it does not say.
    chat_template : str
        Jinja text of a conversation; empty for base models.
    architecture : str
        Which kind of network it holds, such as "gemma3".
    """

    name: str
    context: int
    chat_template: str
    architecture: str = ""

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


class _Reader:
    """Reads one value after the other; struct.error where the file ends too soon."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def take(self, form: str) -> Any:
        """Return one number."""
        (value,) = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return value

    def text(self) -> bytes:
        """Return one string."""
        length = self.take("Q")
        start, self._at = self._at, self._at + length
        if self._at > len(self._data):
            raise struct.error("a string goes beyond the end")
        return self._data[start : self._at]

    def value(self, kind: int) -> Any:
        """Return one value; None for an array, which is skipped."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            inner, length = self.take("I"), self.take("Q")
            if inner in _SIMPLE:
                self._at += struct.calcsize(f"<{_SIMPLE[inner]}") * length
            else:
                for _ in range(length):
                    self.value(inner)
            return None
        if kind not in _SIMPLE:
            raise struct.error(f"a value of unknown kind {kind}")
        return self.take(_SIMPLE[kind])


def read_head(path: Path) -> Head:
    """Read the head of a GGUF file of version 2 or 3.

    Raises
    ------
    BackendError
        If the file is missing, is no GGUF file, or breaks off within its head.
    """
    try:
        found = path.stat()
        return _read(path, found.st_size, found.st_mtime_ns)
    except (OSError, ValueError) as error:
        raise BackendError(f"{path} cannot be read ({error}); give the path of a GGUF file.") from error


@lru_cache(maxsize=16)
def _read(path: Path, size: int, changed: int) -> Head:
    if size < 24:
        raise BackendError(f"{path} is no GGUF file; give the path of one, a name of the registry, or none.")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:4] != b"GGUF":
            raise BackendError(f"{path} is no GGUF file; give the path of one, a name of the registry, or none.")
        try:
            return _parse(_Reader(data))
        except (struct.error, OverflowError, RecursionError) as error:
            raise BackendError(f"{path} breaks off or is damaged ({error}); fetch it again.") from error


def _parse(reader: _Reader) -> Head:
    reader.take("I")
    version, _, pairs = reader.take("I"), reader.take("Q"), reader.take("Q")
    if version not in (2, 3) or pairs > _MOST_PAIRS:
        raise struct.error(f"version {version} with {pairs} entries")
    values: dict[str, Any] = {}
    for _ in range(pairs):
        name = reader.text().decode("utf-8", "replace")
        values[name] = reader.value(reader.take("I"))
    contexts = [int(v) for k, v in values.items() if k.endswith(".context_length") and isinstance(v, int)]
    return Head(
        _word(values.get("general.name")),
        max(contexts, default=0),
        _word(values.get("tokenizer.chat_template")),
        _word(values.get("general.architecture")),
    )


def _word(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
