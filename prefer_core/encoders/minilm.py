"""What an embedding model is made of: its tokenizer, and its encoder in each number format that it computes in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders.fused import fused_session
from prefer_core.files.machine import usable_cores

Encoder = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float32]]
"""Token ids and mask (b, s) in, last hidden states (b, s, d) out; a row is padded on the right."""


def tokenizer(file: Path, longest: int | None = None) -> Any:
    """Return the tokenizer of a ``tokenizer.json``; with `longest`, texts are cut there and padded to one length.

    Raises
    ------
    ImportError
        If the package tokenizers is missing.
    """
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(file))
    if longest is None:
        made.no_truncation()
        made.no_padding()
    else:
        made.enable_truncation(longest)
        made.enable_padding()
    return made


def in_fp32(folder: Path) -> Encoder:
    """Return the encoder on onnxruntime, whose fused graph is the quickest in fp32."""
    session = fused_session(folder, usable_cores())

    def states(ids: NDArray[np.int32], mask: NDArray[np.int32]) -> NDArray[np.float32]:
        hidden: NDArray[np.float32] = session.run(None, {"ids": ids, "lengths": mask.sum(axis=1, dtype=np.int32)})[0]
        return hidden

    return states


def in_bf16(folder: Path) -> Encoder:
    """Return the encoder on torch, which uses a processor's units for bf16."""
    import torch
    from transformers import BertModel
    from transformers.utils import logging

    # Its bar for loading 100 tensors would break into the caller's.
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the library has no type there
    model = BertModel.from_pretrained(folder, dtype=torch.bfloat16, local_files_only=True).train(False)

    def states(ids: NDArray[np.int32], mask: NDArray[np.int32]) -> NDArray[np.float32]:
        with torch.inference_mode():
            given = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            hidden: NDArray[np.float32] = model(**given).last_hidden_state.float().numpy()
        return hidden

    return states


ENCODERS: dict[str, Callable[[Path], Encoder]] = {"fp32": in_fp32, "bf16": in_bf16}
"""What reads a folder of Hugging Face's files, by precision."""
