"""Gradient graphs: MXNet's gradient pass applied to a symbol."""

from __future__ import annotations

import ctypes as c
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autoperf.backends.mxnet.capi.library import Library, text_array
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.core.tensors import Shape

GRADIENT = "MXGradient"
HEAD = "head_gradient_"
_FIRST_WITH_SHAPES = 20000


class GradientNode(NamedTuple):
    """A node of a gradient graph: its operator ("null" for a variable), its name, and its inputs.

    `inputs` are pairs of a node's number and its output's number.
    """

    operator: str
    name: str
    inputs: tuple[tuple[int, int], ...] = ()


class GradientGraph(NamedTuple):
    """The nodes of a gradient graph, with the forward nodes that it needs, and its output names."""

    nodes: tuple[GradientNode, ...]
    outputs: tuple[str, ...]


class GraphInput(NamedTuple):
    """A variable of a symbol with its shape and dtype code; gradients are taken unless it is auxiliary."""

    variable: Symbol
    shape: Shape
    dtype: int
    auxiliary: bool


def gradient_graph(symbol: Symbol, inputs: Sequence[GraphInput]) -> GradientGraph:
    """The graph of the gradients of all visible outputs with respect to `inputs`, in the symbol's order.

    Nothing runs. Raises EngineError if the operator has no gradient, or hidden outputs; may crash the process.
    """
    library = symbol.library
    heads = [Symbol.variable(library, f"{HEAD}{i}") for i in range(len(symbol.list_outputs()))]
    head = Symbol.group(library, heads)
    variables = Symbol.group(library, [item.variable for item in inputs if not item.auxiliary])
    graph = _GraphHandle.of(symbol)
    for key, entries in (("grad_ys", symbol), ("grad_xs", variables), ("grad_ys_out_grad", head)):
        graph.set_entries(key, entries)
    if library.number >= _FIRST_WITH_SHAPES:
        graph.set_entries("grad_us", variables)
        graph.set_json("in_arg_shapes", ["list_shape", [list(item.shape) for item in inputs]])
        graph.set_json("in_arg_dtypes", ["list_int", [item.dtype for item in inputs]])
    gradient = graph.apply(GRADIENT).symbol()
    nodes = json.loads(gradient.to_json())["nodes"]
    return GradientGraph(tuple(map(_node, nodes)), tuple(gradient.list_outputs()))


def _node(node: Mapping[str, Any]) -> GradientNode:
    return GradientNode(node["op"], node["name"], tuple((entry[0], entry[1]) for entry in node["inputs"]))


class _GraphHandle:
    """A handle of an NNVM graph."""

    def __init__(self, library: Library, handle: c.c_void_p) -> None:
        self._library = library
        self._handle = handle

    @classmethod
    def of(cls, symbol: Symbol) -> _GraphHandle:
        handle = c.c_void_p()
        symbol.library.call("GraphCreate", symbol.handle, c.byref(handle))
        return cls(symbol.library, handle)

    def set_entries(self, key: str, symbol: Symbol) -> None:
        self._library.call("GraphSetEntries", self._handle, key.encode(), symbol.handle)

    def set_json(self, key: str, value: object) -> None:
        self._library.call("GraphSetJSON", self._handle, key.encode(), json.dumps(value).encode())

    def apply(self, name: str) -> _GraphHandle:
        handle = c.c_void_p()
        self._library.call("GraphApplyPasses", self._handle, 1, text_array([name]), c.byref(handle))
        return _GraphHandle(self._library, handle)

    def symbol(self) -> Symbol:
        handle = c.c_void_p()
        self._library.call("GraphGetSymbol", self._handle, c.byref(handle))
        return Symbol(self._library, handle.value)

    def __del__(self) -> None:
        self._library.function("GraphFree")(self._handle)
