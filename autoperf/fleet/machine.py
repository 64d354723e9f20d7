"""The tasks that run in a Dask worker, and the measuring process that it keeps between them."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable

import dask
import msgspec
from distributed import Worker, get_worker

from autoperf import __version__
from autoperf.core.errors import ProcessError
from autoperf.fleet.messages import (
    Answer,
    CutOff,
    MachineRefused,
    Opening,
    Reply,
    Request,
    Session,
    answer_decoder,
)
from autoperf.fleet.shipping import source_digest
from autoperf.processes.channel import ChannelError, ChannelSilent
from autoperf.processes.child_process import ChildProcess

MODULE = "autoperf.fleet.measuring"
EXTENSION = "autoperf"
"""The name under which a Dask worker keeps its measuring process."""
WATCH_SECONDS = 0.25
POST_SECONDS = 30.0

Wanted = Callable[[], bool]


class MeasuringChild:
    """A measuring process with an open session; `opened` is its first answer."""

    def __init__(self, session: Session) -> None:
        """Starts the process. Raises ProcessError."""
        self.token = session.token
        self.opened: Answer | None = None
        self._opening = Opening(session, _set_by_dask())
        self._child: ChildProcess[Request, Answer] = ChildProcess(MODULE, (), answer_decoder, {})

    @property
    def runs(self) -> bool:
        """Whether it can answer: an idle one ends by itself."""
        return self._child.exit_code(0) is None

    def open(self, wanted: Wanted) -> Answer:
        """The first answer of the process, which opens the session."""
        if self.opened is None:
            self.opened = self.ask(self._opening, wanted)
        return self.opened

    def ask(self, request: Request, wanted: Wanted) -> Answer:
        """The answer to a request; it is cut off once nobody wants it any more."""
        try:
            number = self._child.channel.post(request, time.monotonic() + POST_SECONDS)
            while (answer := self._arrived(number)) is None:
                if not wanted():
                    return CutOff("nobody waits for it any more")
        except ChannelError as error:
            return CutOff(self._child.no_answer(error, POST_SECONDS))
        return answer

    def _arrived(self, number: int) -> Answer | None:
        """The answer, if it comes within a moment. Raises ChannelError."""
        try:
            return self._child.channel.answer(number, time.monotonic() + WATCH_SECONDS)
        except ChannelSilent:
            return None

    def close(self) -> None:
        """Ends the process."""
        self._child.kill()


def measure(version: str, source: str, session: bytes, request: bytes) -> bytes:
    """The reply to a request of a session, which is opened first if this worker hasn't; nothing is raised.

    The arguments are bytes, so that a worker of another autoperf can say so before it reads them.
    """
    worker = get_worker()
    return msgspec.msgpack.encode(
        Reply(worker.address, platform.node(), _answer(worker, version, source, session, request))
    )


def close(token: str) -> None:
    """Ends the measuring process of a session."""
    worker = get_worker()
    child = worker.extensions.get(EXTENSION)
    if isinstance(child, MeasuringChild) and child.token == token:
        _end(worker, child)


def _answer(worker: Worker, version: str, source: str, session: bytes, request: bytes) -> Answer:
    own = source_digest()
    if (version, source) != (__version__, own):
        return MachineRefused(
            f"expected autoperf {version} with the digest {source}, as on the client, got {__version__} with {own}"
        )
    wanted = _wanted(worker)
    try:
        child = _child(worker, msgspec.msgpack.decode(session, type=Session))
    except ProcessError as error:
        return MachineRefused(str(error))
    answer = child.open(wanted)
    if request and not isinstance(answer, MachineRefused | CutOff):
        answer = child.ask(msgspec.msgpack.decode(request, type=Request), wanted)
    if isinstance(answer, MachineRefused | CutOff):
        _end(worker, child)
    return answer


def _child(worker: Worker, session: Session) -> MeasuringChild:
    """The measuring process of the session; one of another session, which is idle now, is ended."""
    child = worker.extensions.get(EXTENSION)
    if isinstance(child, MeasuringChild):
        if child.token == session.token and child.runs:
            return child
        _end(worker, child)
    child = MeasuringChild(session)
    worker.extensions[EXTENSION] = child
    return child


def _end(worker: Worker, child: MeasuringChild) -> None:
    child.close()
    worker.extensions.pop(EXTENSION, None)


def _wanted(worker: Worker) -> Wanted:
    """Whether the task of this thread is still wanted: Dask takes it back if its client or its scheduler is gone."""
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    return wanted


def _set_by_dask() -> tuple[str, ...]:
    """The variables that Dask's nanny sets for all its workers, one thread for OpenMP among them."""
    given = dask.config.get("distributed.nanny.pre-spawn-environ", {})
    return tuple(name for name, value in given.items() if os.environ.get(name) == str(value))
