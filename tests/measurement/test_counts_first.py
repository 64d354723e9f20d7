"""All cases are counted before the first is timed: a time budget goes to those that differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.core.outcome import Status
from autoperf.core.work import CodeCount
from autoperf.measurement.batches import Batch, BatchAnswer, CaseAnswer, Job, OperatorBatches, TriedCase, outcome
from autoperf.measurement.messages import CaseCounts, CaseFailure
from autoperf.measurement.schedules import (
    COUNTING_SHARE,
    InTurn,
    Schedule,
    Scheduled,
    SideOutcome,
    TimeBudget,
    Visits,
    round_robin,
)
from tests.values import MACHINE, case

BUDGET, COUNTING, TIMING = 100.0, 2.0, 10.0
RATIOS = {"same": 1.0, "little": 1.01, "half": 0.5, "threefold": 3.0, "uncounted": None}
Ratio = float | None


class Measuring:
    """A schedule of operators with one case each, and answers that take time; `RATIOS` are of their instructions."""

    def __init__(self, folder: Path, ratios: dict[str, Ratio], budget: float) -> None:
        self.now = 0.0
        self._ratios = ratios
        clock = lambda: self.now  # noqa: E731 - the clock of the test
        self._budget = TimeBudget(budget, len(ratios), 10.0, clock=clock)
        queue = round_robin(self._batches(), self._budget, 1, folder, clock=clock)
        self.schedule = Schedule(queue, Visits(2, 5, folder), InTurn(1), self._budget)

    def _batches(self) -> Iterator[OperatorBatches]:
        for name in self._ratios:
            yield (Batch(name, (Job(case(name, 2)),)),) * 2

    def answer(self, scheduled: Scheduled) -> Sequence[SideOutcome]:
        """The outcomes of a batch, which is counted first and timed later."""
        assert scheduled.request
        ratio = self._ratios[scheduled.operator]
        jobs = [side[0] for side in scheduled.request.jobs]
        is_timed = jobs[0].counts is not None
        self.now += TIMING if is_timed else COUNTING
        uncounted = CaseFailure(Status.SKIPPED, "too long")
        counts = [uncounted] * 2 if ratio is None else [counted(100), counted(100 * ratio)]
        waits = not is_timed and ratio != 1.0
        cases = tuple(
            CaseAnswer(side, 0, outcome(job.case, Status.MEASURED, 1.0), waiting(job, own) if waits else None)
            for side, (job, own) in enumerate(zip(jobs, counts, strict=True))
        )
        return [*self.schedule.outcomes(BatchAnswer(scheduled.request.number, (MACHINE, MACHINE), cases, 1.0))]


def counted(instructions: float) -> CaseCounts:
    count = CodeCount("valgrind 3.19", (), {"operator": int(instructions)}, str(instructions))
    return CaseCounts({"forward": (count, count)})


def waiting(job: Job, counts: CaseCounts | CaseFailure) -> TriedCase:
    started = TrialResult((), None, (), (), None)
    return TriedCase(job, started, counts=counts)


def run(measuring: Measuring) -> tuple[list[tuple[str, float | None]], list[SideOutcome]]:
    """The timed operators in their order with the seconds of their samples, and all outcomes."""
    timed: list[tuple[str, float | None]] = []
    outcomes: list[SideOutcome] = []
    while scheduled := measuring.schedule.next():
        outcomes += scheduled.skipped
        if scheduled.request:
            job = scheduled.request.jobs[1][0]
            if job.counts:
                timed.append((scheduled.operator, job.seconds))
            outcomes += measuring.answer(scheduled)
    return timed, outcomes


def test_the_largest_difference_is_timed_first_and_what_is_the_same_is_not(tmp_path: Path) -> None:
    timed, outcomes = run(Measuring(tmp_path, RATIOS, BUDGET))
    assert [name for name, _ in timed] == ["threefold", "half", "little", "uncounted"]
    assert all(seconds and seconds > 4 for _, seconds in timed)
    again = [each for each in outcomes if each.outcome.visit == 2]
    assert len(outcomes) - len(again) == 2 * len(RATIOS)
    assert {each.replaced for each in again} == {Status.MEASURED}
    assert len(again) == 2 * len(timed)


@pytest.mark.parametrize(
    ("budget", "expected"), [(25.0, ["threefold", "half"]), (31.0, ["threefold", "half", "little"])]
)
def test_what_no_time_is_left_for_keeps_its_counts(budget: float, expected: list[str], tmp_path: Path) -> None:
    timed, outcomes = run(Measuring(tmp_path, RATIOS, budget))
    assert [name for name, _ in timed] == expected
    assert {each.outcome.status for each in outcomes} == {Status.MEASURED}


def test_all_of_the_budget_is_for_counting_while_nothing_differs(tmp_path: Path) -> None:
    timed, outcomes = run(Measuring(tmp_path, {f"op{number}": 1.0 for number in range(40)}, 40.0))
    kept = sum(each.outcome.status is Status.MEASURED for each in outcomes)
    assert (kept, timed) == (2 * 40 / COUNTING, [])


def test_counting_leaves_a_quarter_of_the_budget_for_times(tmp_path: Path) -> None:
    many: dict[str, Ratio] = {f"op{number}": 2.0 for number in range(40)}
    timed, outcomes = run(Measuring(tmp_path, many, 40.0))
    reasons = {each.outcome.reason for each in outcomes if each.outcome.status is Status.SKIPPED}
    assert reasons == {"the 75% for counting of the time budget of 40s ended before it"}
    kept = sum(each.outcome.status is Status.MEASURED and not each.outcome.visit for each in outcomes)
    assert kept == 2 * COUNTING_SHARE * 40 / COUNTING
    assert len(timed) == 1
