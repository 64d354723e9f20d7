"""How much longer a call takes than another, by pairs of samples, and whether these agree."""

from __future__ import annotations

import pytest

from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Difference, Series
from autoperf.results.paired_differences import median_difference, paired_difference
from autoperf.results.statistics import Correction, summarise

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
