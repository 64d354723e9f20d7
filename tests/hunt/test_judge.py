"""Labels of inputs: slow, fast, or none; and the direction of steps."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Pattern, Patterned, Uniform
from autoperf.hunt.contents import with_pattern
from autoperf.hunt.contrast import Contrast
from autoperf.hunt.generaliser import NOWHERE, Direction, Judge, direction
from autoperf.hunt.neighbours import CONTENTS
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import factory_of, plain, shape, timings_of, view_of


def law(case: Case, pass_: PassName) -> float:
    """Float16 takes five times as long; from 1,000 rows, the backward pass takes long in every dtype."""
    factor = 5.0 if case.inputs[0].tensor.dtype == "float16" else 1.0
    return 20_000.0 if pass_ == "backward" and shape(case)[0] >= 1000 else 200.0 * factor


@pytest.mark.parametrize(
    ("size", "dtype", "label"),
    [(64, "float16", True), (64, "float32", False), (1000, "float16", None), (1000, "float32", None)],
)
def test_labels(release: Release, size: int, dtype: str, label: bool | None) -> None:
    timings, _ = timings_of(law, 60.0)
    factory = factory_of(release, "exp", plain)
    finder = view_of(timings, factory)
    slow, point = factory.make([(inputs(data=tensor(32)), "float16"), (inputs(data=tensor(size)), dtype)])
    assert slow
    assert point
    step, fast = next(
        reached
        for reached in finder.around.neighbour_points(slow, finder.around.steps(slow))
        if reached[0].dtype == "float32"
    )
    judge = Judge(finder, Contrast(slow, fast, step, 5.0, "forward"), lambda _point: False)
    assert judge.label(point) is label


@pytest.mark.parametrize(
    ("content", "label"),
    [("sorted", True), ("reversed", False), ("", False)],
)
def test_labels_by_contents(release: Release, content: Pattern, label: bool) -> None:
    def by_order(case: Case, _pass: PassName) -> float:
        found = case.inputs[0].tensor.content
        return 600.0 if isinstance(found, Patterned) and found.pattern == "sorted" else 200.0

    timings, _ = timings_of(by_order, 60.0)
    factory = factory_of(release, "exp", plain)
    finder = view_of(timings, factory)
    calls = [inputs(data=tensor(size, content=Patterned(Uniform(), "sorted"))) for size in (32, 64)]
    slow, other = factory.make([(calls[0], "float32"), (with_pattern(calls[1], "data", content, "float32"), "float32")])
    assert slow
    assert other
    step, fast = next(
        reached
        for reached in finder.around.neighbour_points(slow, finder.around.steps(slow))
        if reached[0].kind == CONTENTS
    )
    judge = Judge(finder, Contrast(slow, fast, step, 3.0, "forward"), lambda _point: False)
    assert judge.label(other) is label


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((64, 8, 1), (1, 8, 64), Direction(-6.0, 6.0)),
        ((64, 8, 1), (64, 1, 8), Direction(0.0, 3.0)),
        ((64, 8, 1), (64, 8), Direction(0.0, 3.0)),
        ((), (), NOWHERE),
    ],
)
def test_directions(before: tuple[int, ...], after: tuple[int, ...], expected: Direction) -> None:
    assert direction(inputs(data=tensor(*before)), inputs(data=tensor(*after))) == expected


def test_the_largest_tensor_counts() -> None:
    before, after = inputs(data=tensor(4, 4), bias=tensor(9)), inputs(data=tensor(4, 16), bias=tensor(3))
    assert direction(before, after) == Direction(0.0, 2.0)


def test_steps_agree_by_what_they_lengthen_and_shorten() -> None:
    assert Direction(-6.0, 6.0).disagreement(Direction(-1.0, 3.0)) == 0
    assert Direction(-6.0, 6.0).disagreement(Direction(0.0, 3.0)) == 1
    assert Direction(-6.0, 6.0).disagreement(Direction(1.0, 0.0)) == 2
    assert Direction(-6.0, 6.0).size == 12
