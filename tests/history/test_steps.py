"""Levels that change and stay are found in a history, and the last run of a short one is judged; none is invented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from autoperf.comparison.comparison import Verdict
from autoperf.comparison.expectations import Acceptance, Expectations
from autoperf.history.report import series_report
from autoperf.history.series import HistoryChanges, LastFigure, SeriesSet, changes_of, last_figures
from autoperf.history.standing import accepted_steps, standing_answer
from autoperf.history.steps import Floats, follow, masked_median, told_once, with_cases
from autoperf.history.store import HistoryCase
from tests.reports.report_values import history_change, history_series
from tests.scripts import load_script

NIGHTS = 90
AT = 60


def noise(series: int, seed: int = 1, deviation: float = 0.006) -> Floats:
    rng = np.random.default_rng(seed)
    return deviation * rng.standard_normal((series, NIGHTS)) + rng.uniform(1, 8, size=(series, 1))


@pytest.mark.parametrize("ratio", [1.05, 1 / 1.05, 2.0])
def test_a_step_is_found_within_three_nights(ratio: float) -> None:
    logs = noise(60)
    logs[7, AT:] += np.log(ratio)
    (step,) = follow(logs).steps
    assert step.series == 7
    assert step.first == AT
    assert step.decided <= AT + 2
    assert step.after - step.before == pytest.approx(np.log(ratio), abs=0.02)


def test_the_night_and_the_interval_hold_the_planted_step() -> None:
    """In each of 200 series; an interval misses it as often as its level says, beside the bound on residuals."""
    logs = noise(1000, seed=4)
    logs[:200, AT:] += np.log(1.1)
    steps = [step for step in follow(logs).steps if step.series < 200]
    assert len(steps) == 200
    assert np.mean([step.first == AT for step in steps]) > 0.98
    assert np.mean([abs(step.after - step.before - np.log(1.1)) <= step.reach for step in steps]) > 0.92


def test_noise_has_no_steps() -> None:
    assert follow(noise(500)).steps == []


@pytest.mark.parametrize("nights", [1, 2])
def test_disturbed_nights_are_no_step(nights: int) -> None:
    logs = noise(60)
    logs[:10, AT : AT + nights] += 0.5
    assert follow(logs).steps == []


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_most_series_share_is_the_machines_as_far_as_its_speed_says(share: float, sign: int) -> None:
    """Otherwise it is the build's, and the other series don't change in the opposite direction."""
    logs = noise(60)
    slow = int(share * 60)
    logs[:slow, AT:] += sign * 0.2
    unknown = follow(logs).steps
    assert {step.series for step in unknown} == set(range(slow))
    assert {np.sign(step.after - step.before) for step in unknown} == {sign}
    machine = np.where(np.arange(NIGHTS) < AT, 0.0, sign * 0.2)
    known = follow(logs, machine).steps
    # What is before and after is as measured, whatever is subtracted.
    assert {step.series for step in known} == set(range(slow, 60))
    assert all(abs(step.after - step.before) < 0.02 for step in known)
    assert all(step.size == pytest.approx(-sign * 0.2, abs=0.02) for step in known)
    assert all(step.ratios[1] < 1 < step.ratios[2] for step in known)
    assert {step.series for step in follow(logs, -machine).steps} == set(range(slow))


@pytest.mark.parametrize(("changed", "built"), [(3, None), (9, None), (60, None), (60, 80), (25, 14), (20, 26)])
@pytest.mark.parametrize("disturbed", [False, True])
def test_a_change_of_the_reference_neither_makes_nor_hides_steps(
    changed: int, built: int | None, disturbed: bool
) -> None:
    """Nor if everything is disturbed in its first night."""
    speed = np.where(np.arange(NIGHTS) < changed, 0.0, np.log(0.92))
    logs = noise(60) + speed
    logs[:, changed] += 0.05 * disturbed
    if built:
        logs[:, built:] += np.log(1.07)
    assert {step.first for step in follow(logs, speed - np.median(speed)).steps} == ({built} if built else set())


def test_in_no_night_is_more_the_machines_than_its_speed_says() -> None:
    speed = np.where(np.arange(NIGHTS) < 8, 0.0, np.log(1.08))
    logs = noise(60) + 2 * speed
    subtracted = np.median(logs - follow(logs, speed).values, axis=0)
    assert subtracted == pytest.approx(speed, abs=1e-9)


def test_missing_nights_neither_hide_nor_make_a_step() -> None:
    logs = noise(60)
    logs[7, AT:] += 0.1
    logs[:, 30:40] = np.nan
    logs[7, AT + 1] = np.nan
    logs[8] = np.nan
    assert [(step.series, step.first) for step in follow(logs).steps] == [(7, AT)]


def test_a_second_step_is_found_from_the_new_level() -> None:
    logs = noise(60)
    logs[7, 40:] += 0.1
    logs[7, 80:] -= 0.1
    assert [step.first for step in follow(logs).steps] == [40, 80]


def test_figures_of_a_case_show_together_what_each_hides() -> None:
    logs = noise(80, seed=2, deviation=0.015)
    logs[28:32, AT:] += np.log(1.05)
    steps = follow(with_cases(logs, np.repeat(np.arange(20), 4))).steps
    early = [step.series for step in steps if step.decided <= AT + 2]
    assert early == [80 + 7]


def test_a_step_of_a_figure_is_told_once() -> None:
    logs = noise(80, deviation=0.004)
    logs[28:32, AT:] += np.log(1.3)
    cases = np.repeat(np.arange(20), 4)
    steps = told_once(follow(with_cases(logs, cases)).steps, cases)
    assert sorted(step.series for step in steps) == [28, 29, 30, 31]


def test_a_step_that_a_figure_shows_later_is_told_once() -> None:
    """The joint series decides first, since it is less noisy; the figure follows some nights later."""
    for seed in range(8):
        logs = noise(80, seed=seed, deviation=0.012)
        logs[28:32, AT:] += np.log(1.06)
        cases = np.repeat(np.arange(20), 4)
        steps = follow(with_cases(logs, cases)).steps
        told = told_once(steps, cases)
        assert {step.series for step in steps} > {80 + 7}
        assert {step.series for step in told} == {step.series for step in steps} - {80 + 7}


def test_a_step_of_ten_nights_is_found() -> None:
    logs = noise(200)[:, :10]
    logs[:20, 7:] += np.log(1.1)
    assert {(step.series, step.first, step.decided) for step in follow(logs).steps} == {
        (row, 7, 9) for row in range(20)
    }
    assert follow(logs[:, :9]).steps == []


def test_a_new_level_is_judged_again_after_seven_nights() -> None:
    logs = noise(60)
    logs[7, AT:] += 0.1
    logs[7, AT + 7 :] += 0.1
    assert [(step.first, step.series) for step in follow(logs).steps] == [(AT, 7), (AT + 7, 7)]
    assert list(np.flatnonzero(~follow(logs[:, : AT + 6]).judged)) == [7]


def test_going_to_and_fro_between_two_known_levels_is_no_step() -> None:
    logs = noise(60)
    logs[:20] += 0.2 * (np.random.default_rng(3).random((20, NIGHTS)) < 0.3)
    assert [step for step in follow(logs).steps if step.first >= 20] == []


def test_a_last_night_that_differs_alone_is_a_suspect_and_no_step() -> None:
    logs = noise(60)
    logs[7, -1] += np.log(1.2)
    logs[8, -1] += np.log(1.03)
    found = follow(logs)
    assert (found.steps, [each.series for each in found.suspects]) == ([], [7])
    assert found.suspects[0].after - found.suspects[0].before == pytest.approx(np.log(1.2), abs=0.03)


@pytest.mark.parametrize("nights", [1, 2])
def test_suspects_are_measurements_that_make_no_step_yet(nights: int) -> None:
    """All figures of a case together are none of their own."""
    logs = noise(60)
    logs[8:12, -nights:] += np.log(1.2)
    found = series_of(logs, logs[:0]).found
    assert sorted(each.series for each in found.suspects) == [8, 9, 10, 11]
    suspects = [history_change("exp", ratio) for ratio in (1.2, 1.3)]
    (words,) = standing_answer(HistoryChanges([], 60, suspects=suspects))
    assert words.startswith("2 measurements are slower in the last night, which is no step yet (exp 1.30 times, exp")


def test_a_line_accepts_a_step_on_each_machine() -> None:
    logs = noise(60)
    logs[7, AT:] += np.log(1.18)
    found = [change for first in (1, 1001) for change in changes_of(history_series(logs, first=first))]
    accepting = Expectations(accepted=(Acceptance(operator="op7", ratio=1.2, reason="it checks its bounds"),))
    assert [each.change.runs[0].run for each in accepted_steps(found, accepting)] == [1, 1001]


def test_what_a_control_shows_is_the_machines_wholly() -> None:
    """Of half of the series too, which no probe explains; a change of the build beside it remains."""
    logs = noise(60)
    control = np.where(np.arange(NIGHTS) < AT, 0.0, np.log(1.04))
    logs += control
    assert len(follow(logs).steps) > 50
    assert follow(logs, control=control).steps == []
    logs[7, AT:] += np.log(1.1)
    (step,) = follow(logs, control=control).steps
    assert step.after - step.before == pytest.approx(np.log(1.04 * 1.1), abs=0.01)
    assert step.size == pytest.approx(np.log(1.1), abs=0.01)


@pytest.mark.parametrize("by_control", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_has_the_direction_of_the_build_beside_one_of_the_machine(sign: int, by_control: bool) -> None:
    """Its times are as measured; a line accepts it by the build's part."""
    logs = noise(60, seed=3)
    machine = np.where(np.arange(NIGHTS) < AT, 0.0, -sign * np.log(1.1))
    logs += machine
    logs[7, AT:] += sign * np.log(1.08)
    series = history_series(logs, machine) if by_control else replace(history_series(logs), slower=machine)
    (change,) = changes_of(series)
    assert change.ratio == pytest.approx(1.08**sign, rel=0.01)
    assert change.machine == pytest.approx(1.1**-sign, rel=0.01)
    assert change.after_us / change.before_us == pytest.approx(change.ratio * change.machine)
    assert (change.low > 1, change.high < 1) == ((sign > 0, sign < 0) if by_control else (False, False))
    (words,) = series_report([series]).answer
    assert f" {'slower' if sign > 0 else 'faster'} since the night of 2026-03-02, without the machine's part" in words
    lines = [Expectations(accepted=(Acceptance(operator="op7", ratio=each, reason="a"),)) for each in (1.001, 1.1)]
    assert [len(accepted_steps([change], line)) for line in lines] == ([0, 0] if sign < 0 else [0, 1])


def test_counts_share_no_speed_of_the_machine() -> None:
    """A machine that becomes slower changes no count; a build with more instructions in all of them does."""
    times, counts = noise(40, deviation=0.004), noise(40, seed=2, deviation=1e-5)
    times[:, AT:] += np.log(1.1)
    slower = np.where(np.arange(NIGHTS) < AT, 0.0, np.log(1.1))
    assert series_of(times, counts, slower).found.changes == []
    counts[:, AT:] += np.log(1.1)
    assert {step.series for step in series_of(times, counts, slower).found.changes} == set(range(40, 80))
    counts[:, AT:] -= np.log(1.1)
    times[12:16, AT:] += np.log(1.3)
    found = series_of(times, counts, slower).found.changes
    assert [step.series for step in found] == [12, 13, 14, 15]
    assert [step.decided for step in found] == sorted(step.decided for step in found)


def series_of(times: Floats, counts: Floats, slower: Floats | None = None) -> SeriesSet:
    """Four times of a case and a count, by night, as a history has them."""
    named = [
        (row // 4, f"{('forward', 'backward')[row % 4 // 2]} {('kernel', 'wall')[row % 2]}")
        for row in range(len(times))
    ]
    keys = [*named, *((row, "forward instructions") for row in range(len(counts)))]
    cases = {row: HistoryCase(row, f"exp/{row}", "exp", "unary", "small", "") for row, _ in keys}
    named_cases = [(cases[row], figure) for row, figure in keys]
    return SeriesSet((), named_cases, np.exp(np.concatenate([times, counts])), slower)


def test_counts_of_a_last_run_are_compared_as_they_are() -> None:
    logs = times(np.random.default_rng(5), 20, 6)
    counts = np.broadcast_to(np.arange(5.0, 85.0)[:, None, None], logs.shape) + 1e-6 * logs
    logs[:, -1] += np.log(1.1)
    medians = np.exp(np.median(np.concatenate([logs, counts]), axis=2))
    figures = ["forward kernel"] * len(logs) + ["forward instructions"] * len(counts)
    keys = [(HistoryCase(row, f"exp/{row}", "exp", "unary", "small", ""), name) for row, name in enumerate(figures)]
    last = {(row, name): np.exp(np.concatenate([logs, counts])[row, -1]) for row, name in enumerate(figures)}
    found = last_figures(keys, medians, last, slower=np.append(np.zeros(5), np.log(1.15)))
    assert {figure.verdict for figure in found} <= {Verdict.SAME, Verdict.UNDECIDED}


def test_the_median_leaves_out_nan() -> None:
    rows = np.array([[3.0, np.nan, 1.0], [np.nan, np.nan, np.nan], [4.0, 2.0, 9.0]])
    medians, counts = masked_median(rows)
    np.testing.assert_array_equal(medians, [2.0, np.nan, 4.0])
    np.testing.assert_array_equal(counts, [2, 0, 3])


def test_three_disturbed_nights_in_a_row_are_no_step() -> None:
    logs = noise(60)
    for series in range(10):
        logs[series, AT : AT + 3] += np.random.default_rng(series).permutation([0.08, 0.2, 0.5])
    assert follow(logs).steps == []


def test_a_step_is_found_beside_a_disturbed_night() -> None:
    logs = noise(60)
    logs[7, AT:] += 0.1
    logs[7, AT + 1] += 0.4
    (step,) = follow(logs).steps
    assert (step.series, step.first) == (7, AT)
    assert step.decided <= AT + 3
    assert step.after - step.before == pytest.approx(0.1, abs=0.02)


BENCH = load_script("benches", "history.py")
PROCESSES = 5


def judged(
    logs: np.ndarray, name: str = "forward kernel", crowded: Sequence[int] = (), longer: float = 0.0
) -> list[LastFigure]:
    """The figures of the last run, in which the probe took longer; logarithms of times: series x runs x processes."""
    medians = np.exp(np.median(logs, axis=2))
    keys = [(HistoryCase(row, f"exp/{row}", "exp", "unary", "small", ""), name) for row in range(len(logs))]
    times = {(row, name): np.exp(logs[row, -1]) for row in range(len(logs))}
    slower = np.append(np.zeros(logs.shape[1] - 1), longer)
    return last_figures(keys, medians, times, {(row, name) for row in crowded}, slower)


def times(rng: np.random.Generator, cases: int, runs: int) -> np.ndarray:
    """Logarithms of times that vary between runs as measured, and between processes: series x runs x processes."""
    deviations = BENCH.deviations(rng, cases).reshape(-1, 1)
    logs = deviations * rng.standard_normal((4 * cases, runs)) + rng.uniform(3, 8, size=(4 * cases, 1))
    return np.asarray(logs[..., None] + deviations[..., None] * rng.standard_normal((4 * cases, runs, PROCESSES)))


@pytest.mark.parametrize("earlier", [2, 5, 10])
def test_a_slower_run_is_found_and_others_are_left(earlier: int) -> None:
    rng = np.random.default_rng(5)
    logs = times(rng, 100, earlier + 1)
    slow = np.arange(len(logs)) % 10 == 0
    logs[slow, -1] += np.log(1.15)
    found = {figure.series for figure in judged(logs) if figure.verdict is Verdict.SLOWER}
    assert len(found & set(np.flatnonzero(slow))) >= 0.9 * slow.sum()
    assert len(found - set(np.flatnonzero(slow))) <= 0.01 * len(logs)


@pytest.mark.parametrize("nights", [1, 2])
def test_half_of_the_series_that_became_slower_are_slower(nights: int) -> None:
    """The other half is not faster, and both times are as measured; a second night is judged against the first too."""
    logs = times(np.random.default_rng(5), 12, 6)
    slow = np.arange(len(logs)) % 2 == 0
    logs[slow, -nights:] += np.log(5.0)
    found = judged(logs)
    assert {figure.verdict for figure in found if not slow[figure.series]} <= {Verdict.SAME, Verdict.UNDECIDED}
    assert {figure.verdict for figure in found if slow[figure.series]} == {Verdict.SLOWER}
    medians = np.exp(np.median(logs, axis=2))
    assert [figure.after_us for figure in found] == pytest.approx(medians[:, -1])
    assert [figure.before_us for figure in found] == pytest.approx(np.median(medians[:, :-1], axis=1))


def test_the_machines_speed_explains_a_shift_up_to_its_size() -> None:
    logs = times(np.random.default_rng(5), 20, 6)
    logs[:, -1] += np.log(1.3)
    assert Verdict.SLOWER not in {figure.verdict for figure in judged(logs, longer=np.log(1.4))}
    others = [figure.verdict for figure in judged(logs, longer=-np.log(1.4))]
    assert others == [figure.verdict for figure in judged(logs)]
    assert others.count(Verdict.SLOWER) > 0.9 * len(others)
    logs[:, -1] += np.log(3.0)
    assert {figure.verdict for figure in judged(logs, longer=np.log(1.4))} == {Verdict.SLOWER}


def test_what_has_no_earlier_run_or_is_unknown_is_not_compared() -> None:
    logs = times(np.random.default_rng(5), 10, 3)
    logs[4, :-1] = np.nan
    assert {figure.series for figure in judged(logs)} == set(range(40)) - {4}
    assert judged(logs, "forward joules") == []
    assert judged(logs[:, -1:]) == []


def test_crowding_of_the_last_run_excuses_only_what_it_can_explain() -> None:
    logs = times(np.random.default_rng(5), 20, 6)
    logs[:8, -1] += np.array([0.0, 0.2, 0.5, 0.7, 1.0]) * np.log(1.5)
    logs[:4, -1] += np.log(1.2)
    logs[4:8, -1] += np.log(40.0)
    found = judged(logs, crowded=range(8))
    assert Verdict.SLOWER not in {figure.verdict for figure in found[:4]}
    assert {figure.verdict for figure in found[4:8]} == {Verdict.SLOWER}
