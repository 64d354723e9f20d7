"""Tries cases without timing them: whether each runs at all, in a fork that may crash of it."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, LibraryError
from autoperf.core.outcome import Status
from autoperf.executor.channel import ChannelClosed, ChannelGarbled, ChannelSilent
from autoperf.executor.keeper import START_PATIENCE, Keeper, with_words
from autoperf.executor.messages import Facts, Gone, Ready, Refused, Task
from autoperf.executor.process import was_killed, with_end
from autoperf.executor.settings import Settings

F = TypeVar("F", bound="Forker")
# A process that has tried cases makes its next fork in milliseconds; one that takes so many seconds was stopped.
READY_PATIENCE = 10.0


class Job(msgspec.Struct, frozen=True):
    """A case, with the file and the function in it that state it; children run the file.

    `seconds` is how long its samples may be taken, if that isn't what the settings say.
    """

    file: Path
    function: str
    case: Case
    seconds: float | None = None


class Forker(Keeper):
    """A child process that forks for each case; alone, use it as a context manager.

    Entering it starts the process and raises AutoperfError if MXNet or the library can't be used. After that no case
    raises: what goes wrong is the answer.
    """

    _ready = False
    _problem: AutoperfError | None = None

    def __enter__(self: F) -> F:
        self.start()
        self.greet()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def prepare(self) -> None:
        """Waits for a fork that is ready for a case; what keeps it from that is told when the case is asked about.

        How long that takes is no case's fault.
        """
        self._problem = None
        try:
            self._await_fork()
        except AutoperfError as error:
            self._problem = error

    def once(self, task: Task, deadline: float) -> Facts | Refused:
        """What came of one task; a fork that is lost over it has crashed."""
        if self._problem is None:
            self.prepare()
        problem, self._problem, self._ready = self._problem, None, False
        if problem:
            return Refused(Status.FAILED, f"the process that tries cases can't be started: {problem}")
        answer = self.ask(task, deadline)
        if isinstance(answer, Gone):
            code = os.waitstatus_to_exitcode(answer.status)
            reason = with_end("the process died: {}", code, self.child.last_words())
            return Refused(Status.CRASHED, reason, killed=was_killed(code))
        if isinstance(answer, Facts | Refused):
            return answer
        self.stop()
        return Refused(Status.CRASHED, "the process wrote garbage in place of an answer")

    def _await_fork(self) -> None:
        """The fork for this case stands ready as a rule, since it was made while the last case was timed.

        A process that was lost in between is replaced, once; raises LibraryError if that doesn't help.
        """
        if self._ready and self.runs:
            return
        words = ""
        for _ in range(2):
            with contextlib.suppress(ChannelClosed, ChannelSilent, ChannelGarbled):
                # The fork of the last case ends; one more that does so has ended before it was ready.
                for _ in range(2):
                    channel = self.child.channel
                    patience = START_PATIENCE if self.fresh else READY_PATIENCE
                    if isinstance(channel.receive(time.monotonic() + patience), Ready):
                        self._ready = True
                        return
            words = self.last_words()
            self.stop()
        raise LibraryError(with_words("it ends before it has a case", words))


class Trier(Forker):
    """Finds out all that there is to know of a case before it is timed."""

    def __init__(self, library: Path, settings: Settings, scratch: Path) -> None:
        super().__init__("trial", library, settings, scratch)

    def both(self, job: Job, deadline: float) -> Facts | Refused:
        """A case that brings its process down is tried once more without a backward pass, which may be what does it.

        Before that, one whose process was killed is tried as it was: that may have come from outside.
        """
        found = self.once(task_of(job), deadline)
        if isinstance(found, Refused) and found.killed:
            found = self.once(task_of(job), deadline)
        if not isinstance(found, Refused) or found.status is not Status.CRASHED:
            return found
        forward = self.once(task_of(job, backward=False), deadline)
        if isinstance(forward, Facts):
            return msgspec.structs.replace(forward, reason=f"no backward pass: {found.reason}")
        return found


class Attempter(Forker):
    """Finds out whether a case runs, and nothing else: there is no profiler, and nothing is rehearsed."""

    def __init__(self, library: Path, settings: Settings, scratch: Path) -> None:
        super().__init__("attempt", library, settings, scratch)

    def forward(self, job: Job) -> Facts | Refused:
        """Whether a case runs forward; the facts have its outputs alone."""
        return self.once(task_of(job, backward=False), time.monotonic() + self._settings.timeout)


def task_of(job: Job, facts: Facts | None = None, *, backward: bool = True) -> Task:
    """The message that hands a job to a child."""
    return Task(str(job.file), job.function, job.case.id, facts, backward, job.seconds)
