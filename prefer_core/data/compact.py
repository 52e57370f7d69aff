"""Columns of many rows without a Python object for each: a million short strings take a tenth of a gigabyte less so."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, overload

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


class Lines(Sequence[tuple[Any, ...]]):
    """The rows of a table as tuples, made only for the part that is asked for.

    Examples
    --------
    >>> Lines(pd.DataFrame({"text": ["soft", "warm"], "rating": [5, 4]}))[1:]
    [('warm', 4)]
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self._columns = [table[name] for name in table]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._columns[0])

    @overload
    def __getitem__(self, place: int) -> tuple[Any, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[Any, ...]]: ...

    def __getitem__(self, place: int | slice) -> tuple[Any, ...] | Sequence[tuple[Any, ...]]:
        """Return one row, or a list of rows."""
        if isinstance(place, int):
            return tuple(column.iloc[place] for column in self._columns)
        return list(zip(*(column.iloc[place].tolist() for column in self._columns), strict=True))


_JOINED = 16
"""Parts that are joined to one."""


class Strings:
    """A column of text that grows list by list.

    Attributes
    ----------
    parts : list of pyarrow.Array
        The values, in the parts in which they came.

    Examples
    --------
    >>> column = Strings()
    >>> column.add(["soft", None])
    >>> column.add(["red"])
    >>> column.tolist()
    ['soft', None, 'red']
    >>> column.keep(np.array([True, True, False]))
    >>> column.series(missing="").tolist()
    ['soft', '']
    """

    def __init__(self) -> None:
        self.parts: list[pa.Array] = []
        self._loose = 0

    def __len__(self) -> int:
        """Count the rows."""
        return sum(map(len, self.parts))

    def add(self, values: Sequence[str | None]) -> None:
        """Put values at the end."""
        if not values:
            return
        self.parts.append(pa.array(values, type=pa.large_string()))
        self._loose += 1
        if self._loose == _JOINED:  # a part that is made from a list lies in more memory than it needs
            self.parts[-_JOINED:] = [pa.concat_arrays(self.parts[-_JOINED:])]
            self._loose = 0

    @classmethod
    def of(cls, text: str | None, size: int) -> "Strings":
        """Return a column of one text."""
        column = cls()
        if size:
            column.parts.append(pa.repeat(pa.scalar(text, type=pa.large_string()), size))
        return column

    def otherwise(self, spare: "Strings") -> "Strings":
        """Return the column with the values of another one where there is none."""
        column = Strings()
        column.parts = pc.coalesce(self.array(), spare.array()).chunks
        return column

    def __getitem__(self, place: int) -> str | None:
        """Return the text of a row."""
        text: str | None = self.array()[place].as_py()
        return text

    def __iter__(self) -> Iterator[str | None]:
        """Yield the values."""
        return chain.from_iterable(part.to_pylist() for part in self.parts)

    def array(self) -> pa.ChunkedArray:
        """Return all values, nothing copied."""
        return pa.chunked_array(self.parts, type=pa.large_string())

    def is_known(self) -> NDArray[np.bool_]:
        """Say which rows have a value (n,)."""
        return np.concatenate([np.asarray(part.is_valid()) for part in self.parts] or [np.zeros(0, dtype=bool)])

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Leave out the other rows, part by part, so that there are never two copies of the whole column."""
        start = 0
        for number, part in enumerate(self.parts):
            self.parts[number] = part.filter(pa.array(kept[start : start + len(part)]))
            start += len(part)

    def tolist(self) -> list[str | None]:
        """Return a list of Python strings."""
        return list(self)

    def series(self, missing: str | None = None) -> pd.Series:
        """Return all values in order, in pandas' own kind for text; `missing` stands for those that are none."""
        if missing is not None:
            # Only parts in which something is missing are copied.
            self.parts = [pc.fill_null(part, missing) if part.null_count else part for part in self.parts]
        column: pd.Series = self.array().to_pandas()
        return column


class Values:
    """A column of anything that grows list by list; whole lists of numbers and of text are kept as arrays.

    Examples
    --------
    >>> column = Values([7, 8])
    >>> column.add(["a", 7.5, None])
    >>> list(column), column[3]
    ([7, 8, 'a', 7.5, None], 7.5)
    """

    def __init__(self, values: Sequence[Any] = ()) -> None:
        self._parts: list[NDArray[Any] | pa.Array | list[Any]] = []
        self._known: dict[str, str] = {}
        self.add(values)

    @classmethod
    def of_parts(cls, parts: Sequence[pa.Array]) -> "Values":
        """Return a column made of parts that are arrays already."""
        column = cls()
        column._parts = list(parts)
        return column

    def __len__(self) -> int:
        """Count the rows."""
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[Any]:
        """Yield the values as they were given."""
        return chain.from_iterable(map(_as_list, self._parts))

    def __getitem__(self, place: int) -> Any:
        """Return the value of a row."""
        for part in self._parts:
            if place < len(part):
                return _as_list(part[place : place + 1])[0]
            place -= len(part)
        raise IndexError(place)

    def add(self, values: Sequence[Any]) -> None:
        """Put values at the end."""
        if values:
            self._parts.append(self._packed(values))

    def _packed(self, values: Sequence[Any]) -> NDArray[Any] | pa.Array | list[Any]:
        """Return values as an array if they all are whole numbers, all others, or all text, else as a list."""
        kinds = set(map(type, values))
        try:
            if kinds == {int}:
                return np.array(values, dtype=np.int64)
            if kinds == {float}:
                return np.array(values, dtype=np.float64)
            if str in kinds and kinds <= {str, type(None)}:
                return pa.array(values, type=pa.large_string())
        except (OverflowError, UnicodeEncodeError):  # no number of 64 bits; half an emoji
            pass
        known = self._known  # equal short strings are kept once
        return [known.setdefault(value, value) if type(value) is str else value for value in values]

    def runs(self) -> Iterator["Run"]:
        """Yield the column piece by piece."""
        start = 0
        for part in self._parts:
            yield Run(start, part)
            start += len(part)

    def mapped(self, read: Callable[[Any], Any], dtype: type) -> NDArray[Any]:
        """Return `read` of every value (n,); equal values beside each other are read once."""
        found: NDArray[Any] = np.empty(len(self), dtype=dtype)
        for run in self.runs():
            different, codes = run.different()
            found[run.place] = np.array([read(value) for value in different], dtype=dtype)[codes]
        return found

    def texts(self, read: Callable[[Any], str | None]) -> Strings:
        """Return `read` of every value as a column of text."""
        found = Strings()
        for run in self.runs():
            different, codes = run.different()
            read_once = [read(value) for value in different]
            found.add([read_once[code] for code in codes.tolist()])
        return found


class Run:
    """Some values of a column that came together.

    Attributes
    ----------
    place : slice
        Which rows they are.
    numbers : ndarray or None
        The values, if all are whole numbers of 64 bits or all are others.
    """

    def __init__(self, start: int, part: NDArray[Any] | pa.Array | list[Any]) -> None:
        self.place = slice(start, start + len(part))
        self.numbers: NDArray[Any] | None = part if isinstance(part, np.ndarray) else None
        self._part = part

    def __iter__(self) -> Iterator[Any]:
        """Yield the values as they were given."""
        return iter(_as_list(self._part))

    def different(self) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the different values, and for every row the place of its own among them; 1 and 1.0 differ."""
        part = self._part
        if isinstance(part, np.ndarray):
            found, codes = np.unique(part, return_inverse=True)
            return found.tolist(), codes
        if isinstance(part, pa.Array):
            coded = part.dictionary_encode(null_encoding="encode")
            return coded.dictionary.to_pylist(), np.asarray(coded.indices, dtype=np.int64)
        places: dict[Any, int] = {}
        values: list[Any] = []
        codes = np.empty(len(part), dtype=np.int64)
        for row, value in enumerate(part):
            try:
                codes[row] = place = places.setdefault((type(value), value), len(values))
            except TypeError:  # a list is equal to nothing
                codes[row] = place = len(values)
            if place == len(values):
                values.append(value)
        return values, codes


def column_of(values: Iterable[Any]) -> Values:
    """Return values as a column, which a list or a column of text is not yet."""
    if isinstance(values, Values):
        return values
    return Values.of_parts(values.parts) if isinstance(values, Strings) else Values(list(values))


def _as_list(part: NDArray[Any] | pa.Array | list[Any]) -> list[Any]:
    found: list[Any] = part if isinstance(part, list) else part.tolist()
    return found
