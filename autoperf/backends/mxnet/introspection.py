"""MXNet in the process that reads its operators and gradients, and infers calls and networks."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.invoke import invoke
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.backends.mxnet.capi.ndarray import DTYPE_CODES, NDArray, dtype_name
from autoperf.backends.mxnet.capi.profiler import ENGINE_KERNELS, ZERO_GRADIENTS, Recorder
from autoperf.backends.mxnet.capi.symbol import (
    HEAD,
    NODE,
    UNKNOWN_TYPE,
    GradientGraph,
    GraphInput,
    Symbol,
    gradient_graph,
    graph_text,
)
from autoperf.backends.mxnet.crawl import NodeReader, OutputlessError, composed_node, crawl, describe, make_node
from autoperf.core.errors import AutoperfError, EngineError, GraphReferenceError
from autoperf.core.graph import OWN_GRAPH, Graph
from autoperf.core.operator import Operator, Registry, Value
from autoperf.core.tensors import ArrayType, Shape
from autoperf.processes.forks import ForkError, forked
from autoperf.registry.calls import (
    UNKNOWN_DIMENSION,
    Completion,
    Gradient,
    InferenceCall,
    InferredGraph,
    InferredNode,
    LoopBody,
    uses_np_shape,
)

LEGACY_UNKNOWN = 0
DEFAULT_DTYPE = "float32"


class _UnlistedError(EngineError):
    def __init__(self, operator: str, names: tuple[str, ...], known: Iterable[str]) -> None:
        self.names = names
        super().__init__(
            f"invalid input {', '.join(names)} of {operator}: with these parameters, expected "
            f"{', '.join(known) or 'none'}"
        )


class Inference:
    """Inference with one library. It sets the thread's NumPy shape semantics for each call."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._operators: dict[str, tuple[int, Operator]] = {}
        self._np_shape = library.np_shape() > 0

    def complete(self, call: InferenceCall) -> Completion:
        """Completes a call; MXNet's error is the completion's `error`, never an exception."""
        try:
            return self._complete(call, self.node(call))
        except OutputlessError as error:
            # All inputs are required.
            unknown = tuple(name for name in error.inputs if name not in call.inputs)
            inputs = tuple((name, call.inputs.get(name, ArrayType((), DEFAULT_DTYPE))) for name in error.inputs)
            return Completion(inputs, unknown=unknown)
        except GraphReferenceError as error:
            return Completion(error=str(error), malformed=True)
        except _UnlistedError as error:
            return Completion(error=str(error), unlisted=error.names)
        except EngineError as error:
            return Completion(error=str(error), node=error.node)
        except AutoperfError as error:
            return Completion(error=str(error))

    def node(self, call: InferenceCall) -> NodeReader:
        """The call's operator as a symbol with all inputs; raises EngineError for an invalid call."""
        self.use_np_shape(uses_np_shape(call))
        if call.way in OWN_GRAPH:
            # The operator may be a composite, which MXNet doesn't know.
            return composed_node(self.library, call, call.operator, call.params)
        handle, operator = self._operator(call.operator)
        if call.composed:
            return composed_node(self.library, call, operator.name, with_count(operator, call))
        node = make_node(self.library, handle, operator.tensors, with_count(operator, call), tuple(call.inputs))
        if unknown := tuple(name for name in call.inputs if name not in node.inputs):
            raise _UnlistedError(call.operator, unknown, node.inputs)
        return node

    def params(self, call: InferenceCall) -> Mapping[str, Value]:
        """The call's parameters, with the number of inputs if the operator counts them."""
        return with_count(self._operator(call.operator)[1], call)

    def atomic(self, call: InferenceCall) -> Symbol:
        """The call's operator with its parameters, not composed yet."""
        handle, operator = self._operator(call.operator)
        return Symbol.atomic(self.library, handle, with_count(operator, call))

    def _operator(self, name: str) -> tuple[int, Operator]:
        if name not in self._operators:
            handle = self.library.operator(name)
            self._operators[name] = handle, describe(self.library, handle)
        return self._operators[name]

    def use_np_shape(self, on: bool) -> None:
        """Sets the thread's NumPy shape semantics."""
        if on != self._np_shape:
            self.library.set_np_shape(int(on))
            self._np_shape = on

    def _complete(self, call: InferenceCall, node: NodeReader) -> Completion:
        shapes, outputs, unknown = self._shapes(call, node)
        dtypes, output_dtypes = _completed_dtypes(call, node)
        inputs = tuple((name, ArrayType(shapes[name], dtypes[name])) for name in node.inputs)
        auxiliary = tuple(name for name, variable in node.inputs.items() if variable in node.auxiliary)
        known = [shape for shape in outputs if shape is not None and UNKNOWN_DIMENSION not in shape]
        complete = len(known) == len(outputs)
        types = tuple(map(ArrayType, known, output_dtypes)) if complete else ()
        return Completion(inputs, auxiliary, types, unknown, dynamic=not complete and not unknown)

    def _shapes(
        self, call: InferenceCall, node: NodeReader
    ) -> tuple[dict[str, Shape], list[Shape | None], tuple[str, ...]]:
        """The input shapes by name, the output shapes, and the names of inputs without a known shape."""
        unsized = UNKNOWN_DIMENSION if self._np_shape else LEGACY_UNKNOWN
        known = {
            node.inputs[name]: tuple(unsized if size == UNKNOWN_DIMENSION else size for size in kind.shape)
            for name, kind in call.inputs.items()
        }
        inferred = node.symbol.infer_shape_partial(known)
        by_variable = dict(zip(node.arguments, inferred.arguments, strict=True))
        by_variable |= zip(node.auxiliary, inferred.auxiliary, strict=True)
        shapes, unknown = dict[str, Shape](), list[str]()
        for name, variable in node.inputs.items():
            shape = self.from_mxnet(by_variable[variable])
            if _is_incomplete(shape) and name in call.inputs:
                # MXNet's inference of `_npi_hstack` and `_npi_dstack` loses known shapes.
                shape = call.inputs[name].shape
            if _is_incomplete(shape):
                unknown.append(name)
            shapes[name] = shape or ()
        return shapes, [self.from_mxnet(shape) for shape in inferred.outputs], tuple(unknown)

    def from_mxnet(self, shape: Shape | None) -> Shape | None:
        """A shape with -1 for an unknown dimension; None for an unknown rank."""
        if self._np_shape or shape is None:
            return shape
        return tuple(UNKNOWN_DIMENSION if size == LEGACY_UNKNOWN else size for size in shape) or None


def _is_incomplete(shape: Shape | None) -> bool:
    return shape is None or UNKNOWN_DIMENSION in shape


def with_count(operator: Operator, call: InferenceCall) -> Mapping[str, Value]:
    """The call's parameters, with the number of inputs if the operator counts them and the call omits it."""
    key = operator.variadic_count
    is_omitted = key and key not in call.params and operator.variadic
    return {**call.params, key: len(call.inputs)} if is_omitted else call.params


def _completed_dtypes(call: InferenceCall, node: NodeReader) -> tuple[dict[str, str], list[str]]:
    """The input dtypes by name, and the output dtypes; unknown ones are float32, MXNet's default."""
    known = {node.inputs[name]: DTYPE_CODES[kind.dtype] for name, kind in call.inputs.items() if kind.dtype}
    codes, outputs = _infer_types(node, known)
    if UNKNOWN_TYPE in codes.values():
        default = DTYPE_CODES[DEFAULT_DTYPE]
        known |= {variable: default for variable, code in codes.items() if code == UNKNOWN_TYPE}
        codes, outputs = _infer_types(node, known)
    return {name: _dtype(codes[variable]) for name, variable in node.inputs.items()}, [_dtype(code) for code in outputs]


def _infer_types(node: NodeReader, known: Mapping[str, int]) -> tuple[dict[str, int], tuple[int, ...]]:
    inferred = node.symbol.infer_type_partial(known)
    codes = dict(zip(node.arguments, inferred.arguments, strict=True))
    codes |= zip(node.auxiliary, inferred.auxiliary, strict=True)
    return codes, inferred.outputs


def _dtype(code: int) -> str:
    return DEFAULT_DTYPE if code == UNKNOWN_TYPE else dtype_name(code)


VARIABLE = "null"
_PLACE = re.compile(r"n(\d+)(?:_|$)")
_FAILED = re.compile(r"Error in operator n(\d+):")
_DECLARED_SHAPE, _DECLARED_DTYPE = "__shape__", "__dtype__"
_SHAPE = "shape"
_NO_SIZE = re.compile(rf"\b{LEGACY_UNKNOWN}\b")
_FIRST_STATES = "_zeros"
"""The operator by which recurrent layers of 1.x create first states, whose batch size is unknown in mx.np too."""
_SUBGRAPHS = "subgraphs"
_SLICED = "in_data_locs"
"""The attribute of a loop over the first axis of arrays, whose length is the number of steps: no other node has it."""


def inferred_graph(inference: Inference, text: str, inputs: Mapping[str, ArrayType]) -> InferredGraph:
    """The nodes of a network; `inputs` are the known variables by name, with or without a dtype; others are ignored.

    Raises EngineError with MXNet's words, and the node's name, if the network or the inputs are invalid.
    """
    library = inference.library
    # Loading and saving it brings the format of an older release up to date.
    document = json.loads(Symbol.from_json(library, text).to_json())
    nodes = document["nodes"]
    is_numpy = any(node["op"].startswith("_np") for node in nodes)
    inference.use_np_shape(is_numpy)
    numbered = Symbol.from_json(library, json.dumps(_numbered(document, is_numpy)))
    _check_references(document, numbered)
    known = {f"n{n}": _typed(node, inputs[node["name"]]) for n, node in enumerate(nodes) if node["name"] in inputs}
    try:
        types = _output_types(inference, numbered, known)
    except EngineError as error:
        match = _FAILED.search(library.last_error())
        if match is None or int(match[1]) >= len(nodes):
            raise
        node = nodes[int(match[1])]
        raise EngineError(f"{node['name']} ({node['op']}): {error}") from None
    made = [_node(node, types.get(at, ()), _body(inference, document, node, types)) for at, node in enumerate(nodes)]
    return InferredGraph(tuple(made), tuple((head[0], head[1]) for head in document["heads"]))


def _check_references(document: Mapping[str, Any], numbered: Symbol) -> None:
    """Raises EngineError for an output that its node doesn't have: MXNet would crash."""
    nodes = document["nodes"]
    counts = Counter(map(_place, numbered.internals().list_outputs()))
    users = [*((f"{node['name']} ({node['op']})", node["inputs"]) for node in nodes), ("the graph", document["heads"])]
    for reader, entries in users:
        for number, output, *_ in entries:
            if output >= counts[number]:
                raise EngineError(
                    f"{reader} has output {output} of {nodes[number]['name']}, whose outputs are 0 to "
                    f"{counts[number] - 1}"
                )


def _typed(variable: Mapping[str, Any], kind: ArrayType) -> ArrayType:
    """The type of an input; without a dtype, the one that the network states holds, else float32."""
    stated = variable.get("attrs", {}).get(_DECLARED_DTYPE, str(UNKNOWN_TYPE)) != str(UNKNOWN_TYPE)
    return kind if kind.dtype or stated else ArrayType(kind.shape, DEFAULT_DTYPE)


def _numbered(document: Mapping[str, Any], is_numpy: bool) -> dict[str, Any]:
    """The network with the nodes' numbers as their names, from which the names of their outputs begin."""
    nodes = [{**node, "name": f"n{place}"} for place, node in enumerate(document["nodes"])]
    for node in nodes:
        declared = node.get("attrs", {}).get(_DECLARED_SHAPE)
        if declared and not is_numpy:
            # A dimension that a release with NumPy shape semantics wrote as unknown.
            shape = declared.replace(str(UNKNOWN_DIMENSION), str(LEGACY_UNKNOWN))
            node["attrs"] = {**node["attrs"], _DECLARED_SHAPE: shape}
        if is_numpy and node["op"] == _FIRST_STATES:
            node["attrs"] = {**node["attrs"], _SHAPE: _NO_SIZE.sub(str(UNKNOWN_DIMENSION), node["attrs"][_SHAPE])}
    return {**document, "nodes": nodes}


def _output_types(inference: Inference, graph: Symbol, known: dict[str, ArrayType]) -> dict[int, tuple[ArrayType, ...]]:
    """The types of each node's visible outputs, by the node's number; the shape of an unknown rank is (-1,)."""
    internals = graph.internals()
    names = internals.list_outputs()
    shapes = internals.infer_shape_partial({name: kind.shape for name, kind in known.items()}).outputs
    codes = {name: DTYPE_CODES[kind.dtype] for name, kind in known.items() if kind.dtype}
    inferred = internals.infer_type_partial(codes)
    if UNKNOWN_TYPE in inferred.outputs:
        # Unknown ones are float32, MXNet's default.
        states = frozenset(internals.list_auxiliary_states())
        arguments = [name for name in internals.list_inputs() if name not in states]
        unknown = (name for name, code in zip(arguments, inferred.arguments, strict=True) if code == UNKNOWN_TYPE)
        inferred = internals.infer_type_partial(codes | dict.fromkeys(unknown, DTYPE_CODES[DEFAULT_DTYPE]))
    dtypes = [DEFAULT_DTYPE if code == UNKNOWN_TYPE else dtype_name(code) for code in inferred.outputs]
    sizes = [(UNKNOWN_DIMENSION,) if shape is None else shape for shape in map(inference.from_mxnet, shapes)]
    types = [ArrayType(size, dtype) for size, dtype in zip(sizes, dtypes, strict=True)]
    return {
        place: tuple(kind for _, kind in members)
        for place, members in groupby(zip(map(_place, names), types, strict=True), key=lambda pair: pair[0])
    }


def _place(name: str) -> int:
    match = _PLACE.match(name)
    if match is None:
        raise EngineError(f"MXNet names an output {name!r}: expected the name of its node")
    return int(match[1])


def _body(
    inference: Inference,
    document: Mapping[str, Any],
    node: Mapping[str, Any],
    types: Mapping[int, tuple[ArrayType, ...]],
) -> LoopBody | None:
    """The graph of a loop over an axis, with the types of one step; None for any other node."""
    if _SLICED not in node.get("attrs", {}):
        return None
    (subgraph,) = node[_SUBGRAPHS]
    arrays = [types[number][output] for number, output, *_ in node["inputs"]]
    variables = [inner["name"] for inner in subgraph["nodes"] if inner["op"] == VARIABLE]
    # Slices of the arrays that are looped over, states, and others: numbers in MXNet's text of a tuple, `[0,2]`.
    kinds = ("in_data", "in_state", "remain")
    sliced, states, others = (tuple(ast.literal_eval(node["attrs"][f"{kind}_locs"])) for kind in kinds)
    # Outside of mx.np a step of a vector is an array of one element.
    scalar = () if node["op"].startswith("_np") else (1,)
    slices = [ArrayType(kind.shape[1:] or scalar, kind.dtype) for kind in arrays[: len(sliced)]]
    pairs = zip((*sliced, *states, *others), (*slices, *arrays[len(sliced) :]), strict=True)
    inputs = {variables[place]: kind for place, kind in pairs}
    # The version keeps MXNet from upgrading the graph from an old release's format.
    text = json.dumps({**subgraph, "attrs": document["attrs"]})
    return LoopBody(inferred_graph(inference, text, inputs), arrays[0].shape[0])


def _node(node: Mapping[str, Any], outputs: tuple[ArrayType, ...], body: LoopBody | None) -> InferredNode:
    is_variable = node["op"] == VARIABLE
    # Without the attributes of front ends (`__ctx_group__`, `__shape__`, ...).
    params = {name: value for name, value in node.get("attrs", {}).items() if not name.startswith("__")}
    if not node["inputs"] and _SHAPE in params and len(outputs) == 1:
        # Recurrent layers create their first states with an unknown dimension, for any batch size; only a graph can
        # run that, so that an operator without inputs gets the shape that MXNet deduced.
        params[_SHAPE] = str(outputs[0].shape)
    return InferredNode(
        name=node["name"],
        operator="" if is_variable else node["op"],
        params={} if is_variable else params,
        inputs=tuple((entry[0], entry[1]) for entry in node["inputs"]),
        outputs=outputs,
        is_nested=bool(node.get(_SUBGRAPHS)),
        body=body,
    )


# Nodes that every gradient graph may have: zeros for missing gradients, and sums of several gradients.
GRAPH_HELPERS = ZERO_GRADIENTS | {"null", "_NoGradient", "_grad_add", "add_n", "ElementWiseSum"}
MAX_RUN_BYTES = 1 << 26
_NO_GRADIENT = "non-differentiable because it didn't register FGradient"

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Gradient)


def gradients(inference: Inference, calls: Sequence[InferenceCall], limit: float) -> list[Gradient]:
    """The gradient of each call, in order; `limit` is the time limit of one call in seconds."""
    results = forked(lambda call: _encode(gradient_by_graph(inference, call)), calls, limit)
    answers = [Gradient() if isinstance(result, ForkError) else _decoder.decode(result) for result in results]
    for index, answer in enumerate(answers):
        if answer.differentiable is None and not answer.error:
            # Each in a child of its own: a process can configure MXNet's profiler only once.
            (result,) = forked(lambda call: _encode(gradient_by_run(inference, call)), [calls[index]], limit)
            answers[index] = (
                Gradient(error=f"MXNet can't determine its gradient: {result}", is_lost=result.is_external)
                if isinstance(result, ForkError)
                else _decoder.decode(result)
            )
    return answers


def gradient_by_graph(inference: Inference, call: InferenceCall) -> Gradient:
    """The result of MXNet's gradient pass; `differentiable` is None without an error if the pass fails."""
    completion = inference.complete(call)
    if not completion.valid:
        return Gradient(error=completion.error or f"unknown shape of {', '.join(completion.unknown)}")
    if not completion.outputs and not completion.dynamic:
        return Gradient(differentiable=False, source="graph")
    try:
        graph = gradient_graph_of(inference, call, completion)
    except EngineError as error:
        return Gradient(differentiable=False, source="graph") if _NO_GRADIENT in str(error) else Gradient()
    # The forward node is the first of its name: some operators' gradient nodes share it.
    forward = next((index for index, node in enumerate(graph.nodes) if node.name == NODE), None)
    kernels = _distinct(node.operator for index, node in enumerate(graph.nodes) if index != forward)
    forwards_head = any(name.startswith(HEAD) for name in graph.outputs)
    return Gradient(differentiable=bool(kernels) or forwards_head, kernels=kernels, source="graph")


def gradient_graph_of(inference: Inference, call: InferenceCall, completion: Completion) -> GradientGraph:
    """The graph of a call's gradients. Raises EngineError if MXNet's gradient pass fails; may crash the process."""
    if call.composed:
        # The gradient pass identifies variables by node, not by name, so they must be the graph's own.
        node = inference.node(call)
        symbol, internals = node.symbol, node.symbol.internals()
        indices = {name: index for index, name in enumerate(internals.list_outputs())}
        variables = [internals.output(indices[variable]) for variable in node.inputs.values()]
    else:
        variables = [Symbol.variable(inference.library, name) for name, _ in completion.inputs]
        symbol = inference.atomic(call)
        symbol.compose(NODE, variables)
    inputs = [
        GraphInput(variable, kind.shape, DTYPE_CODES[kind.dtype], name in completion.auxiliary)
        for variable, (name, kind) in zip(variables, completion.inputs, strict=True)
    ]
    return gradient_graph(symbol, inputs)


def gradient_by_run(inference: Inference, call: InferenceCall) -> Gradient:
    """The kernels of one recorded run's backward pass; needs a separate process."""
    completion = inference.complete(call)
    size = sum(kind.nbytes for _, kind in completion.inputs)
    if size > MAX_RUN_BYTES:
        return Gradient(error=f"the inputs have {size} bytes, too many to run the backward pass for its kernels")
    try:
        traced = traced_kernels(inference.library, call.operator, completion, inference.params(call))
    except EngineError as error:
        text = str(error)
        return Gradient(differentiable=False, source="run") if _NO_GRADIENT in text else Gradient(error=text)
    kernels = _distinct(traced)
    return Gradient(differentiable=bool(kernels), kernels=kernels, source="run")


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name not in GRAPH_HELPERS))


def traced_kernels(
    library: Library, operator: str, completion: Completion, params: Mapping[str, Value]
) -> tuple[str, ...]:
    """The unique kernel names in a backward pass's trace, in order. Raises EngineError if MXNet rejects the call."""
    recorder = Recorder(library, memory=False)
    profiler.set_bulk_size(library, 0)
    arrays: dict[str, NDArray] = {}
    for name, kind in completion.inputs:
        # Integers are indices or lengths.
        values = np.full(kind.shape, 0.5 if "float" in kind.dtype else 0.0, dtype="float32")
        arrays[name] = NDArray.from_numpy(library, values, kind.dtype)
    floating = (name for name, kind in completion.inputs if "float" in kind.dtype)
    variables = [arrays[name] for name in floating if name not in completion.auxiliary]
    slots = [NDArray.create(library, array.shape, array.dtype) for array in variables]
    autograd.mark_variables(library, variables, slots)
    with autograd.pass_mode(library, recording=True):
        outputs = [NDArray(library, handle) for handle in invoke(library, operator, list(arrays.values()), params)]
    library.wait_all()
    with recorder.recording():
        autograd.backward(library, outputs)
        library.wait_all()
    names = (kernel.name for kernel in recorder.kernels())
    return tuple(dict.fromkeys(name for name in names if name not in ENGINE_KERNELS))


class MXNetIntrospection(Inference):
    """The library in the process that reads its operators."""

    def __init__(self, path: Path) -> None:
        super().__init__(open_library(path))

    def registry(self) -> Registry:
        """All operators that the library registers."""
        return crawl(self.library)

    def gradients(self, calls: Sequence[InferenceCall], limit: float) -> Iterable[Gradient]:
        """The gradients by MXNet's pass, or by runs in forks."""
        return gradients(self, tuple(calls), limit)

    def graph(self, network: str | Graph, inputs: Mapping[str, ArrayType]) -> InferredGraph:
        """The nodes of a network in MXNet's JSON, or of a graph."""
        text = network if isinstance(network, str) else graph_text(self.library, network)
        return inferred_graph(self, text, inputs)
