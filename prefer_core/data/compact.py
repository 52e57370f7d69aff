"""Text of many rows without a Python object for each: a million short strings take a tenth of a gigabyte less so."""

from collections.abc import Sequence
from typing import Any, overload

import pandas as pd
import pyarrow as pa


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


class Strings:
    """A column of text that grows list by list.

    Examples
    --------
    >>> column = Strings()
    >>> column.add(["soft", "warm"])
    >>> column.add(["red"])
    >>> column.series().tolist()
    ['soft', 'warm', 'red']
    """

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []

    def add(self, values: Sequence[str | None]) -> None:
        """Put values at the end."""
        if not values and self._parts:
            return
        self._parts.append(pa.array(values, type=pa.large_string()))

    def series(self) -> pd.Series:
        """Return all values in order, in pandas' own kind for text."""
        # Joined once: what is asked for again is not copied again.
        self._parts = [pa.chunked_array(self._parts, type=pa.large_string()).combine_chunks()]
        column: pd.Series = pa.chunked_array(self._parts).to_pandas()
        return column
