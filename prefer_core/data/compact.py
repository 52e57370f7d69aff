"""Columns of many rows without a Python object for each; long ones of text lie on the disk."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from prefer_core.config import home
from prefer_core.errors import DataError

_NUMBERS: dict[type, type] = {int: np.int64, float: np.float64, bool: np.bool_}


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
        self._parts: list[Any] = []
        self._known: dict[str, str] = {}
        self.add(values)

    @property
    def parts(self) -> list[Any]:
        """The values, in the arrays and lists in which they lie."""
        return self._parts

    def __len__(self) -> int:
        """Count the rows."""
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Any]:
        """Yield the values as they were given."""
        return chain.from_iterable(map(_as_list, self.parts))

    def __getitem__(self, place: int) -> Any:
        """Return the value of a row."""
        for part in self.parts:
            if place < len(part):
                return _as_list(part[place : place + 1])[0]
            place -= len(part)
        raise IndexError(place)

    def tolist(self) -> list[Any]:
        """Return a list of Python values."""
        return list(self)

    def add(self, values: Sequence[Any]) -> None:
        """Put values at the end."""
        if values:
            self._parts.append(self._packed(values))

    def _packed(self, values: Sequence[Any]) -> NDArray[Any] | pa.Array | list[Any]:
        """Return values as an array if they all are whole numbers, all others, or all text, else as a list."""
        kinds = set(map(type, values))
        try:
            if len(kinds) == 1 and (kind := _NUMBERS.get(*kinds)) is not None:
                return np.array(values, dtype=kind)
            if str in kinds and kinds <= {str, type(None)}:
                return pa.array(values, type=pa.large_string())
        except (OverflowError, UnicodeEncodeError):  # no number of 64 bits; half an emoji
            pass
        known = self._known  # equal short strings are kept once
        return [known.setdefault(value, value) if type(value) is str else value for value in values]

    def runs(self) -> Iterator["Run"]:
        """Yield the column piece by piece."""
        start = 0
        for part in self.parts:
            yield Run(start, part)
            start += len(part)

    def mapped(self, read: Callable[[Any], Any], dtype: type) -> NDArray[Any]:
        """Return `read` of every value (n,); equal values beside each other are read once."""
        found: NDArray[Any] = np.empty(len(self), dtype=dtype)
        for run in self.runs():
            different, codes = run.different()
            found[run.place] = np.array([read(value) for value in different], dtype=dtype)[codes]
        return found

    def texts(self, read: Callable[[Any], str | None]) -> "Strings":
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


_IN_MEMORY = 8 << 20
"""Bytes of a column of text that lie in memory before they go to the disk."""


class Strings(Values):
    """A column of text that grows list by list; all but its end lies on the disk, mapped into memory where it is read.

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

    def __init__(self, parts: Sequence[pa.Array] = ()) -> None:
        super().__init__()
        self._parts += parts
        self._loose: list[pa.Array] = []
        self._size = 0
        self._disk: _Disk | None = None

    def add(self, values: Sequence[str | None]) -> None:
        """Put values at the end."""
        if values:
            self._put(pa.array(values, type=pa.large_string()))

    def _put(self, part: pa.Array) -> None:
        self._loose.append(part)
        self._size += part.nbytes
        if self._size >= _IN_MEMORY:
            self._disk = self._disk or _Disk()
            self._disk.put(pa.concat_arrays(self._loose))
            self._loose, self._size = [], 0

    @property
    def parts(self) -> list[pa.Array]:
        """The texts, in the parts in which they lie."""
        if self._disk is not None:
            self._parts += self._disk.taken()
            self._disk = None
        if self._loose:  # joined: a part that is made from a list lies in more memory than it needs
            self._parts.append(pa.concat_arrays(self._loose))
            self._loose, self._size = [], 0
        return self._parts

    @classmethod
    def of(cls, text: str | None, size: int) -> "Strings":
        """Return a column of one text."""
        return cls([pa.repeat(pa.scalar(text, type=pa.large_string()), size)] if size else ())

    def otherwise(self, spare: "Strings") -> "Strings":
        """Return the column with the values of another one where there is none."""
        return Strings(pc.coalesce(self.array(), spare.array()).chunks)

    def array(self) -> pa.ChunkedArray:
        """Return all values, nothing copied."""
        return pa.chunked_array(self.parts, type=pa.large_string())

    def is_known(self) -> NDArray[np.bool_]:
        """Say which rows have a value (n,)."""
        return np.concatenate([np.asarray(part.is_valid()) for part in self.parts] or [np.zeros(0, dtype=bool)])

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Leave out the other rows."""
        starts = accumulate(map(len, self.parts), initial=0)
        masks = (pa.array(kept[start : start + len(part)]) for start, part in zip(starts, self.parts, strict=False))
        self._change(part.filter(mask) for part, mask in zip(self.parts, masks, strict=True))

    def _change(self, parts: Iterable[pa.Array]) -> None:
        """Put others in place of the parts, so that there are never two copies of the whole column in memory."""
        changed = Strings()
        for part in parts:
            changed._put(part)
        self._parts = changed.parts

    def series(self, missing: str | None = None) -> pd.Series:
        """Return all values in order, in pandas' own kind for text; `missing` stands for those that are none."""
        if missing is not None and any(part.null_count for part in self.parts):
            self._change(pc.fill_null(part, missing) for part in self.parts)
        column: pd.Series = self.array().to_pandas()
        return column


class _Disk:
    """A file without a name into which arrays go; taken back, they lie where the file is mapped into memory."""

    def __init__(self) -> None:
        self._schema = pa.schema([("text", pa.large_string())])
        with _room():
            home().mkdir(parents=True, exist_ok=True)
            self._file = TemporaryFile(dir=home())  # noqa: SIM115  # closed by `taken`, or when nobody needs it
            self._writer = pa.ipc.new_stream(self._file, self._schema)

    def put(self, part: pa.Array) -> None:
        with _room():
            self._writer.write_batch(pa.record_batch([part], schema=self._schema))

    def taken(self) -> list[pa.Array]:
        with _room():
            self._writer.close()
            self._file.flush()
        memory = mmap(self._file.fileno(), 0, access=ACCESS_READ)  # goes when the last array in it goes
        self._file.close()
        return [batch.column(0) for batch in pa.ipc.open_stream(pa.py_buffer(memory))]


@contextmanager
def _room() -> Iterator[None]:
    """Turn what can go wrong with the disk into one sentence."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"The texts of the source do not go into {home()} ({error.strerror or error}); make room there, or name "
            "another folder with PREFER_HOME."
        ) from None


def column_of(values: Iterable[Any]) -> Values:
    """Return values as a column, which a list is not yet."""
    return values if isinstance(values, Values) else Values(list(values))


def _as_list(part: NDArray[Any] | pa.Array | list[Any]) -> list[Any]:
    found: list[Any] = part if isinstance(part, list) else part.tolist()
    return found
