"""A figure is one median for each process, resolved as finely as its clock allows."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec
import pytest

from autoperf.comparison.figures import Figure, FigureSamples, Scale, in_one_state, sampled_series
from autoperf.core.clocks import INSTRUCTIONS, KERNEL, WALL
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Series
from tests.comparison.analysis_values import figure
from tests.values import outcome, passed, series


def test_each_process_has_its_median() -> None:
    found = figure(series([1.5, 2.5, 9.5], [3.5, 4.5, 4.25]))
    assert found.times == (2.5, 4.25)
    assert found.step == 0
    assert found.median == 3.375


def test_one_process_needs_no_counts() -> None:
    assert figure(series([4.5, 1.25, 2.5])).times == (2.5,)


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        ([8, 8, 8, 8], 8.0),
        ([7, 8, 8, 9], 8.0),
        ([8, 8, 8, 9], 7.5 + 2 / 3),  # the median lies two thirds into the three that read 8
        ([8, 9, 9, 9], 8.5 + 1 / 3),
    ],
)
def test_readings_of_a_coarse_clock_are_grouped(readings: list[float], expected: float) -> None:
    found = figure(series(readings))
    assert found.step == 1
    assert found.times[0] == pytest.approx(expected)


def test_means_over_several_calls_have_no_step() -> None:
    """Calls begin anywhere in a microsecond, so rounding errors average out."""
    assert figure(msgspec.structs.replace(series([2.25, 2.5, 2.25]), loops=4)).step == 0.0
    assert figure(series([2.0, 3.0, 2.0])).step == 1.0


def test_processes_must_add_up() -> None:
    broken = msgspec.structs.replace(series([1.0, 2.0, 3.0]), processes=(2, 2))
    with pytest.raises(ValueError, match=r"invalid counts \(2, 2\) of samples by process: expected a sum of 3"):
        figure(broken)


@pytest.mark.parametrize("loops", [0, -4])
def test_samples_are_of_calls(loops: int) -> None:
    broken = msgspec.structs.replace(series([1.0, 2.0, 3.0]), loops=loops)
    with pytest.raises(ValueError, match=f"invalid loops {loops}: expected at least 1"):
        figure(broken)


def test_what_reads_as_nothing_has_a_logarithm() -> None:
    assert figure(series([0.0, 0.0])).logs == [pytest.approx(-4.605, abs=0.001)]


def test_series_are_what_there_is_of_what_is_asked_for() -> None:
    both = outcome(0, passed(series([1.5]), series([2.5])), passed(None, series([3.5])))
    assert [(name, clock) for name, clock, _ in sampled_series(both)] == [
        ("forward", KERNEL), ("forward", WALL), ("backward", WALL),
    ]  # fmt: skip
    assert [(name, clock) for name, clock, _ in sampled_series(both, ("backward",), (KERNEL,))] == []
    assert [(name, clock) for name, clock, _ in sampled_series(both, ("forward",), (WALL,))] == [("forward", WALL)]


def test_counts_have_no_step() -> None:
    counted = series([8, 8, 8, 9], [8, 9, 9, 9])
    forward = msgspec.structs.replace(passed(wall=counted), instructions=counted)
    by_clock = {
        clock: figure(series, exact=not clock.is_time)
        for _, clock, series in sampled_series(outcome(0, forward), metrics=(WALL, INSTRUCTIONS))
    }
    assert (by_clock[WALL].step, by_clock[INSTRUCTIONS].step) == (1, 0)
    assert by_clock[INSTRUCTIONS].times == (8.0, 9.0)


REFERENCE = Reference("probe", 2.0, "2026-11-30T00:00:00Z")
PER_TURN = 4


def in_turn(speeds: Sequence[float], time: float, offset: float = 1.0, slope: float = 1.0) -> Series:
    """One process of a side, whose turns are at these speeds and whose readings are off by a factor of its own."""
    samples = [sample for speed in speeds for sample in [time * (speed / REFERENCE.us) ** slope] * PER_TURN]
    readings = tuple(offset * speed for speed in speeds for _ in range(PER_TURN))
    sizes = ((PER_TURN,) * len(speeds),)
    return msgspec.structs.replace(series(samples), turns=sizes, probes=Probes(readings, readings), slope=slope)


def together(*series: Series, in_turn: bool = True) -> tuple[Figure, Figure]:
    """The figures of both sides, at the reference speed."""
    sides = [FigureSamples(each, Scale(REFERENCE, REFERENCE, in_turn)) for each in series]
    base, new = (side.figure(1.0) for side in sides)
    return in_one_state((base, new), sides, REFERENCE, 1.0)


def ratios(base: Series, new: Series) -> list[float]:
    """NEW / BASE of each turn, as a comparison of interleaved sides has it."""
    first, second = together(base, new)
    return [after / before for before, after in zip(first.turns[0], second.turns[0], strict=True)]


def test_readings_that_differ_by_percents_between_processes_change_no_turn_at_one_speed() -> None:
    speeds = [2.0, 2.02, 2.05] * 10
    assert ratios(in_turn(speeds, 100.0), in_turn(speeds, 100.0, offset=1.08)) == pytest.approx([1.0] * 30)
    assert ratios(in_turn(speeds, 100.0), in_turn(speeds, 103.0, offset=0.93)) == pytest.approx([1.03] * 30)


def test_turns_in_two_states_of_the_machine_keep_their_corrections() -> None:
    base, new = in_turn([2.0] * 10 + [3.14] * 10, 100.0), in_turn([3.14] * 10 + [2.0] * 10, 110.0)
    assert statistics.median(ratios(base, new)) == pytest.approx(1.1, rel=0.001)


def test_both_sides_in_one_slow_state_are_brought_to_the_reference_by_one_factor() -> None:
    base, new = together(*(in_turn([3.0] * 10, time, offset) for time, offset in ((100.3, 1.04), (105.3, 1 / 1.04))))
    assert base.turns[0] == pytest.approx([100.3] * 10)
    assert new.turns[0] == pytest.approx([105.3] * 10)


def test_turns_of_two_files_that_do_not_belong_together_are_corrected_each_by_its_own_readings() -> None:
    base, new = together(in_turn([2.0] * 10, 100.3), in_turn([2.0] * 10, 100.3, offset=1.08), in_turn=False)
    assert [after / before for before, after in zip(base.turns[0], new.turns[0], strict=True)] == pytest.approx(
        [1 / 1.08] * 10
    )
