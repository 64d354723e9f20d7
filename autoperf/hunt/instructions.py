"""A hunt by instructions: counts decide in place of times, exactly, and times are taken of its findings alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import msgspec

from autoperf.comparison.ratios import MIN_SAMPLE_PAIRS, ratio_of_pairs
from autoperf.core.case import Case
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.events import NullSink
from autoperf.core.finding import Estimate, Finding, FindingCode, OtherPass
from autoperf.core.outcome import PASSES, PassName, Status
from autoperf.core.work import CodeCount
from autoperf.counts.requests import PROGRAM
from autoperf.counts.valgrind import require_counter
from autoperf.hunt.findings import finding_code
from autoperf.hunt.investigator import ROUNDS
from autoperf.hunt.timings import CONFIRMING_SECONDS, TimingSource
from autoperf.measurement.batches import Job
from autoperf.measurement.local_runner import SideSetup, started_sides
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import EqualResults
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor


def check_countable(counters: tuple[str, ...], ctx: str, against: str) -> None:
    """Raises UsageError where a hunt can't count these events, or no valgrind is installed; nothing without any."""
    if counters and against:
        raise UsageError(
            f"counting compares functions of MXNet's, and {against} has others: leave out --signal and --counters"
        )
    require_counter(counters, PROGRAM, ctx)


class CountedSide(NamedTuple):
    """A build of MXNet, with the settings of its processes."""

    library: Path
    settings: Settings


class CodeCounter:
    """Counts both inputs of findings; processes start with the first one, and the stack closes them."""

    def __init__(self, sides: Sequence[CountedSide], scratch: Path, stack: ExitStack) -> None:
        """`sides` are the slow one and the fast one, or one for both."""
        self._sides, self._scratch, self._stack = sides, scratch, stack
        self._executors: list[Executor] = []

    def counted(self, finding: Finding) -> Finding:
        """The finding with its code. Raises AutoperfError where an input can't be counted."""
        code = self.code(finding.case, finding.contrast, finding.pass_, finding.work)
        return msgspec.structs.replace(finding, code=code)

    def code(self, slow: Case, fast: Case, pass_: PassName, work: float) -> FindingCode:
        """The code of a finding. Raises AutoperfError where an input can't be counted."""
        found: list[CodeCount] = []
        for case, side in ((slow, 0), (fast, len(self._sides) - 1)):
            counts = self.counts(case, side)
            if isinstance(counts, CaseFailure) or pass_ not in counts:
                reason = counts.reason if isinstance(counts, CaseFailure) else f"it has no {pass_} pass"
                raise EngineError(f"{case.id} isn't counted: {reason}")
            found.append(counts[pass_])
        return finding_code(found[0], found[1], work)

    def counts(self, case: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        """The counts of a case's passes on a side, or why there are none."""
        (outcome,) = self.executor(side).run([Job(case)])
        counts = {name: run.code for name, run in outcome.passes.items() if run.code}
        return counts or CaseFailure(outcome.status, outcome.reason or "its passes have no counts")

    def executor(self, side: int) -> Executor:
        """The running processes of a side; those of all sides load their libraries beside each other."""
        if not self._executors:
            counting = {"profiler": "none", "counters": (INSTRUCTIONS.name,), "count_by": PROGRAM, "processes": 1}
            setups = [
                SideSetup(f"code-{number}", msgspec.structs.replace(settings, **counting), library)
                for number, (library, settings) in enumerate(self._sides)
            ]
            started = [executor for _, executor in started_sides(self._stack, setups, (), self._scratch, NullSink())]
            for each in started:
                each.wait_ready()
            self._executors = started
        return self._executors[side]


# A search compares so many instructions as it compares a microsecond, in which kernels execute some thousands: the
# limits in microseconds then stand for inputs of about the same size, whose kernels take longer than their dispatch.
UNIT = 5000
MAX_KNOWN = 10_000
_Timed = TypeVar("_Timed", Finding, OtherPass)


class CountingSource:
    """Answers with the instructions of kernels, in units of UNIT; `timer` times findings."""

    def __init__(self, counter: CodeCounter, timer: TimingSource, searched: int, other: int) -> None:
        """`searched` and `other` are the numbers of the sides of a finding's slow and fast input."""
        self._counter, self._timer, self._sides = counter, timer, (searched, other)
        self._known: dict[tuple[str, int], dict[PassName, CodeCount] | CaseFailure] = {}

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        """The counts of each pass of the case on a side."""
        counts = self._counts(request.case, side)
        if isinstance(counts, CaseFailure):
            return counts
        forward, backward = (_units(counts, pass_, request.count) for pass_ in PASSES)
        return QuickTimes(forward, backward if request.backward else ())

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        """The counts of the pass of both cases, as many as there are rounds."""
        found = []
        for case, side in ((request.first, sides[0]), (request.second, sides[1])):
            counts = self._counts(case, side)
            if isinstance(counts, CaseFailure):
                return counts
            found.append(_units(counts, request.pass_, request.rounds))
        if not all(found):
            return CaseFailure(Status.FAILED, f"{request.first.operator} has no {request.pass_} pass there")
        return PairedTimes(found[0], found[1])

    def check_case(self, case: Case, side: int, seconds: float) -> EqualResults:
        """The comparison of results, by the processes that take times."""
        return self._timer.check_case(case, side, seconds)

    def renew(self) -> None:
        """Counts are the same in each process."""

    def timed(self, finding: Finding) -> Finding:
        """The finding of a search by counts, with its code, and with times of both inputs in fresh processes.

        Raises AutoperfError where they can't be timed.
        """
        found = []
        for case, side in zip((finding.case, finding.contrast), self._sides, strict=True):
            counts = self._counts(case, side)
            if isinstance(counts, CaseFailure):
                raise EngineError(f"{case.id} can't be counted: {counts.reason}")
            found.append(counts[finding.pass_])
        contrast, other = finding.contrast, finding.other_pass
        timed = self._with_times(finding, contrast)
        # The contrast of an other pass that another input showed isn't kept.
        kept = other if other and other.case == finding.case else None
        return msgspec.structs.replace(
            timed,
            expected_us=timed.contrast_us * finding.work,
            code=finding_code(found[0], found[1], finding.work),
            other_pass=self._with_times(kept, contrast) if kept else None,
        )

    def _with_times(self, found: _Timed, contrast: Case) -> _Timed:
        """A finding or its other pass with times in fresh processes, and with their ratio for the work of its pass."""
        self._timer.renew()
        request = PairedTiming(found.case, contrast, found.pass_, ROUNDS, CONFIRMING_SECONDS)
        times = self._timer.time_pair(request, self._sides)
        if isinstance(times, CaseFailure):
            raise EngineError(f"{found.case.id} can't be timed: {times.reason}")
        rounds = len(times.first_us)
        if rounds < MIN_SAMPLE_PAIRS:
            raise EngineError(f"{found.case.id} can't be timed: {rounds} rounds are too few for an interval")
        ratio = ratio_of_pairs(times.first_us, times.second_us)
        # Until here these are counts, which are the same in each round: their ratio for equal work divides by the work.
        work = found.actual_us / found.contrast_us / found.estimate.ratio
        estimate = Estimate(ratio.ratio / work, ratio.low / work, ratio.high / work)
        actual, fast = median(times.first_us), median(times.second_us)
        return msgspec.structs.replace(found, estimate=estimate, actual_us=actual, contrast_us=fast)

    def _counts(self, case: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        # The counts of an input are the same whenever it is counted, so each is counted once and one count stands for
        # all samples.
        key = case.digest, side
        if key not in self._known:
            self._known[key] = self._counter.counts(case, side)
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]
        return self._known[key]


def _units(counts: dict[PassName, CodeCount], pass_: PassName, number: int) -> tuple[float, ...]:
    code = counts.get(pass_)
    # Ratios need a number above zero of a call without kernels.
    return (max(code.kernels, 1) / UNIT,) * number if code else ()
