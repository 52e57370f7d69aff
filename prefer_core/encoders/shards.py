"""Embedding a large table piece by piece, on disk: what is finished stays finished."""

import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders.embedders import Embedder
from prefer_core.errors import CorpusError
from prefer_core.files.blocks import blocks, new_array
from prefer_core.files.folders import whole_file
from prefer_core.files.manifest import read_json, write_json
from prefer_core.files.progress import Tick, silent

ROWS = 8192
"""Sentences of a shard: under a minute of work on a slow machine."""

_DONE = "vectors.npy"
_KEY = "embedding.json"


def embed(
    embedder: Embedder, texts: Sequence[str], work: Path, tick: Tick = silent
) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """Return the tokens (n,) and unit vectors (n, d) of texts, the vectors memory-mapped.

    Every shard of 8,192 texts is embedded by itself and put on disk as a whole or not at all. Shards that lie there
    from a build that was cut off are taken if they are of the same texts and the same model (its arithmetic is the one
    that was begun with): the result is equal to that of an unbroken build, bit for bit.

    Parameters
    ----------
    work : Path
        Folder for the shards, of this build alone.

    Raises
    ------
    CorpusError
        If the disk is full; what is finished stays.
    """
    folder = work / "shards"
    try:
        _begin(embedder, texts, folder)
        starts = range(0, len(texts), ROWS)
        for number, start in enumerate(starts):
            path, part = _shard(folder, number), list(texts[start : start + ROWS])
            if not _is_whole(path, len(part)):
                tokens = embedder.count_tokens(part)
                vectors = embedder.encode(part, tokens, _shifted(tick, start, len(texts)))
                _put(path, tokens, vectors.astype(np.float16))
            tick(min(start + ROWS, len(texts)), len(texts))
        return _joined([_shard(folder, number) for number in range(len(starts))], len(texts), folder / _DONE)
    except OSError as error:
        raise CorpusError(
            f"{error.filename or folder} cannot be written ({error.strerror or error}); make room and run the same "
            "command again: it goes on where it was."
        ) from error


def with_other_vectors(
    vectors: NDArray[np.float16], rows: NDArray[np.int64], others: NDArray[np.float16], path: Path
) -> NDArray[np.float16]:
    """Return the vectors (n, d) with those of some rows (r,) replaced by `others` (r, d); written to `path` and mapped.

    Raises
    ------
    CorpusError
        If the disk is full.
    """
    try:
        merged = new_array(path, vectors.dtype, vectors.shape)
        done = 0
        for block in blocks(vectors, vectors.dtype):
            first, last = np.searchsorted(rows, (done, done + len(block)))
            block[rows[first:last] - done] = others[first:last]
            merged[done : done + len(block)] = block
            done += len(block)
        merged.flush()
    except OSError as error:
        raise CorpusError(f"{path} cannot be written ({error.strerror or error}); make room.") from error
    mapped: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)
    return mapped


def _shifted(tick: Tick, start: int, total: int) -> Tick:
    return lambda done, of: tick(start + done, total)


def _begin(embedder: Embedder, texts: Sequence[str], folder: Path) -> None:
    """Keep the shards that lie there if they are of the same texts and model, else start with none."""
    known = sha256(embedder.name.encode())
    for text in texts:
        known.update(b"\0" + text.encode())
    key = {"texts": known.hexdigest(), "rows": ROWS}
    try:
        found = read_json(folder / _KEY)
    except (OSError, ValueError):
        found = {}
    if {name: found.get(name) for name in key} == key:
        embedder.precision = str(found["precision"])
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with whole_file(folder / _KEY) as fresh:
        write_json(fresh, key | {"precision": embedder.precision})


def _put(path: Path, tokens: NDArray[np.int32], vectors: NDArray[np.float16]) -> None:
    with whole_file(path) as fresh, fresh.open("wb") as stream:
        np.savez(stream, tokens=tokens, vectors=vectors)


def _joined(shards: Sequence[Path], n: int, path: Path) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """Write the vectors of the shards, n in all, into one file, one shard in memory at a time, and map it."""
    tokens = []
    joined = None
    done = 0
    for shard in shards:
        with np.load(shard, allow_pickle=False) as part:
            tokens.append(part["tokens"])
            vectors = part["vectors"]
        if joined is None:
            joined = new_array(path, vectors.dtype, (n, vectors.shape[1]))
        joined[done : done + len(vectors)] = vectors
        done += len(vectors)
    assert joined is not None, "there is no text to embed"
    joined.flush()
    return np.concatenate(tokens), np.load(path, mmap_mode="r", allow_pickle=False)


def _shard(folder: Path, number: int) -> Path:
    return folder / f"{number:05}.npz"


def _is_whole(path: Path, rows: int) -> bool:
    """Whether a shard lies there with every row; its bytes are checked against their CRC."""
    try:
        with np.load(path, allow_pickle=False) as part:
            return len(part["tokens"]) == len(part["vectors"]) == rows
    except (OSError, ValueError, KeyError, BadZipFile):
        return False
