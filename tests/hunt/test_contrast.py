"""The contrast finder alone, with times by a law: confirmed and rejected contrasts, with reasons."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from autoperf.backends.contents import materialise
from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.tensors import Integers
from autoperf.core.work import Work
from autoperf.hunt.contrast import FLOOR_US, PassView, min_work_share
from autoperf.hunt.edits import dimensions, extent
from autoperf.hunt.neighbours import DTYPES, MAX_REFUSED, Step
from autoperf.hunt.point import Point
from autoperf.rules.rule import Draft, Inputs
from tests.hunt.hunt_values import Law, factory_of, plain, point, shape, timings_of, view_of, with_axis


def elements(case: Case) -> int:
    """The first input's."""
    product = 1
    for extent_ in shape(case):
        product *= extent_
    return product


def finder_of(
    release: Release, law: Law, operator: str = "softmax", min_ratio: float = 2.0, pass_: PassName = "forward"
) -> PassView:
    """The view of a pass of an operator whose times follow a law, without a model."""
    timings, _ = timings_of(law, 600.0)
    rule = with_axis if operator == "softmax" else plain
    return view_of(timings, factory_of(release, operator, rule), pass_, min_ratio=min_ratio)


def slow_axis(case: Case, pass_: PassName) -> float | None:
    """Five times slower along the first axis; the backward pass takes a tenth."""
    first = case.params.get("axis") == 0
    return {"forward": 1000.0 if first else 200.0, "backward": 330.0 if first else 300.0}[pass_]


@pytest.fixture(scope="module")
def softmax(release: Release) -> Point:
    return point(release, "softmax", Inputs({"data": Draft((64, 64))}, {"axis": 0}))


def test_an_input_beside_it_that_is_faster_is_a_contrast(release: Release, softmax: Point) -> None:
    found = finder_of(release, slow_axis).best_contrast(softmax)
    assert found
    assert found.slow is softmax
    assert found.step.kind.startswith("axis")
    assert found.fast.case.params.get("axis") != 0
    assert found.ratio == pytest.approx(5.0, rel=0.1)


def test_each_pass_is_judged_by_its_own_times(release: Release, softmax: Point) -> None:
    assert finder_of(release, slow_axis, pass_="backward").best_contrast(softmax) is None


def test_less_than_the_ratio_that_is_asked_for_is_none(release: Release, softmax: Point) -> None:
    assert finder_of(release, slow_axis, min_ratio=6.0).best_contrast(softmax) is None
    assert finder_of(release, slow_axis, min_ratio=6.0).best_contrast(softmax, min_ratio=4.0)


def test_time_that_goes_with_work_is_no_contrast(release: Release, softmax: Point) -> None:
    def proportional(case: Case, _pass: PassName) -> float:
        return 0.5 * elements(case)

    assert finder_of(release, proportional).best_contrast(softmax) is None


def test_what_is_faster_as_it_has_less_to_do_is_held_against_its_work(release: Release) -> None:
    finder = finder_of(release, lambda case, _: 0.5 * elements(case), "exp")
    large = point(release, "exp", Inputs({"data": Draft((64, 64))}, {}))
    half = point(release, "exp", Inputs({"data": Draft((32, 64))}, {}))
    assert finder.work_share(large, half) == pytest.approx(0.5)
    assert finder.work_share(half, large) == 1.0
    assert finder.quick_ratio(large, half, 3) == pytest.approx(1.0, rel=0.1)


def test_times_below_the_floor_say_nothing(release: Release, softmax: Point) -> None:
    def short(case: Case, _pass: PassName) -> float:
        return FLOOR_US * (0.8 if case.params.get("axis") == 0 else 0.1)

    assert finder_of(release, short).best_contrast(softmax) is None


def test_a_pass_that_is_not_there_is_no_contrast(release: Release, softmax: Point) -> None:
    finder = finder_of(release, lambda _case, pass_: 500.0 if pass_ == "forward" else None, pass_="backward")
    assert finder.best_contrast(softmax) is None


def test_a_jump_between_two_sizes_is_followed_to_two_neighbours(release: Release) -> None:
    def jump(case: Case, _pass: PassName) -> float:
        return 0.5 * elements(case) * (6 if shape(case)[-1] > 37 else 1)

    large = point(release, "exp", Inputs({"data": Draft((32, 64))}, {}))
    found = finder_of(release, jump, "exp").best_contrast(large, ["smaller"])
    assert found
    last = next(dimension for dimension in dimensions(found.slow.call) if dimension[2] == 1)
    assert (extent(found.slow.call, last), extent(found.fast.call, last)) == (38, 37)
    assert found.step.kind == "one less"


def test_the_tensor_of_a_list_in_which_the_jump_is_has_its_number(release: Release) -> None:
    def jump(case: Case, _pass: PassName) -> float:
        rows = [item.tensor.shape[0] for item in case.inputs]
        return 0.5 * 64 * sum(rows) * (6 if rows[1] > 37 else 1)

    timings, _ = timings_of(jump, 600.0)
    finder = view_of(timings, factory_of(release, "Concat"))
    large = point(release, "Concat", Inputs({"data": (Draft((32, 64)), Draft((64, 64)))}, {"dim": 0}))
    found = finder.best_contrast(large, ["smaller"])
    assert found
    assert found.step.words == "data[1].shape[0] of 37"


def test_one_fast_axis_is_enough(release: Release) -> None:
    """An axis is a whole number, with which no work grows: two of three may be slow."""

    def last_but_one(case: Case, _pass: PassName) -> float:
        return 200.0 if case.params.get("axis") == 1 else 1000.0

    cube = point(release, "softmax", Inputs({"data": Draft((64, 64, 64))}, {"axis": 0}))
    found = finder_of(release, last_but_one).best_contrast(cube, ["axis"])
    assert found
    assert found.fast.case.params["axis"] == 1


def by_distinct(case: Case, _pass: PassName) -> float:
    """By the cube of the number of distinct numbers, which float16 has fewer of."""
    (item,) = case.inputs
    return float((len(np.unique(materialise(item.tensor, case.digest, item.name))) / 1000) ** 3)


def test_a_dtype_with_fewer_distinct_numbers_is_no_contrast_if_these_make_the_time(release: Release) -> None:
    single = point(release, "exp", Inputs({"data": Draft((100, 100))}, {}))
    half = point(release, "exp", Inputs({"data": Draft((100, 100))}, {}), "float16")
    finder = finder_of(release, by_distinct, "exp")
    # The ratio is halved, since float16 has half the bytes.
    assert finder.quick_ratio(single, half, 3) > finder.min_ratio
    assert finder.best_contrast(single, ["dtype"]) is None


def test_it_is_one_if_the_dtype_makes_the_time(release: Release) -> None:
    def by_dtype(case: Case, _pass: PassName) -> float:
        return 200.0 if case.inputs[0].tensor.dtype == "float16" else 2000.0

    single = point(release, "exp", Inputs({"data": Draft((100, 100))}, {}))
    found = finder_of(release, by_dtype, "exp").best_contrast(single, ["dtype"])
    assert found
    assert found.step.dtype == "float16"
    assert found.step.loss


def test_a_step_that_changes_contents_by_chance_is_no_contrast(release: Release) -> None:
    def best_constant(case: Case, _pass: PassName) -> float:
        (item,) = case.inputs
        return 200.0 if len(set(materialise(item.tensor, case.digest, item.name))) == 1 else 900.0

    points = [point(release, "exp", Inputs({"data": Draft((size,), None, Integers(0, 2))}, {})) for size in range(2, 9)]
    mixed = [each for each in points if best_constant(each.case, "forward") > 200]
    finder = finder_of(release, best_constant, "exp")
    kinds = ["one less", "one more", "smaller", "larger"]
    pairs = product(mixed, points)
    assert any(finder.quick_ratio(each, other, 3) > finder.min_ratio for each, other in pairs)
    assert not any(finder.best_contrast(each, kinds) for each in mixed)


def test_time_that_rises_smoothly_leads_nowhere(release: Release) -> None:
    def squared(case: Case, _pass: PassName) -> float:
        return 0.01 * elements(case) ** 1.5

    large = point(release, "exp", Inputs({"data": Draft((64, 64))}, {}))
    assert finder_of(release, squared, "exp").best_contrast(large, ["smaller"]) is None


def test_a_dtype_that_is_refused_again_and_again_is_tried_no_more(release: Release) -> None:
    def without_half(case: Case, _pass: PassName) -> float:
        if case.inputs[0].tensor.dtype == "float16":
            raise ValueError("no float16 here")
        return 500.0

    finder = finder_of(release, without_half, "exp")
    assert "float16" in DTYPES
    for size in range(60, 60 + MAX_REFUSED):
        here = point(release, "exp", Inputs({"data": Draft((64, size))}, {}))
        half = point(release, "exp", Inputs({"data": Draft((64, size))}, {}), "float16")
        assert "float16" in finder.around.dtypes
        finder.step_ratio(here, Step("dtype", "float16", (half.call,), "float16"), half)
    assert "float16" not in finder.around.dtypes
    assert "float64" in finder.around.dtypes


def test_the_way_back_from_a_dtype_says_nothing_of_it(release: Release) -> None:
    finder = finder_of(release, lambda _case, _pass: 500.0, "exp")
    for size in range(60, 60 + MAX_REFUSED):
        here = point(release, "exp", Inputs({"data": Draft((64, size))}, {}))
        half = point(release, "exp", Inputs({"data": Draft((64, size))}, {}), "float16")
        finder.step_ratio(half, Step("dtype", "float16", (half.call,), "float16"), here)
    assert finder.around._refused == {}


def test_a_count_that_is_left_out_must_be_fast_on_both_sides(release: Release) -> None:
    """The time of repeats grows with them: without, or with fewer, there is less to do."""

    def growing(case: Case, _pass: PassName) -> float:
        return 200.0 * int(str(case.params.get("repeats", 1)))

    def special(case: Case, _pass: PassName) -> float:
        return 800.0 if case.params.get("repeats") == 4 else 200.0

    timed = point(release, "repeat", Inputs({"data": Draft((64, 64))}, {"repeats": 4}))
    for law, is_found in ((growing, False), (special, True)):
        found = finder_of(release, law, "repeat").best_contrast(timed, ["repeats left out", "repeats"])
        assert (found is not None) is is_found


def test_the_work_of_the_pass_counts(release: Release) -> None:
    """The gradient of a sum reads no data, so that it does a half of what that of a square does."""
    forward, backward = (finder_of(release, slow_axis, "square", pass_=pass_) for pass_ in PASSES)
    square = point(release, "square", Inputs({"data": Draft((64, 64))}, {}))
    negative = point(release, "negative", Inputs({"data": Draft((64, 64))}, {}))
    assert forward.work_share(square, negative) == 1.0
    assert backward.work_share(square, negative) == pytest.approx(2 / 3)


def test_the_ratio_that_is_told_was_not_picked_for_being_large(release: Release, softmax: Point) -> None:
    finder = finder_of(release, slow_axis)
    found = finder.best_contrast(softmax)
    assert found
    lucky = type(found)(found.slow, found.fast, found.step, 50.0, "forward")
    assert finder.remeasured(lucky).ratio == pytest.approx(5.0, rel=0.1)
    unlucky = type(found)(found.slow, found.fast, found.step, 2.5, "forward")
    assert finder.remeasured(unlucky).ratio == 2.5


SLOW = Work(bytes_in=100.0, bytes_out=50.0, elements=25.0, flops=10.0)
NOTHING = Work(bytes_in=0.0, bytes_out=0.0, elements=0.0, flops=0.0)


def test_the_least_share_counts_and_more_work_is_no_more_than_as_much() -> None:
    assert min_work_share(SLOW, Work(200.0, 25.0, 50.0, 20.0)) == 0.5
    assert min_work_share(SLOW, Work(200.0, 100.0, 50.0, 20.0)) == 1.0


def test_an_input_without_work_asks_for_no_more_than_any_other() -> None:
    """An empty output, such as the indices of the lower triangle of a matrix without rows."""
    assert min_work_share(NOTHING, SLOW) == 1.0
    assert min_work_share(NOTHING, NOTHING) == 1.0


@pytest.mark.parametrize("pass_", ["forward", "backward"])
def test_a_transposition_that_became_a_copy_is_less_work(release: Release, pass_: PassName) -> None:
    timings, _ = timings_of(slow_axis, 600.0)
    finder = view_of(timings, factory_of(release, "transpose"), pass_)
    moved, copied, other = (
        point(release, "transpose", Inputs({"data": Draft(shape)}, {"axes": axes}))
        for shape, axes in (((64, 32), (1, 0)), ((32, 64), (0, 1)), ((32, 64), (1, 0)))
    )
    assert finder.work_share(moved, copied) == 0
    assert finder.work_share(moved, other) == 1
