"""A run on four executors has the outcomes of a run on one; cases of one side alone are skipped in their order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.batches import (
    Batch,
    BatchAnswer,
    BatchRequest,
    CaseAnswer,
    Job,
    NextBatch,
    TriedCase,
    outcome,
)
from autoperf.measurement.run_request import RunPlan, RunRequest, inputs_key
from autoperf.measurement.run_session import RunMode, RunSession
from autoperf.measurement.schedules import InTurn, Schedule, Visits
from autoperf.measurement.settings import Settings
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Machine, machine_of
from tests.values import ENVIRONMENT, Recording, case, passed, steady

SELECTION = Selection(operators=("exp", "sin", "cos", "abs", "sqrt", "dot"))
RECIPE = Recipe(draws=1, profiles=frozenset({"small", "drawn"}))
RUN = RunMode()
TRIED = TrialResult((), None, (), (), None)


def machine(number: int) -> Machine:
    return machine_of(msgspec.structs.replace(ENVIRONMENT, machine=f"node{number}"))


class FakeExecutors:
    """Machines that hold a batch each, and answer in an order that the seed draws; messages travel as bytes."""

    def __init__(self, count: int, seed: int = 1) -> None:
        self._count = count
        self._random = random.Random(seed)
        self.most = 0
        self.answered: list[int] = []

    @property
    def machines(self) -> tuple[Machine, ...]:
        return (machine(0),) * self._sides

    @property
    def parallel(self) -> int:
        return self._count

    def opened(self, _request: RunRequest, plan: RunPlan, *_more: object) -> AbstractContextManager[Any]:
        self._sides = len(plan.sides)
        return nullcontext(self)

    def check_calls(self, jobs: Sequence[Sequence[Job]]) -> None:
        assert not any(jobs)

    def run(self, next_batch: NextBatch) -> Iterator[BatchAnswer]:
        busy: dict[int, bytes] = {}
        while True:
            while len(busy) < self._count and (request := next_batch()):
                free = next(number for number in range(self._count) if number not in busy)
                busy[free] = msgspec.msgpack.encode(request)
            if not busy:
                return
            self.most = max(self.most, len(busy))
            number = self._random.choice(sorted(busy))
            request = msgspec.msgpack.decode(busy.pop(number), type=BatchRequest)
            self.answered.append(request.number)
            yield msgspec.msgpack.decode(msgspec.msgpack.encode(self._answer(number, request)), type=BatchAnswer)

    def _answer(self, number: int, request: BatchRequest) -> BatchAnswer:
        sides = [
            [*map(self._begun, jobs), *(self._continued(case) for case in started)]
            for jobs, started in zip(request.jobs, request.started or ((),) * len(request.jobs), strict=True)
        ]
        cases = [
            CaseAnswer(
                side,
                position,
                msgspec.structs.replace(done, machine=machine(number).id),
                None if request.until is None else TriedCase(job, TRIED, (), (), 0.0, 0.0, 1.0),
            )
            for side, answers in enumerate(sides)
            for position, (job, done) in enumerate(answers)
        ]
        self._random.shuffle(cases)
        return BatchAnswer(request.number, (machine(number),) * len(sides), tuple(cases), 0.01)

    def _begun(self, job: Job) -> tuple[Job, Outcome]:
        median = 10.0 + len(job.case.operator)
        return job, outcome(job.case, Status.MEASURED, 0.5, passes=(passed(steady(median)), None))

    def _continued(self, case: TriedCase) -> tuple[Job, Outcome]:
        return self._begun(case.job)


def measured(
    path: Path, executors: FakeExecutors, settings: Settings, mode: RunMode = RUN
) -> tuple[list[list[Outcome]], list[set[str]]]:
    """The outcomes of each side by case, without their machines, and the ids of the machines."""
    environments = ({"A": "1"}, {"A": "2"}) if mode.turns else ()
    request = RunRequest(SELECTION, RECIPE, settings, output=path, environments=environments)
    run = RunSession(request, Recording(), ("autoperf", "run"), mode, executors.opened).run()
    outcomes, machines = [], []
    for side in run.sides:
        with RunReader(side.path) as reader:
            assert reader.notices == ()
            found = sorted(reader, key=lambda one: one.case)
            assert all(reader.machine(one).id == one.machine for one in found)
            machines.append({each.environment.machine for each in map(reader.machine, found)})
        outcomes.append([msgspec.structs.replace(one, machine=msgspec.UNSET) for one in found])
    return outcomes, machines


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the session keeps beside the run file goes with the test."""
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("settings", "mode"),
    [
        (Settings(), RUN),
        (Settings(processes=3, visits=3), RUN),
        (Settings(time_budget=1000.0), RUN),
        (Settings(), RunMode("compare", InTurn(1), None, ("A", "B"), in_turn="word")),
    ],
    ids=["run", "visits", "budget", "in turn"],
)
def test_four_executors_have_the_outcomes_of_one(tmp_path: Path, settings: Settings, mode: RunMode) -> None:
    one, four = FakeExecutors(1), FakeExecutors(4)
    alone, _ = measured(tmp_path / "one.ndjson", one, settings, mode)
    together, machines = measured(tmp_path / "four.ndjson", four, settings, mode)
    assert together == alone
    assert (one.most, four.most) == (1, 4)
    assert one.answered == sorted(one.answered)
    assert four.answered != sorted(four.answered)
    assert machines == [{"node0", "node1", "node2", "node3"}] * len(machines)


def test_a_visit_begins_when_all_cases_of_the_one_before_are_answered(tmp_path: Path) -> None:
    executors = FakeExecutors(4)
    (found,), _ = measured(tmp_path / "run.ndjson", executors, Settings(processes=2, visits=2))
    first = len(executors.answered) // 2
    assert set(executors.answered[:first]) == set(range(1, first + 1))
    assert Counter(one.visit for one in found) == {2: len(found)}


@pytest.mark.parametrize("in_turn", [InTurn(1), InTurn(1, inputs_key)], ids=["by id", "by inputs"])
def test_cases_of_the_second_side_are_skipped_in_order(in_turn: InTurn, tmp_path: Path) -> None:
    cases = [case("exp", size) for size in range(1, 20)]
    jobs = tuple(map(Job, cases))
    schedule = Schedule(iter([(Batch("exp", ()), Batch("exp", jobs))]), Visits(1, 5, tmp_path), in_turn)
    scheduled = schedule.next()
    assert scheduled
    assert (scheduled.size, scheduled.request) == (19, None)
    assert {(skipped.side, skipped.outcome.status) for skipped in scheduled.skipped} == {(1, Status.SKIPPED)}
    assert [skipped.outcome.case for skipped in scheduled.skipped] == [case.id for case in cases]
    assert schedule.next() is None
