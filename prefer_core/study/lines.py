"""Where the keys of a TOML file stand, so that an error can name its line."""

import re

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
