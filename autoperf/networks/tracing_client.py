"""The client of the process that traces networks."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

from autoperf.core.errors import UsageError
from autoperf.networks.source import NetworkSource
from autoperf.networks.tracing_messages import TraceAnswer, TracedNetwork, TraceFailure, TraceRequest, trace_answers
from autoperf.processes.channel import ChannelError
from autoperf.processes.child_process import ChildProcess


class TracingClient:
    """Traces networks in a process of its own, which starts at the first request; use it as a context manager."""

    def __init__(self, library: Path, seconds: float, memory: int) -> None:
        """`seconds` is the time limit of one network, `memory` the bytes that the process may take."""
        self._library, self._seconds, self._memory = library, seconds, memory
        self._process: ChildProcess[TraceRequest, TraceAnswer] | None = None

    def __enter__(self) -> TracingClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()

    def trace(self, source: NetworkSource, inputs: dict[str, str], batch: int) -> TracedNetwork:
        """The network's graph at a batch size. Raises UsageError with the reason if it can't be traced."""
        process = self._started()
        try:
            request = TraceRequest(source, inputs, batch)
            answer = process.channel.ask(request, time.monotonic() + self._seconds)
        except ChannelError as error:
            reason = process.no_answer(error, self._seconds)
            raise UsageError(f"{source.name} can't be traced: {reason}") from None
        if isinstance(answer, TraceFailure):
            raise UsageError(answer.reason)
        return answer

    def _started(self) -> ChildProcess[TraceRequest, TraceAnswer]:
        if self._process is None:
            arguments = [str(self._library), str(self._memory)]
            self._process = ChildProcess("autoperf.networks.tracing", arguments, trace_answers, {})
        return self._process
