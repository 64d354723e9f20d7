"""Runs cases in child processes, and gives exactly one outcome for each, whatever the children do."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from autoperf.core.case import Case
from autoperf.core.errors import LibraryError
from autoperf.core.events import CaseStagesTimed, CaseStarted, NullSink, Sink
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.aggregation import Passes, merged, missing_processes, noted
from autoperf.executor.call import parse_context
from autoperf.executor.messages import Build, CaseFailure, Close, Measured, Open, Opened, TrialResult, Turn, Turned
from autoperf.executor.settings import Settings
from autoperf.executor.trial_client import Job, TrialClient
from autoperf.executor.workers import Workers


class Executor:
    """Child processes, one to try cases and the others to time them; use it as a context manager.

    Entering it starts them and raises AutoperfError if MXNet, the library or the context can't be used. After that no
    case raises: what goes wrong is its outcome. The sink gets a CaseStarted before each case, and a
    CaseStagesTimed after each that `run` has timed.
    """

    def __init__(
        self,
        library: Path,
        settings: Settings,
        scratch: Path,
        sink: Sink | None = None,
    ) -> None:
        parse_context(settings.ctx)
        self.settings = settings
        self._allowed = settings.bytes_allowed
        self._sink = sink or NullSink()
        self._trial = TrialClient(library, settings, scratch)
        self._workers = Workers(library, settings, scratch)
        self._build: Build | None = None

    def __enter__(self) -> Executor:
        try:
            self._workers.start()
            self._trial.start()
            self._build = self._workers.greet()
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
        self._workers.stop()

    @property
    def build(self) -> Build:
        """What the workers' library is; raises LibraryError before the executor was entered."""
        if self._build is None:
            raise LibraryError("the executor isn't running yet")
        return self._build

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """One outcome for each job, in order, as soon as it is there; jobs are taken one at a time."""
        for job in jobs:
            yield self._run(job)

    def prepare(self) -> None:
        """Waits until all processes are ready for the next case, whose time doesn't begin before that."""
        self._trial.prepare()
        self._workers.prepare()

    def attempt(self, job: Job, deadline: float) -> TrialResult | CaseFailure:
        """What there is to know of a case before it is timed, or why it can't be."""
        self._sink.handle(CaseStarted(job.case))
        needed = job.case.input_bytes + job.case.output_bytes
        if needed > self._allowed:
            reason = f"its inputs and outputs take {needed:,} bytes, more than the limit of {self._allowed:,} bytes"
            return CaseFailure(Status.SKIPPED, reason)
        return self._trial.both(job, deadline)

    def say(
        self, process: int, message: Open | Turn | Close, deadline: float
    ) -> Opened | Turned | Measured | CaseFailure:
        """What one of the processes answers about a case that it times in turns."""
        return self._workers.say(process, message, deadline)

    def fresh(self, process: int) -> bool:
        """Whether one of the processes has had no case yet."""
        return self._workers.fresh(process)

    def renew(self, process: int) -> None:
        """Has a fresh process in the place of one of them."""
        self._workers.renew(process)

    def concluded(
        self,
        job: Job,
        trial_result: TrialResult | CaseFailure,
        measured: Sequence[Measured],
        refused: Sequence[CaseFailure],
        seconds: float,
    ) -> Outcome:
        """The outcome of a case by what its trial and its processes have said."""
        if not isinstance(trial_result, TrialResult):
            return outcome(job.case, trial_result.status, seconds, reason=trial_result.reason)
        if not measured:
            first = refused[0]
            return outcome(job.case, first.status, seconds, reason=first.reason, trial_result=trial_result)
        passes = merged(measured, self.settings.precision, averaging=self.settings.runs is None)
        missing = missing_processes(self.settings.processes, len(measured), refused)
        return outcome(job.case, Status.MEASURED, seconds, trial_result=trial_result, passes=noted(passes, missing))

    def _run(self, job: Job) -> Outcome:
        self.prepare()
        begin = time.monotonic()
        deadline = begin + self.settings.timeout
        trial_result = self.attempt(job, deadline)
        deadline += self._trial.waited
        tried = time.monotonic()
        timed = self._workers.time(job, trial_result, deadline) if isinstance(trial_result, TrialResult) else ((), ())
        end = time.monotonic()
        self._tell(job.case, trial_result, timed[0], tried - begin, end - tried)
        return self.concluded(job, trial_result, *timed, end - begin)

    def _tell(
        self,
        case: Case,
        trial_result: TrialResult | CaseFailure,
        measured: Sequence[Measured],
        trying: float,
        timing: float,
    ) -> None:
        stages = {"trial": trying, "timing": timing}
        if isinstance(trial_result, TrialResult):
            stages["trial runs"] = trial_result.seconds
        for one in measured:
            for stage, seconds in one.stages.items():
                stages[stage] = stages.get(stage, 0.0) + seconds
        self._sink.handle(CaseStagesTimed(case, stages))


def outcome(
    case: Case,
    status: Status,
    seconds: float,
    *,
    reason: str = "",
    trial_result: TrialResult | None = None,
    passes: Passes | None = None,
) -> Outcome:
    """The outcome of a case; a backward pass that failed gives its reason to a case that was measured."""
    return Outcome(
        case=case.id,
        operator=case.operator,
        category=case.category,
        profile=case.profile,
        status=status,
        reason=reason or (trial_result.reason if trial_result else ""),
        inputs=case.inputs,
        params=case.params,
        graphs=case.graphs,
        outputs=trial_result.outputs if trial_result else case.outputs,
        forward=passes[0] if passes else None,
        backward=passes[1] if passes else None,
        memory=trial_result.memory if trial_result else None,
        seconds=seconds,
    )
