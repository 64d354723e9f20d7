"""The messages between the command and the process that imports the front end to trace blocks and to list them."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.layer_coverage import LayerClass
from autoperf.core.layers import LayerPlace
from autoperf.networks.source import NetworkSource


class TraceRequest(msgspec.Struct, frozen=True, tag="trace"):
    """Requests a network's graph; `inputs` are texts of tensors by name, empty for those that the network declares."""

    source: NetworkSource
    inputs: dict[str, str]
    batch: int


class LayerTraceRequest(msgspec.Struct, frozen=True, tag="layer"):
    """Requests the graph of a layer's case; `layers` are the user's own."""

    case: Case
    layers: dict[str, LayerPlace]


class TracedNetwork(msgspec.Struct, frozen=True, tag="traced"):
    """The graph as MXNet's JSON, the texts of its inputs by name, and the graph's variable of each."""

    text: str
    inputs: dict[str, str]
    variables: dict[str, str]


class TraceFailure(msgspec.Struct, frozen=True, tag="failed"):
    """The network can't be traced; the reason is for the user."""

    reason: str


class LayersRequest(msgspec.Struct, frozen=True, tag="layers"):
    """Requests the classes of all blocks."""


class LayersAnswer(msgspec.Struct, frozen=True, tag="classes"):
    """The classes of all blocks."""

    classes: tuple[LayerClass, ...]


FrontEndRequest: TypeAlias = TraceRequest | LayerTraceRequest | LayersRequest
TraceAnswer: TypeAlias = TracedNetwork | LayersAnswer | TraceFailure

trace_requests: msgspec.msgpack.Decoder[tuple[int, FrontEndRequest]] = msgspec.msgpack.Decoder(
    tuple[int, FrontEndRequest]
)
trace_answers: msgspec.msgpack.Decoder[tuple[int, TraceAnswer]] = msgspec.msgpack.Decoder(tuple[int, TraceAnswer])
