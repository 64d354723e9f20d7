"""A small history in reports."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from autoperf.analysis.history_series import HistoryChange
from autoperf.reports.history import SERIES_COLUMNS, HistoryReport, SeriesRow, report_with_answer
from autoperf.results.history import HistoryRun
from autoperf.results.runfile import Provenance

NAN = math.nan


def history_run(number: int) -> HistoryRun:
    """The run of one night; the fifth has another library."""
    origin = Provenance(
        release="1.9.1", build=f"/{'opt' if number < 5 else 'new'}/libmxnet.so", revision="0" * 40,
        machine="nightly", processor="Example", threads=2, date=f"2026-11-{number:02}T02:17:00+00:00",
        autoperf="0.1.0", seed=42, command="autoperf run",
    )  # fmt: skip
    return HistoryRun(number, f"night-{number}.ndjson", 8, origin)


RUNS = tuple(map(history_run, range(1, 7)))


def history_change(operator: str = "softmax", ratio: float = 1.5, at: int = 4, **values: Any) -> HistoryChange:
    """A step of one figure in these six runs."""
    before, course = 10.0, tuple(10.0 * (ratio if night >= at else 1.0) for night in range(len(RUNS)))
    change = HistoryChange(
        operator=operator, case=f"{operator}/1", category="activation", profile="small", inputs="data (32, 32)",
        figure="forward kernel", ratio=ratio, low=0.95 * ratio, high=1.05 * ratio, before_us=before,
        after_us=before * ratio, first=RUNS[at], last=RUNS[at - 1], decided=RUNS[-1].provenance.date, evidence="step",
        at=at, runs=RUNS, courses={"forward kernel": course},
    )  # fmt: skip
    return msgspec.structs.replace(change, **values)


def series_rows(operator: str = "softmax") -> HistoryReport:
    """Six runs of three figures: one became slower, one is steady, one became faster."""
    rows = (
        _row(operator, "forward kernel", (10.0, 10.0, NAN, 10.0, 15.0, 15.0), history_change(operator)),
        _row(operator, "forward wall", (30.0,) * 6),
        _row("dot", "forward kernel", (20.0, 20.0, 20.0, 10.0, 10.0, 10.0), history_change("dot", 0.5, 3)),
    )
    changes = [step for row in rows for step in row.steps]
    return report_with_answer("series", SERIES_COLUMNS, rows, "3 series", changes)


def _row(operator: str, figure: str, values: tuple[float, ...], *steps: HistoryChange) -> SeriesRow:
    return SeriesRow(operator, f"{operator}/1", "small", "data (32, 32)", figure, "1.9.1", values, steps, RUNS)
