"""A child process that tries or times cases: started when it is needed, and its end turned into an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from autoperf.capi.profiler import UNBULKED
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.outcome import Status
from autoperf.executor.messages import Answer, Build, CaseFailure, Request, Unusable, answer_decoder
from autoperf.executor.settings import Settings
from autoperf.processes.channel import ChannelClosed, ChannelError, ChannelSilent
from autoperf.processes.child_process import END_PATIENCE, INVALID_ANSWER, ChildProcess
from autoperf.processes.failures import address_space_note

START_PATIENCE = 60.0
# Fallbacks of sparse storage would fill the log with warnings, one for each case.
ENVIRONMENT = {**UNBULKED, "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
# These processes time what they run; the others fork.
TIMING = ("worker", "quick_timing")
# A team of OpenMP threads doesn't survive a fork, and nothing is timed there.
FORKING = {"OMP_NUM_THREADS": "1", "MXNET_USE_OPERATOR_TUNING": "0"}

Child: TypeAlias = ChildProcess[Request, Answer]
T = TypeVar("T")


class ManagedProcess:
    """Keeps one child process alive: starts it when it is needed, and again when it was lost."""

    def __init__(self, kind: str, library: Path, settings: Settings, scratch: Path) -> None:
        self.kind = kind
        self.fresh = False
        self._library = library
        self._settings = settings
        self._scratch = scratch
        self._child: Child | None = None

    def start(self) -> None:
        """Starts the process without waiting for it. Raises ProcessError."""
        arguments = (
            str(self._library.resolve()),
            msgspec.json.encode(self._settings).decode(),
        )
        env = {**ENVIRONMENT, **self._settings.env, **({} if self.kind in TIMING else FORKING)}
        self._child = ChildProcess(f"autoperf.executor.{self.kind}", arguments, answer_decoder, env, self._scratch)
        self.fresh = True

    def greet(self) -> Build:
        """Waits until the process has loaded the library; raises AutoperfError if it can't."""
        child = self._child
        if child is None:
            raise LibraryError(f"the {self.kind} process wasn't started")
        try:
            _, message = child.channel.receive(time.monotonic() + START_PATIENCE)
        except ChannelError as error:
            reason = child.exit_status(END_PATIENCE).told(f"the {self.kind} process didn't start ({{}})")
            self.stop()
            raise LibraryError(self._blamed(reason)) from error
        if isinstance(message, Build):
            return message
        self.stop()
        if isinstance(message, Unusable):
            raise UsageError(message.reason) if message.usage else LibraryError(self._blamed(message.reason))
        raise LibraryError(f"the {self.kind} process said {message} in place of its build")

    def _blamed(self, reason: str) -> str:
        """Why the process didn't start, with the variables that it was given, any of which may be the cause."""
        given = ", ".join(f"{name}={value}" for name, value in self._settings.env.items())
        return f"{reason}; --env gave it {given}" if given else f"{reason}{address_space_note()}"

    @property
    def child(self) -> Child:
        """The running process; started, and greeted, if there is none, or if it has ended since the last case."""
        if self._child is not None and self._child.ended(0) is not None:
            self.stop()
        if self._child is None:
            self.start()
            self.greet()
        if self._child is None:
            raise LibraryError(f"the {self.kind} process didn't start")
        return self._child

    @property
    def runs(self) -> bool:
        """Whether there is a process, and it lives."""
        return self._child is not None and self._child.ended(0) is None

    def tail(self) -> str:
        """What the process has printed last, if there is one."""
        return self._child.tail() if self._child else ""

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._child is not None:
            child, self._child = self._child, None
            child.kill()

    def renew(self) -> None:
        """The next case meets a process that has had none."""
        self.stop()

    def retried(
        self, attempt: Callable[[float], T | CaseFailure], deadline: float, excused: Callable[[CaseFailure], bool]
    ) -> T | CaseFailure:
        """What comes of an attempt by a deadline; where its failure is excused, of a second in a fresh process.

        The second one has the whole time limit, if the deadline is no later.
        """
        answer = attempt(deadline)
        if isinstance(answer, CaseFailure) and excused(answer):
            self.renew()
            answer = attempt(max(deadline, time.monotonic() + self._settings.timeout))
        return answer

    def ask(self, request: Request, deadline: float) -> Answer:
        """The child's answer; a child that is lost over it is an answer too: crashed, or out of time.

        Where it has to be started first, the deadline is later by what that takes. Raises AutoperfError if it can't be.
        """
        begin = time.monotonic()
        child = self.child
        deadline += time.monotonic() - begin
        child.clear_log()
        self.fresh = False
        try:
            return child.channel.ask(request, deadline)
        except ChannelError as error:
            return self.lost(child, error)

    def lost(self, child: Child, error: ChannelError) -> CaseFailure:
        """Ends a child with which no more messages can be exchanged; what that is to the case."""
        failure = self._failure(child, error)
        self.stop()
        return failure

    def garbage(self) -> CaseFailure:
        """Ends the process, whose answer was none to what it was asked."""
        self.stop()
        return CaseFailure(Status.CRASHED, INVALID_ANSWER, broken=True)

    def _failure(self, child: Child, error: ChannelError) -> CaseFailure:
        reason = child.no_answer(error, self._settings.timeout)
        if isinstance(error, ChannelSilent):
            return CaseFailure(Status.TIMEOUT, reason)
        if isinstance(error, ChannelClosed):
            return CaseFailure(Status.CRASHED, reason, killed=child.exit_status(END_PATIENCE).killed)
        return CaseFailure(Status.CRASHED, reason, broken=True)
