"""Keeps a child process alive that tries or times cases, and turns its end into an answer."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from autoperf.capi.profiler import UNBULKED
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.outcome import Status
from autoperf.executor.channel import ChannelClosed, ChannelGarbled, ChannelSilent
from autoperf.executor.messages import Build, Close, Duel, Message, Open, Probe, Refused, Task, Turn, Unusable
from autoperf.executor.process import Child, was_killed, with_end
from autoperf.executor.settings import Settings

START_PATIENCE = 60.0
END_PATIENCE = 2.0
# Fallbacks of sparse storage would fill the log with warnings, one for each case.
ENVIRONMENT = {**UNBULKED, "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
# These processes time what they run; the others fork.
TIMING = ("worker", "probe")
# A team of OpenMP threads doesn't survive a fork, and nothing is timed there.
FORKING = {"OMP_NUM_THREADS": "1", "MXNET_USE_OPERATOR_TUNING": "0"}


class Keeper:
    """Keeps one child process alive: starts it when it is needed, and again when it was lost.

    `number` tells it from others of its kind, each with a log of its own.
    """

    def __init__(self, kind: str, library: Path, settings: Settings, scratch: Path, number: int = 0) -> None:
        self.kind = kind
        self.number = number
        self.fresh = False
        self._library = library
        self._settings = settings
        self._scratch = scratch
        self._child: Child | None = None

    def start(self) -> None:
        """Starts the process without waiting for it."""
        arguments = (
            str(self._library.resolve()),
            msgspec.json.encode(self._settings).decode(),
        )
        log = self._scratch / f"{self.kind}-{self.number}.log"
        log.write_bytes(b"")
        env = {**ENVIRONMENT, **self._settings.env, **({} if self.kind in TIMING else FORKING)}
        self._child = Child(f"autoperf.executor.{self.kind}", arguments, log, env)
        self.fresh = True

    def greet(self) -> Build:
        """Waits until the process has loaded the library; raises AutoperfError if it can't."""
        child = self._child
        if child is None:
            raise LibraryError(f"the {self.kind} process wasn't started")
        try:
            message = child.channel.receive(time.monotonic() + START_PATIENCE)
        except (ChannelClosed, ChannelSilent, ChannelGarbled) as error:
            code = child.ended(END_PATIENCE)
            reason = with_end(f"the {self.kind} process didn't start ({{}})", code, child.last_words())
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
        return f"{reason}; --env gave it {given}" if given else reason

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

    def last_words(self) -> str:
        """What the process has said last, if there is one."""
        return self._child.last_words() if self._child else ""

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def ask(self, task: Task | Open | Turn | Close | Probe | Duel, deadline: float) -> Message | Refused:
        """The child's answer to a task; a child that is lost over it is an answer too: crashed, or out of time.

        Where it has to be started first, the deadline is later by what that takes.
        """
        begin = time.monotonic()
        child = self.child
        deadline += time.monotonic() - begin
        child.forget()
        self.fresh = False
        try:
            child.channel.send(task)
            return child.channel.receive(deadline)
        except ChannelSilent:
            words = child.last_words()
            self.stop()
            limit = f"no answer within the limit of {self._settings.timeout:g} s"
            return Refused(Status.TIMEOUT, with_words(limit, words))
        except ChannelGarbled:
            words = child.last_words()
            self.stop()
            return Refused(Status.CRASHED, with_words("the process wrote garbage in place of an answer", words))
        except ChannelClosed:
            code = child.ended(END_PATIENCE)
            reason = with_end("the process ended without an answer ({})", code, child.last_words())
            self.stop()
            return Refused(Status.CRASHED, reason, killed=was_killed(code))


def with_words(text: str, words: str) -> str:
    """What happened, and the child's last words if there are any."""
    return f"{text}: {words}" if words else text
