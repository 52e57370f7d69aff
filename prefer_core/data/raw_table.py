"""The columns of a file that matter, as they stand in it."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from prefer_core.data.columns import SAID, SAMPLE, Choice, choose, is_wanted
from prefer_core.data.compact import Strings, Values
from prefer_core.data.losses import EXAMPLES, Losses
from prefer_core.data.readers import read_rows
from prefer_core.data.reading import Broken, HowRead, Row
from prefer_core.data.values import as_text, as_texts
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
    _columns: dict[str, Values] = field(default_factory=dict)

    @property
    def mapping(self) -> dict[str, str]:
        """Standard name to column."""
        return {choice.standard: choice.column for choice in self.choices}

    def values(self, standard: str) -> Values:
        """Return the values of a column (size,); None where a row has none."""
        return self.column(self.mapping.get(standard, ""))

    def column(self, name: str) -> Values:
        """Return the values below a name of the file (size,); None where a row has none."""
        found = self._columns.get(name)
        return _nothing(self.size) if found is None else found

    def texts(self, standard: str) -> Strings:
        """Return a column of text (size,); None where a row has none."""
        found = self._columns.get(self.mapping.get(standard, ""))
        return found if isinstance(found, Strings) else self.values(standard).texts(as_text)

    def add(self, rows: Sequence[Row], bodies: Collection[str]) -> None:
        """Put rows at the end of every column that is kept; in `bodies` placeholders are no text."""
        for name, column in self._columns.items():
            values = _picked(name, rows)
            if not isinstance(column, Strings):
                column.add(values)
                continue
            texts = as_texts(values)
            if name in bodies:
                texts = [
                    text
                    if text is None or _LONGEST_PLACEHOLDER < len(text) <= LONGEST_TEXT
                    else self._checked(self.size + place, text)
                    for place, text in enumerate(texts)
                ]
            column.add(texts)
        self.size += len(rows)

    def keep(self, name: str, *, is_text: bool) -> None:
        """Keep the column of this name from here on."""
        self._columns[name] = Strings.of(None, self.size) if is_text else _nothing(self.size)

    def keeps(self, name: str) -> bool:
        """Whether the column of this name is kept."""
        return name in self._columns

    def _checked(self, number: int, text: str) -> str | None:
        if len(text) > LONGEST_TEXT:
            self.cut += 1
            return text[:LONGEST_TEXT]
        if _PLACEHOLDER.fullmatch(text):
            self.placeholders[number] = text
            self.held_places += 1
            return None
        return text


def _nothing(size: int) -> Values:
    column = Values()
    for start in range(0, size, _CHUNK):
        column.add([None] * min(_CHUNK, size - start))
    return column


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
    table = RawTable(counts={"lines read": 0, "broken lines": 0})
    rows = islice(_kept(read_rows(path, table.how), table), limit)
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
    _fill(table, chain(first, rows), given, names, tick)
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


def _kept(rows: Iterator[Row | Broken], table: RawTable) -> Iterator[Row]:
    """Yield what is a row; what is none is counted in the table."""
    counts = table.counts
    for number, row in enumerate(rows, 1):
        counts["lines read"] = number
        if not isinstance(row, Broken):
            yield row
            continue
        counts["broken lines"] += 1
        if counts["broken lines"] <= EXAMPLES:
            table.losses.add("broken lines", [f"row {row.number:,}: {row.text[:500]}"])


def _check(path: Path, counts: Mapping[str, int]) -> None:
    lines, broken = counts["lines read"], counts["broken lines"]
    if lines == 0:
        raise DataError(f"{path} is empty; give a file with one review a line.")
    if 2 * broken > lines:
        raise DataError(
            f"{broken} of {lines} lines of {path} cannot be read, more than half; is it the right kind of file?"
        )


def _fill(
    table: RawTable, rows: Iterator[Row], given: Mapping[str, str], names: dict[str, None], tick: Tick
) -> None:  # fmt: skip
    """Put the rows into the columns of the table, some thousand at a time; `names` gets every column's name."""
    texts = {table.mapping.get(standard, "") for standard in _TEXTS}
    bodies = texts - {table.mapping.get("title")}
    chosen = {choice.column for choice in table.choices} | {"asin"}
    seen: set[str] = set()
    while batch := list(islice(rows, _CHUNK)):
        fresh = set().union(*batch) - seen
        seen |= fresh
        for name in dict.fromkeys(name for row in batch for name, _ in _flat(row)) if fresh else ():
            is_late = name not in names and is_wanted(name, given)
            names[name] = None
            if (name in chosen or is_late) and not table.keeps(name):
                table.keep(name, is_text=name in texts)
        table.add(batch, bodies)
        tick(table.counts["lines read"], 0)


def _picked(name: str, batch: Sequence[Row]) -> list[Any]:
    """Return one column of some rows; "author.id" is the field id of the object author."""
    outer, _, inner = name.partition(".")
    if not inner or any(name in row for row in batch[:10]):
        values = [row.get(name) for row in batch]
    else:
        values = [part.get(inner) if isinstance(part := row.get(outer), dict) else row.get(name) for row in batch]
    return list(map(_bare, values)) if dict in set(map(type, values)) else values


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


def _flat(row: Row) -> Iterable[tuple[str, Any]]:
    """Return the fields of a row; those of an object in it are called by both names ("author.steamid")."""
    if not any(type(value) is dict for value in row.values()):
        return row.items()
    return [pair for name, value in row.items() for pair in _named(name, _bare(value))]


def _named(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"{name}.{key}", _bare(inner)) for key, inner in value.items()]
    return [(name, value)]
