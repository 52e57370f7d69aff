"""Word lists and patterns, written down so that they can be read."""

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def any_of(*patterns: str) -> re.Pattern[str]:
    r"""Compile alternatives that stand as whole words, in any case.

    >>> any_of(r"hives?", r"rash(?:es)?").findall("Hives, rashes, rashly")
    ['Hives', 'rashes']
    """
    return re.compile(rf"\b(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
