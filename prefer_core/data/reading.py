"""What a reader yields and tells: rows, what is no row, and how the file was written."""

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Broken:
    """A piece of a file that is no row.

    Attributes
    ----------
    number : int
        Which row of the file it would have been, from 1.
    text : str
        How it begins.
    """

    number: int
    text: str


@dataclass
class HowRead:
    """What a reader found out about a file on the way.

    Attributes
    ----------
    encoding : str
        Name of the encoding; empty for a file that is no text.
    table : str
        Delimiter and quoting in words; empty where the file is no table of text.
    strays : int
        Lines with bytes that are not of the encoding; they were read as Windows-1252.
    repaired : int
        Rows whose quotes were wrong and that were read again, line by line.
    above : int
        Lines above the header of a table, which are no part of it.
    short : int
        Rows with fewer cells than the header has.
    headers : int
        Rows that repeat the header.
    has_header : bool
        False where the first line of a table is a row like the others.
    """

    encoding: str = ""
    table: str = ""
    strays: int = 0
    repaired: int = 0
    above: int = 0
    short: int = 0
    headers: int = 0
    has_header: bool = True

    def notes(self) -> list[str]:
        """Return what a person should know of it."""
        found = []
        if self.encoding:
            found.append(f"read as {self.encoding.upper()}{', ' if self.table else ''}{self.table}")
        counted = (
            (self.strays, "lines were not of this encoding and were read as Windows-1252"),
            (self.above, "lines above the header are no part of the table"),
            (self.repaired, "rows had a stray quote or delimiter and were read again, line by line"),
            (self.short, "rows end before the last column; what they lack is unknown"),
            (self.headers, "rows repeat the header and are none"),
        )
        found += [f"{count:,} {what}" for count, what in counted if count]
        if not self.has_header:
            found.append("the first line is a row and no header: the columns are called column 1, column 2 and so on")
        return found
