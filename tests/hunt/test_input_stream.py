"""Inputs of a search: their size, coverage of all pairs of properties, and turns of steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import pytest

from autoperf.cases.release import Release
from autoperf.hunt.input_stream import LARGE_US, InputStream, PairCoverage, StepTurns, pairs, properties
from autoperf.hunt.neighbours import Neighbourhood, Step
from autoperf.hunt.point import Point
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import ELEMENTS, factory_of, plain, timings_of, with_axis
from tests.hunt.hunt_values import point as point_of


@pytest.mark.parametrize(
    ("grows", "us", "larger"), [(True, 100.0, True), (True, LARGE_US, False), (False, 100.0, False)]
)
def test_draws_grow_by_the_time_that_they_take(release: Release, grows: bool, us: float, larger: bool) -> None:
    timings, _ = timings_of(lambda _case, _pass: us, 600.0)
    around = Neighbourhood(factory_of(release, "exp", plain))
    source = random.Random(1)
    stream = InputStream(around, timings, 1, source, grows=grows)
    for point in islice(stream.points(()), 400):
        times = timings.times(point)
        assert times
        stream.keep(point, times)
    assert (stream.largest > 4 * ELEMENTS) is larger
    assert stream.largest == max(point.work.elements for point in stream.seen.values())


def systematic(
    release: Release, seed: int, us: float = 100.0, *, grows: bool = False, backward: bool = True
) -> tuple[list[Point], Point]:
    """The systematic inputs of a stream with repetitions, and the first random one."""
    timings, _ = timings_of(lambda _case, _pass: us, 600.0, backward=backward)
    around = Neighbourhood(factory_of(release, "exp", plain))
    stream = InputStream(around, timings, seed, random.Random(seed), grows=grows)
    first: list[Point] = []
    for point in stream.points(()):
        if point not in stream.turns:
            assert stream.is_surveyed
            return first, point
        assert stream.is_surveyed is (point in first)
        assert stream.turns.taken(point)
        times = timings.times(point)
        assert times
        stream.keep(point, times)
        first.append(point)
    raise AssertionError("the stream ended")


def test_the_first_inputs_do_not_depend_on_the_seed(release: Release) -> None:
    (first, random_one), (second, other) = systematic(release, 1), systematic(release, 2)
    assert [point.key for point in first] == [point.key for point in second]
    assert random_one.key != other.key
    assert {point.dtype for point in first} >= {"float32", "float16", "float64", "int32"}


def test_systematic_inputs_come_again_as_long_as_steps_to_neighbours_are_left(release: Release) -> None:
    once, _ = systematic(release, 1)
    again, _ = systematic(release, 1, backward=False)
    assert set(Counter(point.key for point in once).values()) == {1}
    # Half the number of steps is taken at a time; inputs of few dimensions have no further steps.
    assert set(Counter(point.key for point in again).values()) == {1, 2}


def test_systematic_inputs_take_little_by_what_the_canonical_ones_took(release: Release) -> None:
    quick, _ = systematic(release, 1, us=10.0)
    costly, _ = systematic(release, 1, us=20_000.0)
    assert max(point.work.elements for point in costly) < ELEMENTS / 8 < max(point.work.elements for point in quick)


def test_where_inputs_grow_some_systematic_ones_are_large(release: Release) -> None:
    points, _ = systematic(release, 1, grows=True)
    assert max(point.work.elements for point in points) > 4 * ELEMENTS


@pytest.fixture(scope="module")
def pool(release: Release) -> list[Point]:
    factory = factory_of(release, "softmax", with_axis)
    dtypes = ("float32", "float16", "float64")
    return [each for dtype in dtypes for each in factory.drawn(dtype, "pool", 40, 0)]


def test_few_inputs_have_every_pair_of_the_pool(pool: list[Point]) -> None:
    names = {name for each in pool for name in each.call.params}
    selected = list(PairCoverage().selected(pool))
    assert len(selected) < len(pool) * 0.7
    covered = set().union(*(pairs(each, names) for each in selected))
    assert covered == set().union(*(pairs(each, names) for each in pool))


def test_the_first_inputs_have_the_most_pairs(pool: list[Point]) -> None:
    names = {name for each in pool for name in each.call.params}
    selected = list(PairCoverage().selected(pool))
    gained: list[int] = []
    covered: set[object] = set()
    for each in selected:
        gained.append(len(pairs(each, names) - covered))
        covered |= pairs(each, names)
    assert gained == sorted(gained, reverse=True)
    assert gained[-1] > 0


def test_a_later_selection_has_only_what_is_new(pool: list[Point]) -> None:
    coverage = PairCoverage()
    list(coverage.selected(pool[:60]))
    later = list(coverage.selected(pool))
    assert later
    assert not {each.key for each in later} & {each.key for each in pool[:60]}


def test_inputs_alike_are_selected_once(release: Release) -> None:
    alike = [point_of(release, "softmax", inputs(data=tensor(rows, 40), axis=1)) for rows in (20, 21, 22)]
    assert list(PairCoverage().selected(alike)) == alike[:1]
    assert list(PairCoverage().selected([])) == []


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        ({"axis": 0}, {"axis": 1}, {"axis"}),
        ({"axis": 1}, {"axis": -1}, set()),
        ({"axis": 1}, {"axis": 1, "temperature": 2.0}, {"temperature"}),
        ({"temperature": 0.5}, {"temperature": 0.25}, set()),
        ({"temperature": 0.5}, {"temperature": -0.5}, {"temperature"}),
    ],
)
def test_parameters_differ_by_what_a_kernel_may_ask(
    release: Release, first: dict[str, float], second: dict[str, float], differ: set[str]
) -> None:
    left, right = (
        properties(point_of(release, "softmax", inputs(data=tensor(20, 40), **given)), {"axis", "temperature"})
        for given in (first, second)
    )
    assert {name for name, _ in left ^ right} == differ


def test_lengths_differ_by_their_class(release: Release) -> None:
    wide, narrow = (properties(point_of(release, "exp", inputs(data=tensor(64, size))), ()) for size in (64, 2))
    assert {name for name, _ in wide ^ narrow} == {"data[0] -1", "elements"}


KINDS = ("axis", "aspect", "smaller", "larger")


def steps(*kinds: str, dtypes: Sequence[str] = (), each: int = 1) -> list[Step]:
    """`each` steps of each of these kinds, and steps to these dtypes."""
    others = [Step(kind, f"{kind} {number}", (), "float32") for kind in kinds for number in range(each)]
    return [*others, *(Step("dtype", dtype, (), dtype) for dtype in dtypes)]


def exp(release: Release, length: int) -> Point:
    return point_of(release, "exp", inputs(data=tensor(length)))


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
