"""Levels that change by a percent a week are drifts, steps are none, and counts change exactly."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.history.series import changes_of
from autoperf.history.steps import Floats, LevelStep, count_changes, follow, with_drifts
from tests.reports.report_values import history_series

NIGHTS = 150


def noise(series: int, seed: int = 1, deviation: float = 0.008) -> Floats:
    rng = np.random.default_rng(seed)
    return np.asarray(deviation * rng.standard_normal((series, NIGHTS)) + rng.uniform(1, 8, size=(series, 1)))


def found(logs: Floats) -> list[LevelStep]:
    followed = follow(logs)
    return with_drifts(followed.steps, followed.values)


@pytest.mark.parametrize("weekly", [0.01, -0.01, 0.03])
@pytest.mark.parametrize("end", [NIGHTS, 115])
def test_a_drift_is_one_finding_with_its_rate_and_night(weekly: float, end: int) -> None:
    logs = noise(60)
    nightly = np.log1p(weekly) / 7
    logs[:10] += nightly * np.clip(np.arange(NIGHTS) - 60, 0, end - 60)
    changes = found(logs)
    assert sorted(change.series for change in changes) == list(range(10))
    assert {change.evidence for change in changes} == {"drift"}
    assert [change.nightly for change in changes] == pytest.approx([nightly] * 10, rel=0.2)
    assert all(abs(change.first - 60) <= 14 for change in changes)
    assert all(change.decided <= 60 + 8 * 7 for change in changes)
    sizes = [change.after - change.before for change in changes]
    assert sizes == pytest.approx([nightly * (end - 60)] * 10, rel=0.3)


@pytest.mark.parametrize("begin", [0, 50])
def test_a_drift_may_begin_with_its_series(begin: int) -> None:
    for seed in range(4):
        logs = noise(8, seed, 0.01)
        logs[0] += 0.003 * np.arange(NIGHTS)
        logs[0, :begin] = np.nan
        (drift,) = changes_of(history_series(logs[:, : begin + 70]))
        assert drift.evidence == "drift"
        assert (drift.last is drift.first) == (drift.at == begin)
        assert drift.weekly == pytest.approx(1.021, abs=0.004)


def test_missing_and_disturbed_nights_hide_no_drift() -> None:
    logs = noise(20)
    logs[7] += np.log1p(0.02) / 7 * np.clip(np.arange(NIGHTS) - 60, 0, None)
    logs[7, ::9] += 0.3
    logs[:, 80:84] = np.nan
    assert [(change.series, change.evidence) for change in found(logs)] == [(7, "drift")]


@pytest.mark.parametrize("ratio", [1.05, 1.1, 1.5])
def test_steps_are_no_drift(ratio: float) -> None:
    logs = noise(100, seed=3)
    logs[:30, 75:] += np.log(ratio)
    logs[30:40, 60:] += np.log(ratio)
    logs[30:40, 100:] += np.log(ratio)
    assert {change.evidence for change in found(logs)} == {"step"}


def test_noise_has_neither() -> None:
    assert found(noise(500)) == []


def test_a_changed_count_is_a_finding_of_its_night() -> None:
    """By hand: 0.1% is a change, 0.05% is none until a second of it; a night without a count is passed over."""
    counts = np.log([[1000, 1000, np.nan, 1002, 1002, 1000], [1000, 1000.6, 1000.6, 1001.2, 1001.2, 1001.2]])
    changes = [(each.first, each.series, round(np.exp(each.after))) for each in count_changes(counts)]
    assert changes == [(3, 0, 1002), (3, 1, 1001), (5, 0, 1000)]
    assert {(each.evidence, each.reach) for each in count_changes(counts)} == {("count", 0.0)}
