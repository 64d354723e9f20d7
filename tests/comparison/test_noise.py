"""The noise model recovers simulated noise, and the intervals of its ratios keep their level."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.comparison.noise import (
    SLICE_DEVIATIONS,
    SLICE_MEANS,
    SLICES,
    SPREADS,
    TYPICAL_NOISE,
    FigureGroup,
    estimate_noise,
)
from autoperf.comparison.ratios import Ratios, ratios
from tests.comparison.analysis_values import process_logs


def compared(
    base: np.ndarray, new: np.ndarray, slack: float = 0.0, degrees: float | None = None, error: float = 0.0
) -> Ratios:
    sides = FigureGroup.of(base), FigureGroup.of(new)
    base_noise, new_noise = estimate_noise(sides)
    freedom = None if degrees is None else np.full(len(base), degrees)
    errors = np.full(len(base), error)
    return ratios(*sides, (base_noise, new_noise), np.full(len(base), slack), errors=errors, degrees=freedom)


def test_a_group_holds_rows_of_any_length_in_order() -> None:
    group = FigureGroup.of([[3.0, 1.0], [2.0]])
    assert group.counts.tolist() == [2, 1]
    assert group.logs.tolist() == [[1.0, 3.0], [2.0, np.inf]]


def test_the_slices_are_those_of_an_exponential() -> None:
    assert SLICES.sum() == pytest.approx(1)
    assert (SLICES * SLICE_MEANS).sum() == pytest.approx(1, abs=0.002)
    second = (SLICES * (SLICE_DEVIATIONS**2 + SLICE_MEANS**2)).sum()
    assert second == pytest.approx(2, abs=0.02)


@pytest.mark.parametrize("disturbed", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("spread", [0.005, 0.02])
def test_what_was_put_in_is_learnt(disturbed: float, spread: float) -> None:
    rng = np.random.default_rng(7)
    (found,) = estimate_noise([FigureGroup.of(process_logs(rng, (300, 4), spread, disturbed))])
    assert found.disturbed == pytest.approx(disturbed, abs=0.06)
    assert np.exp((found.weights * np.log(SPREADS)).sum()) == pytest.approx(spread, rel=0.5)


def test_sides_are_disturbed_differently_and_spread_alike() -> None:
    rng = np.random.default_rng(3)
    calm, busy = estimate_noise([FigureGroup.of(process_logs(rng, (300, 3), 0.01, share)) for share in (0.02, 0.4)])
    assert calm.disturbed < 0.1
    assert busy.disturbed > 0.25
    assert calm.weights.tolist() == busy.weights.tolist()


def test_single_processes_teach_nothing() -> None:
    assert estimate_noise([FigureGroup.of([[0.0], [1.0]])]) == (TYPICAL_NOISE,)


@pytest.mark.parametrize(("spread", "disturbed"), [(0.01, 0.0), (0.01, 0.1), (0.03, 0.05), (0.02, 0.3)])
def test_intervals_hold_the_truth_as_often_as_they_say(spread: float, disturbed: float) -> None:
    """95% of them should; the bound allows for a model with only six spreads."""
    rng = np.random.default_rng(11)
    base, new = (process_logs(rng, (500, 3), spread, disturbed) for _ in range(2))
    found = compared(base, new)
    held = np.mean((found.low <= 1) & (found.high >= 1))
    assert 0.90 < held < 0.99
    assert np.mean(found.p < 0.05) < 0.1


def test_one_disturbed_process_of_three_is_seen_through() -> None:
    rng = np.random.default_rng(5)
    base, new = (process_logs(rng, (200, 3), 0.005, 0.1) for _ in range(2))
    base[0] = [0.001, 0.5, 0.0]
    new[0] = [0.0, 0.002, 0.001]
    found = compared(base, new)
    assert found.ratio[0] == pytest.approx(1, abs=0.01)
    assert found.high[0] - found.low[0] < 0.1


def test_slack_widens_the_interval_and_excuses_a_difference() -> None:
    rng = np.random.default_rng(5)
    base, new = process_logs(rng, (200, 3), 0.005, 0.0), process_logs(rng, (200, 3), 0.005, 0.0) + np.log(1.04)
    plain, wide = compared(base, new), compared(base, new, slack=float(np.log(1.05)))
    assert np.allclose(wide.low * 1.05, plain.low)
    assert np.allclose(wide.high / 1.05, plain.high)
    assert np.median(plain.p) < 0.001
    assert np.median(wide.p) > 0.5


def test_sides_change_places() -> None:
    rng = np.random.default_rng(9)
    base, new = (process_logs(rng, (100, 3), 0.02, 0.1) for _ in range(2))
    there, back = compared(base, new), compared(new, base)
    assert np.allclose(there.ratio * back.ratio, 1, atol=1e-4)
    assert np.allclose(there.low * back.high, 1, atol=1e-4)
    assert np.allclose(there.p, back.p, rtol=1e-3)


def test_runs_at_different_times_have_the_tails_of_student_s_t() -> None:
    """If the processes determine the spread, intervals are wider by the ratio of both distributions' quantiles."""
    rng = np.random.default_rng(11)
    base, new = (process_logs(rng, (300, 5), 0.01, 0.0) for _ in range(2))
    normal, apart = compared(base, new), compared(base, new, degrees=8.0)
    widths = np.log(apart.high / apart.low) / np.log(normal.high / normal.low)
    assert np.median(widths) == pytest.approx(2.306 / 1.960, rel=0.02)
    assert apart.ratio == pytest.approx(normal.ratio, rel=1e-3)
    assert (apart.p >= normal.p * 0.999).all()


def test_an_error_in_common_adds_to_the_scatter_of_processes() -> None:
    rng = np.random.default_rng(4)
    base, new = (process_logs(rng, (200, 5), 0.02, 0.0) for _ in range(2))
    without, with_error = compared(base, new), compared(base, new, error=0.05)
    own, both = (np.median(np.log(each.high / each.low)) / 2 / 1.96 for each in (without, with_error))
    assert both == pytest.approx(np.hypot(own, 0.05), rel=0.05)
    assert np.allclose(with_error.ratio, without.ratio, atol=0.01)
    assert (with_error.p >= without.p).mean() > 0.95


def test_each_figure_has_its_own_degrees_of_freedom() -> None:
    rng = np.random.default_rng(5)
    base, new = (process_logs(rng, (60, 5), 0.02, 0.0) for _ in range(2))
    sides = FigureGroup.of(base), FigureGroup.of(new)
    noises = estimate_noise(sides)
    freedom = np.where(np.arange(60) < 30, 3.0, 30.0)
    mixed = ratios(*sides, (noises[0], noises[1]), np.zeros(60), degrees=freedom)
    few, many = (compared(base, new, degrees=degrees) for degrees in (3.0, 30.0))
    assert mixed.p.tolist() == [*few.p[:30], *many.p[30:]]
    assert (few.p > many.p).all()
