"""The columns of a file that matter, as they stand in it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from prefer_core.data.columns import SAID, SAMPLE, Choice, choose, is_wanted
from prefer_core.data.compact import Strings
from prefer_core.data.losses import Losses
from prefer_core.data.readers import read_rows
from prefer_core.data.reading import Broken, HowRead, Row
from prefer_core.data.values import as_text
from prefer_core.errors import DataError
from prefer_core.files.progress import Tick, silent

LONGEST_TEXT = 200_000
"""Characters of a text that are read; a review gives at most twenty sentences, and a megabyte of log is no review."""

_THING = r"(?:comments?|reviews?|texts?|feedback)"
_PLACEHOLDER = re.compile(
    r"\W*(?:(?:no|add|write|leave|enter)(?: an?| your| any)? (?:(?:negatives?|positives?|titles?|texts?|descriptions?|"
    r"answers?|responses?|feedbacks?|content)|(?:public |further |written )?(?:comments?|reviews?)"
    r"(?: text| provided| available| given| left)?)|early access review|(?:review )?(?:text )?not available|"
    r"n/?a|none|null|nan|nil|nothing|empty|deleted|removed|product received for free|no text|"
    r"(?:(?:this|the) )?(?:user|guest|customer|reviewer|buyer)s? "
    rf"(?:did(?: not|n['’]t) (?:leave|write|give|add)|left|wrote|gave|has|had) (?:an?|any|no)(?: \w+)? {_THING}|"
    rf"(?:there (?:are|is) )?no (?:\w+ )?{_THING} (?:available|provided|given|left|written)(?: for .*)?|"
    r"keine?n? (?:kommentare?|angaben?|text|bewertungstext)|(?:pas de|sans|aucun) commentaires?|sin comentarios?|"
    r"nessun commento|sem coment[áa]rios?|без комментариев|无|無|なし|特になし|暂无评论|没有评论|"
    r"此用户没有填写评[价论]|없음)\W*|[\s!-/:-@\[-`{-~–—…]+",
    re.IGNORECASE,
)
"""What stands where a text should: shops' own words for none, and signs without any letter."""
_LONGEST_PLACEHOLDER = 60
_TEXTS = ("text", "negative_text", "title")
_CHUNK = 5000


@dataclass
class RawTable:
    """What was read of a file, column by column.

    Attributes
    ----------
    size : int
        Rows.
    choices : tuple of Choice
        Which column was taken for what.
    counts : dict of str to int
        Lines read and broken.
    how : HowRead
        How the file was written.
    losses : Losses
        Examples of what was left out.
    placeholders : dict of int to str
        Rows in which a sign for "no text" stands where a text should, and the sign.
    held_places : int
        How many such signs there were.
    cut : int
        Texts cut at `LONGEST_TEXT`.
    """

    choices: tuple[Choice, ...] = ()
    size: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    how: HowRead = field(default_factory=HowRead)
    losses: Losses = field(default_factory=Losses)
    placeholders: dict[int, str] = field(default_factory=dict)
    held_places: int = 0
    cut: int = 0
    _columns: dict[str, "_Values | _TextColumn"] = field(default_factory=dict)

    @property
    def mapping(self) -> dict[str, str]:
        """Standard name to column."""
        return {choice.standard: choice.column for choice in self.choices}

    def values(self, column: str | None) -> Sequence[Any]:
        """Return the values of a column (size,); None where a row has none."""
        found = self._columns.get(column or "")
        if found is None:
            return [None] * self.size
        return found.filled(self.size)

    def texts(self, standard: str) -> pd.Series:
        """Return a column of text (size,), missing where a row has none."""
        found = self._columns.get(self.mapping.get(standard, ""))
        if isinstance(found, _TextColumn):
            return found.series(self.size)
        column = _TextColumn(self, is_body=False)
        column.put(0, found.filled(self.size) if found is not None else [])
        return column.series(self.size)


class _TextColumn:
    """A column of text, kept without a Python object for each; placeholders and overlong texts are seen on the way."""

    def __init__(self, table: RawTable, *, is_body: bool) -> None:
        self._table, self._is_body = table, is_body
        self._whole, self._pending, self._size = Strings(), list[str | None](), 0

    def put(self, start: int, values: Sequence[Any]) -> None:
        """Set the rows from `start` on."""
        self._extend([None] * (start - self._size))
        texts = list(map(as_text, values))
        if self._is_body:
            for place, text in enumerate(texts):
                if text is not None and not _LONGEST_PLACEHOLDER < len(text) <= LONGEST_TEXT:
                    texts[place] = self._checked(start + place, text)
        self._extend(texts)

    def _checked(self, number: int, text: str) -> str | None:
        if len(text) > LONGEST_TEXT:
            self._table.cut += 1
            return text[:LONGEST_TEXT]
        if _PLACEHOLDER.fullmatch(text):
            self._table.placeholders[number] = text
            self._table.held_places += 1
            return None
        return text

    def _extend(self, values: list[str | None]) -> None:
        self._pending += values
        self._size += len(values)
        if len(self._pending) >= _CHUNK:
            self._whole.add(self._pending)
            self._pending = []

    def filled(self, size: int) -> list[Any]:
        """Return the texts one by one, with None where there is none."""
        texts = self.series(size).astype(object)
        return list(texts.where(texts.notna(), None))

    def series(self, size: int) -> pd.Series:
        """Return the column, filled up to `size`."""
        self._extend([None] * (size - self._size))
        self._whole.add(self._pending)
        self._pending = []
        return self._whole.series()


def read_table(
    path: Path,
    given: Mapping[str, str],
    limit: int | None,
    tick: Tick = silent,
    *,
    needs_product: bool = True,
    tell: Callable[[str], None] = lambda line: None,
) -> RawTable:
    """Read the columns of a file that matter.

    Which they are is told from their names and the first thousand rows; a known name that comes later is taken too.

    Raises
    ------
    DataError
        If the file is empty, more than half broken, or lacks the columns of text and product.
    """
    table = RawTable()
    rows = _counted(read_rows(path, table.how), table, limit, tick)
    first = list(islice(rows, SAMPLE))
    samples: dict[str, list[Any]] = {}
    for row in first:
        for name, value in _flat(row):
            samples.setdefault(name, []).append(value)
    if not first:
        _check(path, table.counts)
    table.choices = tuple(choose(samples, given, samples, needs_product=needs_product))
    tell(describe(table.choices))
    names = dict.fromkeys(samples)
    _fill(table, chain(first, rows), given, names)
    _check(path, table.counts)
    seen = {choice.column for choice in table.choices}
    later = choose(names, table.mapping | dict(given), samples, needs_product=needs_product)
    whys = {choice.standard: choice for choice in table.choices}
    table.choices = tuple(whys.get(choice.standard, choice) for choice in later)
    if late := [choice for choice in table.choices if choice.column not in seen]:
        tell(describe(late))
    return table


def describe(choices: Iterable[Choice]) -> str:
    """Say in one line which column was taken for what: "text: content (by what stands in it), user: author"."""
    parts = []
    for choice in choices:
        name = SAID.get(choice.standard, choice.standard)
        why = " (by what stands in it)" if choice.why == "content" else ""
        parts.append(name if name == choice.column and not why else f"{name}: {choice.column}{why}")
    return f"columns: {', '.join(parts)}"


def _counted(rows: Iterator[Row | Broken], table: RawTable, limit: int | None, tick: Tick) -> Iterator[Row]:
    """Yield what is a row, up to the limit, counting what is none."""
    lines = broken = kept = 0
    table.counts |= {"lines read": 0, "broken lines": 0}
    for lines, row in enumerate(rows, 1):
        if isinstance(row, Broken):
            broken += 1
            table.losses.add("broken lines", [f"row {row.number:,}: {row.text[:500]}"] if broken <= 3 else [])
        else:
            kept += 1
            yield row
        if lines % 1000 == 0:
            tick(lines, 0)
        if kept == limit:
            break
    table.counts |= {"lines read": lines, "broken lines": broken}


def _check(path: Path, counts: Mapping[str, int]) -> None:
    lines, broken = counts["lines read"], counts["broken lines"]
    if lines == 0:
        raise DataError(f"{path} is empty; give a file with one review a line.")
    if 2 * broken > lines:
        raise DataError(
            f"{broken} of {lines} lines of {path} cannot be read, more than half; is it the right kind of file?"
        )


def _fill(table: RawTable, rows: Iterator[Row], given: Mapping[str, str], names: dict[str, None]) -> None:
    """Put the rows into the columns of the table, some thousand at a time; `names` gets every column's name."""
    bodies = {table.mapping.get(standard) for standard in _TEXTS}
    title = table.mapping.get("title")
    chosen = {choice.column for choice in table.choices} | {"asin"}
    seen: set[str] = set()
    while batch := list(islice(rows, _CHUNK)):
        fresh = set().union(*batch) - seen
        seen |= fresh
        for name in dict.fromkeys(name for row in batch for name, _ in _flat(row)) if fresh else ():
            is_late = name not in names and is_wanted(name, given)
            names[name] = None
            if (name in chosen or is_late) and name not in table._columns:
                is_text = name in bodies
                table._columns[name] = _TextColumn(table, is_body=name != title) if is_text else _Values()
        for name, column in table._columns.items():
            column.put(table.size, _picked(name, batch))
        table.size += len(batch)


def _picked(name: str, batch: Sequence[Row]) -> list[Any]:
    """Return one column of some rows; "author.id" is the field id of the object author."""
    outer, _, inner = name.partition(".")
    if not inner or any(name in row for row in batch[:10]):
        return [_bare(row.get(name)) for row in batch]
    return [_bare(part.get(inner) if isinstance(part := row.get(outer), dict) else row.get(name)) for row in batch]


_WRAPPERS = frozenset(
    {"label", "$t", "#text", "_text", "__text", "$date", "$oid", "$numberLong", "$numberInt", "$numberDouble"}
)
_BESIDE = frozenset({"attributes", "type", "@type", "lang", "@lang"})


def _bare(value: Any) -> Any:
    """Take a value out of the objects that exports of XML and of databases put around it.

    >>> _bare({"$date": {"$numberLong": "1614729600000"}}), _bare({"label": "soft", "attributes": {"type": "text"}})
    ('1614729600000', 'soft')
    """
    while type(value) is dict:
        inner = value.keys() & _WRAPPERS
        if len(inner) != 1 or value.keys() - inner - _BESIDE:
            break
        value = value[inner.pop()]
    return value


class _Values:
    """A column of anything but text; equal short strings are kept once."""

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._known: dict[str, str] = {}

    def put(self, start: int, values: Sequence[Any]) -> None:
        """Set the rows from `start` on."""
        known = self._known
        self._values += [None] * (start - len(self._values))
        self._values += [known.setdefault(value, value) if type(value) is str else value for value in values]

    def filled(self, size: int) -> list[Any]:
        """Return the values, with None for the rows behind the last one set."""
        return self._values + [None] * (size - len(self._values))


def _flat(row: Row) -> Iterable[tuple[str, Any]]:
    """Return the fields of a row; those of an object in it are called by both names ("author.steamid")."""
    if not any(type(value) is dict for value in row.values()):
        return row.items()
    return [pair for name, value in row.items() for pair in _named(name, _bare(value))]


def _named(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"{name}.{key}", _bare(inner)) for key, inner in value.items()]
    return [(name, value)]
