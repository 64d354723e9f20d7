"""Passes that return views: told at their case in every format, and left out of geometric means."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import msgspec
import pytest

from autoperf.comparison.comparison import ComparedFigure, Comparison, Verdict
from autoperf.comparison.groups import grouped_comparison, grouped_run
from autoperf.comparison.page import comparison_page, releases_page
from autoperf.comparison.release_matrix import group_ratios, grouped_releases
from autoperf.comparison.report import ComparisonReport
from autoperf.comparison.side_by_side import ReleaseRun, release_figures
from autoperf.core.outcome import VIEW, Outcome, Pass
from autoperf.reports.columns import View
from autoperf.reports.formats import load
from autoperf.summary.runs import RunReport
from tests.reports.report_values import report, text_of
from tests.values import PAIR, compared, comparison, measured, outcome, passed, stated, timed

CONVERTED = "indices are converted to int64 before"


def noted(figure: ComparedFigure, *notes: str) -> ComparedFigure:
    return msgspec.structs.replace(figure, notes=notes)


@pytest.fixture
def both() -> Comparison:
    """A transpose that is a view in new, and a product that new computes in half of the time."""
    view = noted(compared("transpose/1", "forward", "python", 0.02, Verdict.FASTER), f"new: {VIEW}")
    product = noted(compared("take/2", "forward", "python", 0.5, Verdict.FASTER), f"new: {CONVERTED}")
    return comparison(view, product)


@pytest.fixture
def frameworks() -> list[ReleaseRun]:
    """Both in MXNet and in PyTorch."""

    def run(transpose: Pass, take: Pass) -> list[Outcome]:
        first = measured("transpose", "small", PAIR, transpose, digest="11111111")
        return [first, measured("take", "small", PAIR, take, digest="22222222")]

    return [
        ReleaseRun("mxnet", report(run(timed(50, 50), timed(50, 50)))),
        ReleaseRun("torch", report(run(timed(1, 1, (VIEW,)), timed(25, 25, (CONVERTED,))))),
    ]


def test_means_of_a_comparison_leave_views_out_and_say_so(both: Comparison) -> None:
    grouped = grouped_comparison(ComparisonReport(both, view=View(group_by="category")))
    (group,) = grouped.groups
    assert (group.count, group.values["ratio"]) == (1, pytest.approx(0.5))
    text = text_of("groups", "table", grouped, 100)
    assert "left out of means: 1 figure of views, which move no memory: transpose" in " ".join(text.split())


def test_counts_of_a_run_are_grouped_too() -> None:
    counted = [outcome(n, passed(instructions=stated(count))) for n, count in enumerate((100.0, 400.0))]
    grouped = grouped_run(RunReport(None, counted, view=View(group_by="operator")))
    (row,) = csv.DictReader(io.StringIO(text_of("groups", "csv", grouped)))
    assert float(row["forward_instructions"]) == pytest.approx(200.0)


def test_groups_without_a_change_are_left_out_on_request() -> None:
    figures = [
        compared(f"{name}/1", "forward", "wall", ratio, verdict)
        for name, ratio, verdict in (("dot", 1.0, Verdict.SAME), ("exp", 1.5, Verdict.SLOWER))
    ]
    grouped = grouped_comparison(ComparisonReport(comparison(*figures), brief=True, view=View(group_by="operator")))
    assert [group.name for group in grouped.groups] == ["exp"]
    assert "1 of 2 rows with a change" in grouped.notes


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_a_comparison_tells_views_and_conversions(both: Comparison, form: str) -> None:
    text = " ".join(text_of("comparison", form, ComparisonReport(both), 100).split())
    assert f"new: {VIEW}" in text
    assert f"new: {CONVERTED}" in text


def test_the_page_of_a_comparison_has_means_by_category(both: Comparison) -> None:
    page = comparison_page(ComparisonReport(both))
    (means,) = [table for table in page.tables if table.title == "Geometric means by category"]
    assert [row[0] for row in means.rows] == ["broadcast"]
    assert any(note.startswith("left out of means: 1 figure") for note in page.notes)
    assert f"new: {VIEW}" in page.details[0].notes


def test_json_has_the_notes(both: Comparison) -> None:
    cases = json.loads(text_of("comparison", "json", ComparisonReport(both), 100))["cases"]
    assert {tuple(case["notes"]) for case in cases} == {(f"new: {VIEW}",), (f"new: {CONVERTED}",)}


def test_frameworks_beside_each_other_tell_views_at_their_case(frameworks: list[ReleaseRun]) -> None:
    for width in (80, 140):
        lines = text_of("runs", "table", frameworks, width).splitlines()
        at = next(number for number, line in enumerate(lines) if line.startswith("transpose"))
        assert f"forward: torch: {VIEW}" in " ".join(" ".join(lines[at : at + 4]).split())
    rows = list(csv.DictReader(io.StringIO(text_of("runs", "csv", frameworks, 100))))
    assert [row["notes"] for row in rows] == ["", "", f"forward: {VIEW}", f"forward: {CONVERTED}"]
    assert f"torch: {VIEW}" in text_of("runs", "md", frameworks, 100)


def test_means_of_frameworks_leave_views_out(frameworks: list[ReleaseRun]) -> None:
    (ratios,) = group_ratios(release_figures(frameworks), "category")
    assert ratios.ratios == (1.0, 0.5)
    viewed = [ReleaseRun(run.label, replace(run.run, view=View(group_by="category"))) for run in frameworks]
    grouped = grouped_releases(viewed)
    assert grouped.groups[0].values["ratio torch"] == pytest.approx(0.5)
    assert any("1 figure of views" in note for note in grouped.notes)


def test_the_page_of_frameworks_has_means_by_category(frameworks: list[ReleaseRun]) -> None:
    page = releases_page(frameworks)
    assert [table.title for table in page.tables] == ["Operators by release", "Categories by release", "Cases"]
    assert any("left out of means" in note for note in page.notes)
    assert list(load("runs", "html").pieces(frameworks, 100))
