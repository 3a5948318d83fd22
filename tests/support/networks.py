"""Small networks in ONNX files, with the same functions in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Linear:
    """Random weights from observations to logits and a value; the function in NumPy computes what the file does."""

    shape: tuple[int, ...]
    actions: int
    seed: int = 1
    value: bool = True
    mask: bool = False
    metadata: Mapping[str, str] | None = None

    @property
    def weights(self) -> NDArray[np.float32]:
        size = int(np.prod(self.shape))
        return np.random.default_rng(self.seed).normal(size=(size, self.actions + 1)).astype(np.float32)

    @property
    def function(self) -> Callable[[NDArray[np.int8], NDArray[np.int8]], Any]:
        weights = self.weights

        def network(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> Any:
            assert observation.shape == self.shape
            assert mask.shape == (self.actions,)
            found = observation.reshape(-1).astype(np.float32) @ weights
            return (found[:-1], 1 / (1 + np.exp(-found[-1]))) if self.value else found[:-1]

        return network

    def save(self, path: Path) -> Path:
        from onnx import TensorProto, helper, numpy_helper, save

        weights = self.weights
        info = helper.make_tensor_value_info
        inputs = [info("observation", TensorProto.FLOAT, ["batch", *self.shape])]
        outputs = [info("logits", TensorProto.FLOAT, ["batch", self.actions])]
        nodes = [
            helper.make_node("Flatten", ["observation"], ["flat"]),
            helper.make_node("MatMul", ["flat", "policy"], ["scores"]),
        ]
        if self.mask:  # which leaves out what is illegal, as networks usually do
            inputs.append(info("mask", TensorProto.BOOL, ["batch", self.actions]))
            nodes.append(helper.make_node("Where", ["mask", "scores", "lowest"], ["logits"]))
        else:
            nodes.append(helper.make_node("Identity", ["scores"], ["logits"]))
        if self.value:
            outputs.append(info("value", TensorProto.FLOAT, ["batch", 1]))
            nodes.append(helper.make_node("MatMul", ["flat", "worth"], ["raw"]))
            nodes.append(helper.make_node("Sigmoid", ["raw"], ["value"]))
        arrays = {"policy": weights[:, :-1], "worth": weights[:, -1:], "lowest": np.array(-1e9, np.float32)}
        constants = [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in arrays.items()]
        graph = helper.make_graph(nodes, "policy", inputs, outputs, constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        helper.set_model_props(model, dict(self.metadata or {}))
        save(model, path)
        return path
