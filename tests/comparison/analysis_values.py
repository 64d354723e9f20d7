"""Runs of simulated processes with occasional disturbances, and the figures of a series."""

from __future__ import annotations

import numpy as np

from autoperf.comparison.figures import AS_MEASURED, MEDIAN, Figure, FigureSamples, Scale
from autoperf.core.outcome import Outcome, Series
from tests.values import outcome, passed, series


def figure(series: Series, scale: Scale = AS_MEASURED, *, exact: bool = False, quantile: float = MEDIAN) -> Figure:
    """The figure of a series, corrected by its own slope."""
    return FigureSamples(series, scale, exact=exact).figure(quantile=quantile)


def process_logs(
    rng: np.random.Generator, shape: tuple[int, int], spread: float, disturbed: float, slowdown: float = 0.35
) -> np.ndarray:
    """Logarithms about 0, figures x processes: spreads differ between figures, and some processes are delayed."""
    spreads = spread * np.exp(rng.normal(0, 0.5, shape[0]))
    logs = rng.normal(0, 1, shape) * spreads[:, None]
    return logs + (rng.random(shape) < disturbed) * rng.exponential(slowdown, shape)


def simulated(
    rng: np.random.Generator,
    cases: int,
    processes: int,
    *,
    spread: float,
    disturbed: float,
    factors: np.ndarray | None = None,
) -> list[Outcome]:
    """A run of cases; `factors` multiply their times."""
    medians = np.exp(np.linspace(np.log(60), np.log(9000), cases)) * (1.0 if factors is None else factors)
    kernel, wall = (process_logs(rng, (cases, processes), spread, disturbed) for _ in range(2))

    def figure(median: float, logs: np.ndarray) -> Series:
        return series(*(list(median * np.exp(log + rng.normal(0, 0.02, 9))) for log in logs))

    return [
        outcome(number, passed(figure(median, kernel[number]), figure(median * 1.2, wall[number])))
        for number, median in enumerate(medians)
    ]
