"""What a run is about to measure: its sides, how many operators, and the queue of their batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autoperf.cases.store import StoredGroups
from autoperf.pipeline.batches import OperatorBatches
from autoperf.pipeline.resume import Remaining
from autoperf.pipeline.round_robin import round_robin, shuffled
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.selection import check_profiles
from autoperf.pipeline.sides import (
    Side,
    expected_cases,
    file_batches,
    select_operators,
    selected_batches,
    stored_batches,
)
from autoperf.pipeline.signatures import CaseChecker
from autoperf.pipeline.time_budget import TimeBudget


@dataclass(frozen=True)
class RunPlan:
    """The sides, how many operators, and their batches, made as they are needed.

    `cases` says about how many cases there are. `left` says how many seconds remain, for a run with a time budget;
    `remaining` what a resumed run has left to do.
    """

    sides: tuple[Side, ...]
    operators: int
    queue: Iterator[OperatorBatches]
    cases: int = 0
    left: Callable[[], float] | None = None
    remaining: Remaining | None = None

    def within_budget(self, request: RunRequest, scratch: Path, begun: float) -> RunPlan:
        """The plan within the request's time budget from `begun` on (monotonic seconds), if there is one."""
        settings = request.settings
        if settings.time_budget is None:
            return self
        spent = request.resumed.spent if request.resumed else 0.0
        budget = TimeBudget(settings.time_budget, self.operators, settings.max_time, begun - spent)
        return replace(self, queue=round_robin(self.queue, budget, request.recipe.seed, scratch), left=budget.left)


def plan_of(request: RunRequest, sides: tuple[Side, ...], scratch: Path) -> RunPlan:
    """What the request asks of these sides, without what a run to resume has done already."""
    plan = _whole(request, sides, scratch)
    if request.resumed is None:
        return plan
    remaining = Remaining(request.resumed.begun)
    return replace(plan, queue=remaining.of(plan.queue), remaining=remaining)


def _whole(request: RunRequest, sides: tuple[Side, ...], scratch: Path) -> RunPlan:
    if request.cases is None:
        return _selected(request, sides, scratch)
    if request.cases.suffix == ".py":
        listed = list(file_batches(sides, request.cases, scratch, request.settings))
        return RunPlan(sides, 1, iter(listed), sum(batches[0].size for batches in listed))
    return _stored(request, sides, request.cases, scratch)


def _selected(request: RunRequest, sides: tuple[Side, ...], scratch: Path) -> RunPlan:
    operators = select_operators(sides, request.selection)
    check_profiles([operator.target for operator in operators], sorted(request.recipe.profiles or ()))
    if request.settings.time_budget is not None:
        operators = shuffled(operators, request.recipe.seed)
    queue = selected_batches(sides, operators, request.recipe, scratch)
    return RunPlan(sides, len(operators), queue, expected_cases(operators, request.recipe))


def _stored(request: RunRequest, sides: tuple[Side, ...], cases: Path, scratch: Path) -> RunPlan:
    stored = StoredGroups(cases, check=CaseChecker(side.release for side in sides).check_stored)
    order = list(range(len(stored)))
    if request.settings.time_budget is not None:
        order = shuffled(order, request.recipe.seed)
    groups = (stored[number] for number in order)
    queue = stored_batches(sides, groups, request.recipe.seed, scratch)
    return RunPlan(sides, len(stored), queue, stored.cases)
