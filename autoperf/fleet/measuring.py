"""The measuring process of a machine: it opens one session, and runs its batches as a command line would here.

A child process of the Dask worker, so that a crash, a hang or the end of a batch stays outside the worker.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from autoperf.core.errors import AutoperfError, EngineError
from autoperf.core.events import NullSink
from autoperf.core.paths import claims_folder
from autoperf.fleet.hunting import hunting_machines, searched
from autoperf.fleet.messages import (
    Answer,
    BatchDone,
    BatchMessage,
    CallsMessage,
    CallsTried,
    HuntMessage,
    MachineRefused,
    Opening,
    Request,
    Session,
    SessionOpened,
    WantedSide,
    request_decoder,
)
from autoperf.fleet.shipping import check_version, found_build, with_places
from autoperf.measurement.local_runner import LocalRunner, LocalSide, SideSetup, opened_sides
from autoperf.measurement.machine_state import disturbances
from autoperf.measurement.placement import starts_alone
from autoperf.measurement.scratch import scratch_folder
from autoperf.processes.channel import Channel, ChannelError
from autoperf.processes.child_process import parent_channel

IDLE_SECONDS = 900.0
"""A process without a request for so long ends: its client is gone."""


class MeasuringProcess:
    """The open session of this process."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._runner: LocalRunner | None = None
        self._session: Session | None = None

    def answer(self, request: Request) -> Answer:
        """The answer to a request; an error of the machine is a refusal."""
        try:
            return self._open(request) if isinstance(request, Opening) else self._answer(request)
        except AutoperfError as error:
            return MachineRefused(str(error))
        except OSError as error:
            return MachineRefused(f"{error.filename or 'the machine'}: {error.strerror or error}")

    def _answer(self, request: BatchMessage | CallsMessage | HuntMessage) -> Answer:
        if isinstance(request, HuntMessage):
            return searched(self._session, request)
        if self._runner is None:
            return MachineRefused("no session is open")
        if isinstance(request, CallsMessage):
            return _tried(self._runner, request)
        requests = iter([request.request])
        return BatchDone(tuple(self._runner.run(lambda: next(requests, None))))

    def _open(self, request: Opening) -> SessionOpened:
        for name in request.dropped:
            os.environ.pop(name, None)
        scratch = self._stack.enter_context(scratch_folder())
        self._session = session = with_places(request.session, scratch / "files")
        if session.hunt:
            return SessionOpened(hunting_machines(session, scratch))
        sides = self._stack.enter_context(self._sides(session, scratch))
        self._runner = LocalRunner(sides, session.stop.options if session.stop else None)
        takes_times = any(side.settings.takes_times for side in session.sides)
        notices = tuple(disturbances()) if takes_times else ()
        return SessionOpened(self._runner.machines, notices)

    @contextmanager
    def _sides(self, session: Session, scratch: Path) -> Iterator[list[LocalSide]]:
        setups = [_setup(side) for side in session.sides]
        with ExitStack() as stack:
            with starts_alone(claims_folder()):
                sides = stack.enter_context(
                    opened_sides(setups, session.dtypes, scratch, NullSink(), int64_tensor=session.int64_tensor)
                )
            for wanted, side in zip(session.sides, sides, strict=True):
                check_version(wanted.build, side.executor.build.version)
            yield sides


def _setup(side: WantedSide) -> SideSetup:
    followed = found_build(side.followed) if side.followed else None
    return SideSetup(side.label, side.settings, found_build(side.build), followed)


def _tried(runner: LocalRunner, message: CallsMessage) -> CallsTried:
    try:
        runner.check_calls(message.jobs)
    except EngineError as error:
        return CallsTried(str(error))
    return CallsTried()


def main(arguments: Sequence[str]) -> int:
    """Answers requests until the worker closes the channel. Returns the exit code."""
    channel: Channel[Answer, Request] = parent_channel(arguments, request_decoder)
    with ExitStack() as stack:
        process = MeasuringProcess(stack)
        with suppress(ChannelError):
            while True:
                number, request = channel.receive(time.monotonic() + IDLE_SECONDS)
                channel.send(process.answer(request), number)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
