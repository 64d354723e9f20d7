"""MXNet's symbols: created, composed, inferred; with subgraphs; and graphs of their gradients."""

from __future__ import annotations

import ctypes as c
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from autoperf.backends.mxnet.capi.invoke import format_value
from autoperf.backends.mxnet.capi.library import Library, handle_array, text_array, text_of
from autoperf.core.errors import EngineError, GraphReferenceError, UnknownNameError
from autoperf.core.graph import OWN_GRAPH, ExecutionMode, Graph, split_reference
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape

UNKNOWN_TYPE = -1
T = TypeVar("T")


@dataclass(frozen=True)
class Inferred(Generic[T]):
    """Inferred shapes or dtype codes in the symbol's order.

    None for an unknown shape; an unknown dimension is 0, or -1 with NumPy shape semantics. An unknown code is -1.
    MXNet's flag for "complete" is left out: it is set even with unknown dimensions (Concat).
    """

    arguments: tuple[T, ...]
    outputs: tuple[T, ...]
    auxiliary: tuple[T, ...]


class Symbol:
    """One or several nodes of a graph; freed with `free` or with the object."""

    __slots__ = ("handle", "library")

    def __init__(self, library: Library, handle: int | None) -> None:
        self.library, self.handle = library, handle

    @classmethod
    def variable(cls, library: Library, name: str) -> Symbol:
        """A variable of that name."""
        return cls.made(library, "SymbolVariable", name.encode())

    @classmethod
    def atomic(cls, library: Library, operator: int, params: Mapping[str, Value]) -> Symbol:
        """An operator with its parameters, not composed yet; raises EngineError if they are invalid."""
        keys, values = text_array(list(params)), text_array([format_value(v) for v in params.values()])
        return cls.made(library, "SymbolAtomic", operator, len(params), keys, values)

    @classmethod
    def from_json(cls, library: Library, text: str) -> Symbol:
        """A graph from MXNet's JSON; raises EngineError if it is invalid."""
        return cls.made(library, "SymbolFromJSON", text.encode())

    @classmethod
    def group(cls, library: Library, symbols: Sequence[Symbol]) -> Symbol:
        """Several symbols as one, with the outputs of all."""
        return cls.made(library, "SymbolGroup", len(symbols), handle_array([item.handle for item in symbols]))

    @classmethod
    def made(cls, library: Library, function: str, *arguments: object) -> Symbol:
        """The symbol that a function of the C API makes, whose handle it writes to its last argument."""
        handle = c.c_void_p()
        library.call(function, *arguments, c.byref(handle))
        return cls(library, handle.value)

    def compose(self, name: str, inputs: Sequence[Symbol] = ()) -> None:
        """Sets name and inputs, else variables. MXNet crashes if there are no outputs: check `output_count` first."""
        handles = handle_array([item.handle for item in inputs])
        self.library.call("SymbolCompose", self.handle, name.encode(), len(inputs), None, handles)

    def output_count(self) -> int:
        """The number of visible outputs."""
        count = c.c_uint32()
        self.library.call("SymbolGetNumOutputs", self.handle, c.byref(count))
        return count.value

    def output(self, index: int) -> Symbol:
        """One output as a symbol."""
        return self.made(self.library, "SymbolGetOutput", self.handle, index)

    def internals(self) -> Symbol:
        """Every output of every node, variables among them, as one symbol."""
        return self.made(self.library, "SymbolGetInternals", self.handle)

    def list_auxiliary_states(self) -> list[str]:
        """The names of the inputs that the operator updates."""
        return self._names("SymbolListAuxiliaryStates")

    def list_inputs(self) -> list[str]:
        """The names of all inputs, with auxiliary states, in the operator's order."""
        return self._names("SymbolListInputNames", 0)

    def list_outputs(self) -> list[str]:
        """The names of the visible outputs."""
        return self._names("SymbolListOutputs")

    def _names(self, function: str, *options: int) -> list[str]:
        size, names = c.c_uint32(), c.POINTER(c.c_char_p)()
        self.library.call(function, self.handle, *options, c.byref(size), c.byref(names))
        return [text_of(names[i]) for i in range(size.value)]

    def to_json(self) -> str:
        """The graph as MXNet's JSON."""
        text = c.c_char_p()
        self.library.call("SymbolToJSON", self.handle, c.byref(text))
        return text_of(text.value)

    def infer_shape_partial(self, known: Mapping[str, Shape]) -> Inferred[Shape | None]:
        """Infers shapes from the known ones; raises EngineError with the operator's message."""
        starts, dims = [0], list[int]()
        for shape in known.values():
            dims.extend(shape)
            starts.append(len(dims))
        extent = self.library.extent
        results = [(c.c_size_t(), c.POINTER(c.c_int)(), c.POINTER(c.POINTER(extent))()) for _ in range(3)]
        pointers = (c.byref(part) for result in results for part in result)
        given = (extent * len(starts))(*starts), (extent * len(dims))(*dims)
        self._infer("SymbolInferShapePartial64", known, *given, *pointers)
        return Inferred(
            *(
                tuple(None if ranks[i] < 0 else tuple(shapes[i][: ranks[i]]) for i in range(size.value))
                for size, ranks, shapes in results
            )
        )

    def infer_type_partial(self, known: Mapping[str, int]) -> Inferred[int]:
        """Infers dtype codes from the known ones; raises EngineError with the operator's message."""
        results = [(c.c_uint32(), c.POINTER(c.c_int)()) for _ in range(3)]
        pointers = (c.byref(part) for result in results for part in result)
        self._infer("SymbolInferTypePartial", known, (c.c_int * len(known))(*known.values()), *pointers)
        return Inferred(*(tuple(codes[: size.value]) for size, codes in results))

    def _infer(self, function: str, known: Mapping[str, object], *arguments: object) -> None:
        complete = c.c_int()
        self.library.call(function, self.handle, len(known), text_array(list(known)), *arguments, c.byref(complete))

    def free(self) -> None:
        """Frees the symbol; a second call does nothing."""
        handle, self.handle = self.handle, None
        if handle:
            self.library.function("SymbolFree")(handle)

    def __del__(self) -> None:
        self.free()


NODE = "node"
_FIRST_WITH_ONEDNN = 20000


def graph_symbol(
    library: Library,
    operator: str,
    inputs: Sequence[str],
    params: Mapping[str, Value],
    graphs: Mapping[str, Graph],
    *,
    way: ExecutionMode,
) -> Symbol:
    """The operator applied to variables of these names, with all visible outputs; or its subgraph, if that runs itself.

    The symbol is loaded from MXNet's JSON, which works in every release. Raises EngineError if the operator is unknown,
    the parameters are invalid, or a graph refers to an output that its node doesn't have (MXNet would crash).
    """
    for graph in graphs.values():
        _check_outputs(library, graph)
    if way in OWN_GRAPH:
        (graph,) = graphs.values()
        try:
            return Symbol.from_json(library, graph_text(library, graph))
        except EngineError:
            _check_nodes(library, graph)
            raise
    nodes = [_node_json("null", name) for name in inputs]
    bodies = [_graph_json(library, graph) for graph in graphs.values()]
    node = _node_json(library.called(operator), NODE, [(index, 0) for index in range(len(inputs))], params, bodies)
    symbol = Symbol.from_json(library, _document(library, _nodes_json([*nodes, node], [(len(nodes), 0)])))
    # All outputs of the node. JSON must list them, but only MXNet knows their number.
    internals = symbol.internals()
    of_node = [index for index, name in enumerate(internals.list_outputs()) if name.startswith(f"{NODE}_")]
    return Symbol.group(library, [internals.output(index) for index in of_node])


def graph_text(library: Library, graph: Graph) -> str:
    """A graph as MXNet's JSON."""
    return _document(library, _graph_json(library, graph))


def fused_symbol(symbol: Symbol) -> Symbol:
    """The graph with the operators into which oneDNN fuses others. Raises EngineError for a build without oneDNN."""
    backend = b"ONEDNN" if symbol.library.number >= _FIRST_WITH_ONEDNN else b"MKLDNN"
    return Symbol.made(symbol.library, "GenBackendSubgraph", symbol.handle, backend)


def _check_outputs(library: Library, graph: Graph) -> None:
    nodes = {node.name: node for node in graph.nodes}
    for reference in (*(reference for node in graph.nodes for reference in node.inputs), *graph.outputs):
        name, output = split_reference(reference)
        if output and name in nodes:
            node = nodes[name]
            count = Symbol.atomic(library, library.operator(node.operator), node.params).output_count()
            if output >= count:
                raise GraphReferenceError(
                    f"a graph refers to {reference}, but the node {name!r} ({node.operator}) has {count} outputs"
                )


def _check_nodes(library: Library, graph: Graph) -> None:
    """Raises EngineError for the first node whose operator or parameters MXNet doesn't know."""
    for node in graph.nodes:
        try:
            Symbol.atomic(library, library.operator(node.operator), node.params)
        except EngineError as error:  # noqa: PERF203 - only a graph that failed comes here
            names = library.operator_names()
            is_known = library.called(node.operator) in names
            text = str(error) if is_known else str(UnknownNameError("operator", node.operator, names))
            raise EngineError(text, node.name) from None


def _graph_json(library: Library, graph: Graph) -> dict[str, Any]:
    indices_by_name = {name: index for index, name in enumerate(graph.inputs)}
    nodes = [_node_json("null", name) for name in graph.inputs]
    for node in graph.nodes:
        inputs = [_entry(indices_by_name, reference) for reference in node.inputs]
        indices_by_name[node.name] = len(nodes)
        nodes.append(_node_json(library.called(node.operator), node.name, inputs, node.params))
    return _nodes_json(nodes, [_entry(indices_by_name, reference) for reference in graph.outputs])


def _entry(indices_by_name: Mapping[str, int], reference: str) -> tuple[int, int]:
    name, output = split_reference(reference)
    return indices_by_name[name], output


def _node_json(
    operator: str,
    name: str,
    inputs: Sequence[tuple[int, int]] = (),
    params: Mapping[str, Value] | None = None,
    graphs: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    node: dict[str, Any] = {"op": operator, "name": name, "inputs": [[*entry, 0] for entry in inputs]}
    if params:
        node["attrs"] = {key: format_value(value) for key, value in params.items()}
    if graphs:
        node["subgraphs"] = list(graphs)
    return node


def _nodes_json(nodes: Sequence[Mapping[str, Any]], heads: Sequence[tuple[int, int]]) -> dict[str, Any]:
    variables = [index for index, node in enumerate(nodes) if node["op"] == "null"]
    return {"nodes": list(nodes), "arg_nodes": variables, "heads": [[*entry, 0] for entry in heads]}


def _document(library: Library, graph: Mapping[str, Any]) -> str:
    """The version number keeps MXNet from upgrading the graph from an old release's format."""
    return json.dumps({**graph, "attrs": {"mxnet_version": ["int", library.number]}})


GRADIENT = "MXGradient"
HEAD = "head_gradient_"
_FIRST_WITH_SHAPES = 20000


class GradientNode(NamedTuple):
    """A node of a gradient graph, "null" for a variable; `inputs` are pairs of numbers of a node and its output."""

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
    """The graph of gradients with respect to `inputs`. Raises EngineError without any; may crash the process."""
    library = symbol.library
    head = Symbol.group(library, [Symbol.variable(library, f"{HEAD}{i}") for i in range(len(symbol.list_outputs()))])
    variables = Symbol.group(library, [item.variable for item in inputs if not item.auxiliary])
    graph = _GraphHandle(library, "GraphCreate", symbol.handle)

    def set_json(key: str, value: object) -> None:
        library.call("GraphSetJSON", graph.handle, key.encode(), json.dumps(value).encode())

    attributes = {"grad_ys": symbol, "grad_xs": variables, "grad_ys_out_grad": head}
    if library.number >= _FIRST_WITH_SHAPES:
        attributes["grad_us"] = variables
        set_json("in_arg_shapes", ["list_shape", [list(item.shape) for item in inputs]])
        set_json("in_arg_dtypes", ["list_int", [item.dtype for item in inputs]])
    for key, entries in attributes.items():
        library.call("GraphSetEntries", graph.handle, key.encode(), entries.handle)
    passed = _GraphHandle(library, "GraphApplyPasses", graph.handle, 1, text_array([GRADIENT]))
    gradient = Symbol.made(library, "GraphGetSymbol", passed.handle)
    nodes = (
        GradientNode(node["op"], node["name"], tuple((entry[0], entry[1]) for entry in node["inputs"]))
        for node in json.loads(gradient.to_json())["nodes"]
    )
    return GradientGraph(tuple(nodes), tuple(gradient.list_outputs()))


class _GraphHandle:
    """A handle of an NNVM graph, which a function of the C API writes to its last argument."""

    def __init__(self, library: Library, function: str, *arguments: object) -> None:
        self._library, self.handle = library, c.c_void_p()
        library.call(function, *arguments, c.byref(self.handle))

    def __del__(self) -> None:
        if self.handle:
            self._library.function("GraphFree")(self.handle)
