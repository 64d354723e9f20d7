"""The measuring process of a machine: it opens one session, and runs its batches as a command line would here.

A child process of the Dask worker, so that a crash, a hang or the end of a batch stays outside the worker.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from autoperf.cases.handwritten import OwnInputs
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError
from autoperf.core.events import HuntFinished, HuntResumed, NullSink
from autoperf.core.files import claims_folder
from autoperf.fleet import messages
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.session import HuntSession
from autoperf.measurement.batches import BatchAnswer, BatchRequest
from autoperf.measurement.local_runner import LocalRunner, SideSetup, opened_sides
from autoperf.measurement.machine_state import disturbances, known_reference
from autoperf.measurement.placement import starts_alone
from autoperf.measurement.quick_timing_client import QuickTimingClient
from autoperf.measurement.scratch import scratch_folder
from autoperf.processes.channel import Channel, ChannelError
from autoperf.processes.forks import parent_channel
from autoperf.runs.huntlog import LOG, read_log
from autoperf.runs.runfile import machine_of, record

IDLE_SECONDS = 900.0
"""A process without a request for so long ends: its client is gone."""
WORKER = ("autoperf", "worker")
"""The command line in the log of a machine's part of a hunt."""


class MeasuringProcess:
    """The session of this process, which its first order opens."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._runner: LocalRunner | None = None
        self._session: messages.Session | None = None
        self._opened = messages.SessionOpened(())

    def answer(self, order: messages.Order) -> messages.Answer:
        """The answer to a request; an error of the machine is a refusal."""
        try:
            if self._session is None:
                self._opened = self._open(order)
            return self._answer(msgspec.msgpack.decode(order.request, type=messages.Request))
        except AutoperfError as error:
            return messages.MachineRefused(str(error))
        except OSError as error:
            failed = traceback.extract_tb(error.__traceback__)[-1]
            place = error.filename or f"{failed.filename}:{failed.lineno}"
            return messages.MachineRefused(f"{place}: {error.strerror or error}")

    def _answer(self, request: messages.Request) -> messages.Answer:
        match request:
            case messages.Greeting(batch=batch):
                return msgspec.structs.replace(self._opened, agreement=self._run(batch) if batch else ())
            case BatchRequest():
                return messages.BatchDone(self._run(request))
            case messages.CallsMessage() if self._runner:
                try:
                    self._runner.check_calls(request.jobs)
                except EngineError as error:
                    return messages.CallsTried(str(error))
                return messages.CallsTried()
            case messages.HuntMessage() if self._session and self._session.hunt:
                return searched(self._session.hunt, request)
        return messages.MachineRefused(f"the session has nothing that answers {type(request).__name__}")

    def _run(self, batch: BatchRequest) -> tuple[BatchAnswer, ...]:
        requests = iter([batch])
        return tuple(self._runner.run(lambda: next(requests, None))) if self._runner else ()

    def _open(self, order: messages.Order) -> messages.SessionOpened:
        for name in order.dropped:
            os.environ.pop(name, None)
        scratch = self._stack.enter_context(scratch_folder())
        session = messages.with_places(msgspec.msgpack.decode(order.session, type=messages.Session), scratch / "files")
        self._session = session
        if session.hunt:
            machines = []
            for wanted in session.sides:
                with QuickTimingClient(messages.found_build(wanted.build), wanted.settings, scratch) as client:
                    messages.check_version(wanted.build, client.build.version)
                    machines.append(machine_of(record(client.build.facts), known_reference()))
            return messages.SessionOpened(tuple(machines))
        setups = []
        for wanted in session.sides:
            followed = messages.found_build(wanted.followed) if wanted.followed else None
            build = messages.found_build(wanted.build)
            setups.append(SideSetup(wanted.label, wanted.settings, build, followed))
        with starts_alone(claims_folder()):
            sides = self._stack.enter_context(
                opened_sides(setups, session.dtypes, scratch, NullSink(), int64_tensor=session.int64_tensor)
            )
        for wanted, side in zip(session.sides, sides, strict=True):
            messages.check_version(wanted.build, side.executor.build.version)
        self._runner = LocalRunner(sides, session.stop)
        takes_times = any(side.settings.takes_times for side in session.sides)
        return messages.SessionOpened(self._runner.machines, tuple(disturbances()) if takes_times else ())


def searched(hunt: HuntRequest, message: messages.HuntMessage) -> messages.HuntDone | messages.CutOff:
    """Searches these operators as a hunt of its own, and returns the events of its log. Raises AutoperfError."""
    request = msgspec.structs.replace(
        hunt, operators=message.operators, categories=(), namespaces=(), cases=(), own=OwnInputs(), profiles=(),
        budget=message.seconds,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="autoperf-hunt-", ignore_cleanup_errors=True) as folder:
        try:
            finished = HuntSession(request, Path(folder), NullSink(), WORKER, given=message.recorded).run()
            finished.folder.close()
            _, events = read_log(Path(folder) / LOG)
        except CaseFileError as error:
            # These operators' fault: the machine goes on with others.
            return messages.CutOff(str(error))
    kept = tuple(event for event in events if not isinstance(event, HuntFinished | HuntResumed))
    return messages.HuntDone(kept, finished.rule_failures)


def main(arguments: Sequence[str]) -> int:
    """Answers requests until the worker closes the channel, or one is refused. Returns the exit code."""
    channel: Channel[bytes, messages.Order] = parent_channel(
        arguments, msgspec.msgpack.Decoder(tuple[int, messages.Order])
    )
    with ExitStack() as stack, suppress(ChannelError):
        process = MeasuringProcess(stack)
        while True:
            number, order = channel.receive(time.monotonic() + IDLE_SECONDS)
            answer = process.answer(order)
            channel.send(msgspec.msgpack.encode(answer), number)
            if isinstance(answer, messages.MachineRefused):
                return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
