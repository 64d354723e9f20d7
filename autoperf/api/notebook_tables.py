"""Runs and comparisons as HTML tables with a picture, as a notebook shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from autoperf.analysis.comparison import ComparedFigure, Comparison, Verdict
from autoperf.core.outcome import Outcome
from autoperf.reports.comparison import sentence
from autoperf.reports.html_tables import BLUE, GREY, ORANGE, Bar, TableRow, html_table
from autoperf.reports.summary import StatusCounts, figure, peak, verdict
from autoperf.reports.units import describe_case, duration, size

RUN_COLUMNS = ("operator", "inputs", "forward", "backward", "memory", "forward with its 95% interval")
COMPARISON_COLUMNS = (
    *("operator", "inputs", "figure", "verdict", "new / base"),
    "faster and slower with the 95% interval",
)
_COLOURS = {Verdict.SLOWER: ORANGE, Verdict.FASTER: BLUE}


def run_table(outcomes: Sequence[Outcome]) -> str:
    """A row for each case, with a bar of its median forward time."""
    counts = StatusCounts()
    rows = [_outcome_row(counts.add(outcome)) for outcome in outcomes]
    return html_table(RUN_COLUMNS, rows, counts.summary().sentence())


def comparison_table(comparison: Comparison) -> str:
    """A row for each figure, with a bar of the logarithm of its ratio, so that halves and doubles are of one length."""
    return html_table(COMPARISON_COLUMNS, list(map(_compared_row, comparison.cases)), sentence(comparison))


def _outcome_row(outcome: Outcome) -> TableRow:
    forward, backward = figure(outcome.forward), figure(outcome.backward)
    case = describe_case(outcome)
    if forward is None:
        return TableRow((outcome.operator, case, verdict(outcome), "", ""))
    times = (duration(forward.median), duration(backward.median if backward else None))
    bar = Bar(forward.median, forward.low, forward.high)
    return TableRow((outcome.operator, case, *times, size(peak(outcome))), bar)


def _compared_row(compared: ComparedFigure) -> TableRow:
    figure_name = f"{compared.pass_} {compared.clock}"
    cells = (compared.operator, compared.inputs, figure_name, compared.verdict.value, f"{compared.ratio:.3f}")
    ratio, low, high = map(_logarithm, (compared.ratio, compared.low, compared.high))
    return TableRow(cells, None if ratio is None else Bar(ratio, low, high, _COLOURS.get(compared.verdict, GREY)))


def _logarithm(ratio: float) -> float | None:
    """None for a ratio without a logarithm, such as the end of an interval without bounds."""
    return math.log(ratio) if 0 < ratio < math.inf else None
