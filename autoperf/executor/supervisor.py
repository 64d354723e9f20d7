"""Runs cases in child processes, and gives exactly one outcome for each, whatever the children do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, LibraryError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.call import parse_context
from autoperf.executor.keeper import Keeper
from autoperf.executor.messages import Build, Facts, Measured, Message, Refused
from autoperf.executor.settings import Settings
from autoperf.executor.trying import Job, Trier, task_of

OnStart = Callable[[Case], None]
OnStages = Callable[[Case, Mapping[str, float]], None]


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
        self._trial = Trier(library, settings, scratch)
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
        facts = self._trial.both(job, deadline)
        tried = time.monotonic()
        answer = self._time(job, facts, deadline) if isinstance(facts, Facts) else facts
        end = time.monotonic()
        self._tell(job.case, facts, answer, tried - begin, end - tried)
        known = facts if isinstance(facts, Facts) else None
        if isinstance(answer, Measured):
            return outcome(job.case, Status.MEASURED, end - begin, facts=known, measured=answer)
        return outcome(job.case, answer.status, end - begin, reason=answer.reason, facts=known)

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
            answer = self._worker.ask(task_of(job, facts), deadline)
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
        graphs=case.graphs,
        outputs=facts.outputs if facts else case.outputs,
        forward=measured.forward if measured else None,
        backward=measured.backward if measured else None,
        memory=facts.memory if facts else None,
        seconds=seconds,
    )
