"""Reads from MXNet whether a call can be differentiated, and by which backward kernels.

First MXNet's own gradient pass is applied to the call's graph, which runs nothing. It can't do operators with hidden
outputs (BatchNorm, Dropout): of those one backward pass is run and traced. Both happen in forked children, since
both can crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from autoperf.capi.dtypes import DTYPE_CODES
from autoperf.capi.graph import HEAD, GradientGraph, GradientNode, GraphInput, gradient_graph
from autoperf.capi.graph_symbol import NODE
from autoperf.capi.symbol import Symbol
from autoperf.core.errors import EngineError
from autoperf.processes.forks import ForkError, forked
from autoperf.registry.calls import Completion, Gradient, InferenceCall
from autoperf.registry.gradient_trace import traced_kernels
from autoperf.registry.inference import Inference

# Nodes that a gradient graph has of itself: zeros where nothing flows, and sums where several gradients meet.
GRAPH_HELPERS = frozenset(
    {"null", "zeros_like", "_zeros", "_zeros_without_dtype", "_NoGradient", "_grad_add", "add_n", "ElementWiseSum"}
)
LARGEST_RUN = 1 << 26
_NO_GRADIENT = "non-differentiable because it didn't register FGradient"

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Gradient)


def gradients(inference: Inference, calls: Sequence[InferenceCall], limit: float) -> list[Gradient]:
    """An answer for each call, in their order; `limit` is the seconds that one may take."""
    from_graphs = forked(lambda call: _encode(by_graph(inference, call)), calls, limit)
    answers = [Gradient() if isinstance(found, ForkError) else _decoder.decode(found) for found in from_graphs]
    for place, answer in enumerate(answers):
        if answer.differentiable is None and not answer.error:
            answers[place] = _in_its_own_process(inference, calls[place], limit)
    return answers


def _in_its_own_process(inference: Inference, call: InferenceCall, limit: float) -> Gradient:
    """`by_run` in a child: MXNet's profiler can be configured once in a process."""
    (found,) = forked(lambda each: _encode(by_run(inference, each)), [call], limit)
    if isinstance(found, ForkError):
        return Gradient(error=f"MXNet {found} while looking for the gradient")
    return _decoder.decode(found)


def by_graph(inference: Inference, call: InferenceCall) -> Gradient:
    """The answer of MXNet's gradient pass; `differentiable` is None, without an error, where the pass has none."""
    completion = inference.complete(call)
    if not completion.valid:
        return Gradient(error=completion.error or f"the shapes of {', '.join(completion.unknown)} are not known")
    if not completion.outputs and not completion.dynamic:
        return Gradient(differentiable=False, source="graph")
    try:
        graph = _graph(inference, call, completion)
    except EngineError as error:
        return Gradient(differentiable=False, source="graph") if _NO_GRADIENT in str(error) else Gradient()
    kernels = _distinct(node.operator for node in _added(graph.nodes))
    passed_on = any(name.startswith(HEAD) for name in graph.outputs)
    return Gradient(differentiable=bool(kernels) or passed_on, kernels=kernels, source="graph")


def _graph(inference: Inference, call: InferenceCall, completion: Completion) -> GradientGraph:
    symbol, variables = _composed(inference, call) if call.composed else _atomic(inference, call, completion)
    inputs = [
        GraphInput(variable, kind.shape, DTYPE_CODES[kind.dtype], name in completion.auxiliary)
        for variable, (name, kind) in zip(variables, completion.inputs, strict=True)
    ]
    return gradient_graph(symbol, inputs)


def _added(nodes: Sequence[GradientNode]) -> list[GradientNode]:
    """All but the forward node, which comes first; some operators give their gradient's node the same name."""
    forward = next((place for place, node in enumerate(nodes) if node.name == NODE), None)
    return [node for place, node in enumerate(nodes) if place != forward]


def _atomic(inference: Inference, call: InferenceCall, completion: Completion) -> tuple[Symbol, list[Symbol]]:
    variables = [Symbol.variable(inference.library, name) for name, _ in completion.inputs]
    symbol = inference.atomic(call)
    symbol.compose(NODE, variables)
    return symbol, variables


def _composed(inference: Inference, call: InferenceCall) -> tuple[Symbol, list[Symbol]]:
    """The gradient pass knows variables by what they are, not by their names: they have to be the graph's own."""
    node = inference.node(call)
    internals = node.symbol.internals()
    places = {name: place for place, name in enumerate(internals.list_outputs())}
    return node.symbol, [internals.output(places[variable]) for variable in node.inputs.values()]


def by_run(inference: Inference, call: InferenceCall) -> Gradient:
    """The kernels that one recorded run has in its backward pass; for a process of its own."""
    completion = inference.complete(call)
    size = sum(kind.nbytes for _, kind in completion.inputs)
    if size > LARGEST_RUN:
        return Gradient(error=f"its inputs of {size} bytes are too many to run it for its gradient alone")
    try:
        traced = traced_kernels(inference.library, call.operator, completion, inference.params(call))
    except EngineError as error:
        if _NO_GRADIENT in str(error):
            return Gradient(differentiable=False, source="run")
        return Gradient(error=str(error))
    kernels = _distinct(traced)
    return Gradient(differentiable=bool(kernels), kernels=kernels, source="run")


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each kernel once, in order, without the helpers."""
    return tuple(dict.fromkeys(name for name in names if name not in GRAPH_HELPERS))
