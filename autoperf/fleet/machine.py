"""The tasks that run in a Dask worker, and the measuring process that it keeps between them."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from contextlib import suppress

import dask
import msgspec
from distributed import Worker, get_worker

from autoperf import __version__
from autoperf.core.errors import ProcessError
from autoperf.fleet.messages import CutOff, MachineRefused, Order, Reply, source_digest
from autoperf.processes.channel import ChannelError, ChannelSilent
from autoperf.processes.child_process import ChildProcess

MODULE = "autoperf.fleet.measuring"
EXTENSION = "autoperf"
"""The name under which a Dask worker keeps its measuring process."""
WATCH_SECONDS = 0.25
POST_SECONDS = 30.0


class MeasuringChild:
    """A measuring process of the session that `token` identifies."""

    def __init__(self, token: str) -> None:
        self.token = token
        decoder = msgspec.msgpack.Decoder(tuple[int, bytes])
        self._child: ChildProcess[Order, bytes] = ChildProcess(MODULE, (), decoder, {})

    @property
    def runs(self) -> bool:
        """Whether it can answer: it ends by itself if it is idle, or has refused."""
        return self._child.exit_code(0) is None

    def ask(self, order: Order, wanted: Callable[[], bool]) -> bytes | CutOff:
        """The encoded answer; the process is ended if there is none, or nobody wants it any more."""
        try:
            number = self._child.channel.post(order, time.monotonic() + POST_SECONDS)
            while True:
                with suppress(ChannelSilent):
                    return self._child.channel.answer(number, time.monotonic() + WATCH_SECONDS)
                if not wanted():
                    self.close()
                    return CutOff("nobody waits for it any more")
        except ChannelError as error:
            reason = self._child.no_answer(error, POST_SECONDS)
            self.close()
            return CutOff(f"the measuring process on {platform.node()} ended: {reason}")

    def close(self) -> None:
        """Ends the process."""
        self._child.kill()


def measure(version: str, source: str, token: str, session: bytes, request: bytes) -> bytes:
    """The reply to a request of a session, which is opened first if this worker hasn't; nothing is raised.

    Session and request are bytes, so that a worker of another autoperf can say so before anything reads them.
    """
    worker, own = get_worker(), source_digest()
    key = worker.get_current_task()

    def wanted() -> bool:
        # Dask takes back the task of this thread if its client or its scheduler is gone.
        task = worker.state.tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    answer: bytes | CutOff | MachineRefused
    if (version, source) == (__version__, own):
        # Dask's nanny sets variables for all its workers, one thread for OpenMP among them.
        given = dask.config.get("distributed.nanny.pre-spawn-environ", {})
        dropped = tuple(name for name, value in given.items() if os.environ.get(name) == str(value))
        try:
            answer = _child(worker, token).ask(Order(session, request, dropped), wanted)
        except ProcessError as error:
            answer = MachineRefused(str(error))
    else:
        answer = MachineRefused(
            f"expected autoperf {version} with the digest {source}, as on the client, got {__version__} with {own}"
        )
    encoded = answer if isinstance(answer, bytes) else msgspec.msgpack.encode(answer)
    return msgspec.msgpack.encode(Reply(worker.address, platform.node(), msgspec.Raw(encoded)))


def close(token: str) -> None:
    """Ends the measuring process of a session."""
    child = get_worker().extensions.get(EXTENSION)
    if isinstance(child, MeasuringChild) and child.token == token:
        child.close()


def _child(worker: Worker, token: str) -> MeasuringChild:
    """The session's measuring process; another session's, which is idle now, is ended. Raises ProcessError."""
    child = worker.extensions.get(EXTENSION)
    if isinstance(child, MeasuringChild):
        if child.token == token and child.runs:
            return child
        child.close()
    child = worker.extensions[EXTENSION] = MeasuringChild(token)
    return child
