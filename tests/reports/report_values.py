"""Values for the tests of reports: runs, histories, networks and coverage, and the text of a report."""

from __future__ import annotations

import datetime as dt
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from rich.console import Console

from autoperf.core.coverage import (
    Coverage,
    CoverageReport,
    CoverageSummary,
    DtypeAnswers,
    OperatorCoverage,
    RuleReference,
)
from autoperf.core.graph import NETWORK
from autoperf.core.outcome import FigureWarning, Outcome, Pass
from autoperf.history.report import SERIES_COLUMNS, HistoryReport, SeriesRow, report_with_answer
from autoperf.history.series import HistoryChange, SeriesSet
from autoperf.history.steps import Floats
from autoperf.history.store import HistoryCase, HistoryRun
from autoperf.reports.columns import View
from autoperf.reports.formats import Kind, load
from autoperf.runs.runfile import Provenance
from autoperf.summary.runs import RunReport
from tests.values import outcome, passed, stated


def report(outcomes: Sequence[Outcome], *, columns: tuple[str, ...] = (), sort: str = "") -> RunReport:
    """A run as a format is handed it."""
    return RunReport(None, tuple(outcomes), None, View(columns, sort))


def text_of(kind: Kind, form: str, given: object, width: int = 100) -> str:
    """What a format makes of a report on a terminal of that width, without colour."""
    file = io.StringIO()
    console = Console(width=width, file=file, color_system=None, force_terminal=False)
    for piece in load(kind, form).pieces(given, width):
        console.print(
            piece,
            end="" if isinstance(piece, str) else "\n",
            soft_wrap=isinstance(piece, str),
            markup=False,
            highlight=False,
        )
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def run_text(outcomes: Sequence[Outcome], width: int = 100, form: str = "table", **view: object) -> str:
    """A run in a format."""
    return text_of("run", form, report(outcomes, **view), width)  # type: ignore[arg-type]


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


def history_case(operator: str) -> HistoryCase:
    """A case of an operator."""
    return HistoryCase(1, f"{operator}/1", operator, "activation", "small", "data (32, 32)")


def history_change(operator: str = "softmax", ratio: float = 1.5, at: int = 4, **values: Any) -> HistoryChange:
    """A step of one figure in these six runs."""
    before, course = 10.0, tuple(10.0 * (ratio if night >= at else 1.0) for night in range(len(RUNS)))
    change = HistoryChange(
        case=history_case(operator), figure="forward kernel", ratio=ratio, low=0.95 * ratio, high=1.05 * ratio,
        before_us=before, after_us=before * ratio, first=RUNS[at], last=RUNS[at - 1],
        decided=RUNS[-1].provenance.date, evidence="step", at=at, runs=RUNS, courses={"forward kernel": course},
    )  # fmt: skip
    return msgspec.structs.replace(change, **values)


def history_series(logs: Floats, control: Floats | None = None, first: int = 1) -> SeriesSet:
    """Series of a figure each, by their logarithms in daily runs that are numbered from `first`."""
    dates = (dt.datetime(2026, 1, 1) + dt.timedelta(days=night) for night in range(logs.shape[1]))
    origins = (msgspec.structs.replace(RUNS[0].provenance, date=date.isoformat()) for date in dates)
    runs = [HistoryRun(number, "", 1, origin) for number, origin in enumerate(origins, first)]
    cases = (HistoryCase(row, f"op{row}/1", f"op{row}", "unary", "small", "data (3,)") for row in range(len(logs)))
    return SeriesSet(runs, [(case, "forward kernel") for case in cases], np.exp(logs), None, control)


def series_rows(operator: str = "softmax") -> HistoryReport:
    """Six runs of three figures: one became slower, one is steady, one became faster."""
    rows = (
        _row(operator, "forward kernel", (10.0, 10.0, NAN, 10.0, 15.0, 15.0), history_change(operator)),
        _row(operator, "forward wall", (30.0,) * 6),
        _row("dot", "forward kernel", (20.0, 20.0, 20.0, 10.0, 10.0, 10.0), history_change("dot", 0.5, 3)),
    )
    return report_with_answer("series", SERIES_COLUMNS, rows, "3 series")


def _row(operator: str, figure: str, values: tuple[float, ...], *steps: HistoryChange) -> SeriesRow:
    return SeriesRow(history_case(operator), figure, RUNS, values, steps)


RELU, DENSE = "relu", "FullyConnected"


def ran(
    wall: float, kernels: Mapping[str, float], helpers: float = 0.0, warnings: tuple[FigureWarning, ...] = ()
) -> Pass:
    times = stated(sum(kernels.values())), stated(wall, warnings=warnings)
    return passed(*times, kernels=dict(kernels), helpers={"Reorder": helpers}, helpers_us=helpers)


def call(
    number: int, operator: str, each: float, count: int, network: str = "net", *, training: bool = False
) -> Outcome:
    run = ran(2 * each, {operator: each})
    made = outcome(number, run, run if training else None, operator=operator, profile=f"{operator}{number}_fwd")
    return msgspec.structs.replace(made, calls={network: count})


def whole(mode: str, run: Pass, network: str = "net", *, training: bool = False) -> Outcome:
    made = outcome(90, run, run if training else None, operator="_CachedOp", profile=mode, category=NETWORK)
    return msgspec.structs.replace(made, calls={network: 1})


CALLS = (call(0, RELU, 200.0, 4), call(1, DENSE, 700.0, 2), call(2, DENSE, 600.0, 1))
HYBRIDIZED = ran(11_000.0, {RELU: 7500.0, DENSE: 2000.0}, 500.0, (FigureWarning.SHORT,))
STATIC = ran(6000.0, {RELU: 3100.0, DENSE: 2100.0}, 100.0)
FUSED = ran(2500.0, {"_sg_mkldnn_fully_connected": 2200.0})


def network(name: str = "net", *, training: bool = False) -> list[Outcome]:
    """Relu takes 0.8 ms alone, 3.1 ms static and 7.5 ms hybridized; FullyConnected takes 2 ms everywhere."""
    calls = (
        call(number, each.operator, median, count, name, training=training)
        for number, (each, median, count) in enumerate(zip(CALLS, (200.0, 700.0, 600.0), (4, 2, 1), strict=True))
    )
    modes = (("hybridized", HYBRIDIZED), ("static", STATIC), ("fused", FUSED))
    return [*calls, *(whole(mode, run, name, training=training) for mode, run in modes)]


ADD = OperatorCoverage(
    name="broadcast_add", aliases=("broadcast_plus",), namespace="nd", category="broadcast", status=Coverage.COVERED,
    reason="", rule=RuleReference("family", "autoperf/rules/elementwise.py:broadcast"), differentiable=True,
    backward_kernels=("_backward_broadcast_add",),
    dtypes=DtypeAnswers(
        ("float16", "float32", "float64", "int32"), {"bool": "Operator add does not support boolean"}
    ),
)  # fmt: skip
EQUAL = OperatorCoverage(
    name="broadcast_equal", aliases=(), namespace="nd", category="broadcast", status=Coverage.COVERED, reason="",
    rule=RuleReference("inferred", "autoperf/rules/elementwise.py:binary"), differentiable=False, backward_kernels=(),
)  # fmt: skip
CONVOLUTION = OperatorCoverage(
    name="Convolution", aliases=("_npx_convolution", "Convolution_v0", "_contrib_Convolution_with_a_long_alias"),
    namespace="nd", category="convolution", status=Coverage.COVERED, reason="",
    rule=RuleReference("exact", "autoperf/rules/convolution.py:convolution"), differentiable=True,
    backward_kernels=("_backward_Convolution",),
)  # fmt: skip
MYSTERY = OperatorCoverage(
    name="_contrib_mystery", aliases=(), namespace="contrib", category="", status=Coverage.UNCOVERED,
    reason="no rule answers: `data` is a list | of what?", rule=None, differentiable=None, backward_kernels=(),
)  # fmt: skip
FFT = OperatorCoverage(
    name="_contrib_fft", aliases=(), namespace="contrib", category="misc", status=Coverage.EXCLUDED,
    reason="has a kernel for GPUs only", rule=None, differentiable=None, backward_kernels=(),
)  # fmt: skip

REPORT = CoverageReport(
    mxnet="1.9.1",
    names=11,
    operators=(CONVOLUTION, FFT, MYSTERY, ADD, EQUAL),
    summary=CoverageSummary(
        registered=11, canonical=7, alias=4, backward=2, forward=5, covered=3, uncovered=1, excluded=1
    ),
    backward=("_backward_Convolution", "_backward_broadcast_add"),
)
