"""A child process that runs cases, started on demand, with failures as answers; and the several that time one case."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec
import psutil

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import ChildKind, TrialResult
from autoperf.core.errors import AutoperfError, LibraryError, ProcessError, UsageError
from autoperf.core.files import Closable
from autoperf.core.machine import Reference
from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import (
    Answer,
    Build,
    CaseFailure,
    Close,
    Measured,
    Open,
    Request,
    Task,
    Turn,
    Unusable,
    answer_decoder,
)
from autoperf.measurement.scratch import allocator_variables
from autoperf.measurement.settings import Settings
from autoperf.processes.channel import ChannelClosed, ChannelError, ChannelSilent
from autoperf.processes.child_process import END_PATIENCE, ChildProcess
from autoperf.processes.failures import INVALID_ANSWER, address_space_note

START_PATIENCE = 60.0
# The processes that time cases; the others fork.
TIMING = ("worker", "quick_timing")
# The processes that run each case once are one program.
PROGRAMS: Mapping[ChildKind, str] = {"layer_trial": "trial", "dry_run": "trial"}

Child: TypeAlias = ChildProcess[Request, Answer]
T = TypeVar("T")


class ManagedProcess(Closable):
    """Manages one child process: starts it on demand, and restarts it after a failure."""

    start_patience = START_PATIENCE

    def __init__(
        self, kind: ChildKind, library: Path, settings: Settings, scratch: Path, variables: Mapping[str, str] = {}
    ) -> None:
        """`variables` are added to its environment, unless the settings have others."""
        self.kind = kind
        self.command: Sequence[str] = ()
        self.name = kind.replace("_", " ")
        self.fresh = False
        self._library, self._settings, self._scratch, self._variables = library, settings, scratch, variables
        self._child: Child | None = None
        self._is_closed = False

    def start(self) -> None:
        """Starts the process without waiting for it. Raises ProcessError, also if it was closed."""
        self._require_open()
        arguments = str(self._library.absolute()), msgspec.json.encode(self._settings).decode(), self.kind
        backend = backend_of(self._settings.framework)
        own = allocator_variables({**os.environ, **self._settings.env}) if self.kind in TIMING else backend.in_forks
        env = {**backend.variables(self.kind, self._scratch), **self._variables, **self._settings.env, **own}
        module = f"autoperf.measurement.{PROGRAMS.get(self.kind, self.kind)}"
        interpreter = backend.interpreter(self._library)
        self._child = ChildProcess(
            module, arguments, answer_decoder, env, self._scratch, interpreter=interpreter, before=self.command
        )
        self.fresh = True
        if self._is_closed:
            # Another thread has closed it meanwhile.
            self.stop()
            self._require_open()

    def _require_open(self) -> None:
        if self._is_closed:
            raise ProcessError(f"the {self.name} process is closed")

    def wait_ready(self) -> Build:
        """Waits until the process has loaded the library. Raises AutoperfError if it can't."""
        child = self._child
        if child is None:
            raise LibraryError(f"the {self.name} process wasn't started")
        try:
            _, message = child.channel.receive(time.monotonic() + self.start_patience)
        except ChannelError as error:
            reason = child.exit_status(END_PATIENCE).describe(f"the {self.name} process didn't start ({{}})")
            self.stop()
            raise LibraryError(self._with_environment(reason)) from error
        if isinstance(message, Build):
            return message
        self.stop()
        if isinstance(message, Unusable):
            raise UsageError(message.reason) if message.usage else LibraryError(self._with_environment(message.reason))
        raise LibraryError(f"invalid first message {message} from the {self.name} process: expected its build")

    def _with_environment(self, reason: str) -> str:
        """The reason, with the variables of `--env`, any of which may be the cause."""
        variables = ", ".join(f"{name}={value}" for name, value in self._settings.env.items())
        return f"{reason}; --env gave it {variables}" if variables else f"{reason}{address_space_note()}"

    @property
    def child(self) -> Child:
        """The running process; started first if there is none, or if it has ended since the last case."""
        if self._child is not None and self._child.exit_code(0) is not None:
            self.stop()
        if self._child is None:
            self.start()
            self.wait_ready()
        if self._child is None:
            raise LibraryError(f"the {self.name} process didn't start")
        return self._child

    @property
    def runs(self) -> bool:
        """Whether the process is running."""
        return self._child is not None and self._child.exit_code(0) is None

    @property
    def held(self) -> int:
        """The bytes of memory that the process holds; 0 without a process."""
        with contextlib.suppress(psutil.Error):
            return psutil.Process(self._child.pid).memory_info().rss if self._child else 0
        return 0

    def tail(self) -> str:
        """The last message in the log of the process; empty without a process."""
        return self._child.tail() if self._child else ""

    def log(self) -> str:
        """What the process has written; empty without a process."""
        return self._child.log() if self._child else ""

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._child is not None:
            child, self._child = self._child, None
            child.kill()

    def close(self) -> None:
        """Ends the process for good: cases of a thread that goes on fail. A second time does nothing."""
        self._is_closed = True
        self.stop()

    def renew(self) -> None:
        """Ends the process, so that the next case gets a fresh one."""
        self.stop()

    def with_retry(
        self, attempt: Callable[[float], T | CaseFailure], deadline: float, may_retry: Callable[[CaseFailure], bool]
    ) -> T | CaseFailure:
        """The result of an attempt, or of a second one in a fresh process if `may_retry` accepts the failure.

        The second attempt has the whole time limit, or until the deadline if that is later.
        """
        answer = attempt(deadline)
        if isinstance(answer, CaseFailure) and may_retry(answer):
            self.renew()
            answer = attempt(max(deadline, time.monotonic() + self._settings.timeout))
        return answer

    def ask(self, request: Request, kind: type[T], deadline: float, limit: float | None = None) -> T | CaseFailure:
        """The answer of this kind to a request, or the failure; a process that is lost over it is ended.

        The time to start the process, if it has to be started first, is added to the deadline. `limit` is the time
        limit to report in seconds (default: the settings' time limit).
        """
        begin = time.monotonic()
        try:
            child = self.child
        except AutoperfError as error:
            return self.not_started(error)
        deadline += time.monotonic() - begin
        child.clear_log()
        self.fresh = False
        try:
            answer = child.channel.ask(request, deadline)
        except ChannelError as error:
            return self.lost(child, error, limit)
        return answer if isinstance(answer, kind | CaseFailure) else self.invalid_answer()

    def not_started(self, error: AutoperfError) -> CaseFailure:
        """The failure of a case whose process can't be started."""
        self.stop()
        return CaseFailure(Status.FAILED, f"the {self.name} process can't be started: {error}", broken=True)

    def lost(self, child: Child, error: ChannelError, limit: float | None = None) -> CaseFailure:
        """Ends a child after a channel error; returns the failure of the case."""
        reason = child.no_answer(error, limit or self._settings.timeout)
        is_closed = isinstance(error, ChannelClosed)
        killed = is_closed and child.exit_status(END_PATIENCE).killed
        self.stop()
        if isinstance(error, ChannelSilent):
            return CaseFailure(Status.TIMEOUT, reason)
        return CaseFailure(Status.CRASHED, reason, killed=killed, broken=not is_closed)

    def invalid_answer(self) -> CaseFailure:
        """Ends the process after an answer of the wrong kind; returns the failure of the case."""
        self.stop()
        return CaseFailure(Status.CRASHED, INVALID_ANSWER, broken=True)


THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""The variables by which libraries of frameworks count their threads."""


class Followed(NamedTuple):
    """The library and the settings of a framework that is followed, and variables for as many threads as it has."""

    build: tuple[Path, Settings]
    threads: Mapping[str, str] = {}


def thread_variables(threads: int | None) -> Mapping[str, str]:
    """The variables for this number of threads; none if it isn't known."""
    return dict.fromkeys(THREADS, str(threads)) if threads else {}


def followed_by(settings: Settings, library: Path, scratch: Path) -> Followed:
    """The framework that a side follows, by this library. Raises AutoperfError if the library can't be used."""
    own = msgspec.structs.replace(settings, framework=backend_of(settings.framework).follows)
    process = ManagedProcess("quick_timing", library, own, scratch)
    try:
        process.start()
        threads = process.wait_ready().threads
    finally:
        process.stop()
    return Followed((library, own), thread_variables(threads))


FINAL = frozenset({Status.TIMEOUT, Status.SKIPPED})
"""Failures that another process can't change: timeouts and missing layers."""
HELD_SHARE = 0.25
"""The share of the machine's memory that all processes may hold between two cases.

MXNet keeps the largest workspaces that its operators had: the ten processes of a run would come to hold all memory. A
process that holds more than its part is ended after a case, once all together hold too much.
"""


class Workers(Closable):
    """The worker processes, of which one runs at a time, and a reserve, which starts when one is first needed."""

    def __init__(self, library: Path, settings: Settings, scratch: Path, variables: Mapping[str, str] = {}) -> None:
        """`variables` are added to their environment."""
        self._settings = settings
        # Known once the processes are ready.
        self.reference: Reference | None = None
        self._has_reserve = False
        self._memory = psutil.virtual_memory().total
        self.processes, self._reserve = (
            tuple(ManagedProcess("worker", library, settings, scratch, variables) for _ in range(count))
            for count in ((settings.processes, settings.reserve) if settings.takes_times else (0, 0))
        )

    def start(self) -> None:
        """Starts all processes without waiting."""
        for process in self.processes:
            process.start()

    def wait_ready(self) -> Build:
        """Waits until all have loaded the library; the probe's time is the smallest. Raises AutoperfError."""
        builds = [process.wait_ready() for process in self.processes]
        probe_us = min((build.probe_us for build in builds if build.probe_us is not None), default=None)
        return msgspec.structs.replace(builds[0], probe_us=probe_us)

    def prepare(self) -> None:
        """Restarts processes that were lost or ended; one that can't be started fails at its next request."""
        self._start_anew([process for process in self.processes if not process.runs])

    @staticmethod
    def _start_anew(lost: Sequence[ManagedProcess]) -> None:
        for process in lost:
            with contextlib.suppress(AutoperfError):
                process.renew()
                process.start()
        for process in lost:
            with contextlib.suppress(AutoperfError):
                process.wait_ready()

    def close(self) -> None:
        """Ends all processes for good; a second time does nothing."""
        for process in (*self.processes, *self._reserve):
            process.close()

    def order(self, job: Job) -> list[ManagedProcess]:
        """The processes in an order drawn from the case's id, so that none always comes first; then the reserve."""
        order = list(self.processes)
        random.Random(job.case.id).shuffle(order)  # noqa: S311 - an order of measurements, not a secret
        return [*order, *self._reserve]

    def ask(self, process: int, message: Open | Turn | Close, kind: type[T], deadline: float) -> T | CaseFailure:
        """The answer of one process to a request of an interleaved comparison, or the failure."""
        if time.monotonic() > deadline:
            return self.no_time_left()
        answer = self.processes[process].ask(message, kind, deadline)
        if isinstance(message, Close):
            self._end_if_large(self.processes[process])
        return answer

    def no_time_left(self) -> CaseFailure:
        """The failure of a case whose time limit is over before a further process."""
        return CaseFailure(
            Status.TIMEOUT, f"the limit of {self._settings.timeout:g} s leaves no time for another process"
        )

    def time_in(self, process: ManagedProcess, job: Job, trial: TrialResult, deadline: float) -> Measured | CaseFailure:
        """A case's samples in one process, or its failure in a fresh one: earlier cases may have damaged others."""
        if process in self._reserve and not self._has_reserve:
            self._has_reserve = True
            begin = time.monotonic()
            self._start_anew(self._reserve)
            deadline += time.monotonic() - begin
        used = not process.fresh
        reference_us = self.reference.us if self.reference else None
        task = Task(job.case, trial, seconds=job.seconds, reference_us=reference_us, program=job.program)
        answer = process.with_retry(
            lambda until: process.ask(task, Measured, until),
            deadline,
            lambda failure: used and failure.status not in FINAL,
        )
        self._end_if_large(process)
        return answer

    def _end_if_large(self, process: ManagedProcess) -> None:
        everyone = (*self.processes, *self._reserve)
        most = HELD_SHARE * self._memory
        # The sum is read last: each reading takes as long as a short kernel's calls.
        if process.held > most / len(everyone) and sum(each.held for each in everyone) > most:
            process.renew()
