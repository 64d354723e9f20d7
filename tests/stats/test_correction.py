"""Samples at the reference speed of the machine."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from autoperf.core.machine import Probes, Reference
from autoperf.stats.correction import (
    MIN_STEADY,
    at_reference,
    corrected,
    probe_median,
    smoothed,
    speeds,
    steady_samples,
)
from autoperf.stats.statistics import Correction, process_medians, reference_samples, summarise

REFERENCE = Reference("a probe", 2.0, "2026-01-01T00:00:00+00:00")


def probes(*readings: float) -> Probes:
    return Probes(readings, readings)


def test_a_machine_at_half_speed_takes_half_as_long_at_reference_speed() -> None:
    assert corrected([100.0] * 3, probes(4.0, 4.0, 4.0), (3,), REFERENCE, 1.0) == pytest.approx([50.0] * 3)
    assert corrected([100.0] * 3, probes(2.0, 2.0, 2.0), (3,), REFERENCE, 1.0) == pytest.approx([100.0] * 3)


def test_the_slope_says_how_strongly_a_case_follows() -> None:
    halved = corrected([100.0], probes(4.0), (1,), REFERENCE, 0.5)
    assert halved == pytest.approx([100 / 2**0.5])
    assert corrected([100.0], probes(4.0), (1,), REFERENCE, 0.0) == [100.0]


def test_no_figure_is_longer_than_its_samples() -> None:
    """The reference was measured beside other programs: nothing ever took the time that a division would give."""
    used = at_reference([100.0] * 9, probes(*[1.0] * 9), (9,), REFERENCE, 1.0)
    assert used.samples == [100.0] * 9


def test_both_readings_count_alike() -> None:
    beside = Probes((2.0,), (8.0,))
    assert corrected([100.0], beside, (1,), REFERENCE, 1.0) == pytest.approx([50.0])
    assert probe_median(beside) == pytest.approx(4.0)


def test_one_reading_that_is_wrong_changes_nothing() -> None:
    readings = [2.0] * 4 + [9.0] + [2.0] * 4
    assert corrected([100.0] * 9, probes(*readings), (9,), REFERENCE, 1.0) == pytest.approx([100.0] * 9)


def test_no_window_spans_two_processes() -> None:
    readings = [2.0] * 6 + [4.0] * 6
    values = corrected([100.0] * 12, probes(*readings), (6, 6), REFERENCE, 1.0)
    assert values == pytest.approx([100.0] * 6 + [50.0] * 6)


def test_windows_are_smaller_at_the_ends() -> None:
    assert smoothed([1.0, 9.0, 2.0, 3.0, 8.0], window=3) == [5.0, 2.0, 3.0, 3.0, 5.5]


def test_a_run_through_two_states_of_the_machine_has_one_median() -> None:
    """A slow half of the samples, by 1.4, is slower by the probe too."""
    rng = np.random.default_rng(1)
    state = np.repeat([1.0, 1.4], 40)
    samples = 300 * state * rng.normal(1, 0.01, 80)
    readings = 2 * state * rng.normal(1, 0.02, 80)
    beside = Probes(tuple(readings.tolist()), tuple(readings.tolist()))
    found = summarise(samples.tolist(), correction=Correction(beside, REFERENCE, 1.0))
    assert found.median == pytest.approx(300, rel=0.01)
    assert found.uncorrected == pytest.approx(float(np.median(samples)))
    assert found.std < 0.03 * found.median
    assert found.samples == tuple(samples.tolist())
    assert (found.slope, found.speed) == (1.0, pytest.approx(1 / 1.2, rel=0.2))


def test_without_a_probe_nothing_of_it_is_told() -> None:
    found = summarise([1.0, 2.0, 3.0])
    assert not any(key in msgspec.to_builtins(found) for key in ("probes", "slope", "uncorrected", "speed"))


@pytest.mark.parametrize(
    ("beside", "problem"),
    [
        (probes(1.0), "expected 2 before and after, got 1 and 1"),
        (probes(1.0, 0.0), "invalid reading of the probe 0.0"),
        (probes(1.0, float("nan")), "invalid reading of the probe nan"),
    ],
)
def test_readings_that_do_not_fit_are_refused(beside: Probes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        corrected([1.0, 2.0], beside, (2,), REFERENCE, 1.0)


@pytest.mark.parametrize("us", [0.0, -1.0, float("nan"), float("inf")])
def test_a_reference_is_a_time(us: float) -> None:
    with pytest.raises(ValueError, match="invalid time of the probe"):
        Reference("a probe", us, "")


def two_states(*slow: int, size: int = 12) -> tuple[list[float], Probes, list[int]]:
    """Processes of `size` samples, of which so many were taken while the machine took half as long again.

    The case itself took twice as long then, which no slope of 1 corrects.
    """
    samples: list[float] = []
    readings: list[float] = []
    for count in slow:
        samples += [200.0] * count + [100.0] * (size - count)
        readings += [3.0] * count + [2.0] * (size - count)
    return samples, Probes(tuple(readings), tuple(readings)), [size] * len(slow)


def test_samples_at_reference_speed_need_no_correction() -> None:
    used = at_reference(*two_states(6, 6, 0), REFERENCE, 1.0)
    assert used.is_steady
    assert set(used.samples) == {100.0}
    assert used.processes == (6, 6, 12)
    assert [len(part) for part in used.parts] == [6, 6, 12]


def test_without_enough_of_them_all_samples_are_corrected() -> None:
    samples, beside, processes = two_states(12, 12, 8)
    used = at_reference(samples, beside, processes, REFERENCE, 1.0)
    assert not used.is_steady
    assert used.processes == (12, 12, 12)
    assert used.samples == corrected(samples, beside, processes, REFERENCE, 1.0)


@pytest.mark.parametrize(
    ("slow", "is_steady"),
    [
        ((0, 0, 0, 0), True),
        ((0, 0, 12, 12), True),
        ((0, 12, 12, 12), False),
        ((0, 12), False),
        ((4,), True),
        ((12,), False),
        ((12, 12, 12, 12), False),
    ],
)
def test_half_of_the_processes_must_have_met_the_reference_speed(slow: tuple[int, ...], is_steady: bool) -> None:
    _, probes, processes = two_states(*slow)
    assert (steady_samples(speeds(probes, processes), processes, REFERENCE) is not None) is is_steady


def test_a_process_with_few_of_them_is_left_out() -> None:
    """Its median would be that of one or two samples."""
    used = at_reference(*two_states(0, 0, 0, 10), REFERENCE, 1.0)
    assert used.processes == (12, 12, 12, 0)


def test_cases_of_few_samples_are_judged_by_these() -> None:
    used = at_reference(*two_states(0, 0, 0, size=2), REFERENCE, 1.0)
    assert used.is_steady
    assert len(used.samples) < MIN_STEADY


def test_a_series_says_how_many_samples_its_figures_are_of() -> None:
    samples, beside, processes = two_states(6, 6, 0)
    series = summarise(samples, 1, processes, (), Correction(beside, REFERENCE, 1.0))
    assert (series.steady, series.count, len(series.samples)) == (24, 36, 36)
    assert series.median == series.max == 100.0
    assert series.uncorrected == 100.0
    assert list(reference_samples(series, REFERENCE)) == [100.0] * 24
    assert process_medians(series, REFERENCE) == dict.fromkeys(range(3), 100.0)


def test_a_series_that_was_written_before_is_of_all_its_samples() -> None:
    samples, beside, processes = two_states(6, 6, 0)
    series = summarise(samples, 1, processes, (), Correction(beside, REFERENCE, 1.0))
    before = msgspec.structs.replace(series, steady=msgspec.UNSET)
    assert len(reference_samples(before, REFERENCE)) == 36
