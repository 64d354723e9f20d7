"""The plan of a run: its sides, its operators, and the queue of their batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from autoperf.cases.selection import check_profiles
from autoperf.measurement.case_files import OwnCases, PlannedCases, planned_groups
from autoperf.measurement.counterparts import CounterpartRequest, check_namespaces, counterpart_batches
from autoperf.measurement.operator_batches import Identify, OperatorBatches
from autoperf.measurement.own_cases import own_groups
from autoperf.measurement.resumed_run import Remaining
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.side_batches import selected_batches
from autoperf.measurement.sides import Side, expected_cases, select_operators
from autoperf.measurement.time_budget import TimeBudget, round_robin, shuffled


@dataclass(frozen=True)
class RunPlan:
    """The sides, the number of operators, and their batches, which are made on demand.

    `cases` is the approximate number of cases. `calls` are the batches of a Python program's calls, which are tried
    before any is timed. `budget` is the time budget, if any; `remaining` has the cases that a resumed run has left.
    """

    sides: tuple[Side, ...]
    operators: int
    queue: Iterator[OperatorBatches]
    cases: int = 0
    calls: tuple[OperatorBatches, ...] = ()
    budget: TimeBudget | None = None
    remaining: Remaining | None = None

    def within_budget(
        self, request: RunRequest, scratch: Path, start: float, identify: Identify, *, decides: bool = False
    ) -> RunPlan:
        """The plan within the request's time budget, if it has one, from `start` (monotonic seconds) on.

        Cases of the same key by `identify` share their time. If a comparison `decides` when a case ends, it may take
        more than the maximum time of a case.
        """
        settings = request.settings
        if settings.time_budget is None:
            return self
        spent = request.resumed.spent if request.resumed else 0.0
        most = float("inf") if decides else settings.max_time
        budget = TimeBudget(settings.time_budget, self.operators, most, start - spent)
        queue = round_robin(self.queue, budget, request.recipe.seed, scratch, identify=identify)
        return replace(self, queue=queue, budget=budget)


def plan_of(request: RunRequest, sides: tuple[Side, ...], scratch: Path, seconds: Mapping[str, float] = {}) -> RunPlan:
    """The plan of a request on these sides, each case once, and without those that a resumed run has measured.

    The operators that take the longest, by their `seconds` in an earlier run, come first.
    """
    plan = _full_plan(request, sides, scratch, seconds)
    if request.namespaces:
        # Two names may have one counterpart.
        return plan
    remaining = Remaining(request.resumed.files if request.resumed else [None] * len(sides), request.only)
    return replace(plan, queue=remaining.of(plan.queue), remaining=remaining)


def _full_plan(request: RunRequest, sides: tuple[Side, ...], scratch: Path, seconds: Mapping[str, float]) -> RunPlan:
    if request.handwritten:
        groups = own_groups(sides, request.handwritten, backward=request.settings.backward)
        plan = _given(request, sides, planned_groups(sides, groups))
        calls = tuple(plan.queue)
        return replace(plan, queue=iter(calls), calls=calls)
    if request.namespaces:
        return _given(request, sides, _counterparts(request, sides))
    own = OwnCases(request.cases, request.own, request.selection, request.recipe.profiles, request.recipe.dtypes)
    if own:
        return _given(request, sides, own.planned(sides, request.settings, scratch))
    return _selected(request, sides, seconds)


def _selected(request: RunRequest, sides: tuple[Side, ...], seconds: Mapping[str, float]) -> RunPlan:
    operators = select_operators(sides, request.selection)
    operators.sort(key=lambda operator: -seconds.get(operator.target.operator.name, 0.0))
    check_profiles([operator.target for operator in operators], sorted(request.recipe.profiles or ()))
    if request.settings.time_budget is not None:
        operators = shuffled(operators, request.recipe.seed)
    queue = selected_batches(sides, operators, request.recipe)
    return RunPlan(sides, len(operators), queue, expected_cases(operators, request.recipe))


def _counterparts(request: RunRequest, sides: tuple[Side, ...]) -> PlannedCases:
    names = request.selection.operators
    wanted = CounterpartRequest(check_namespaces(request.namespaces, names), names, request.own, request.recipe)
    batches = [counterpart_batches(sides, wanted, name) for name in names]
    makers = tuple(partial(_as_is, made) for made in batches)
    return PlannedCases(sum(made[0].size for made in batches), makers)


def _as_is(batches: OperatorBatches) -> OperatorBatches:
    return batches


def _given(request: RunRequest, sides: tuple[Side, ...], planned: PlannedCases) -> RunPlan:
    batches = list(planned.batches)
    if request.settings.time_budget is not None:
        batches = shuffled(batches, request.recipe.seed)
    return RunPlan(sides, len(batches), (make() for make in batches), planned.cases)
