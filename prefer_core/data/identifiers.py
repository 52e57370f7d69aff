"""Ids of products and reviewers: which spellings are one id, and which are not."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prefer_core.data.values import as_text

_NULL = frozenset({"", "none", "null", "nan", "<na>", "n/a", "#n/a", "\\n"})
_AS_TEXT = re.compile(r"""="([^"]*)"|'(?=\d)""")
"""How spreadsheets are told that a number is a text: ="0007", '0007."""
_WHOLE = re.compile(r"(-?\d+)\.0+")
_FRACTION = re.compile(r"-?\d+\.\d*[1-9]\d*")
_LOST_DIGITS = re.compile(r"\d(?:[.,]\d+)?e\+?\d{2}", re.IGNORECASE)
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\u061c]")


@dataclass(frozen=True)
class Ids:
    """A column of ids, read.

    Attributes
    ----------
    values : list of str or None
        The ids; None where there is none.
    notes : list of str
        What was merged and what was kept apart, with counts; empty where all is plain.
    """

    values: list[str | None]
    notes: list[str]


def as_id(value: Any) -> str | None:
    """Return an identifier, or None for a missing one ("nan" and "null" are missing too)."""
    text = as_text(value)
    if text is None:
        return None
    if not text.isascii():
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    if text[:1] in "='":
        text = _AS_TEXT.sub(lambda match: match[1] or "", text, count=1)
    text = " ".join(text.split())
    return None if text.lower() in _NULL else text


def read_ids(values: Sequence[Any]) -> Ids:
    """Read a column of ids.

    White space around an id, more than one space within it, signs that nobody sees, a spreadsheet's mark of text
    (="0007") and two ways to write one accented letter do not count. A whole number is written without ".0" where no id
    of the column has other decimals: spreadsheets and pandas put it there. Capitals and leading zeros count: shops
    have both "0007" and "7", so they are kept apart and reported.

    Examples
    --------
    >>> read_ids(["B00X ", "B00X", 7.0, "7", "0007", "b00x"]).values
    ['B00X', 'B00X', '7', '7', '0007', 'b00x']
    >>> for note in read_ids(["B00X ", "B00X", 7.0, "7", "0007", "b00x"]).notes: print(note)
    white space or signs around 1 of them do not count
    1 written as a decimal ("7.0") is the whole number
    2 differ only by capitals or leading zeros and are kept apart, such as 7 and 0007
    """
    keys = [value if type(value) is str or type(value) is int else repr(value) for value in values]
    first = dict(zip(reversed(keys), reversed(values), strict=True))
    known = {key: as_id(value) for key, value in first.items()}
    odd = {key for key, name in known.items() if isinstance(first[key], str) and name is not None and name != key}
    spaced = sum(key in odd for key in keys) if odd else 0
    found = [known[key] for key in keys]
    notes = [f"white space or signs around {spaced:,} of them do not count"] if spaced else []
    distinct = {name for name in known.values() if name is not None}
    whole = {name: match[1] for name in distinct if (match := _WHOLE.fullmatch(name))}
    if whole and not any(_FRACTION.fullmatch(name) for name in distinct):
        changed = sum(name in whole for name in found)
        found = [whole.get(name, name) if name is not None else None for name in found]
        notes.append(
            f'{changed:,} written as a decimal ("{min(whole)}") {"are" if changed > 1 else "is"} the whole number'
        )
        distinct = {whole.get(name, name) for name in distinct}
    if alike := _alike(distinct):
        pairs = sum(len(names) - 1 for names in alike)
        example = " and ".join(sorted(alike[0], key=lambda name: (len(name), name))[:2])
        notes.append(f"{pairs:,} differ only by capitals or leading zeros and are kept apart, such as {example}")
    if lost := sum(bool(_LOST_DIGITS.fullmatch(name)) for name in distinct):
        notes.append(f"{lost:,} have lost digits in a spreadsheet (1.2E+15), so different ones may look the same")
    return Ids(found, notes)


def _alike(distinct: set[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in distinct:
        groups.setdefault(name.casefold().lstrip("0"), []).append(name)
    return sorted((names for names in groups.values() if len(names) > 1), key=min)
