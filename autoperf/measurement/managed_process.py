"""A child process that runs cases, started on demand, with failures as answers; the framework that another follows."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec
import psutil

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import ChildKind
from autoperf.core.errors import AutoperfError, LibraryError, UsageError
from autoperf.core.outcome import Status
from autoperf.measurement.fresh_memory import allocator_variables
from autoperf.measurement.messages import Answer, Build, CaseFailure, Request, Unusable, answer_decoder
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


class ManagedProcess:
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
        self._library = library
        self._settings = settings
        self._scratch = scratch
        self._variables = variables
        self._child: Child | None = None

    def start(self) -> None:
        """Starts the process without waiting for it. Raises ProcessError."""
        arguments = str(self._library.absolute()), msgspec.json.encode(self._settings).decode(), self.kind
        backend = backend_of(self._settings.framework)
        if self.kind in TIMING:
            own = allocator_variables({**os.environ, **self._settings.env})
        else:
            own = dict(backend.in_forks)
        env = {**backend.variables(self.kind, self._scratch), **self._variables, **self._settings.env, **own}
        module = f"autoperf.measurement.{PROGRAMS.get(self.kind, self.kind)}"
        interpreter = backend.interpreter(self._library)
        self._child = ChildProcess(
            module, arguments, answer_decoder, env, self._scratch, interpreter=interpreter, before=self.command
        )
        self.fresh = True

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

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._child is not None:
            child, self._child = self._child, None
            child.kill()

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
        failure = self._failure(child, error, limit or self._settings.timeout)
        self.stop()
        return failure

    def invalid_answer(self) -> CaseFailure:
        """Ends the process after an answer of the wrong kind; returns the failure of the case."""
        self.stop()
        return CaseFailure(Status.CRASHED, INVALID_ANSWER, broken=True)

    def _failure(self, child: Child, error: ChannelError, limit: float) -> CaseFailure:
        reason = child.no_answer(error, limit)
        if isinstance(error, ChannelSilent):
            return CaseFailure(Status.TIMEOUT, reason)
        if isinstance(error, ChannelClosed):
            return CaseFailure(Status.CRASHED, reason, killed=child.exit_status(END_PATIENCE).killed)
        return CaseFailure(Status.CRASHED, reason, broken=True)


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
