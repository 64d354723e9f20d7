"""A systematic selection has every pair of properties that its pool has, in few inputs, those with the most first."""

from __future__ import annotations

import pytest
from hunt_values import factory_of, point, with_axis

from autoperf.hunt.coverage import PairCoverage, pairs, properties
from autoperf.hunt.point import Point
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor


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
    gained, covered = [], set()
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
    alike = [point(release, "softmax", inputs(data=tensor(rows, 40), axis=1)) for rows in (20, 21, 22)]
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
        properties(point(release, "softmax", inputs(data=tensor(20, 40), **given)), {"axis", "temperature"})
        for given in (first, second)
    )
    assert {name for name, _ in left ^ right} == differ


def test_lengths_differ_by_their_class(release: Release) -> None:
    wide, narrow = (properties(point(release, "exp", inputs(data=tensor(64, size))), ()) for size in (64, 2))
    assert {name for name, _ in wide ^ narrow} == {"data[0] -1", "elements"}
