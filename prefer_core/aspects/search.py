"""Sentences of a corpus found by their words or by their meaning, in blocks, however many there are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from prefer_core.errors import ConfigError
from prefer_core.types import BoolArray, FloatArray, IntArray

BLOCK = 16_384
"""Sentences looked at together."""

_LONGEST = 300
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_QUOTED = re.compile(r'"([^"]*)"')
_BETWEEN = r"[^\pL\pN]+"


@dataclass(frozen=True)
class Found:
    """Sentences that fit a query, best first.

    Attributes
    ----------
    rows : ndarray of shape (r,)
        Positions in the corpus.
    similarity : ndarray of shape (r,) or None
        Cosine to the query; None where words were looked for.
    total : int
        How many fit in all; `rows` may be fewer.
    """

    rows: IntArray
    similarity: FloatArray | None
    total: int


def dominant_among(phi: NDArray[Any], aspects: Sequence[int]) -> BoolArray:
    """Return which of n sentences have their largest membership in one of `aspects`; `phi` (n, K) is read in blocks."""
    wanted = np.zeros(phi.shape[1], dtype=bool)
    wanted[list(aspects)] = True
    found = np.empty(len(phi), dtype=bool)
    for start in range(0, len(phi), BLOCK):
        found[start : start + BLOCK] = wanted[np.argmax(phi[start : start + BLOCK], axis=1)]
    return found


def by_meaning(embeddings: NDArray[Any], query: FloatArray, most: int = 50, among: BoolArray | None = None) -> Found:
    """Return the `most` sentences nearest to a vector.

    Parameters
    ----------
    embeddings : ndarray of shape (n, 384), float16
        Unit vectors, memory-mapped; a block at a time is taken up in float32.
    query : ndarray of shape (384,)
        Unit vector of what is looked for.
    most : int
        How many to return; of equals those that stand first.
    among : ndarray of shape (n,) or None
        Which sentences may be found.
    """
    vector = np.asarray(query, dtype=np.float32)
    rows, values = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    for start in range(0, len(embeddings), BLOCK):
        cosine = embeddings[start : start + BLOCK].astype(np.float32) @ vector
        here = np.arange(start, start + len(cosine))
        if among is not None:
            allowed = among[start : start + BLOCK]
            here, cosine = here[allowed], cosine[allowed]
        if len(values) == most:  # only what beats the worst so far
            better = cosine > values[-1]
            here, cosine = here[better], cosine[better]
        rows, values = np.concatenate([rows, here]), np.concatenate([values, cosine])
        order = np.lexsort((rows, -values))[:most]
        rows, values = rows[order], values[order]
    total = len(embeddings) if among is None else int(np.count_nonzero(among))
    return Found(rows, values, total)


def by_words(sentences: Path, query: str, among: BoolArray | None = None) -> Found:
    """Return all sentences that hold every word of a query, in the order of the corpus.

    Case and accents do not count; words are whole words, in any order; words in double quotes stand side by side.

    Parameters
    ----------
    sentences : Path
        The corpus's ``sentences.parquet``; its row groups are read one after the other.
    among : ndarray of shape (n,) or None
        Which sentences may be found.

    Raises
    ------
    ConfigError
        If the query holds no word, or more than 300 characters.
    """
    wanted = patterns(query)
    found: list[IntArray] = []
    for start, text in _texts(sentences):
        rows = np.arange(len(text)) if among is None else np.flatnonzero(among[start : start + len(text)])
        folded = fold_text(text).take(pa.array(rows))
        for plain, pattern in wanted:
            # Most sentences lack the letters: a plain look for them is cheaper than the expression.
            near = np.flatnonzero(pc.match_substring(folded, plain).to_numpy(zero_copy_only=False))
            folded, rows = folded.take(pa.array(near)), rows[near]
            fits = pc.match_substring_regex(folded, pattern).to_numpy(zero_copy_only=False).astype(bool)
            folded, rows = folded.filter(pa.array(fits)), rows[fits]
        found.append(start + rows)
    every = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    return Found(every, None, len(every))


def patterns(query: str) -> list[tuple[str, str]]:
    r"""Return, for each quoted phrase and each word of a query, its longest word and an expression for the whole.

    Examples
    --------
    >>> patterns('Café "too small"')
    [('small', '(?:^|[^\\pL\\pN])too[^\\pL\\pN]+small(?:$|[^\\pL\\pN])'),
     ('cafe', '(?:^|[^\\pL\\pN])cafe(?:$|[^\\pL\\pN])')]
    """
    if len(query) > _LONGEST:
        raise ConfigError(f"Look for at most {_LONGEST} characters, found {len(query)}.")
    folded = fold_text(pa.array([re.sub("[“”„]", '"', query)]))[0].as_py()
    phrases = [tuple(_WORD.findall(part)) for part in _QUOTED.findall(folded)]
    words = [(word,) for word in _WORD.findall(_QUOTED.sub(" ", folded))]
    wanted = [part for part in dict.fromkeys((*phrases, *words)) if part]
    if not wanted:
        raise ConfigError("Type at least one word to look for.")
    return [(max(part, key=len), rf"(?:^|[^\pL\pN]){_BETWEEN.join(part)}(?:$|[^\pL\pN])") for part in wanted]


def fold_text(text: pa.Array) -> pa.Array:
    """Return texts (n,) without accents, in lower case, with straight apostrophes."""
    lower = pc.ascii_lower(text)
    other = pc.invert(pc.string_is_ascii(text))
    if not pc.any(other).as_py():
        return lower
    bare = pc.replace_substring_regex(pc.utf8_normalize(text.filter(other), form="NFKD"), r"\pM+", "")
    return pc.replace_with_mask(lower, other, pc.replace_substring(pc.utf8_lower(bare), "’", "'"))


def details(sentences: Path, rows: IntArray, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns of some sentences, in the order of `rows` (r,); only the row groups that hold them are read."""
    order = np.argsort(rows, kind="stable")
    ascending = np.asarray(rows)[order]
    parts = []
    with pq.ParquetFile(sentences) as file:
        start = 0
        for group in range(file.num_row_groups):
            stop = start + file.metadata.row_group(group).num_rows
            here = ascending[(ascending >= start) & (ascending < stop)]
            if len(here):
                parts.append(file.read_row_group(group, columns=list(columns)).take(pa.array(here - start)).to_pandas())
            start = stop
    if not parts:
        return pd.DataFrame(columns=list(columns))
    table = pd.concat(parts, ignore_index=True)
    return table.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)


def _texts(sentences: Path) -> Iterator[tuple[int, pa.Array]]:
    """Yield the position of the first sentence of each row group, and the texts (n,) of the group."""
    with pq.ParquetFile(sentences) as file:
        start = 0
        for group in range(file.num_row_groups):
            text = file.read_row_group(group, columns=["text"])["text"].combine_chunks()
            yield start, text
            start += len(text)
