"""Columns are stated once: what is added is everywhere; the cost of the front end is a time or `unclear`."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest

from autoperf.comparison import report as comparison_module
from autoperf.comparison.comparison import ComparedFigure, Verdict
from autoperf.comparison.report import ComparisonReport
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.outcome import Difference, Outcome, Pass, Status
from autoperf.reports import run_columns
from autoperf.reports.columns import Column, Place, View, filled, terminal_columns
from autoperf.reports.run_columns import UNCLEAR, front_end, front_end_text
from autoperf.reports.totals import plain_line
from autoperf.stats.statistics import summarise
from autoperf.summary.documents import run_reports
from autoperf.summary.runs import RunReport
from tests.reports.report_values import report, run_text, text_of
from tests.values import PAIR, compared, comparison, ended, measured, stated, timed


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_a_new_column_of_a_run_is_everywhere(
    run: tuple[Outcome, ...], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy: Column[Outcome] = Column("toy", "toy", lambda case: len(case.inputs) + 770, csv="toy", place=Place.FIGURE)
    monkeypatch.setattr(run_columns, "COLUMNS", (*run_columns.COLUMNS, toy))
    for form in ("table", "csv", "md"):
        text = run_text(run, width, form=form)
        assert "toy" in text
        assert "772" in text
    assert "toy" in run_text(run, width, columns=("toy",))
    rows = list(csv.DictReader(io.StringIO(run_text(run, form="csv", columns=("case", "toy"), sort="-toy"))))
    assert [row["toy"] for row in rows] == sorted((row["toy"] for row in rows), reverse=True)


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_a_new_column_of_a_comparison_is_everywhere(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    toy: Column[ComparedFigure] = Column("toy", "toy", lambda row: row.base_us + 0.25, csv="toy", place=Place.FIGURE)
    monkeypatch.setattr(comparison_module, "COLUMNS", (*comparison_module.COLUMNS, toy))
    shown = comparison(compared("exp/1", "forward", "wall", 2.0, Verdict.SLOWER, base_us=7770.0))
    for form in ("table", "csv", "md"):
        text = text_of("comparison", form, ComparisonReport(shown), width)
        assert "toy" in text
        assert "7770" in text


def test_every_column_has_one_name_and_can_be_shown_in_every_format(run: tuple[Outcome, ...]) -> None:
    names = [column.name for column in run_columns.COLUMNS]
    assert len(set(names)) == len(names)
    for form in ("csv", "md"):
        assert run_text(run, form=form, columns=tuple(names))
    for name in names:
        assert run_text(run, columns=(name,), sort=f"-{name}")


def test_the_columns_are_those_that_were_asked_for_in_their_order(run: tuple[Outcome, ...]) -> None:
    asked = ("backward_wall", "operator", "forward_kernel_p99")
    assert run_text(run, form="csv", columns=asked).splitlines()[0] == (
        "backward_wall_median_us,operator,forward_kernel_p99_us"
    )
    assert "| backward wall | operator | forward kernel p99 |" in run_text(run, form="md", columns=asked)
    text = run_text(run, 120, columns=asked).partition("\n\n")[2]
    assert text.index("backward") < text.index("forward")
    assert "kernel p99" in text
    assert "memory" not in text


def test_a_column_may_be_named_as_the_csv_does(run: tuple[Outcome, ...]) -> None:
    by_csv = ("forward_kernel_median_us",)
    assert run_text(run, form="csv", columns=by_csv) == run_text(run, form="csv", columns=("forward_kernel",))


@pytest.mark.parametrize("form", ["table", "csv", "md", "json"])
def test_rows_are_sorted_and_those_without_a_value_come_last(form: str) -> None:
    rows = [measured(f"op_{us}", "small", PAIR, timed(us, us), digest=str(us)) for us in (30, 10, 20)]
    without = measured("op_none", "small", PAIR, msgspec.structs.replace(rows[0].forward, kernel_us=None))
    given = [without, *rows]
    for sort, expected in (("forward_kernel", (10, 20, 30)), ("-forward_kernel", (30, 20, 10))):
        # The answer names the slowest: on a terminal below the rows.
        words = run_text(given, form=form, sort=sort).partition("the slowest:")
        text = words[0] if form in ("table", "csv", "json") else words[2].partition("\n")[2]
        places = [text.index(f"op_{us}") for us in (*expected, "none")]
        assert places == sorted(places)


def test_rows_without_a_reason_come_after_those_with_one() -> None:
    rows = [measured("op_none", "small", PAIR, timed(1, 2)), ended(Status.FAILED, "because")]
    lines = run_text(rows, form="csv", sort="reason", columns=("case", "reason")).splitlines()
    assert [line.rpartition(",")[2] for line in lines] == ["reason", "because", ""]


def test_a_sorted_comparison_says_the_verdict_of_each_figure() -> None:
    shown = comparison(
        compared("exp/1", "forward", "wall", 2.0, Verdict.SLOWER),
        compared("exp/2", "forward", "wall", 0.5, Verdict.FASTER),
    )
    text = text_of("comparison", "table", ComparisonReport(shown, view=View(sort="ratio")), 120)
    rows = text.partition("by ratio")[2]
    assert rows.index("faster exp/2") < rows.index("slower exp/1")


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (View(("forward_kernal",)), "did you mean forward_kernel"),
        (View(sort="-memori"), "did you mean memory"),
        (View(("",)), "unknown column ''"),
    ],
)
def test_an_unknown_column_is_refused_with_the_nearest(view: View, words: str) -> None:
    with pytest.raises(UnknownNameError, match=words):
        view.check(run_columns.COLUMNS)


def test_a_column_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="memory is named twice"):
        View(("memory", "case", "memory")).check(run_columns.COLUMNS)


@pytest.mark.parametrize("width", range(1, 220, 3))
def test_hidden_columns_are_listed(run: tuple[Outcome, ...], width: int) -> None:
    """At every width each figure of the table is there, or a line says that it isn't and how to see it."""
    columns = filled(terminal_columns(View(), run_columns.COLUMNS), run)
    (shown,) = (table for each in run_reports(report(run)) for table in each.tables if table.noun == "case")
    table = shown.fit(width)
    assert {column.name for column in (*table.columns, *table.hidden)} == {column.name for column in columns}
    words = " ".join(run_text(run, width).split())
    verbose = " ".join(text_of("run", "table", RunReport(None, run, view=View(verbose=True)), width).split())
    for column in table.hidden:
        assert column.priority > 0
        assert column.header in words.partition("hidden at this width: ")[2]
        assert f"({column.name})" in verbose
    assert ("hidden at this width" in words) == bool(table.hidden)
    if width > 20:
        explained = words.partition("--verbose explains ")[2].partition("hidden")[0]
        is_shown = any(column.header == "P90" for column in table.columns)
        assert ("P90:" in verbose) == ("P90" in explained) == is_shown


@pytest.mark.parametrize("width", [80, 100])
def test_essential_columns_are_there_at_80(run: tuple[Outcome, ...], width: int) -> None:
    text = run_text(run, width)
    for header in ("kernel", "95%", "wall", "memory", "12.3 us", "45.6 us", "381 MiB"):
        assert header in text


def counted(run: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The run, in which the instructions of the first case's forward pass were counted."""
    first, *rest = run
    forward = msgspec.structs.replace(first.forward, instructions=stated(4_560_000.0, 5e6))
    return msgspec.structs.replace(first, forward=forward), *rest


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_columns_of_a_clock_on_request_are_shown_where_it_was_read(run: tuple[Outcome, ...], form: str) -> None:
    assert "instructions" not in run_text(run, 200, form=form)
    assert "instructions" in run_text(counted(run), 200, form=form)


def test_the_csv_has_all_columns_of_a_pass_or_none(run: tuple[Outcome, ...]) -> None:
    row = next(csv.DictReader(io.StringIO(run_text(counted(run), 200, form="csv"))))
    statistics = {name.removeprefix("forward_instructions_") for name in row if "forward_instructions" in name}
    times = {name.removeprefix("forward_wall_").removesuffix("_us") for name in row if "forward_wall" in name}
    assert statistics == times - {"uncorrected", "slope", "speed", "steady", "retaken"}
    assert (row["forward_instructions_median"], row["forward_instructions_warnings"]) == ("4560000.0", "")
    assert not any("backward_instructions" in name for name in row)


def test_counts_stand_in_the_line_of_a_case(run: tuple[Outcome, ...]) -> None:
    assert "instructions 4.56 M)" in plain_line(counted(run)[0])
    assert "instructions" not in plain_line(run[0])


def test_a_requested_column_without_a_value_is_in_the_csv(run: tuple[Outcome, ...]) -> None:
    text = run_text(run, 200, form="csv", columns=("case", "forward_instructions"))
    assert text.splitlines()[0] == "case,forward_instructions_median"


FAST, SLOW = (summarise([start + number for number in range(10)]) for start in (20.0, 40.0))


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Difference(8.0, 6.0, 9.0), "8.00 us"),
        (Difference(-8.0, -9.0, -6.0), "-8.00 us"),
        (Difference(8.0, -1.0, 9.0), UNCLEAR),
        (Difference(8.0), UNCLEAR),
    ],
)
def test_a_cost_has_a_sign_or_is_unclear(difference: Difference, text: str) -> None:
    run = Pass(wall_us=FAST, python_us=FAST, front_end_us=difference)
    assert (front_end(run), front_end_text(run)) == (difference, text)


def test_earlier_run_files_have_the_figures_of_both_calls() -> None:
    apart = Pass(wall_us=FAST, python_us=SLOW)
    cost = front_end(apart)
    assert cost
    assert (cost.median, front_end_text(apart)) == (20.0, "20.0 us")
    assert front_end_text(msgspec.structs.replace(apart, python_us=FAST)) == UNCLEAR


def test_without_a_function_there_is_no_cost() -> None:
    assert (front_end(Pass(wall_us=FAST)), front_end_text(Pass(wall_us=FAST)), front_end_text(None)) == (
        None, "-", "-",
    )  # fmt: skip
