"""Calls, the results of inference and gradients for them, and the messages of the registry's service."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.case import NON_ARGUMENTS, Case
from autoperf.core.graph import ExecutionMode, Graph, operators_of
from autoperf.core.operator import Registry, Value
from autoperf.core.tensors import ArrayType

UNKNOWN_DIMENSION = -1


class InferenceCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call of an operator, as far as it is known.

    `inputs` maps names (`data`, or `data[0]`, `data[1]`, ... of a list) to types; missing inputs are inferred. A
    dimension of -1 is unknown. A call that isn't imperative (`way`) lists all inputs, in the operator's order.
    """

    operator: str
    inputs: dict[str, ArrayType] = {}
    params: dict[str, Value] = {}
    graphs: dict[str, Graph] = {}
    way: ExecutionMode = "call"

    @property
    def composed(self) -> bool:
        """Whether the operator runs in a graph."""
        return self.way != "call"


class Completion(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of inference for a call.

    `inputs` are in the operator's order, with inferred shapes and dtypes; the operator updates those in `auxiliary`;
    those in `unknown` have no (complete) shape. `outputs` are the visible outputs; if their shapes depend on the
    contents of the inputs they are empty and `dynamic` is set. `error` is MXNet's message if the call is invalid;
    the rest is empty then, except `malformed`, which is set if a graph has an invalid reference, `node`, the node of a
    graph that the message is about, and `unlisted`, the inputs that the operator hasn't with these parameters.
    """

    inputs: tuple[tuple[str, ArrayType], ...] = ()
    auxiliary: tuple[str, ...] = ()
    outputs: tuple[ArrayType, ...] = ()
    unknown: tuple[str, ...] = ()
    dynamic: bool = False
    error: str = ""
    malformed: bool = False
    node: str = ""
    unlisted: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether MXNet accepts the call and every input is known."""
        return not self.error and not self.unknown


class Gradient(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether MXNet can differentiate a call, and the backward kernels.

    `differentiable` is None if unknown; `error` says why. `source` is "graph" (MXNet's gradient pass) or "run" (a
    recorded run in a separate process). `is_lost`: the machine may be why it is unknown, as where memory ran out.
    """

    differentiable: bool | None = None
    kernels: tuple[str, ...] = ()
    source: str = ""
    error: str = ""
    is_lost: bool = False


class InferredNode(msgspec.Struct, frozen=True):
    """A node of a network: an operator with its parameters as MXNet's texts, or a variable, whose operator is empty.

    `inputs` are pairs of a node's number and its output's number. `outputs` are the visible ones; one whose shape is
    unknown has a dimension of -1, or no dtype. `is_nested` says that the node holds graphs of its own; `body` is
    set for a loop whose number of steps is known.
    """

    name: str
    operator: str
    params: dict[str, str]
    inputs: tuple[tuple[int, int], ...]
    outputs: tuple[ArrayType, ...]
    is_nested: bool = False
    body: LoopBody | None = None


class LoopBody(msgspec.Struct, frozen=True):
    """The graph that each step of a loop runs, and the number of steps."""

    graph: InferredGraph
    steps: int


class InferredGraph(msgspec.Struct, frozen=True):
    """The nodes of a network in topological order, and its outputs as pairs of a node's and an output's number."""

    nodes: tuple[InferredNode, ...]
    outputs: tuple[tuple[int, int], ...]


def call_of(case: Case) -> InferenceCall:
    """The call of a case, with all inputs known."""
    known = {
        item.name: ArrayType(item.tensor.shape, item.tensor.dtype)
        for item in case.inputs
        if item.name not in NON_ARGUMENTS
    }
    return InferenceCall(case.operator, known, case.params, graphs=dict(case.graphs), way=case.way)


def uses_np_shape(call: InferenceCall) -> bool:
    """Whether the call uses NumPy shape semantics, by the names of its operators."""
    return any(name.startswith("_np") for name in operators_of(call.operator, call.graphs.values()))


class CrawlRequest(msgspec.Struct, frozen=True, tag="crawl"):
    """Requests the whole registry."""


class CompleteRequest(msgspec.Struct, frozen=True, tag="complete"):
    """Requests completions; replies are sent in batches of `flush`, and a crash loses the current batch."""

    calls: tuple[InferenceCall, ...]
    flush: int


class GradientRequest(msgspec.Struct, frozen=True, tag="gradients"):
    """Requests gradients; `limit` is the time limit of one call in seconds."""

    calls: tuple[InferenceCall, ...]
    limit: float


class GraphRequest(msgspec.Struct, frozen=True, tag="graph"):
    """Requests a network's nodes (MXNet's JSON, or a case's graph) with their types; `inputs` are known variables."""

    network: str | Graph
    inputs: dict[str, ArrayType]


class ValueReply(msgspec.Struct, frozen=True, tag="value"):
    """An encoded result: the registry, a network's nodes, or the completion or gradient of one call, in their order."""

    value: msgspec.Raw


class ErrorReply(msgspec.Struct, frozen=True, tag="failure"):
    """The request failed: the library can't be loaded, or its registry can't be read."""

    kind: str
    message: str


Request: TypeAlias = CrawlRequest | CompleteRequest | GradientRequest | GraphRequest
Reply: TypeAlias = ValueReply | ErrorReply

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])


def value_reply(value: Registry | Completion | Gradient | InferredGraph) -> ValueReply:
    """The reply with this result."""
    return ValueReply(msgspec.Raw(msgspec.msgpack.encode(value)))
