"""A time budget is spent fairly, on cases that take as long as a clock of the tests' own says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.case import Case, Input
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import TensorSpec, default_content
from autoperf.measurement.batches import Batch, Job, OperatorBatches, outcome
from autoperf.measurement.schedules import MIN_SECONDS, TimeBudget, round_robin, shuffled, spell

OVERHEAD = 0.05
PREPARING = 0.01


class Hands:
    """A clock that somebody else moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def job(operator: str, number: int) -> Job:
    tensor = TensorSpec((number + 1, 4), "float32", default_content("float32"))
    case = Case(operator=operator, category="test", profile=f"p{number}", inputs=(Input("data", tensor),))
    return Job(case)


def queue(hands: Hands, operators: int, cases: int, sides: int = 1) -> Iterator[OperatorBatches]:
    """Operators with so many cases each, which take time to be made."""
    for number in range(operators):
        hands.now += PREPARING * cases
        batch = Batch(f"op{number:02}", tuple(job(f"op{number:02}", case) for case in range(cases)))
        yield (batch,) * sides


def spent(
    tmp_path: Path, budget: float, *, operators: int = 20, cases: int = 5, seed: int = 1, sides: int = 1
) -> tuple[list[Outcome], list[float], float]:
    """What comes out, what each measured case was granted, and how long it took in all."""
    hands = Hands()
    spender = TimeBudget(budget, operators, 0.2, clock=hands)
    outcomes: list[Outcome] = []
    granted: list[float] = []
    for row in round_robin(queue(hands, operators, cases, sides), spender, seed, tmp_path, clock=hands):
        assert len(row) == sides
        begin = hands.now
        for batch in row:
            outcomes += batch.skipped
            for one in batch.jobs:
                granted.append(one.seconds or 0.0)
                hands.now += OVERHEAD + granted[-1]
                outcomes.append(outcome(one.case, Status.MEASURED, granted[-1]))
        if any(batch.jobs for batch in row):
            spender.add_case(sum(one.seconds or 0.0 for batch in row for one in batch.jobs), hands.now - begin)
        assert spender.remaining() >= 0
    return outcomes, granted, hands.now - 1000


def test_a_budget_that_is_large_enough_changes_nothing_but_the_order(tmp_path: Path) -> None:
    outcomes, granted, _ = spent(tmp_path, budget=1000)
    assert len({one.case for one in outcomes}) == len(outcomes) == 100
    assert {one.status for one in outcomes} == {Status.MEASURED}
    assert set(granted) == {0.2}


def test_cases_get_less_time_each_before_any_is_left_out(tmp_path: Path) -> None:
    outcomes, granted, took = spent(tmp_path, budget=15)
    assert {one.status for one in outcomes} == {Status.MEASURED}
    assert MIN_SECONDS <= min(granted) < 0.2
    assert took <= 15 + OVERHEAD + 0.2


def test_every_case_is_measured_or_skipped_with_the_budget_as_the_reason(tmp_path: Path) -> None:
    outcomes, _, took = spent(tmp_path, budget=6)
    assert len({one.case for one in outcomes}) == len(outcomes) == 100
    skipped = [one for one in outcomes if one.status is Status.SKIPPED]
    assert 0 < len(skipped) < 100
    assert {one.reason for one in skipped} == {"time budget of 6s ended before it"}
    assert took <= 6 + OVERHEAD + 0.2


def test_operators_are_treated_alike(tmp_path: Path) -> None:
    outcomes, _, _ = spent(tmp_path, budget=6)
    measured = Counter(one.operator for one in outcomes if one.status is Status.MEASURED)
    assert len(measured) == 20
    assert max(measured.values()) - min(measured.values()) <= 1


def test_no_profile_comes_first_everywhere(tmp_path: Path) -> None:
    outcomes, _, _ = spent(tmp_path, budget=1000)
    assert len({one.profile for one in outcomes[:20]}) > 2


def test_the_seed_decides_the_order(tmp_path: Path) -> None:
    def order(folder: str, seed: int) -> list[str]:
        (tmp_path / folder).mkdir()
        return [one.case for one in spent(tmp_path / folder, 1000, seed=seed)[0]]

    first = order("a", 1)
    assert first == order("b", 1)
    assert first != order("c", 2)
    assert shuffled("abcdef", 1) != shuffled("abcdef", 2)


def test_a_budget_below_what_it_takes_to_find_the_cases_is_half_for_measuring(tmp_path: Path) -> None:
    outcomes, _, _ = spent(tmp_path, budget=0.8)
    assert len(outcomes) == 100
    assert any(one.status is Status.MEASURED for one in outcomes)


def test_a_case_runs_on_all_sides_or_on_none(tmp_path: Path) -> None:
    outcomes, granted, took = spent(tmp_path, budget=8, sides=2)
    assert len(outcomes) == 200
    by_case: dict[str, set[Status]] = {}
    for one in outcomes:
        by_case.setdefault(one.case, set()).add(one.status)
    assert all(len(statuses) == 1 for statuses in by_case.values())
    assert max(granted) <= 0.1
    assert took <= 8 + 2 * OVERHEAD + 0.2


def test_what_was_skipped_before_is_passed_on(tmp_path: Path) -> None:
    lost = outcome(job("op", 0).case, Status.SKIPPED, 0.0, reason="no rule")
    hands = Hands()
    rows = list(
        round_robin([(Batch("op", (), (lost,)),)], TimeBudget(5, 1, 0.2, clock=hands), 1, tmp_path, clock=hands)
    )
    assert rows == [(Batch("op", (), (lost,)),)]


def test_the_time_left_falls_to_nothing(tmp_path: Path) -> None:
    hands = Hands()
    budget = TimeBudget(10, 2, 0.2, clock=hands)
    assert budget.remaining() <= 10
    budget.add_operator(1, 0.1)
    budget.add_operator(1, 0.1)
    before = budget.remaining()
    budget.add_case(0.2, 0.25)
    assert budget.remaining() < before
    budget.add_case(0.2, 0.25)
    assert budget.remaining() == 0
    hands.now += 11
    assert budget.exhausted()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(600, "10m"), (5400, "1h30m"), (90, "1m30s"), (0.5, "0.5s"), (3600, "1h"), (1e6, "277h46m40s")],
)
def test_a_budget_is_spelled_as_it_is_given(seconds: float, words: str) -> None:
    assert spell(seconds) == words


def test_cases_of_one_key_run_together_on_both_sides(tmp_path: Path) -> None:
    base, new = (Batch(name, (job(name, 1), job(name, 1), job(name, 2))) for name in ("add", "plus"))
    hands = Hands()
    budget = TimeBudget(100, 1, 0.2, clock=hands)
    rows = list(round_robin([(base, new)], budget, 1, tmp_path, identify=lambda case: case.profile, clock=hands))
    pairs = [tuple(batch.jobs[0].case.profile for batch in row if batch.jobs) for row in rows]
    assert sorted(pairs) == [("p1", "p1"), ("p1", "p1"), ("p2", "p2")]
