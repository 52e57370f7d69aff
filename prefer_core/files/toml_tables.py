"""TOML files that people write: tables as dataclasses, and errors that name the line and the remedy."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from prefer_core.errors import ConfigError

_TABLE = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=\s*(.*)")
_LONG = ('"""', "'''")

Place = tuple[str, int, str]
"""Table, position among the tables of that name (0 for the first), and key; an empty key is the table's head."""


def lines_of(text: str) -> dict[Place, int]:
    r"""Return the line, from 1, of every table and key.

    >>> lines_of('[study]\nname = "a"\n[[arms]]\nname = "b"\n[[arms]]\n')[("arms", 0, "name")]
    4
    """
    found: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table, index, closing = "", 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if closing:
            closing = "" if closing in line else closing
        elif head := _TABLE.fullmatch(line.split("#")[0].rstrip()):
            table = head[1]
            index = counts.get(table, 0)
            counts[table] = index + 1
            found[table, index, ""] = number
        elif pair := _KEY.match(line):
            found.setdefault((table, index, pair[1]), number)
            opened = next((mark for mark in _LONG if pair[2].startswith(mark)), "")
            closing = opened if opened and pair[2].count(opened) == 1 else ""
    return found


class WrongValueError(ConfigError):
    """One key has a value that cannot work; the reader of the file adds the line."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


def need(holds: bool, key: str, text: str) -> None:
    """Refuse the value of a key unless a rule holds; `text` gives rule, value and remedy."""
    if not holds:
        raise WrongValueError(key, text)


def one_of(value: str, known: Sequence[str], key: str) -> None:
    """Refuse the value of a key that is none of the known ones."""
    close = get_close_matches(value, known, 1)
    guess = f"; did you mean {close[0]!r}?" if close else "."
    need(value in known, key, f"{key} is {value!r}{guess} Choose one of {', '.join(known)}.")


def text_of(path: Path, what: str) -> str:
    """Return the text of a file; `what` as in `at`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{what} {path} cannot be read ({error}); give a TOML file in UTF-8.") from None


def content_of(text: str, what: str, example: str) -> dict[str, Any]:
    """Return what a TOML text holds; `what` as in `at`, `example` names a file that shows the form."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{what} is not TOML: {error}; see {example} for the form.") from None


def at(what: str, line: int | None, text: str) -> ConfigError:
    """Return the error of a place in a file; `what` says which kind of file, such as "The study"."""
    return ConfigError(f"{what}, line {line}: {text}" if line else f"{what}: {text}")


def made(kind: type, table: str, index: int, values: Mapping[str, Any], lines: Mapping[Place, int], what: str) -> Any:
    """Make the dataclass of one table; an error gets the line of its key.

    Parameters
    ----------
    kind : type
        A dataclass of texts, numbers, truths, literals, tuples of texts and dicts.
    table, index : str, int
        Name of the table and its position among those of that name.
    values : mapping
        As TOML gives them.
    lines : mapping
        See `lines_of`.
    what : str
        See `at`.
    """
    hints = get_type_hints(kind)
    head = lines.get((table, index, ""))
    ready: dict[str, Any] = {}
    for key, value in values.items():
        line = lines.get((table, index, key)) or lines.get((f"{table}.{key}", index, "")) or head
        if key not in hints:
            close = get_close_matches(key, list(hints), 1)
            guess = f"did you mean {close[0]!r}?" if close else f"it knows {', '.join(hints)}."
            raise at(what, line, f"[{table}] has no setting {key!r}; {guess}")
        try:
            ready[key] = _typed(key, value, hints[key])
        except WrongValueError as error:
            raise at(what, line, str(error)) from None
    missing = [f.name for f in fields(kind) if f.name not in ready and _required(f)]
    if missing:
        raise at(what, head, f"[{table}] lacks {', '.join(missing)}; add it.")
    try:
        return kind(**ready)
    except WrongValueError as error:
        raise at(what, lines.get((table, index, error.key)) or head, str(error)) from None


def _required(one: "Field[Any]") -> bool:
    return one.default is MISSING and one.default_factory is MISSING


_WORDS = {str: "text in quotes", int: "a whole number", float: "a number", bool: "true or false", dict: "a table"}


def _typed(key: str, value: Any, hint: Any) -> Any:
    origin = get_origin(hint)
    if origin is Literal:
        if isinstance(value, str):
            one_of(value, get_args(hint), key)
            return value
        hint = str
    if origin is tuple:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        raise WrongValueError(key, f'{key} must be a list of texts, such as ["a", "b"].')
    wanted = origin or hint
    assert not isinstance(wanted, UnionType)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise WrongValueError(key, f"{key} must be {_WORDS[wanted]}, found {value!r}.")
    return value
