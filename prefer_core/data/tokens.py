"""Tokens of raw text, as the statistics of a source count them."""

import re
from typing import Any

_TOKEN = re.compile(r"\w+|[^\w\s]")


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
