"""What the cells of a review table say: ids, texts, votes, yes or no."""

import ast
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow.compute as pc

from prefer_core.data.compact import Strings, column_of
from prefer_core.data.dates import UNKNOWN

_YES = frozenset({"true", "1", "yes", "y", "t", "1.0", "verified purchase", "verified", "wahr", "ja", "oui", "si"})
_NO = frozenset({"false", "0", "no", "n", "f", "0.0", "unverified", "not verified", "falsch", "nein", "non"})
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d{1,2}")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_HELPFUL = re.compile(r"(one|[\d.,]+) (?:person|people) found this helpful\.?", re.I)


def as_text(value: Any) -> str | None:
    """Return a non-empty string, or None; a number is written out."""
    if value is None or isinstance(value, (dict, list)) or (isinstance(value, float) and math.isnan(value)):
        return None
    text = str(value).strip()
    if not text.isascii():
        text = _whole(text)
    return text or None


def as_texts(values: Sequence[Any]) -> list[str | None]:
    """Return `as_text` of every value."""
    if not set(map(type, values)) <= {str, type(None)}:
        return list(map(as_text, values))
    texts = [None if value is None else value.strip() or None for value in values]
    return [text if text is None or text.isascii() else _whole(text) for text in texts]


def _whole(text: str) -> str:
    r"""Join halves of surrogate pairs, as JSON escapes emoji; a half that stands alone cannot be written to any file.

    >>> _whole("\ud83d\ude42 \ud83d")
    '🙂 �'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def as_number(value: Any) -> float:
    """Return a finite number, or NaN; thousands and decimal commas are read.

    >>> as_number("1,234"), as_number("4,5"), as_number("1,23,4")
    (1234.0, 4.5, nan)
    """
    if isinstance(value, bool) or value is None:
        return math.nan
    if isinstance(value, str) and "," in value:
        value = value.strip()
        if _THOUSANDS.fullmatch(value):
            value = value.replace(",", "")
        elif _DECIMAL_COMMA.fullmatch(value):
            value = value.replace(",", ".")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def as_votes(value: Any) -> int:
    """Return a count of helpful votes; an unknown one is 0. Of a list [helpful, all], as in 2014, the first counts.

    >>> as_votes("1,234"), as_votes([2, 3]), as_votes("[2, 3]"), as_votes("One person found this helpful")
    (1234, 2, 2, 1)
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _literal(value)
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    if isinstance(value, str) and (match := _HELPFUL.fullmatch(value.strip())):
        value = 1 if match[1].lower() == "one" else match[1]
    number = as_number(value)
    return int(number) if 0 < number < 2**31 else 0


def as_verified(value: Any) -> int:
    """Return 1 or 0 for a verified purchase, -1 for unknown."""
    word = "" if value is None else str(value).strip().lower()
    return 1 if word in _YES else 0 if word in _NO else UNKNOWN


def count_tokens(text: str) -> int:
    """Count runs of letters and digits, and every other sign on its own: the pieces that word-piece models start from.

    >>> count_tokens("Doesn't leak, 5 stars!!")
    9
    """
    return len(_TOKEN.findall(text))


def count_all_tokens(value: Any) -> int:
    """Count the tokens of the texts and numbers in a row, nested ones too; names of fields and links do not count.

    >>> count_all_tokens({"title": "Rose soap", "price": 4.5, "details": {"Scent": "Rose"}, "images": None})
    6
    """
    if isinstance(value, str):
        return 0 if value.startswith(("http://", "https://")) else count_tokens(value)
    if isinstance(value, dict):
        return sum(map(count_all_tokens, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(count_all_tokens, value))
    return 0 if value is None or isinstance(value, bool) else count_tokens(str(value))


def _literal(text: str) -> Any:
    """Read a Python literal (exports write lists with repr), or return None."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


_NULL = frozenset({"", "none", "null", "nan", "<na>", "n/a", "#n/a", "\\n"})
_AS_TEXT = re.compile(r"""="([^"]*)"|'(?=\d)""")
"""How spreadsheets are told that a number is a text: ="0007", '0007."""
_WHOLE = re.compile(r"(-?\d+)\.0+")
_FRACTION = re.compile(r"-?\d+\.\d*[1-9]\d*")
_LOST_DIGITS = re.compile(r"\d(?:[.,]\d+)?e\+?\d{2}", re.IGNORECASE)
_BLOCK = 65_536
"""Names that are looked at together."""
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\u061c]")


@dataclass(frozen=True)
class Ids:
    """A column of ids, read.

    Attributes
    ----------
    values : Strings
        The ids; None where there is none.
    notes : list of str
        What was merged and what was kept apart, with counts; empty where all is plain.
    """

    values: Strings
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


def read_ids(values: Iterable[Any]) -> Ids:
    """Read a column of ids.

    White space around an id, more than one space within it, signs that nobody sees, a spreadsheet's mark of text
    (="0007") and two ways to write one accented letter do not count. A whole number is written without ".0" where no id
    of the column has other decimals: spreadsheets and pandas put it there. Capitals and leading zeros count: shops
    have both "0007" and "7", so they are kept apart and reported.

    Examples
    --------
    >>> read_ids(["B00X ", "B00X", 7.0, "7", "0007", "b00x"]).values.tolist()
    ['B00X', 'B00X', '7', '7', '0007', 'b00x']
    >>> for note in read_ids(["B00X ", "B00X", 7.0, "7", "0007", "b00x"]).notes: print(note)
    white space or signs around 1 of them do not count
    1 written as a decimal ("7.0") is the whole number
    2 differ only by capitals or leading zeros and are kept apart, such as 7 and 0007
    """
    found, spaced = Strings(), 0
    for run in column_of(values).runs():
        different, codes = run.different()
        ids = [value if _is_plain(value) else as_id(value) for value in different]
        if ids != different:
            odd = [type(v) is str and name is not None and name != v for v, name in zip(different, ids, strict=True)]
            spaced += int(np.array(odd)[codes].sum())
        found.add([ids[code] for code in codes.tolist()])
    notes = [f"white space or signs around {spaced:,} of them do not count"] if spaced else []
    names, changed = _without_decimals(found)
    if changed:
        example = min(name for name in _distinct(found) if _WHOLE.fullmatch(name))
        notes.append(
            f'{changed:,} written as a decimal ("{example}") {"are" if changed > 1 else "is"} the whole number'
        )
    if alike := _alike(names):
        pairs = sum(len(group) - 1 for group in alike)
        example = " and ".join(sorted(alike[0], key=lambda name: (len(name), name))[:2])
        notes.append(f"{pairs:,} differ only by capitals or leading zeros and are kept apart, such as {example}")
    if lost := sum(bool(_LOST_DIGITS.fullmatch(name)) for name in _distinct(names)):
        notes.append(f"{lost:,} have lost digits in a spreadsheet (1.2E+15), so different ones may look the same")
    return Ids(names, notes)


def _is_plain(value: Any) -> bool:
    """Whether a value is an id as it stands: letters and digits, more than the longest word for none has."""
    return type(value) is str and len(value) > 4 and value.isascii() and value.isalnum()


def _distinct(names: Strings) -> Iterator[str]:
    """Yield every name once, without a Python object for all of them at a time."""
    found = names.array().unique().drop_null()
    for start in range(0, len(found), _BLOCK):
        yield from found[start : start + _BLOCK].to_pylist()


def _without_decimals(names: Strings) -> tuple[Strings, int]:
    """Return the names without ".0", and how many had it; all as they are where one has other decimals."""
    whole = False
    for name in _distinct(names):
        if _FRACTION.fullmatch(name):
            return names, 0
        whole = whole or _WHOLE.fullmatch(name) is not None
    if not whole:
        return names, 0
    bare, changed = Strings(), 0
    for run in column_of(names).runs():
        matches = [(name, name is not None and _WHOLE.fullmatch(name)) for name in run]
        bare.add([match[1] if match else name for name, match in matches])
        changed += sum(bool(match) for _, match in matches)
    return bare, changed


def _alike(names: Strings) -> list[list[str]]:
    """Return the groups of names that differ only by capitals or leading zeros."""
    folded = Strings()
    distinct = _distinct(names)
    while block := list(islice(distinct, _BLOCK)):
        folded.add([_folded(name) for name in block])
    counts = folded.array().value_counts()
    several = set(counts.filter(pc.greater(counts.field("counts"), 1)).field("values").to_pylist())
    groups: dict[str, list[str]] = {}
    for name in _distinct(names) if several else ():
        if (key := _folded(name)) in several:
            groups.setdefault(key, []).append(name)
    return sorted(groups.values(), key=min)


def _folded(name: str) -> str:
    return name.casefold().lstrip("0")
