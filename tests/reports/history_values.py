"""A small history in reports."""

from __future__ import annotations

import math

from autoperf.reports.history import SERIES_COLUMNS, HistoryReport, SeriesRow
from autoperf.results.history import HistoryRun
from autoperf.results.runfile import Provenance

NAN = math.nan


def history_run(number: int) -> HistoryRun:
    """The run of one night."""
    origin = Provenance(
        release="1.9.1", build="/opt/libmxnet.so", revision=f"{number:040x}", machine="nightly", processor="Example",
        threads=2, date=f"2026-11-{number:02}T02:17:00+00:00", autoperf="0.1.0", seed=42, command="autoperf run",
    )  # fmt: skip
    return HistoryRun(number, f"night-{number}.ndjson", 8, origin)


RUNS = tuple(map(history_run, range(1, 7)))


def series_rows(operator: str = "softmax") -> HistoryReport:
    """Six runs of three figures: one became slower, one is steady, one became faster."""
    rows = (
        _row(operator, "forward kernel", (10.0, 10.0, NAN, 10.0, 15.0, 15.0), 4, 1.5),
        _row(operator, "forward wall", (30.0,) * 6),
        _row("dot", "forward kernel", (20.0, 20.0, 20.0, 10.0, 10.0, 10.0), 3, 0.5),
    )
    return HistoryReport("series", SERIES_COLUMNS, rows, "3 series")


def _row(operator: str, figure: str, values: tuple[float, ...], start: int = -1, ratio: float = 1.0) -> SeriesRow:
    words = f"{ratio:.2f}x slower" if ratio > 1 else f"{1 / ratio:.2f}x faster"
    changed = start >= 0
    return SeriesRow(
        operator, f"{operator}/1", "small", "data (32, 32)", figure, "1.9.1", values,
        [f"{words} since 2026-11-{start + 1:02}"] if changed else [], [start] if changed else [],
        [ratio] if changed else [], RUNS,
    )  # fmt: skip
