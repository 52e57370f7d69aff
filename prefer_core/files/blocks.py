"""Reading an array that may be larger than memory: a block of rows at a time, or a sample of them."""

import mmap
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

ROWS = 16_384
"""Rows of a block: 25 MiB of 384 float32 values."""


def blocks(values: Any, dtype: DTypeLike, rows: int | None = None) -> Iterator[NDArray[Any]]:
    """Yield copies of `rows` (by default `ROWS`) consecutive rows of `values` (n, d) as `dtype`.

    The pages of a memory-mapped array are given back after each block, so that what has been read does not stay in
    memory.
    """
    size = rows or ROWS
    for start in range(0, len(values), size):
        yield np.array(values[start : start + size], dtype=dtype)
        release(values)


def by_block(work: Callable[[NDArray[Any]], NDArray[Any]], values: Any, dtype: DTypeLike) -> NDArray[Any]:
    """Return `work` of `values` (n, d), a block of rows at a time in `dtype`; it gives a row for each row."""
    found: NDArray[Any] | None = None
    done = 0
    for block in blocks(values, dtype):
        part = work(block)
        if found is None:
            found = np.empty((len(values), *part.shape[1:]), dtype=part.dtype)
        found[done : done + len(part)] = part
        done += len(part)
    return work(np.array(values, dtype=dtype)) if found is None else found


def unit_rows(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Return vectors (n, d) scaled to length 1; zero rows stay zero."""
    norm = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, norm, out=np.zeros_like(vectors, dtype=np.float64), where=norm > 0))


def sampled_rows(n: int, most: int, seed: int) -> NDArray[np.int64]:
    """Return `most` of n rows, or all where there are no more, drawn without replacement and in their order."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng([seed, n]).choice(n, most, replace=False))


def new_array(path: Path, dtype: DTypeLike, shape: tuple[int, ...]) -> "np.memmap[Any, Any]":
    """Return a new ``.npy`` file, mapped to be written; OSError if the disk has no room for it.

    The room is taken at once: a disk that gets full while a map is written to ends the process without a word.
    """
    made: np.memmap[Any, Any] = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return made


def release(values: Any) -> None:
    """Give the pages of a memory-mapped array back to the system; other arrays stay as they are."""
    mapped = getattr(values, "_mmap", None)
    # Only read-only maps: the changes of a writable one would be lost.
    if mapped is not None and not values.flags.writeable and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def save(path: Path, values: NDArray[Any]) -> None:
    """Write an array (n, d) row by row as `numpy.save` does, with one block of it in memory at a time."""
    header = np.lib.format.header_data_from_array_1_0(values) | {"fortran_order": False}
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for block in blocks(values, values.dtype):
            stream.write(block.tobytes())
