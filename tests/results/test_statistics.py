"""Statistics are those that the docstring defines."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.results.statistics import summarise

samples = st.lists(st.floats(0, 1e9), min_size=1, max_size=50)


def test_a_known_example() -> None:
    series = summarise([4, 1, 3, 2], loops=7)
    assert (series.count, series.mean, series.median, series.min, series.max) == (4, 2.5, 2.5, 1, 4)
    assert (series.p50, series.p90, series.p99) == (2.5, pytest.approx(3.7), pytest.approx(3.97))
    assert series.std == pytest.approx(math.sqrt(5 / 3))
    assert (series.samples, series.loops) == ((4, 1, 3, 2), 7)


@given(samples)
def test_no_sample_is_dropped_or_moved(values: list[float]) -> None:
    series = summarise(values)
    assert series.samples == tuple(values)
    assert series.count == len(values)


@given(samples)
def test_statistics_agree_with_pythons(values: list[float]) -> None:
    series = summarise(values)
    assert series.median == pytest.approx(statistics.median(values))
    assert series.mean == pytest.approx(statistics.fmean(values))
    if len(values) > 1:
        assert series.std == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-6)
        cuts = statistics.quantiles(values, n=100, method="inclusive")
        assert (series.p90, series.p99) == (pytest.approx(cuts[89]), pytest.approx(cuts[98]))


@given(samples)
def test_percentiles_are_in_order(values: list[float]) -> None:
    series = summarise(values)
    ordered = [series.min, series.p50, series.p90, series.p99, series.max]
    assert all(low <= high * (1 + 1e-12) for low, high in itertools.pairwise(ordered))


def test_one_sample_has_no_spread() -> None:
    series = summarise([5.0])
    assert (series.std, series.p99, series.median) == (0, 5, 5)


@pytest.mark.parametrize("values", [[], [float("nan")], [1.0, float("inf")]])
def test_nothing_and_the_infinite_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="expected at least one, all of them finite"):
        summarise(values)
