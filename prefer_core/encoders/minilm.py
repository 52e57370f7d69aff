"""What an embedding model is made of: its tokenizer, and its encoder in each number format that it computes in."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


Tensors = Mapping[str, NDArray[np.float32]]

_OPSET, _IR_VERSION = 17, 8


def onnx_session(model: Path | bytes, threads: int) -> Any:
    """Return an onnxruntime session of a model, by its file or its bytes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin while they wait halve the speed as soon as anything else runs on the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    given = str(model) if isinstance(model, Path) else model
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])


def fused_session(folder: Path, threads: int) -> Any:
    """Return an onnxruntime session of the encoder in `folder`, in fp32.

    Its inputs are ``ids`` (b, s) int32 and ``lengths`` (b,) int32, the texts padded on the right; its output is the
    last hidden state (b, s, d). Attention with its three projections, bias with GELU and a sum with its normalisation
    are one operator each, so that nearly all of the time goes into matrix products.
    """
    from safetensors.numpy import load_file

    config = json.loads((folder / "config.json").read_text("utf-8"))
    model = encoder_graph(load_file(folder / "model.safetensors"), config)
    return onnx_session(model.SerializeToString(), threads)


def encoder_graph(weights: Tensors, config: Mapping[str, Any]) -> Any:
    """Return the ONNX model of the encoder with these weights and this configuration, both named as in BERT."""
    from onnx import TensorProto, helper, numpy_helper

    tensors = _tensors(weights, config["num_hidden_layers"])
    norm = {"epsilon": config["layer_norm_eps"]}
    embedded = ["ids", "", "words", "positions", "", "scale", "shift"]
    # Its second output would be the lengths, had we not got them.
    nodes = [_fused("EmbedLayerNormalization", embedded, "embedded", "unused", **norm)]
    state = "embedded"
    for layer in range(config["num_hidden_layers"]):
        nodes += _layer(f"layer{layer}.", state, config["num_attention_heads"], norm)
        state = f"layer{layer}.state"
    graph = helper.make_graph(
        nodes,
        "encoder",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT32, ["batch", "length"]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
        ],
        [helper.make_tensor_value_info(state, TensorProto.FLOAT, ["batch", "length", config["hidden_size"]])],
        [numpy_helper.from_array(np.ascontiguousarray(values), name) for name, values in tensors.items()],
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


def _tensors(weights: Tensors, n_layers: int) -> dict[str, NDArray[np.float32]]:
    """Return the graph's tensors: matrices to multiply from the right, the three projections as one."""
    # Every text is of the first segment: its vector is added once, to the positions.
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    tensors = {
        "words": weights["embeddings.word_embeddings.weight"],
        "positions": weights["embeddings.position_embeddings.weight"] + segment,
        "scale": weights["embeddings.LayerNorm.weight"],
        "shift": weights["embeddings.LayerNorm.bias"],
    }
    for layer in range(n_layers):
        source, p = f"encoder.layer.{layer}", f"layer{layer}."
        parts = [f"{source}.attention.self.{part}" for part in ("query", "key", "value")]
        tensors[f"{p}qkv"] = np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)
        tensors[f"{p}qkv_bias"] = np.concatenate([weights[f"{part}.bias"] for part in parts])
        for ours, theirs in (("mix", "attention.output"), ("up", "intermediate"), ("down", "output")):
            tensors[f"{p}{ours}"] = weights[f"{source}.{theirs}.dense.weight"].T
            tensors[f"{p}{ours}_bias"] = weights[f"{source}.{theirs}.dense.bias"]
            if ours != "up":
                tensors[f"{p}{ours}_scale"] = weights[f"{source}.{theirs}.LayerNorm.weight"]
                tensors[f"{p}{ours}_shift"] = weights[f"{source}.{theirs}.LayerNorm.bias"]
    return tensors


def _layer(p: str, state: str, n_heads: int, norm: Mapping[str, float]) -> list[Any]:
    """Return the nodes of the transformer layer with prefix `p` that reads `state` and writes ``p + "state"``."""
    mix_norm, down_norm = ([f"{p}{part}_{what}" for what in ("scale", "shift", "bias")] for part in ("mix", "down"))
    return [
        _fused("Attention", [state, p + "qkv", p + "qkv_bias", "lengths"], p + "heads", num_heads=n_heads),
        _product(p + "heads", p + "mix", p + "mix_out"),
        _fused("SkipLayerNormalization", [p + "mix_out", state, *mix_norm], p + "mixed", **norm),
        _product(p + "mixed", p + "up", p + "up_out"),
        _fused("BiasGelu", [p + "up_out", p + "up_bias"], p + "wide"),
        _product(p + "wide", p + "down", p + "down_out"),
        _fused("SkipLayerNormalization", [p + "down_out", p + "mixed", *down_norm], p + "state", **norm),
    ]


def _product(left: str, right: str, output: str) -> Any:
    from onnx import helper

    return helper.make_node("MatMul", [left, right], [output])


def _fused(operator: str, inputs: list[str], *outputs: str, **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(operator, inputs, list(outputs), domain="com.microsoft", **attributes)
