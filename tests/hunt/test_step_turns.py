"""Which neighbours systematic inputs are compared with: every kind in turn, and the natural dtype always."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.hunt.neighbours import Step
from autoperf.hunt.point import Point
from autoperf.hunt.step_turns import StepTurns
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import point

KINDS = ("axis", "aspect", "smaller", "larger")


def steps(*kinds: str, dtypes: Sequence[str] = (), each: int = 1) -> list[Step]:
    """Steps of these kinds, `each` so many, and steps to these dtypes."""
    others = [Step(kind, f"{kind} {number}", (), "float32") for kind in kinds for number in range(each)]
    return [*others, *(Step("dtype", dtype, (), dtype) for dtype in dtypes)]


def exp(release: Release, length: int) -> Point:
    return point(release, "exp", inputs(data=tensor(length)))


def kinds(taken: Sequence[Step]) -> list[str]:
    return [step.kind for step in taken]


def test_every_kind_is_taken_once_a_few_at_a_time(release: Release) -> None:
    turns, first = StepTurns("float32", 3), exp(release, 2)
    turns.add(first, steps(*KINDS, each=2))
    assert first in turns
    assert turns.most_visits_left == 2
    assert kinds(turns.taken(first)) == ["axis", "aspect", "smaller"]
    assert turns.is_left(first)
    assert kinds(turns.taken(first)) == ["larger"]
    assert not turns.is_left(first)
    assert turns.taken(first) == []


def test_inputs_begin_with_the_kinds_that_others_took_least_often(release: Release) -> None:
    turns, (first, second) = StepTurns("float32", 2), (exp(release, 2), exp(release, 3))
    turns.add(first, steps(*KINDS))
    turns.add(second, steps(*KINDS))
    assert kinds(turns.taken(second)) == ["smaller", "larger"]
    assert kinds(turns.taken(first)) == ["axis", "aspect"]


def test_a_kind_of_several_steps_gives_another_one_each_time(release: Release) -> None:
    turns, points = StepTurns("float32", 1), [exp(release, length) for length in (2, 3, 4)]
    for each in points:
        turns.add(each, steps("aspect", each=2))
    assert [turns.taken(each)[0].words for each in points] == ["aspect 0", "aspect 1", "aspect 0"]


def test_another_dtype_is_always_compared_with_the_natural_one_and_no_other(release: Release) -> None:
    turns, points = StepTurns("float32", 1), [exp(release, length) for length in (2, 3)]
    for each in points:
        turns.add(each, steps("axis", "aspect", dtypes=("float64", "float32")))
    assert [turns.taken(each)[0].words for each in points] == ["float32", "float32"]
    rest = [step.words for each in points for step in turns.taken(each)]
    assert rest == ["aspect 0", "axis 0"]


def test_of_equivalent_operators_each_input_has_one_beside_the_others(release: Release) -> None:
    turns, points = StepTurns("float32", 1), [exp(release, length) for length in (2, 3)]
    for each in points:
        turns.add(each, steps("equivalent expm1", "equivalent sinh", "axis"))
    assert [kinds(turns.taken(each)) for each in points] == [["equivalent expm1", "axis"], ["equivalent sinh", "axis"]]


def test_an_input_without_a_step_has_a_visit(release: Release) -> None:
    turns, first = StepTurns("float32", 1), exp(release, 2)
    turns.add(first, [])
    assert turns.taken(first) == []
    assert not turns.is_left(first)
