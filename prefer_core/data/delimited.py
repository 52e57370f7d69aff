r"""Tables of text (CSV, TSV): delimiter and quoting by equal column counts, and rows whose quotes are wrong read again.

The parsing is the csv module's, in strict mode: where its lenient mode would let a lone quote swallow the rows behind
it, strict mode says so, and the lines that it took are looked at one by one.
"""

import csv
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, dropwhile, islice, product
from operator import methodcaller
from typing import Any, Literal

from prefer_core.data.columns import holds_a_text, known_names
from prefer_core.data.reading import Broken, HowRead, Row

_DELIMITERS = ",;\t|"
_RARE_DELIMITERS = "^~¦\x01\x07\x1e\x1f#"
"""Tried only where the header has them."""
_MOST_ABOVE = 20
"""Lines above the header, with a title or a date, that are looked at."""
_SURELY = 0.9
"""Share of lines in rows of one width from which a table is believed to begin below its first line."""
_SAMPLE_LINES = 400
_SAMPLE_CHARACTERS = 1 << 20
_LONGEST_FIELD = 256 * 1024 * 1024
_MOST_LINES = 2000
"""Physical lines that one row may span; more is a quote that was never closed."""
_TOGETHER = 500
"""Physical lines that are parsed together."""
_WORDS_OF_A_TEXT = 5
"""Words of a cell in a first line that is a row and no header."""
_LOOK_AHEAD = 60
"""Physical lines in which the end of a row with stray quotes is looked for."""

_SEP = re.compile(r'^"?sep=(.)"?\s*$', re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?[\d.,]+%?")
_ALPHANUMERIC = re.compile(r"[^\W_]+")
_LONG_DELIMITER = re.compile(r"(?<=\w)(?:::+|[~^|]{2,3}|\t\t)(?=\w)")
_LONG = "\x1f"
"""Stands for a delimiter of several characters, of which the csv module knows none."""
_LONE_RETURN = re.compile(r"(?<=\r)(?!\n)(?=.)", re.DOTALL)
_MARKED = re.compile(r'="([^"]*)"')
"""How spreadsheets write that a number is a text."""
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True)
class Dialect:
    """How the cells of a table are told apart.

    Attributes
    ----------
    delimiter : str
        One character.
    quoted : bool
        Whether a cell may stand in double quotes.
    backslash : bool
        Whether a quote within a cell is escaped by a backslash, and not only by doubling it.
    spaced : bool
        Whether a space stands between a delimiter and a quoted cell.
    """

    delimiter: str
    quoted: bool = True
    backslash: bool = False
    spaced: bool = False

    def prepare(self, line: str) -> str:
        """Bring escaped quotes to the doubled form that is parsed."""
        if self.backslash and "\\" in line:
            return _ESCAPED.sub(lambda match: '""' if match[1] == '"' else "\\", line)
        return line

    def parse(self, lines: Iterable[str]) -> Any:
        """Return a strict parser over prepared physical lines."""
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE
        return csv.reader(lines, delimiter=self.delimiter, quoting=quoting, strict=True, skipinitialspace=self.spaced)

    def describe(self) -> str:
        """Name the dialect in words."""
        name = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}.get(self.delimiter, repr(self.delimiter))
        quotes = "quotes escaped by backslash" if self.backslash else "quotes doubled" if self.quoted else "no quotes"
        return f"{name} between columns, {quotes}"


def table_rows(
    blocks: Iterable[tuple[list[str], Collection[int]]], how: HowRead, prefer: str = ","
) -> Iterator[Row | Broken]:
    """Read a table of text.

    Parameters
    ----------
    blocks : iterable of (list of str, collection of int)
        Physical lines with their ends, and which of them held bytes of another encoding.
    how : HowRead
        Told what was found out.
    prefer : str
        Delimiter that wins where two fit equally well.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    physical: Iterator[str] = chain.from_iterable(_counted(blocks, how))
    head = list(dropwhile(lambda line: not line.strip(), _sample(physical)))
    if _is_quoted_twice(head):
        head, physical = list(map(_without_outer_quotes, head)), map(_without_outer_quotes, physical)
    long = _LONG_DELIMITER.search(head[0]) if head else None
    if long is not None and _is_even(long[0], head):
        shorten = methodcaller("replace", long[0], _LONG)
        head, physical = list(map(shorten, head)), map(shorten, physical)
    named = _SEP.match(head[0].lstrip("\ufeff")) if head else None
    head = head[1:] if named else head
    dialect, how.above = _begin_of(head, named[1] if named else None, prefer)
    head = head[how.above :]
    how.table = dialect.describe() if long is None else dialect.describe().replace(repr(_LONG), repr(long[0]))
    yield from _Table(dialect, head, how).rows(chain(head, physical))


def _counted(blocks: Iterable[tuple[list[str], Collection[int]]], how: HowRead) -> Iterator[list[str]]:
    for lines, strange in blocks:
        how.strays += len(strange)
        # Files put together from several systems end some of their lines with a lone return.
        if any(line.find("\r", 0, -2) >= 0 for line in lines):
            lines = [part for line in lines for part in _LONE_RETURN.split(line)]
        yield lines


def _is_even(delimiter: str, head: Sequence[str]) -> bool:
    """Whether most lines have a delimiter of several characters as often as the header."""
    times = head[0].count(delimiter)
    return sum(line.count(delimiter) == times for line in head) >= _SURELY * len(head)


def _is_quoted_twice(head: Sequence[str]) -> bool:
    """Whether every line is one quoted cell that holds a row, as comes of saving a CSV file as CSV once more."""
    inner = [cells[0] if (cells := _single(Dialect(","), line)) and len(cells) == 1 else "" for line in head]
    enough = len(head) > 1 and all(line.startswith('"') for line in head if line.strip())
    return enough and any(
        inner[0].count(sign) and _evenness(Dialect(sign), inner)[0] >= _SURELY for sign in _DELIMITERS
    )


def _without_outer_quotes(line: str) -> str:
    return _unquoted(line.rstrip("\r\n")) + "\n"


def _sample(lines: Iterator[str]) -> list[str]:
    taken, size = [], 0
    for line in islice(lines, _SAMPLE_LINES):
        taken.append(line)
        size += len(line)
        if size > _SAMPLE_CHARACTERS:
            break
    return taken


def _begin_of(head: Sequence[str], delimiter: str | None, prefer: str) -> tuple[Dialect, int]:
    """Return the dialect, and how many lines stand above the header: nearly empty ones, above even rows."""
    first = _fit(head, delimiter, prefer)
    even, width = _evenness(first, head)
    if even < 0.5 or _is_above(_first_row(first, head), width):
        for above in range(1, min(_MOST_ABOVE, len(head) - 2)):
            dialect = _fit(head[above:], delimiter, prefer)
            even, width = _evenness(dialect, head[above:])
            if even >= _SURELY and width > 2 and not _is_above(_first_row(dialect, head[above:]), width):
                told = all(_is_above(_single(dialect, line), width) for line in head[:above])
                return (dialect, above) if told else (first, 0)
        return first, 0
    groups = _first_row(first, head)
    if len(head) > 1 and not known_names(groups) and len(known_names(_single(first, head[1]) or ())) > 1:
        return first, 1  # names of groups of columns
    return first, 0


def _first_row(dialect: Dialect, head: Sequence[str]) -> list[str]:
    return next(((cells or []) for cells, _ in _records(dialect, head)), [])


def _is_above(cells: Sequence[str] | None, width: int) -> bool:
    """Whether next to no cell of a row has something in it: a title of the table and no header."""
    return sum(bool(cell.strip()) for cell in cells or ()) <= max(1, width // 4)


def _fit(head: Sequence[str], delimiter: str | None, prefer: str) -> Dialect:
    """Return the dialect in which most lines of the sample belong to rows with as many cells as the header."""
    if not head:
        return Dialect(delimiter or prefer)
    escapes = any('\\"' in line for line in head)
    rare = [sign for sign in _RARE_DELIMITERS if sign in head[0]]
    order = [*sorted(_DELIMITERS, key=lambda d: d != prefer), *rare] if delimiter is None else [delimiter]
    forms = [(True, False), (True, True), (False, False)] if escapes else [(True, False), (False, False)]
    found = [Dialect(d, *form, spaced=form[0] and _is_spaced(d, head)) for d, form in product(order, forms)]
    return max(found, key=lambda dialect: _evenness(dialect, head))


def _is_spaced(delimiter: str, head: Sequence[str]) -> bool:
    return 2 * sum(f'{delimiter} "' in line for line in head) > len(head)


def _evenness(dialect: Dialect, head: Sequence[str]) -> tuple[float, int]:
    """Return the share of lines in rows as wide as most, and that width; nothing for a table of one column."""
    spans = [(len(cells or ()), size) for cells, size in _records(dialect, head)]
    header = spans[0][0] if spans else 0
    if header < 2:
        return 0.0, 0
    widths = [width for width, _ in spans[1:]] or [header]
    usual = max((header, header + 1), key=widths.count)
    even = sum(size for width, size in spans[1:] if width == usual) / max(1, len(head) - 1)
    # A stray quote costs a quoted table a row or two; that is no reason to take its other quotes for signs.
    handicap = 0.0 if dialect.quoted or not _wraps(dialect.delimiter, head) else 0.3
    return round(even - handicap, 2), header


def _records(dialect: Dialect, head: Sequence[str]) -> Iterator[tuple[list[str] | None, int]]:
    """Yield the rows of the sample with the number of their lines; None for a line that strict parsing refuses."""
    lines = _Reread(head, dialect)
    while (found := lines.row()) is not None:
        cells, taken = found
        if cells is None:
            lines.give_back(taken[1:])
        yield cells, len(taken) if cells is not None else 1


def _wraps(delimiter: str, head: Sequence[str]) -> bool:
    """Whether whole cells stand in quotes in a tenth of the lines or more."""
    cell = re.compile(rf'(?:^|{re.escape(delimiter)})"[^"]*"(?=$|[\r\n]|{re.escape(delimiter)})')
    return 10 * sum(bool(cell.search(line)) for line in head) >= len(head)


class _Reread(Iterator[str]):
    """Prepared physical lines that remember what a parser took of them since it was last asked."""

    def __init__(self, lines: Iterable[str], dialect: Dialect) -> None:
        self._lines, self._dialect = iter(lines), dialect
        self._ahead: deque[str] = deque()
        self._taken: list[str] = []

    def __next__(self) -> str:
        if len(self._taken) >= _MOST_LINES:
            raise csv.Error("a row spans too many lines")
        line = self._ahead.popleft() if self._ahead else self._dialect.prepare(next(self._lines))
        self._taken.append(line)
        return line

    def row(self) -> tuple[list[str] | None, list[str]] | None:
        """Parse one row; return its cells, None where strict parsing refuses, and its lines; None at the end."""
        try:
            cells = next(self._dialect.parse(self))
        except StopIteration:
            return None
        except csv.Error:
            cells = None
        return cells, self.take()

    def take(self) -> list[str]:
        """Return the lines taken since the last call."""
        taken, self._taken = self._taken, []
        return taken

    def give_back(self, lines: Sequence[str]) -> None:
        """Put lines back in front."""
        self._ahead.extendleft(reversed(lines))

    def block(self) -> list[str]:
        """Take some of the next lines at once; none at the end."""
        found = [self._ahead.popleft() for _ in range(min(len(self._ahead), _TOGETHER))]
        fresh = list(islice(self._lines, _TOGETHER - len(found)))
        return found + (list(map(self._dialect.prepare, fresh)) if self._dialect.backslash else fresh)

    def ahead(self, number: int) -> list[str]:
        """Return up to so many of the next lines, taking none."""
        while len(self._ahead) < number:
            try:
                self._ahead.append(self._dialect.prepare(next(self._lines)))
            except StopIteration:
                break
        return list(islice(self._ahead, number))


@dataclass
class _Table:
    """A table in one dialect.

    Attributes
    ----------
    width : int
        Cells of a row.
    names : list of str
        Of the columns, all different; empty for one without a name.
    header : list of str
        Cells of the header as they stand; none in a table without one.
    forms : list of callable
        For every column what its values look like, None where they are free text.
    shapes : list of set of str
        For every column of single words the shapes seen of them (`_shape`), else None.
    filled : list of bool
        For every column whether nearly every row has a value in it.
    prose : int or None
        The one column of free text, whose delimiters may stand without quotes; None where it is not clear.
    opens_quoted : bool
        Whether lines begin with a quote as a rule.
    wrapped : dict of int to callable
        Takes the value out of single quotes, or of a spreadsheet's mark of text, in the columns that are written so.
    """

    dialect: Dialect
    head: Sequence[str]
    how: HowRead
    names: list[str] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    width: int = 0
    forms: list[Callable[[str], bool] | None] = field(default_factory=list)
    shapes: list[set[str] | None] = field(default_factory=list)
    filled: list[bool] = field(default_factory=list)
    prose: int | None = None
    opens_quoted: bool = False
    wrapped: dict[int, Callable[[str], str]] = field(default_factory=dict)

    def rows(self, physical: Iterable[str]) -> Iterator[Row | Broken]:
        """Yield the rows; what cannot be read as one comes as `Broken`."""
        lines = _Reread(physical, self.dialect)
        if not self._header(lines):
            return
        number, header = 0, self.header
        while block := lines.block():
            # As many rows as strict parsing reads without doubt, then the one over which it stumbled.
            parsed, done = self.dialect.parse(block), 0
            try:
                for cells in parsed:
                    stop = parsed.line_num
                    if stop - done > 1 or len(cells) != self.width or not any(cells) or cells == header:
                        verdict = self._judged(cells, block[done:stop])
                        if verdict is None:
                            break
                        if not verdict:
                            done = stop
                            continue
                    number += 1
                    done = stop
                    yield self._row(cells)
            except csv.Error:
                pass
            if done < len(block):
                lines.give_back(block[done:])
                row = self._doubted(lines, number + 1)
                if row is not None:
                    number += 1
                    yield row

    def _judged(self, cells: list[str], taken: Sequence[str]) -> bool | None:
        """Whether what strict parsing read of some lines is a row; None where that is in doubt."""
        if not any(line.strip() for line in taken):
            return False
        if cells == self.header:
            self.how.headers += 1
            return False
        return any(cells) if self._stands(cells, taken) else None

    def _header(self, lines: "_Reread") -> bool:
        """Take the header; False in a table without any."""
        while (found := lines.row()) is not None:
            cells, taken = found
            if any(line.strip() for line in taken):
                if cells is None:
                    lines.give_back(taken[1:])
                self._begin(cells if cells is not None else taken[0].rstrip("\r\n").split(self.dialect.delimiter))
                if not self.how.has_header:
                    lines.give_back(taken[:1] if cells is None else taken)
                return True
        return False

    def _doubted(self, lines: "_Reread", number: int) -> Row | Broken | None:
        """Read one row from as many lines as it takes; None where nothing is left."""
        found = lines.row()
        if found is None:
            return None
        cells, taken = found
        verdict = None if cells is None else self._judged(cells, taken)
        if cells is not None and verdict is not None:
            return self._row(cells) if verdict else None
        if cells is not None and taken[-1].rstrip().endswith('"') and self._is_short(cells):
            self.how.short += 1
            return self._row(cells)
        lines.give_back(taken[1:])
        return self._again(taken[0], lines, number)

    def _begin(self, header: list[str]) -> None:
        """Take the header; a table that R wrote has one cell more a row, the row's name."""
        self.header = header
        names = [" ".join(cell.replace("\ufeff", "").split()) for cell in header]
        self.names = _all_different([_unquoted(name) for name in names] if not self.dialect.quoted else names)
        sampled = list(_records(self.dialect, self.head))[1:]
        usual = (len(self.names), len(self.names) + 1)
        rows = [cells for cells, _ in sampled if cells is not None and len(cells) in usual]
        longer = [cells for cells in rows if len(cells) > len(self.names)]
        spare = all(not cells[-1].strip() for cells in longer)
        # Names of rows are all different; where they are not, a delimiter stands in a text.
        if 2 * len(longer) > len(rows) and (spare or len({cells[0] for cells in longer}) == len(longer)):
            self.names = [*self.names, ""] if spare else ["", *self.names]
            rows = longer
        self.width = len(self.names)
        self.prose = _prose(self.names, [cells for cells, _ in sampled if cells is not None])
        if self.prose is not None:
            wide = [cells for cells, _ in sampled if cells is not None and len(cells) >= self.width]
            rows = [_as_wide(cells, self.width, self.prose, self.dialect.delimiter) for cells in wide]
        columns = list(zip(*(cells for cells in rows if len(cells) == self.width), strict=True))
        self.wrapped = {place: way for place, column in enumerate(columns) if (way := _out_of(column)) is not None}
        columns = [
            tuple(map(self.wrapped[place], column)) if place in self.wrapped else column
            for place, column in enumerate(columns)
        ]
        self.forms = [_form(column) for column in columns] or [None] * self.width
        self.shapes = [
            {_shape(cell) for cell in column} if form is _is_word else None
            for form, column in zip(self.forms, columns or [()] * self.width, strict=True)
        ]
        self.filled = [sum(map(bool, column)) >= 0.95 * len(column) for column in columns] or [False] * self.width
        self.opens_quoted = 2 * sum(line.startswith('"') for line in self.head[1:]) > len(sampled)
        if self._has_no_header():
            self.how.has_header = False
            self.names, self.header = [f"column {place}" for place in range(1, self.width + 1)], []

    def _has_no_header(self) -> bool:
        """Whether the header is a row: a number stands in it wherever its column holds numbers, and no known name."""
        named = list(zip(self.names, self.forms, strict=True))
        numbers = [name for name, form in named if form is _is_number]
        counted = [str(place) for place in range(self.width + 1)]  # pandas calls columns 0, 1, 2
        return (
            bool(numbers)
            and all(map(_is_number, numbers))
            and any(len(name.split()) >= _WORDS_OF_A_TEXT for name in self.names)
            and self.names not in (counted[:-1], counted[1:])
        )

    def _stands(self, cells: list[str], taken: Sequence[str]) -> bool:
        """Whether a parsed row may be what was meant: as wide as the table, and no other rows within."""
        if len(cells) != self.width:
            return len(cells) == self.width + 1 and not cells[-1] and len(taken) == 1
        return len(taken) == 1 or not all(self._begins(line, surely=True) for line in taken[1:] if line.strip())

    def _begins(self, line: str, *, surely: bool) -> bool:
        """Whether a row begins on this line: as many cells as the table has, each of the form of its column."""
        if line.count(self.dialect.delimiter) < self.width - 1:
            return False
        cells = self._alone(line)
        if cells is None:
            return False
        told = [(form, cell) for form, cell in zip(self.forms, cells, strict=True) if form is not None and cell]
        if not all(form(cell) for form, cell in told):
            return False
        if surely and any(
            shapes is not None and cell and _shape(cell) not in shapes
            for shapes, cell in zip(self.shapes, cells, strict=True)
        ):
            return False
        if surely and self.opens_quoted and not line.startswith('"'):
            return False
        if surely and not all(cell for cell, is_filled in zip(cells, self.filled, strict=True) if is_filled):
            return False
        return not surely or len(told) >= 2 or any(form is _is_number for form, _ in told)

    def _alone(self, line: str) -> list[str] | None:
        """Read one physical line as a row; None if it is none."""
        return self._whole((_single(self.dialect, line), self._tolerant(line), self._unclosed(line)))

    def _whole(self, ways: Iterable[list[str] | None]) -> list[str] | None:
        """Return the first of several ways to read a row that has as many cells as the table."""
        return next((cells for cells in ways if cells is not None and len(cells) == self.width), None)

    def _again(self, first: str, lines: _Reread, number: int) -> Row | Broken:
        """Read a row anew that strict parsing stumbled over; `lines` go on behind its first physical line."""
        block = first
        for taken, line in enumerate(chain([""], lines.ahead(_LOOK_AHEAD))):
            if taken and self._begins(line, surely=False):
                break
            block += line
            cells = self._tolerant(block)
            if cells is not None:
                for _ in range(taken):
                    next(lines)
                lines.take()
                self.how.repaired += 1
                return self._row(cells)
            if not self.dialect.quoted:
                break
        cells = self._whole((self._unclosed(first), self._joined(first)))
        if cells is not None:
            self.how.repaired += 1
            return self._row(cells)
        cells = _single(self.dialect, first)
        if cells is not None and self._is_short(cells):
            self.how.short += 1
            return self._row(cells)
        return Broken(number, first.rstrip("\r\n"))

    def _is_short(self, cells: Sequence[str]) -> bool:
        """Whether a row only ends too soon: its cells are like those of their columns, and a text is among them."""
        told = list(zip(cells, self.forms, strict=False))
        fits = all(form(cell) for cell, form in told if form is not None and cell)
        return 1 < len(cells) < self.width and fits and any(form is None and " " in cell for cell, form in told)

    def _tolerant(self, block: str) -> list[str] | None:
        """Read a row in which a quote within a cell was not doubled: a cell ends where a delimiter follows its quote.

        >>> _Table(Dialect(","), [], HowRead(), width=3)._tolerant('p,"a "soft", warm" one",5')
        ['p', 'a "soft", warm" one', '5']
        """
        if not self.dialect.quoted:
            return None
        behind = f"(?={re.escape(self.dialect.delimiter)}(?! )|$)"
        # Best is an odd run of quotes, whose others are doubled ones; any will do where there is none.
        ends = re.compile(f'(?<!")(?:"")*"{behind}'), re.compile(f'"{behind}')
        return self._whole(self._cells(block.rstrip("\r\n"), end) for end in ends)

    def _cells(self, text: str, end: re.Pattern[str]) -> list[str] | None:
        """Cut a row into cells; one that begins with a quote goes on to where `end` matches."""
        cells, place = list[str](), 0
        while True:
            if text[place : place + 1] == '"':
                match = end.search(text, place + 1)
                if match is None:
                    return None
                cells.append(text[place + 1 : match.end() - 1].replace('""', '"'))
                place = match.end()
            else:
                stop = text.find(self.dialect.delimiter, place)
                stop = len(text) if stop < 0 else stop
                cells.append(text[place:stop])
                place = stop
            if place >= len(text):
                return cells
            place += 1
            if place == len(text):
                return [*cells, ""]

    def _unclosed(self, line: str) -> list[str] | None:
        """Read a line whose last quote opens a cell and never closes: the quote is a sign like any other."""
        if not self.dialect.quoted:
            return None
        text = line.rstrip("\r\n")
        place = text.rfind(self.dialect.delimiter + '"')
        place = place + 1 if place >= 0 else 0
        if text[place : place + 1] != '"':
            return None
        before = _single(self.dialect, text[: place - 1]) if place else []
        if before is None:
            return None
        behind = self.width - len(before) - 1
        rest = text[place:].rsplit(self.dialect.delimiter, behind) if behind > 0 else [text[place:]]
        return [*before, *rest] if behind >= 0 else None

    def _joined(self, line: str) -> list[str] | None:
        """Read a line with too many cells as one whose text holds delimiters without quotes."""
        cells = _single(self.dialect, line)
        if cells is None or self.prose is None or len(cells) <= self.width:
            return None
        return _as_wide(cells, self.width, self.prose, self.dialect.delimiter)

    def _row(self, cells: list[str]) -> Row:
        if self.dialect.quoted and not self.wrapped:
            return dict(zip(self.names, cells, strict=False))
        if not self.dialect.quoted:
            cells = list(map(_unquoted, cells))
        for place, bare in self.wrapped.items():
            if place < len(cells):
                cells[place] = bare(cells[place])
        return dict(zip(self.names, cells, strict=False))


def _all_different(names: Sequence[str]) -> list[str]:
    """Put numbers behind names that occur again, so that no column hides another one.

    >>> _all_different(["id", "text", "", "text", ""])
    ['id', 'text', '', 'text 2', '']
    """
    found: list[str] = []
    for name in names:
        again = 1 + sum(name == other for other in names[: len(found)])
        found.append(f"{name} {again}" if name and again > 1 else name)
    return found


def _out_of(column: Sequence[str]) -> Callable[[str], str] | None:
    """Return what takes the values of a column out of single quotes or a spreadsheet's mark; None for bare ones."""
    known = [cell for cell in column if cell]
    if known and all(len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in known):
        return lambda cell: cell[1:-1].replace("''", "'") if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell
    if known and all(map(_MARKED.fullmatch, known)):
        return lambda cell: _MARKED.sub(r"\1", cell)
    return None


def _single(dialect: Dialect, line: str) -> list[str] | None:
    """Parse one physical line; None where it is not one whole row."""
    try:
        rows = list(dialect.parse([line]))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def _prose(names: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Return the one column of free text among columns of numbers and single words, as the sampled rows show it.

    Where several can be it, their names tell.
    """
    width = len(names)
    rows = [cells for cells in rows if len(cells) >= width]
    if width < 2 or len(rows) < 3:
        return None
    found = []
    for place in range(width):
        columns = list(zip(*(_as_wide(cells, width, place, ",") for cells in rows), strict=True))
        if all((_form(column) is None) == (number == place) for number, column in enumerate(columns)):
            found.append(place)
    found = [place for place in found if holds_a_text({names[place]: ""})] or found
    return found[0] if len(found) == 1 else None


def _as_wide(cells: Sequence[str], width: int, place: int, delimiter: str) -> list[str]:
    """Join the cells from `place` on until `width` are left.

    >>> _as_wide(["p", "soft", " warm", "5"], 3, 1, ",")
    ['p', 'soft, warm', '5']
    """
    behind = len(cells) - (width - place - 1)
    return [*cells[:place], delimiter.join(cells[place:behind]), *cells[behind:]]


def _form(values: Sequence[str]) -> Callable[[str], bool] | None:
    """Return what nearly all values of a column are, numbers or single words; None for free text."""
    known = [value for value in values if value]
    for form in (_is_number, _is_word):
        if known and sum(map(form, known)) >= 0.95 * len(known):
            return form
    return None


def _is_number(value: str) -> bool:
    return bool(_NUMBER.fullmatch(value.strip()))


def _is_word(value: str) -> bool:
    return len(value) <= 40 and not re.search(r"\s", value.strip())


def _shape(word: str) -> str:
    """Return a word with its letters and digits folded.

    >>> _shape("kettle-12"), _shape("B00X-7")
    ('a-0', 'x-0')
    """
    return _ALPHANUMERIC.sub(lambda m: "0" if m[0].isdigit() else "a" if m[0].isalpha() else "x", word)


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell
