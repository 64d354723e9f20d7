"""Runs cases in child processes, and gives exactly one outcome for each, whatever the children do."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

import msgspec

from autoperf.capi.profiler import UNBULKED
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, LibraryError, UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.call import parse_context
from autoperf.executor.channel import ChannelClosed, ChannelGarbled, ChannelSilent
from autoperf.executor.messages import Build, Facts, Gone, Measured, Message, Ready, Refused, Task, Unusable
from autoperf.executor.process import Child, describe_end, describe_wait
from autoperf.executor.settings import Settings

START_PATIENCE = 60.0
END_PATIENCE = 2.0
# Fallbacks of sparse storage would fill the log with warnings, one for each case.
ENVIRONMENT = {**UNBULKED, "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
# A team of OpenMP threads doesn't survive a fork, and nothing is timed there.
TRIAL_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MXNET_USE_OPERATOR_TUNING": "0"}

OnStart = Callable[[Case], None]
OnStages = Callable[[Case, Mapping[str, float]], None]


class Job(msgspec.Struct, frozen=True):
    """A case, with the file and the function in it that state it; children run the file."""

    file: Path
    function: str
    case: Case


class Keeper:
    """Keeps one kind of child process alive: starts it when it is needed, and again when it was lost."""

    def __init__(self, kind: str, library: Path, settings: Settings, scratch: Path) -> None:
        self.kind = kind
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
        log = self._scratch / f"{self.kind}.log"
        log.write_bytes(b"")
        env = {**ENVIRONMENT, **self._settings.env, **(TRIAL_ENVIRONMENT if self.kind == "trial" else {})}
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
            end = describe_end(child.ended(END_PATIENCE))
            words = child.last_words()
            self.stop()
            raise LibraryError(f"the {self.kind} process didn't start ({end}){': ' if words else ''}{words}") from error
        if isinstance(message, Build):
            return message
        self.stop()
        if isinstance(message, Unusable):
            raise (UsageError if message.usage else LibraryError)(message.reason)
        raise LibraryError(f"the {self.kind} process said {message} in place of its build")

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

    def last_words(self) -> str:
        """What the process has said last, if there is one."""
        return self._child.last_words() if self._child else ""

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def ask(self, task: Task, deadline: float) -> Message | Refused:
        """The child's answer to a task; a child that is lost over it is an answer too: crashed, or out of time."""
        child = self.child
        child.forget()
        self.fresh = False
        try:
            child.channel.send(task)
            return child.channel.receive(deadline)
        except ChannelSilent:
            words = child.last_words()
            self.stop()
            limit = f"no answer within the limit of {self._settings.timeout:g} s"
            return Refused(Status.TIMEOUT, _with_words(limit, words))
        except ChannelGarbled:
            words = child.last_words()
            self.stop()
            return Refused(Status.CRASHED, _with_words("the process wrote garbage in place of an answer", words))
        except ChannelClosed:
            end = describe_end(child.ended(END_PATIENCE))
            words = child.last_words()
            self.stop()
            return Refused(Status.CRASHED, _with_words(f"the process ended without an answer ({end})", words))


class Executor:
    """Two child processes, one to try cases and one to time them; use it as a context manager.

    Entering it starts them and raises AutoperfError if MXNet, the library or the context can't be used. After that no
    case raises: what goes wrong is its outcome. `on_start` is told of each case before it is run; `on_stages` how many
    seconds each stage of it took.
    """

    def __init__(
        self,
        library: Path,
        settings: Settings,
        scratch: Path,
        *,
        on_start: OnStart | None = None,
        on_stages: OnStages | None = None,
    ) -> None:
        parse_context(settings.ctx)
        self.settings = settings
        self._on_start = on_start
        self._on_stages = on_stages
        self._trial = Keeper("trial", library, settings, scratch)
        self._worker = Keeper("worker", library, settings, scratch)
        self._build: Build | None = None

    def __enter__(self) -> Executor:
        try:
            self._worker.start()
            self._trial.start()
            self._build = self._worker.greet()
            self._trial.greet()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the child processes; a second time does nothing."""
        self._trial.stop()
        self._worker.stop()

    @property
    def build(self) -> Build:
        """What the worker's library is; raises LibraryError before the executor was entered."""
        if self._build is None:
            raise LibraryError("the executor isn't running yet")
        return self._build

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """One outcome for each job, in order, as soon as it is there; jobs are taken one at a time."""
        for job in jobs:
            if self._on_start:
                self._on_start(job.case)
            yield self._run(job)

    def _run(self, job: Job) -> Outcome:
        begin = time.monotonic()
        deadline = begin + self.settings.timeout
        facts = self._try(job, deadline)
        tried = time.monotonic()
        answer = self._time(job, facts, deadline) if isinstance(facts, Facts) else facts
        end = time.monotonic()
        self._tell(job.case, facts, answer, tried - begin, end - tried)
        known = facts if isinstance(facts, Facts) else None
        if isinstance(answer, Measured):
            return outcome(job.case, Status.MEASURED, end - begin, facts=known, measured=answer)
        return outcome(job.case, answer.status, end - begin, reason=answer.reason, facts=known)

    def _try(self, job: Job, deadline: float) -> Facts | Refused:
        """A case that brings its process down is tried once more without a backward pass, which may be what does it."""
        found = self._try_once(_task(job), deadline)
        if not isinstance(found, Refused) or found.status is not Status.CRASHED:
            return found
        forward = self._try_once(msgspec.structs.replace(_task(job), backward=False), deadline)
        if isinstance(forward, Facts):
            return msgspec.structs.replace(forward, reason=f"no backward pass: {found.reason}")
        return found

    def _try_once(self, task: Task, deadline: float) -> Facts | Refused:
        try:
            self._await_fork()
        except AutoperfError as error:
            return Refused(Status.FAILED, f"the process that tries cases can't be started: {error}")
        answer = self._trial.ask(task, deadline)
        if isinstance(answer, Gone):
            words = self._trial.child.last_words()
            return Refused(Status.CRASHED, _with_words(f"the process died: {describe_wait(answer.status)}", words))
        if isinstance(answer, Facts | Refused):
            return answer
        self._trial.stop()
        return Refused(Status.CRASHED, "the process wrote garbage in place of an answer")

    def _await_fork(self) -> None:
        """The fork for this case stands ready as a rule, since it was made while the last case was timed.

        A process that was lost in between is replaced, once; raises LibraryError if that doesn't help.
        """
        words = ""
        for _ in range(2):
            with contextlib.suppress(ChannelClosed, ChannelSilent, ChannelGarbled):
                # The fork of the last case ends; one more that does so has ended before it was ready.
                for _ in range(2):
                    if isinstance(self._trial.child.channel.receive(time.monotonic() + START_PATIENCE), Ready):
                        return
            words = self._trial.last_words()
            self._trial.stop()
        raise LibraryError(_with_words("it ends before it has a case", words))

    def _time(self, job: Job, facts: Facts, deadline: float) -> Measured | Refused:
        """A worker that has run other cases may carry their damage, so a failure counts only in a fresh one."""
        used = not self._worker.fresh
        answer = self._ask_worker(job, facts, deadline)
        if used and isinstance(answer, Refused) and answer.status is not Status.TIMEOUT:
            self._worker.stop()
            answer = self._ask_worker(job, facts, max(deadline, time.monotonic() + self.settings.timeout))
        return answer

    def _ask_worker(self, job: Job, facts: Facts, deadline: float) -> Measured | Refused:
        try:
            answer = self._worker.ask(_task(job, facts), deadline)
        except AutoperfError as error:
            self._worker.stop()
            return Refused(Status.FAILED, f"the process that times cases can't be started: {error}")
        if isinstance(answer, Measured | Refused):
            return answer
        self._worker.stop()
        return Refused(Status.CRASHED, "the process wrote garbage in place of an answer")

    def _tell(self, case: Case, facts: Message, answer: Message, trying: float, timing: float) -> None:
        if self._on_stages is None:
            return
        stages = {"trial": trying, "timing": timing}
        if isinstance(facts, Facts):
            stages["trial runs"] = facts.seconds
        if isinstance(answer, Measured):
            stages.update(answer.stages)
        self._on_stages(case, stages)


def outcome(
    case: Case,
    status: Status,
    seconds: float,
    *,
    reason: str = "",
    facts: Facts | None = None,
    measured: Measured | None = None,
) -> Outcome:
    """The outcome of a case; a backward pass that failed gives its reason to a case that was measured."""
    return Outcome(
        case=case.id,
        operator=case.operator,
        category=case.category,
        profile=case.profile,
        status=status,
        reason=reason or (facts.reason if facts else ""),
        inputs=case.inputs,
        params=case.params,
        outputs=facts.outputs if facts else case.outputs,
        forward=measured.forward if measured else None,
        backward=measured.backward if measured else None,
        memory=facts.memory if facts else None,
        seconds=seconds,
    )


def _task(job: Job, facts: Facts | None = None) -> Task:
    return Task(str(job.file), job.function, job.case.id, facts)


def _with_words(text: str, words: str) -> str:
    return f"{text}: {words}" if words else text
