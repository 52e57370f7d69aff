"""Small GGUF heads, written by the format's description."""

import struct
from collections.abc import Mapping
from pathlib import Path


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def write_gguf(path: Path, values: Mapping[str, str | int | list[str]]) -> None:
    """Write a head with these entries and no tensors."""
    body = b""
    for name, value in values.items():
        body += _text(name)
        if isinstance(value, str):
            body += struct.pack("<I", 8) + _text(value)
        elif isinstance(value, int):
            body += struct.pack("<II", 4, value)
        else:
            body += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(one) for one in value)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + body)
