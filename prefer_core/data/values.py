"""Single values of raw rows, brought to one type each; what cannot be trusted becomes unknown."""

import ast
import math
import re
from collections.abc import Sequence
from typing import Any

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
