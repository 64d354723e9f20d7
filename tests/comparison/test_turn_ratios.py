"""Ratios by turns: noise shared by both sides cancels, and noise shared by a process's turns counts once."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import CHANGED, Comparison, ComparisonOptions, Verdict
from autoperf.comparison.ratios import (
    Differences,
    Ratios,
    VarianceInflation,
    estimate_inflation,
    factor,
    has_enough_turns,
    turn_differences,
    turn_ratios,
)
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Pass
from autoperf.runs.runfile import RunHeader
from tests.values import HEADER, outcome, passed, series, write_run

PAIRS, TURNS = 5, 20
IN_TURN = msgspec.structs.replace(HEADER, in_turn="3f2a")
# A machine whose processors differ by half: in three turns of ten the sides met different ones.
SLOWER, OFTEN = 0.45, 0.3


def noisy(rng: np.random.Generator, shape: tuple[int, ...], spread: float = 0.02, apart: float = 0.0) -> np.ndarray:
    """Differences about 0 in the logarithms, figures x pairs x turns; pairs are `apart` by a normal error."""
    found = rng.normal(0, spread, shape) + rng.normal(0, 1, (*shape[:-1], 1)) * apart
    return found + rng.choice([-SLOWER, SLOWER], shape) * (rng.random(shape) < OFTEN)


def figures(rng: np.random.Generator, count: int = 400, *, apart: float = 0.0, turns: int = TURNS) -> list[Differences]:
    return [list(one) for one in noisy(rng, (count, PAIRS, turns), apart=apart)]


def judged(given: list[Differences], slack: np.ndarray) -> Ratios:
    return turn_ratios(given, slack, np.ones(len(given)))


def none(count: int) -> np.ndarray:
    return np.zeros(count)


def test_turns_are_paired_by_their_place() -> None:
    nothing = float("nan")
    found = turn_differences([[100.0, 50.0, nothing], [nothing], [0.0]], [[110.0, 25.0, 3.0], [4.0], [0.0]])
    assert [one.tolist() for one in found] == [
        pytest.approx([np.log(1.1), -np.log(2)]),
        [0.0],
    ]


def test_few_turns_or_pairs_are_not_enough() -> None:
    assert has_enough_turns([np.zeros(4)] * 5)
    assert not has_enough_turns([*[np.zeros(4)] * 4, np.zeros(3)])
    assert not has_enough_turns([np.zeros(100)] * 4)
    assert not has_enough_turns(())


@pytest.mark.parametrize("apart", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("turns", [6, 20])
def test_intervals_hold_the_truth_as_often_as_they_say(apart: float, turns: int) -> None:
    """Also if the processes of a pair differ, which further turns can't average out."""
    found = judged(figures(np.random.default_rng(1), apart=apart, turns=turns), none(400))
    held = np.mean((found.low <= 1) & (found.high >= 1))
    assert 0.93 <= held <= 0.995
    assert np.mean(found.p < 0.05) <= 0.07
    assert np.mean(found.p < 0.001) <= 0.0075


def test_ten_percent_are_found_where_three_turns_of_ten_are_off_by_half() -> None:
    rng = np.random.default_rng(2)
    slower = [[one + np.log(1.1) for one in figure] for figure in figures(rng, apart=0.01)]
    found = judged(slower, none(400))
    assert np.median(found.ratio) == pytest.approx(1.1, rel=0.005)
    assert np.mean((found.p < 1e-3) & (found.ratio > 1.05)) > 0.98


def test_turns_that_are_independent_are_told_from_such_that_are_not() -> None:
    rng = np.random.default_rng(3)
    alone, alike = (estimate_inflation(figures(rng, apart=apart)) for apart in (0.0, 0.03))
    assert alone.factor == pytest.approx(1.0, abs=0.25)
    assert alike.factor > 2


def test_one_factor_for_all_figures_has_many_degrees_of_freedom() -> None:
    assert estimate_inflation(figures(np.random.default_rng(4), 2000)).freedom > 40
    mixed = figures(np.random.default_rng(4), 1000) + figures(np.random.default_rng(5), 1000, apart=0.1)
    assert estimate_inflation(mixed).freedom < 20


def test_without_figures_that_tell_what_is_usual_stands_in() -> None:
    found = estimate_inflation([[np.zeros(4), np.zeros(4)]])
    assert isinstance(found, VarianceInflation)
    assert 1 < found.factor < 3


def test_equal_readings_are_no_change() -> None:
    figure = [np.zeros(20), np.zeros(20)]
    assert np.isnan(factor(figure))
    found = judged([figure], none(1))
    assert (found.ratio[0], found.low[0], found.high[0], found.p[0]) == (1, 1, 1, 1)


def test_sides_change_places() -> None:
    there = figures(np.random.default_rng(6), 50, apart=0.02)
    one = judged(there, none(50))
    other = judged([[-turns for turns in figure] for figure in there], none(50))
    assert np.allclose(one.ratio * other.ratio, 1)
    assert np.allclose(one.low * other.high, 1)
    assert np.allclose(one.p, other.p)


def test_slack_widens_the_interval_and_excuses_a_difference() -> None:
    rng = np.random.default_rng(7)
    slower = [[one + np.log(1.04) for one in figure] for figure in figures(rng, 100)]
    plain, wide = judged(slower, none(100)), judged(slower, np.full(100, np.log(1.05)))
    assert np.allclose(wide.low * 1.05, plain.low)
    assert np.allclose(wide.high / 1.05, plain.high)
    assert np.median(plain.p) < 1e-3
    assert np.median(wide.p) > 0.5


def test_where_turns_are_too_few_the_interval_goes_beyond_them() -> None:
    figure = [np.linspace(-0.3, 0.3, 4) for _ in range(5)]
    others = figures(np.random.default_rng(8), 30, apart=0.3)
    found = judged([figure, *others], none(31))
    assert found.low[0] < np.exp(-0.3)
    assert found.high[0] > np.exp(0.3)


def run(path: Path, shift: np.ndarray, shared: np.ndarray, header: RunHeader = IN_TURN) -> Path:
    """Cases whose turns have shared noise and some of their own; three samples for each turn."""
    rng = np.random.default_rng(len(path.name))

    def figure(number: int, centre: float) -> Pass:
        own = rng.normal(0, 0.02, (PAIRS, TURNS, 3))
        times = centre * np.exp(shift[number] + shared[number][..., None] + own)
        made = series(*(process.ravel().tolist() for process in times))
        return passed(msgspec.structs.replace(made, turns=((3,) * TURNS,) * PAIRS))

    outcomes: list[Outcome] = [outcome(number, figure(number, 60.0 + number)) for number in range(len(shift))]
    return write_run(path, outcomes, header)


def compared(folder: Path, base: RunHeader, new: RunHeader) -> tuple[Comparison, set[str]]:
    """Half of the cases are 10% slower; both sides share a machine that is 1.5 times slower in half of all turns."""
    rng = np.random.default_rng(9)
    shift = np.where(np.arange(60) % 2, np.log(1.1), 0.0)
    shared = (rng.random((60, PAIRS, TURNS)) < 0.5) * SLOWER + rng.normal(0, 0.1, (60, PAIRS, 1))
    first = run(folder / "base.ndjson", none(60), shared, base)
    found = compare_files(first, run(folder / "new.ndjson", shift, shared, new), ComparisonOptions())
    return found, {f"exp/{number:08x}" for number in range(60) if number % 2}


def test_files_measured_in_turn_are_compared_turn_by_turn(tmp_path: Path) -> None:
    found, slower = compared(tmp_path, IN_TURN, IN_TURN)
    assert {one.case for one in found.cases if one.verdict is Verdict.SLOWER} == slower
    assert {one.case for one in found.cases if one.verdict is Verdict.SAME} == {
        one.case for one in found.cases
    } - slower
    assert all((one.base_processes, one.new_processes) == (PAIRS, PAIRS) for one in found.cases)
    assert found.notices == ()


@pytest.mark.parametrize("other", [HEADER, msgspec.structs.replace(HEADER, in_turn="77aa")], ids=["alone", "another"])
def test_turns_of_files_that_do_not_belong_together_say_nothing(tmp_path: Path, other: RunHeader) -> None:
    found, _ = compared(tmp_path, IN_TURN, other)
    assert not [one for one in found.cases if one.verdict in CHANGED]
    assert all(one.high - one.low > 0.05 for one in found.cases)


def test_a_side_that_lost_turns_is_compared_by_its_processes(tmp_path: Path) -> None:
    path = run(tmp_path / "base.ndjson", none(3), np.zeros((3, PAIRS, TURNS)))
    short = passed(msgspec.structs.replace(series([60.5] * 9, [60.5] * 9), turns=((3,) * 3,) * 2))
    found = compare_files(path, write_run(tmp_path / "new.ndjson", [outcome(0, short)], IN_TURN), ComparisonOptions())
    assert [(one.base_processes, one.new_processes) for one in found.cases] == [(PAIRS, 2)]


def test_an_aa_run_is_not_needed_where_sides_took_turns(tmp_path: Path) -> None:
    base, new = (run(tmp_path / name, none(3), np.zeros((3, PAIRS, TURNS))) for name in ("base.ndjson", "new.ndjson"))
    found = compare_files(base, new, ComparisonOptions(), (base, new))
    assert "3 of 3 figures were measured in turn, so the A/A run isn't needed" in found.notices


def test_turns_that_do_not_add_up_are_named(tmp_path: Path) -> None:
    wrong = passed(msgspec.structs.replace(series([5.5] * 4, [5.5] * 4), turns=((2, 2), (2, 3))))
    path = write_run(tmp_path / "run.ndjson", [outcome(0, wrong)], IN_TURN)
    with pytest.raises(UsageError, match=r"run.ndjson, line 3: invalid turns .*: expected sums of"):
        compare_files(path, path, ComparisonOptions())
