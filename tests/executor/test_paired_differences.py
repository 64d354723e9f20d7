"""What Python adds to a call is told from pairs of samples, where these agree."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import Difference
from autoperf.core.probe import Probes, Reference
from autoperf.executor.messages import PassSamples, PythonSamples
from autoperf.executor.paired_differences import median_difference, python_cost
from autoperf.results.statistics import summarise

SAMPLES = tuple(20.0 + number for number in range(12))
REFERENCE = Reference("machine", 2.0, "")


def part(wall: tuple[float, ...], python: tuple[float, ...], probe: float | None = None) -> PassSamples:
    readings = Probes((probe,) * len(wall), (probe,) * len(wall)) if probe else None
    return PassSamples(wall, wall_probes=readings, python=PythonSamples("mx.nd.exp", python, readings))


def longer(samples: tuple[float, ...], by: float) -> tuple[float, ...]:
    return tuple(sample + by for sample in samples)


def test_what_both_calls_share_is_not_in_the_difference() -> None:
    """The intervals of both figures overlap, since processes and samples differ by more than the calls do."""
    walls = (SAMPLES, longer(SAMPLES, 30.0))
    figure = summarise([sample for wall in walls for sample in wall])
    cost = python_cost([part(wall, longer(wall, 3.0)) for wall in walls], figure, figure, None)
    assert cost == Difference(3.0, 3.0, 3.0)
    assert cost.has_sign


def test_processes_of_different_signs_leave_it_unclear() -> None:
    cost = median_difference([[2.0] * 12, [-1.0] * 6])
    assert cost == Difference(2.0, -1.0, 2.0)
    assert not cost.has_sign


@pytest.mark.parametrize("differences", [[1.0, -1.0] * 6, [1.0] * 5, [0.0] * 12])
def test_an_interval_with_zero_and_too_few_pairs_are_unclear(differences: list[float]) -> None:
    cost = median_difference([differences])
    assert cost is not None
    assert not cost.has_sign


def test_samples_at_reference_speed_decide() -> None:
    """At half the speed, samples with a slope of 1 are twice as long; they are left out where the others suffice."""
    slow = part(longer(SAMPLES, 20.0), longer(SAMPLES, 40.0), probe=4.0)
    figure = msgspec.structs.replace(summarise(SAMPLES), slope=1.0)
    steady = part(SAMPLES, longer(SAMPLES, 5.0), probe=2.0)
    assert python_cost([steady, slow], figure, figure, REFERENCE) == Difference(5.0, 5.0, 5.0)
    assert python_cost([slow], figure, figure, REFERENCE) == Difference(10.0, 10.0, 10.0)


def test_without_a_function_there_is_no_difference() -> None:
    figure = summarise(SAMPLES)
    assert python_cost([PassSamples(SAMPLES)], figure, figure, None) is msgspec.UNSET
