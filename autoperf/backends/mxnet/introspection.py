"""MXNet in the process that reads the operators of its library and their gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.graph_symbol import (
    HEAD,
    NODE,
    GradientGraph,
    GradientNode,
    GraphInput,
    gradient_graph,
    graph_text,
)
from autoperf.backends.mxnet.capi.invoke import invoke
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.backends.mxnet.capi.ndarray import DTYPE_CODES, NDArray
from autoperf.backends.mxnet.capi.profiler import ENGINE_KERNELS, ZERO_GRADIENTS, Recorder, kernels
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.backends.mxnet.crawl import crawl
from autoperf.backends.mxnet.graph_inference import inferred_graph
from autoperf.backends.mxnet.inference import Inference
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph
from autoperf.core.operator import Registry, Value
from autoperf.core.tensors import ArrayType
from autoperf.processes.forks import ForkError, forked
from autoperf.registry.calls import Completion, Gradient, InferenceCall, InferredGraph

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
            answers[index] = _run_in_child(inference, calls[index], limit)
    return answers


def _run_in_child(inference: Inference, call: InferenceCall, limit: float) -> Gradient:
    """`gradient_by_run` in a child: a process can configure MXNet's profiler only once."""
    (result,) = forked(lambda item: _encode(gradient_by_run(inference, item)), [call], limit)
    if isinstance(result, ForkError):
        return Gradient(error=f"MXNet can't determine its gradient: {result}")
    return _decoder.decode(result)


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
    kernels = _distinct(node.operator for node in _backward_nodes(graph.nodes))
    forwards_head = any(name.startswith(HEAD) for name in graph.outputs)
    return Gradient(differentiable=bool(kernels) or forwards_head, kernels=kernels, source="graph")


def gradient_graph_of(inference: Inference, call: InferenceCall, completion: Completion) -> GradientGraph:
    """The graph of a call's gradients. Raises EngineError if MXNet's gradient pass fails; may crash the process."""
    symbol, variables = _composed(inference, call) if call.composed else _atomic(inference, call, completion)
    inputs = [
        GraphInput(variable, kind.shape, DTYPE_CODES[kind.dtype], name in completion.auxiliary)
        for variable, (name, kind) in zip(variables, completion.inputs, strict=True)
    ]
    return gradient_graph(symbol, inputs)


def _backward_nodes(nodes: Sequence[GradientNode]) -> list[GradientNode]:
    """All nodes but the forward node, the first of its name: some operators' gradient nodes share the name."""
    forward = next((index for index, node in enumerate(nodes) if node.name == NODE), None)
    return [node for index, node in enumerate(nodes) if index != forward]


def _atomic(inference: Inference, call: InferenceCall, completion: Completion) -> tuple[Symbol, list[Symbol]]:
    variables = [Symbol.variable(inference.library, name) for name, _ in completion.inputs]
    symbol = inference.atomic(call)
    symbol.compose(NODE, variables)
    return symbol, variables


def _composed(inference: Inference, call: InferenceCall) -> tuple[Symbol, list[Symbol]]:
    """The gradient pass identifies variables by node, not by name, so they must be the graph's own."""
    node = inference.node(call)
    internals = node.symbol.internals()
    indices = {name: index for index, name in enumerate(internals.list_outputs())}
    return node.symbol, [internals.output(indices[variable]) for variable in node.inputs.values()]


def gradient_by_run(inference: Inference, call: InferenceCall) -> Gradient:
    """The kernels of one recorded run's backward pass; needs a separate process."""
    completion = inference.complete(call)
    size = sum(kind.nbytes for _, kind in completion.inputs)
    if size > MAX_RUN_BYTES:
        return Gradient(error=f"the inputs have {size} bytes, too many to run the backward pass for its kernels")
    try:
        traced = traced_kernels(inference.library, call.operator, completion, inference.params(call))
    except EngineError as error:
        if _NO_GRADIENT in str(error):
            return Gradient(differentiable=False, source="run")
        return Gradient(error=str(error))
    kernels = _distinct(traced)
    return Gradient(differentiable=bool(kernels), kernels=kernels, source="run")


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The unique kernels in order, without helpers."""
    return tuple(dict.fromkeys(name for name in names if name not in GRAPH_HELPERS))


def traced_kernels(
    library: Library, operator: str, completion: Completion, params: Mapping[str, Value]
) -> tuple[str, ...]:
    """The unique kernel names in a backward pass's trace, in order. Raises EngineError if MXNet rejects the call."""
    recorder = Recorder(library, memory=False)
    profiler.set_bulk_size(library, 0)
    arrays = {name: _array(library, kind) for name, kind in completion.inputs}
    floating = (name for name, kind in completion.inputs if "float" in kind.dtype)
    variables = [arrays[name] for name in floating if name not in completion.auxiliary]
    slots = [NDArray.create(library, array.shape, array.dtype) for array in variables]
    autograd.mark_variables(library, variables, slots)
    with autograd.pass_mode(library, recording=True):
        outputs = [NDArray(library, handle) for handle in invoke(library, operator, list(arrays.values()), params)]
    library.wait_all()
    profiler.set_state(library, True)
    try:
        autograd.backward(library, outputs)
        library.wait_all()
    finally:
        profiler.set_state(library, False)
    names = (kernel.name for kernel in kernels(recorder.dump()))
    return tuple(dict.fromkeys(name for name in names if name not in ENGINE_KERNELS))


def _array(library: Library, kind: ArrayType) -> NDArray:
    """An array of 0.5, or of zeros for integer dtypes (indices, lengths)."""
    values = np.full(kind.shape, 0.5 if "float" in kind.dtype else 0.0, dtype="float32")
    return NDArray.from_numpy(library, values, kind.dtype)


class MXNetIntrospection:
    """The library in the process that reads its operators."""

    def __init__(self, path: Path) -> None:
        """Loads the library. Raises LibraryError."""
        self._inference = Inference(open_library(path))

    def registry(self) -> Registry:
        """All operators that the library registers."""
        return crawl(self._inference.library)

    def complete(self, call: InferenceCall) -> Completion:
        """The call with the types that MXNet infers, or its error."""
        return self._inference.complete(call)

    def gradients(self, calls: Sequence[InferenceCall], limit: float) -> Iterable[Gradient]:
        """The gradients by MXNet's pass, or by runs in forks."""
        # It imports NumPy, which would double the service's start time.
        from autoperf.backends.mxnet.introspection import gradients  # noqa: PLC0415

        return gradients(self._inference, tuple(calls), limit)

    def graph(self, network: str | Graph, inputs: Mapping[str, ArrayType]) -> InferredGraph:
        """The nodes of a network in MXNet's JSON, or of a graph."""
        text = network if isinstance(network, str) else graph_text(self._inference.library, network)
        return inferred_graph(self._inference, text, dict(inputs))
