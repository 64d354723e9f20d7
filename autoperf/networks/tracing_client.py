"""The client of the process that imports the front end, to trace networks and to list layers, and their messages."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.files import Closable
from autoperf.core.layers import LayerClass, LayerPlace
from autoperf.networks.source import NetworkSource
from autoperf.processes.channel import ChannelError
from autoperf.processes.child_process import ChildProcess


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


A = TypeVar("A", TracedNetwork, LayersAnswer)


class TracingClient(Closable):
    """Traces networks in a process of its own, which starts at the first request; use it as a context manager."""

    def __init__(self, library: Path, seconds: float, memory: int) -> None:
        """`seconds` is the time limit of one network, `memory` the bytes that the process may take."""
        self._library, self._seconds, self._memory = library, seconds, memory
        self._process: ChildProcess[FrontEndRequest, TraceAnswer] | None = None

    def close(self) -> None:
        """Ends the process if it runs."""
        if self._process is not None:
            self._process.kill()

    def trace(self, source: NetworkSource, inputs: dict[str, str], batch: int) -> TracedNetwork:
        """The network's graph at a batch size. Raises UsageError with the reason if it can't be traced."""
        return self._ask(TraceRequest(source, inputs, batch), TracedNetwork, f"{source.name} can't be traced")

    def trace_layer(self, case: Case, layers: dict[str, LayerPlace]) -> TracedNetwork:
        """The graph of a layer's case; `layers` are the user's own. Raises UsageError with the reason."""
        return self._ask(LayerTraceRequest(case, layers), TracedNetwork, f"{case.id} can't be traced")

    def layer_classes(self) -> tuple[LayerClass, ...]:
        """The classes of all blocks, sorted by path. Raises UsageError with the reason if they can't be listed."""
        return self._ask(LayersRequest(), LayersAnswer, "the layers can't be listed").classes

    def _ask(self, request: FrontEndRequest, kind: type[A], problem: str) -> A:
        """The answer to a request. Raises UsageError, with the problem if the process gave no such answer."""
        process = self._started()
        try:
            answer = process.channel.ask(request, time.monotonic() + self._seconds)
        except ChannelError as error:
            raise UsageError(f"{problem}: {process.no_answer(error, self._seconds)}") from None
        if isinstance(answer, kind):
            return answer
        raise UsageError(
            answer.reason if isinstance(answer, TraceFailure) else f"{problem}: its process gave another answer"
        )

    def _started(self) -> ChildProcess[FrontEndRequest, TraceAnswer]:
        if self._process is None:
            arguments = [str(self._library), str(self._memory)]
            self._process = ChildProcess("autoperf.networks.tracing", arguments, trace_answers, {})
        return self._process
