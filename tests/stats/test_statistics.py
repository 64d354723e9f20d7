"""Statistics are those that the docstring defines, and differences of pairs say whether these agree."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Difference, Series
from autoperf.stats.statistics import Correction, median_difference, paired_difference, summarise

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


SAMPLES = [20.0 + number for number in range(12)]
REFERENCE = Reference("machine", 2.0, "")


def longer(samples: list[float], by: float) -> list[float]:
    return [sample + by for sample in samples]


def figure(*processes: list[float], probe: list[float] | None = None) -> Series:
    """Of processes with 12 samples each; with readings of the probe, one for each process, the slope is 1."""
    samples = [sample for process in processes for sample in process]
    readings = tuple(reading for reading in probe or () for _ in SAMPLES)
    correction = Correction(Probes(readings, readings), REFERENCE, 1.0) if probe else None
    return summarise(samples, processes=[len(process) for process in processes], correction=correction)


def test_what_both_calls_share_is_not_in_the_difference() -> None:
    """The intervals of both figures overlap, since processes and samples differ by more than the calls do."""
    first, second = (figure(longer(SAMPLES, cost), longer(SAMPLES, cost + 30.0)) for cost in (0.0, 3.0))
    assert first.high > second.low  # type: ignore[operator]
    difference = paired_difference(first, second, None)
    assert difference == Difference(3.0, 3.0, 3.0)
    assert difference.has_sign


def test_processes_of_different_signs_leave_it_unclear() -> None:
    difference = median_difference([[2.0] * 12, [-1.0] * 6])
    assert difference == Difference(2.0, -1.0, 2.0)
    assert not difference.has_sign


@pytest.mark.parametrize("differences", [[1.0, -1.0] * 6, [1.0] * 5, [0.0] * 12])
def test_an_interval_with_zero_and_too_few_pairs_are_unclear(differences: list[float]) -> None:
    assert not median_difference([differences]).has_sign


def test_samples_at_reference_speed_decide() -> None:
    """At half the speed, samples with a slope of 1 are twice as long; they are left out where the others suffice."""
    slow, slower = longer(SAMPLES, 20.0), longer(SAMPLES, 40.0)
    steady, longer_by_5 = SAMPLES, longer(SAMPLES, 5.0)
    first, second = figure(steady, slow, probe=[2.0, 4.0]), figure(longer_by_5, slower, probe=[2.0, 4.0])
    assert paired_difference(first, second, REFERENCE) == Difference(5.0, 5.0, 5.0)
    first, second = figure(slow, probe=[4.0]), figure(slower, probe=[4.0])
    assert paired_difference(first, second, REFERENCE) == Difference(10.0, 10.0, 10.0)


def test_figures_of_other_processes_have_no_pairs() -> None:
    assert paired_difference(figure(SAMPLES), figure(SAMPLES, SAMPLES), None) is None
