"""Batches of cases and their answers as values that can be sent: an operator's jobs on each side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import msgspec

from autoperf.backends.protocol import Program, TrialResult
from autoperf.cases.build import BuildResult, Rejection
from autoperf.cases.handwritten import USER_PROFILE
from autoperf.cases.selection import Target
from autoperf.cases.suite import LoadedCase
from autoperf.core.case import Case
from autoperf.core.outcome import OpenResults, Outcome, Pass, ResultDifference, Status
from autoperf.core.texts import count
from autoperf.measurement.messages import CaseCounts, CaseFailure, Measured
from autoperf.rules.rule import DRAWN
from autoperf.runs.runfile import Machine

# The number of fresh processes that a case may bring down before it is given up.
MAX_LOST_PROCESSES = 2


class Job(msgspec.Struct, frozen=True):
    """A case to run; `seconds` is the time for its samples, if it differs from the settings.

    `program` is how a framework that follows another one makes the call. `default_dtype` and `limits` are those of the
    operator's rule, which say whether a failure is a refusal of the case's dtype or a known limit; `open` are the
    results that the operator leaves open; `counts` the instructions that an earlier visit has counted.
    """

    case: Case
    seconds: float | None = None
    program: Program | None = None
    default_dtype: str = ""
    limits: dict[str, str] = {}
    open: OpenResults = OpenResults()
    counts: CaseCounts | CaseFailure | None = None


class TriedCase(msgspec.Struct, frozen=True):
    """A case after its trial, with what the processes gave that have timed it; others may time it at a later visit.

    `failures` are those of processes without samples. `trial_seconds` and `timing_seconds` have passed; `left` are the
    seconds of its time limit that remain. `difference` is that of the results of both sides of a comparison. `counts`
    are the instructions of its passes, or why there are none; None if they weren't counted.
    """

    job: Job
    trial_result: TrialResult | CaseFailure
    measured: tuple[Measured, ...] = ()
    failures: tuple[CaseFailure, ...] = ()
    trial_seconds: float = 0.0
    timing_seconds: float = 0.0
    left: float = 0.0
    difference: ResultDifference | None = None
    counts: CaseCounts | CaseFailure | None = None

    def after(self, answer: Measured | CaseFailure) -> TriedCase:
        """The case with the samples of one more process, or its failure."""
        if isinstance(answer, Measured):
            return msgspec.structs.replace(self, measured=(*self.measured, answer))
        return msgspec.structs.replace(self, failures=(*self.failures, answer))

    @property
    def asked(self) -> int:
        """The number of processes that have timed the case, or failed to."""
        return len(self.measured) + len(self.failures)

    @property
    def is_lost(self) -> bool:
        """Whether it has brought down so many processes, and given samples in none, that no other should try it."""
        return not self.measured and len(self.failures) >= MAX_LOST_PROCESSES

    @property
    def found(self) -> ResultDifference | None:
        """The difference of its results from the other side's, or of those of its timed calls from the trial's."""
        answers = (*self.measured, *([self.trial_result] if isinstance(self.trial_result, CaseFailure) else ()))
        return self.difference or next((each.difference for each in answers if each.difference), None)

    @property
    def failure(self) -> CaseFailure | None:
        """Why the case has no samples; None if it has some."""
        if isinstance(self.trial_result, CaseFailure):
            return self.trial_result
        if self.measured:
            return None
        return self.failures[0] if self.failures else self.uncounted

    @property
    def uncounted(self) -> CaseFailure | None:
        """Why the case has no counts, if it was to have some."""
        return self.counts if isinstance(self.counts, CaseFailure) else None


class BatchRequest(msgspec.Struct, frozen=True, tag="batch"):
    """Cases of an operator that one machine measures together.

    `jobs` and `started` are the new cases of each side and those to continue. The batch ends when `until` processes
    have timed each case (None: all). With `in_turn`, the seed of their order, both sides have equally many jobs, and
    those at the same position are measured in turn; with `times_different` also those whose results differ.
    """

    number: int
    operator: str
    jobs: tuple[tuple[Job, ...], ...]
    started: tuple[tuple[TriedCase, ...], ...] = ()
    until: int | None = None
    in_turn: int | None = None
    times_different: bool = False

    @property
    def size(self) -> int:
        """The number of outcomes of a complete answer."""
        return sum(map(len, (*self.jobs, *self.started)))


class CaseAnswer(msgspec.Struct, frozen=True):
    """The outcome of the case at a position of a side; `rest` continues it later."""

    side: int
    position: int
    outcome: Outcome
    rest: TriedCase | None = None


class BatchAnswer(msgspec.Struct, frozen=True):
    """Some outcomes of a batch, by its number; all answers together have each case once.

    `machines` has the record of each side's machine, empty if none has tried the cases; `seconds` is the time since the
    batch began or its last answer.
    """

    number: int
    machines: tuple[Machine, ...]
    cases: tuple[CaseAnswer, ...]
    seconds: float


NextBatch: TypeAlias = Callable[[], BatchRequest | None]


class BatchRunner(Protocol):
    """Runs batches on one or several machines; a run file begins with the record of its side in `machines`."""

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The record of each side's machine."""

    @property
    def parallel(self) -> int:
        """The number of machines that measure at the same time."""

    def check_calls(self, jobs: Sequence[Sequence[Job]]) -> None:
        """Tries each side's calls of a Python program before any is timed. Raises EngineError for a refused one."""

    def run(self, next_batch: NextBatch) -> Iterator[BatchAnswer]:
        """The answers as they come, in any order.

        `next_batch` gives None while nothing can be run: it is asked again after an answer has been consumed, until
        nothing is in flight. It is called in the thread that consumes the answers.
        """


def outcome(
    case: Case,
    status: Status,
    seconds: float,
    *,
    reason: str = "",
    trial_result: TrialResult | None = None,
    passes: tuple[Pass, Pass | None] | None = None,
    refused_dtype: str = "",
    difference: ResultDifference | None = None,
) -> Outcome:
    """The outcome of a case; a measured case whose backward pass failed has that reason."""
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
        results=(trial_result.prints if trial_result else ()) or msgspec.UNSET,
        calls=case.calls,
        network_calls=case.network_calls,
        refused_dtype=refused_dtype or msgspec.UNSET,
        difference=difference or msgspec.UNSET,
    )


@dataclass(frozen=True)
class Batch:
    """The jobs of one operator, and the outcomes that need no measurement."""

    operator: str
    jobs: tuple[Job, ...]
    skipped: tuple[Outcome, ...] = ()

    @property
    def size(self) -> int:
        """The number of outcomes that the batch yields."""
        return len(self.jobs) + len(self.skipped)


OperatorBatches: TypeAlias = tuple[Batch, ...]
"""The same cases of one operator on each side; each is queued, or skipped with a reason."""

Identify: TypeAlias = Callable[[Case], object]
"""The key that cases of two sides share if they are measured together."""


def by_id(case: Case) -> object:
    """The key of cases that are the same on both sides."""
    return case.id


def by_key(jobs: Iterable[Job], identify: Identify) -> dict[object, Job]:
    """The jobs of a side by their keys; of several with the same key, each by its number among them too."""
    seen: Counter[object] = Counter()
    keyed: dict[object, Job] = {}
    for job in jobs:
        key = identify(job.case)
        keyed[key, seen[key]] = job
        seen[key] += 1
    return keyed


def named_case(loaded: LoadedCase) -> Case:
    """The case of a Python file, with its function's name as its profile if it states none."""
    if loaded.case.profile != USER_PROFILE:
        return loaded.case
    return msgspec.structs.replace(loaded.case, profile=loaded.function)


def skipped_outcomes(target: Target, built: BuildResult) -> Iterator[Outcome]:
    """A skipped outcome (of a user's rule: failed) for no rule, each rejected canonical profile, and missing draws."""
    name, category = target.operator.name, target.category
    if target.reason:
        yield skipped(name, category, Rejection(name, "none", target.reason))
        return
    for rejection in built.rejections:
        if rejection.profile != DRAWN:
            yield skipped(name, category, rejection)
    if built.missing_draws:
        yield skipped(name, category, _shortage(name, built))


def skipped(operator: str, category: str, rejection: Rejection) -> Outcome:
    """The outcome of a case that can't be made."""
    return Outcome(
        case=f"{operator}/{rejection.profile}",
        operator=operator,
        category=category,
        profile=rejection.profile,
        status=Status.FAILED if rejection.failed else Status.SKIPPED,
        reason=rejection.reason,
        refused_dtype=rejection.dtype or msgspec.UNSET,
    )


def numbered(outcomes: Iterable[Outcome], seen: Counter[str] | None = None) -> Iterator[Outcome]:
    """Outcomes with distinct ids: a profile that several dtypes refuse gets numbers; `seen` counts earlier ids."""
    seen = Counter() if seen is None else seen
    for outcome in outcomes:
        seen[outcome.case] += 1
        number = seen[outcome.case]
        yield outcome if number == 1 else msgspec.structs.replace(outcome, case=f"{outcome.case}-{number}")


def _shortage(operator: str, built: BuildResult) -> Rejection:
    drawn = [rejection for rejection in built.rejections if rejection.profile == DRAWN]
    if failed := next((rejection for rejection in drawn if rejection.failed), None):
        return replace(failed, reason=f"{count(built.missing_draws, 'draw is', 'draws are')} missing: {failed.reason}")
    own = "the rule has no more distinct inputs"
    if built.empty_draws:
        own = (
            f"the rule gave nothing in {count(built.empty_draws, 'draw')}: either it has no more inputs, or its "
            "assume() and filter() reject too many; draw inputs that are valid by construction"
        )
    cause = f"{count(len(drawn), 'draw was', 'draws were')} rejected, first: {drawn[0].reason}" if drawn else own
    reason = f"{count(built.missing_draws, 'drawn case')} fewer than requested: {cause}"
    return Rejection(operator, DRAWN, reason, dtype=drawn[0].dtype if drawn else "")
