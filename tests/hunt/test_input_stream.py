"""The inputs of a search get larger where such inputs take little time, and only where they may."""

from __future__ import annotations

import random
from collections import Counter
from itertools import islice

import pytest
from hunt_values import ELEMENTS, factory_of, plain, timings_of

from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.input_stream import LARGE_US, InputStream
from autoperf.hunt.point import Point
from autoperf.pipeline.release import Release


@pytest.mark.parametrize(
    ("grows", "us", "larger"), [(True, 100.0, True), (True, LARGE_US, False), (False, 100.0, False)]
)
def test_draws_grow_by_the_time_that_they_take(release: Release, grows: bool, us: float, larger: bool) -> None:
    timings, _ = timings_of(lambda _case, _pass: us, 600.0)
    contrasts = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    source = random.Random(1)
    stream = InputStream(contrasts, 1, source, grows=grows, max_stale=600)
    for point in islice(stream.points(()), 400):
        times = timings.times(point)
        assert times
        stream.keep(point, times)
    assert (stream.largest > 4 * ELEMENTS) is larger
    assert stream.largest == max(point.work.elements for point in stream.seen.values())


def systematic(
    release: Release, seed: int, us: float = 100.0, *, grows: bool = False, backward: bool = True
) -> tuple[list[Point], Point]:
    """The systematic inputs of a stream, each as often as it comes, and the first random one."""
    timings, _ = timings_of(lambda _case, _pass: us, 600.0, backward=backward)
    contrasts = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    stream = InputStream(contrasts, seed, random.Random(seed), grows=grows, max_stale=600)
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
    # Half as many steps are taken at a time, and inputs of few dimensions have no more of them.
    assert set(Counter(point.key for point in again).values()) == {1, 2}


def test_systematic_inputs_take_little_by_what_the_canonical_ones_took(release: Release) -> None:
    quick, _ = systematic(release, 1, us=10.0)
    costly, _ = systematic(release, 1, us=20_000.0)
    assert max(point.work.elements for point in costly) < ELEMENTS / 8 < max(point.work.elements for point in quick)


def test_where_inputs_grow_some_systematic_ones_are_large(release: Release) -> None:
    points, _ = systematic(release, 1, grows=True)
    assert max(point.work.elements for point in points) > 4 * ELEMENTS
