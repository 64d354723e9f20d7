"""The last run of a short history beside the earlier ones: changes found, none invented, figures not compared."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.analysis.comparison import Verdict
from autoperf.analysis.history_series import LastFigure, last_figures
from autoperf.results.history import HistoryCase
from tests.scripts import load_script

BENCH = load_script("benches", "history.py")
PROCESSES = 5


def judged(logs: np.ndarray, name: str = "forward kernel") -> list[LastFigure]:
    """The figures of the last run; logarithms of times: series x runs x processes."""
    medians = np.exp(np.median(logs, axis=2))
    keys = [(HistoryCase(row, f"exp/{row}", "exp", "unary", "small", ""), name) for row in range(len(logs))]
    return last_figures(medians, keys, {(row, name): np.exp(logs[row, -1]) for row in range(len(logs))})


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
    # A shift that all series of a run share is attributed to the machine.
    logs[:, -1] += np.log(1.1)
    found = {figure.series for figure in judged(logs) if figure.verdict is Verdict.SLOWER}
    assert len(found & set(np.flatnonzero(slow))) >= 0.9 * slow.sum()
    assert len(found - set(np.flatnonzero(slow))) <= 0.01 * len(logs)


def test_what_has_no_earlier_run_or_is_unknown_is_not_compared() -> None:
    logs = times(np.random.default_rng(5), 10, 3)
    logs[4, :-1] = np.nan
    assert {figure.series for figure in judged(logs)} == set(range(40)) - {4}
    assert judged(logs, "forward joules") == []
    assert judged(logs[:, -1:]) == []
