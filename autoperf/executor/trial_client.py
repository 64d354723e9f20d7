"""Tries cases without timing them: whether each runs at all, in a fork that may crash of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, LibraryError
from autoperf.core.outcome import Status
from autoperf.executor.managed_process import START_PATIENCE, Child, ManagedProcess
from autoperf.executor.messages import Accepted, CaseFailure, ChildExited, ForkReady, Task, TrialResult, Unusable
from autoperf.executor.settings import Settings
from autoperf.processes.channel import UNASKED, ChannelError, ChannelGarbled, ChannelMismatched
from autoperf.processes.exit_status import ExitStatus, with_tail

F = TypeVar("F", bound="ForkServerClient")
T = TypeVar("T")
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


class ForkServerClient(ManagedProcess):
    """A child process that forks for each case; alone, use it as a context manager.

    Entering it starts the process and raises AutoperfError if MXNet or the library can't be used. After that no case
    raises: what goes wrong is the answer.
    """

    _ready = False
    _problem: AutoperfError | None = None

    waited = 0.0
    """Seconds that the last case waited for a fork, which are not its own."""

    def __enter__(self: F) -> F:
        self.start()
        self.greet()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the process, and its fork with it."""
        self._ready = False
        super().stop()

    def renew(self) -> None:
        """Each case has a fork of its own as it is."""

    def prepare(self) -> None:
        """Waits for a fork that is ready for a case; what keeps it from that is told when the case is asked about.

        How long that takes is no case's fault.
        """
        self._problem = None
        try:
            self._given_two_tries(self._await_fork)
        except AutoperfError as error:
            self._problem = error

    def once(self, task: Task, deadline: float) -> TrialResult | CaseFailure:
        """What came of one task; a fork that is lost over it has crashed.

        The deadline is later by what it takes until a fork has the task.
        """
        begin, self.waited = time.monotonic(), 0.0
        try:
            child, number = self._handed_over(task)
        except AutoperfError as error:
            return CaseFailure(Status.FAILED, f"the process that tries cases can't be started: {error}", broken=True)
        self.waited = time.monotonic() - begin
        try:
            got, answer = child.channel.receive(deadline + self.waited)
        except ChannelError as error:
            return self.lost(child, error)
        if isinstance(answer, ChildExited):
            end = ExitStatus.of_wait(answer.status, child.tail())
            return CaseFailure(Status.CRASHED, end.told("the process died: {}"), killed=end.killed)
        if got != number:
            return self.lost(child, ChannelMismatched())
        return answer if isinstance(answer, TrialResult | CaseFailure) else self.garbage()

    def _handed_over(self, task: Task) -> tuple[Child, int]:
        """The process whose fork has said that it has the task, and the task's number. Raises AutoperfError."""
        problem, self._problem = self._problem, None
        if problem:
            raise problem

        def hand_over() -> tuple[Child, int]:
            self._await_fork()
            child = self.child
            child.clear_log()
            patience, self._ready = self._patience(), False
            number = child.channel.post(task, patience)
            if not isinstance(child.channel.answer(number, patience), Accepted):
                raise ChannelGarbled("a fork began without its task")
            self.fresh = False
            return child, number

        return self._given_two_tries(hand_over)

    def _given_two_tries(self, act: Callable[[], T]) -> T:
        """A process that was lost or stopped while it had no case is replaced, once; raises AutoperfError after that.

        So is one whose fork was: nobody knows how much of a task such a fork has read.
        """
        tail = ""
        for _ in range(2):
            with contextlib.suppress(ChannelError):
                return act()
            tail = self.tail()
            self.stop()
        raise LibraryError(with_tail("it ends before it has a case", tail))

    def _await_fork(self) -> None:
        """The fork for this case stands ready as a rule, since it was made while the last case was timed.

        Raises ChannelError if there is none, AutoperfError if the process can't be started.
        """
        if self._ready and self.runs:
            return
        # The fork of the last case ends; one more that does so has ended before it was ready.
        for _ in range(2):
            number, message = self.child.channel.receive(self._patience())
            if number != UNASKED:
                raise ChannelMismatched("an answer came that nobody waits for")
            if isinstance(message, Unusable):
                raise LibraryError(message.reason)
            if isinstance(message, ForkReady):
                self._ready = True
                return
        raise ChannelGarbled("forks end before they are ready")

    def _patience(self) -> float:
        return time.monotonic() + (START_PATIENCE if self.fresh else READY_PATIENCE)


class TrialClient(ForkServerClient):
    """Finds out all that there is to know of a case before it is timed."""

    def __init__(self, library: Path, settings: Settings, scratch: Path) -> None:
        super().__init__("trial", library, settings, scratch)

    def both(self, job: Job, deadline: float) -> TrialResult | CaseFailure:
        """A case that brings its process down is tried once more without a backward pass, which may be what does it.

        Before that, one whose process was killed is tried as it was: that may have come from outside.
        """
        tried = self.retried(lambda until: self.once(task_of(job), until), deadline, _from_outside)
        if not isinstance(tried, CaseFailure) or tried.status is not Status.CRASHED:
            return tried
        forward = self.once(task_of(job, backward=False), deadline)
        if isinstance(forward, TrialResult):
            return msgspec.structs.replace(forward, reason=f"no backward pass: {tried.reason}")
        return tried


class DryRunClient(ForkServerClient):
    """Finds out whether a case runs, and nothing else: there is no profiler, and nothing is rehearsed."""

    def __init__(self, library: Path, settings: Settings, scratch: Path) -> None:
        super().__init__("dry_run", library, settings, scratch)

    def forward(self, job: Job) -> TrialResult | CaseFailure:
        """Whether a case runs forward; the facts have its outputs alone."""
        task = task_of(job, backward=False)
        deadline = time.monotonic() + self._settings.timeout
        return self.retried(lambda until: self.once(task, until), deadline, _from_outside)


def _from_outside(failure: CaseFailure) -> bool:
    """Whether something else than the case may have ended its process."""
    return failure.killed or (failure.broken and failure.status is Status.CRASHED)


def task_of(job: Job, trial_result: TrialResult | None = None, *, backward: bool = True) -> Task:
    """The message that hands a job to a child."""
    return Task(str(job.file), job.function, job.case.id, trial_result, backward, job.seconds)
