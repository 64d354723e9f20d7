"""The pages of a history, a comparison, a hunt and several releases, without a browser."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.comparison.comparison import Unmatched, Verdict
from autoperf.comparison.report import ComparisonReport
from autoperf.comparison.side_by_side import ReleaseRun
from autoperf.core.finding import FamilyCheck
from autoperf.history.report import (
    SERIES_COLUMNS,
    SeriesRow,
    changed_facts,
    changes_report,
    report_with_answer,
    runs_report,
)
from autoperf.history.series import HistoryChanges
from tests.finding_values import SEARCHED, SOFTMAX, TAKE, hunt_report
from tests.reports.report_values import RUNS, history_case, history_change, history_run, report, series_rows, text_of
from tests.summary.test_run_page import data
from tests.values import PAIR, compared, comparison, measured, timed


def test_each_series_has_its_course_with_the_steps() -> None:
    page = data(text_of("history", "html", series_rows()))
    (table,) = page["tables"]
    names = [column["name"] for column in table["columns"]]
    first = dict(zip(names, table["rows"][0], strict=True))
    assert (first["operator"], first["figure"], first["last step"]) == ("softmax", "forward kernel", "slower")
    assert first["change"] == [1.5, "1.50x slower"]
    marks = [[4, "slower", "1.50x slower [1.42, 1.58] since 2026-11-05"]]
    assert page["details"][0]["courses"] == [
        ["forward kernel", "us", [10.0, 10.0, None, 10.0, 15.0, 15.0], marks, 0],
    ]  # fmt: skip
    assert page["details"][1]["courses"][0][2] == [30.0] * 6
    (nights,) = page["nights"]
    assert nights[4] == ["2026-11-05", "run 5 000000000000", ""]


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_a_count_in_a_history_is_no_time(form: str) -> None:
    row = count_row("forward instructions", 1_230_000.0)
    text = text_of("history", form, report_with_answer("series", SERIES_COLUMNS, [row], "1 series"))
    assert "1.23 M" in text
    assert "1.23 s" not in text


def count_row(figure: str, value: float) -> SeriesRow:
    return SeriesRow(history_case("softmax"), figure, RUNS, [value] * len(RUNS))


def test_what_changed_most_comes_first() -> None:
    page = data(text_of("history", "html", series_rows()))
    assert [(card["title"], card["row"]) for card in page["cards"]] == [
        ("softmax forward kernel since 2026-11-05: data (32, 32)", 0),
        ("dot forward kernel since 2026-11-04: data (32, 32)", 2),
    ]
    detail = page["details"][0]
    assert detail["sides"] == [
        ["until 2026-11-04", "10.0 us", [["MXNet's library: /opt/libmxnet.so", True]]],
        ["since 2026-11-05", "15.0 us", [["MXNet's library: /new/libmxnet.so", True]]],
    ]
    assert detail["bar"][0] == "1.50 times [1.42, 1.58] slower"
    assert detail["bar"][1] == pytest.approx(1 / 1.5, abs=1e-4)


def test_the_answer_names_the_night_and_what_else_changed() -> None:
    sentence = (
        "softmax forward kernel (data (32, 32)) is 1.50 times [1.42, 1.58] slower since the night of 2026-11-05; "
        "MXNet's library changed from /opt/libmxnet.so to /new/libmxnet.so that night."
    )
    report = series_rows()
    assert report.answer[0] == sentence
    for form in ("html", "md", "table"):
        text = " ".join(text_of("history", form, report).split())
        assert sentence.replace("'", "&#39;") in text or sentence in text
    assert report.answer[1].endswith("; the history records no change of versions or settings that night.")


def test_a_night_with_several_changes_is_one_sentence() -> None:
    alike = [history_change(figure=figure) for figure in ("forward wall", "backward wall")]
    late = history_change("dot", 2.0, 5, last=RUNS[2])
    report = changes_report(HistoryChanges([*alike, late], 3))
    assert len(report.answer) == 2
    assert "since the night of 2026-11-06 (the run before is of 2026-11-03)" in report.answer[0]
    assert "; so is 1 other measurement of that night;" in report.answer[1]
    assert changes_report(HistoryChanges([], 3)).answer == ("No measurement is known to have changed.",)
    recent = changes_report(HistoryChanges([], 3, since="2026-11-05"))
    assert recent.answer == ("No measurement is known to have changed since 2026-11-05.",)


def test_facts_of_both_runs_are_compared() -> None:
    before, after = ({"NumPy": version, "MXNet's library": "/opt/libmxnet.so"} for version in ("1.0", "2.0"))
    last, first = (msgspec.structs.replace(RUNS[3], facts=facts) for facts in (before, after))
    assert list(changed_facts(last, first)) == [("NumPy", "1.0", "2.0")]


def test_changes_have_the_courses_of_their_figures() -> None:
    page = data(text_of("history", "html", changes_report(HistoryChanges([history_change()], 1))))
    assert page["cards"][0]["row"] == 0
    assert page["details"][0]["courses"][0][:3] == ["forward kernel", "us", [10.0] * 4 + [15.0] * 2]
    shown = text_of("history", "table", changes_report(HistoryChanges([history_change()], 1)), 100)
    assert "▁▁▁▁██" in shown
    assert "        ^ 2026-11-05" in shown


def test_runs_are_a_table_alone() -> None:
    page = data(text_of("history", "html", runs_report([history_run(1), history_run(2)])))
    assert [row[0] for row in page["tables"][0]["rows"]] == [[1, "1"], [2, "2"]]
    assert page["details"] == page["charts"] == page["rankings"] == page["cards"] == []


def test_a_comparison_ranks_what_changed_and_lists_what_has_no_partner() -> None:
    figures = (
        compared("exp/1", "forward", "wall", 1.0, Verdict.SAME),
        compared("log/1", "forward", "wall", 4.0, Verdict.SLOWER),
        compared("dot/1", "forward", "wall", 2.0, Verdict.SLOWER),
        compared("sum/1", "forward", "wall", 0.25, Verdict.FASTER),
    )
    missing = Unmatched(case="tan/1", operator="tan", missing="new", reason="crashed: SIGSEGV")
    whole = comparison(*figures, unmatched=(missing,))
    page = data(text_of("comparison", "html", ComparisonReport(whole)))
    first, second, means = page["tables"]
    assert [row[0] for row in first["rows"]] == ["slower", "slower", "faster", "same"]
    assert second["rows"] == [["tan", "tan/1", "new", "", "crashed: SIGSEGV"]]
    assert [row[:2] for row in means["rows"]] == [["broadcast", [4, "4"]]]
    assert [(ranking["title"], [entry["text"] for entry in ranking["rows"]]) for ranking in page["rankings"]] == [
        ("Slower", ["4.00x slower", "2.00x slower"]), ("Faster", ["4.00x faster"]),
    ]  # fmt: skip
    assert page["details"][0]["notes"] == [
        "forward wall: 4.00x slower: 50.0 us -> 200 us, ratio 4.000 [3.80, 4.20], in 3 and 3 processes"
    ]


def test_a_finding_has_both_inputs_and_how_its_family_was_held() -> None:
    checked = msgspec.structs.replace(SOFTMAX, check=FamilyCheck(inside=8, inside_slow=8, outside=8, outside_fast=7))
    page = data(text_of("hunt", "html", hunt_report({"autoperf hunt --replay FOLDER 1": checked}, SEARCHED)))
    (detail,) = page["details"]
    assert detail["title"] == "forward: 4.20 times [4.07, 4.37]"
    assert detail["command"] == "autoperf hunt --replay FOLDER 1"
    assert detail["sides"] == [
        ["slow", "1.23 ms", [["data", False], ["(4096, 64);", False], ["axis=0", True]]],
        ["fast", "294 us", [["data", False], ["(4096, 64);", False], ["axis=-1", True]]],
    ]
    assert detail["bar"][0] == "4.20 times [4.07, 4.37]"
    assert detail["bar"][1] == pytest.approx(1 / 4.2, abs=1e-4)
    assert "tested: 8 of 8 fresh inputs of it are slow, 7 of 8 others are not" in detail["notes"]


def test_tiles_count_the_operators_that_the_summary_counts() -> None:
    waiting = msgspec.structs.replace(SEARCHED[0], operator="relu", tried=0, ended="interrupted")
    page = text_of("hunt", "html", hunt_report({}, [*SEARCHED, waiting]))
    assert "0 findings: 2 operators searched in " in page
    assert "<b>2</b> <span>operators searched</span>" in page


def test_a_hunt_of_several_operators_shows_causes_first() -> None:
    found = {name: msgspec.structs.replace(SOFTMAX, operator=name) for name in ("softmax", "log_softmax")}
    page = data(text_of("hunt", "html", hunt_report({**found, "take": TAKE}, SEARCHED)))
    titles = [card["title"] for card in page["cards"]]
    assert titles == ["an axis that isn't the last: 2 operators, 4.20 times in the geometric mean", "take backward"]
    # Cards and details belong to the rows of the first table.
    findings, causes, _ = page["tables"]
    assert (len(findings["rows"]), len(causes["rows"])) == (3, 1)
    names = [row[1] for row in findings["rows"]]
    assert [names[card["row"]] for card in page["cards"]] == ["log_softmax", "take"]


def test_releases_have_a_matrix_of_operators() -> None:
    runs = [
        ReleaseRun(label, report([measured("exp", "small", PAIR, timed(time, 99), digest="1")]))
        for label, time in (("1.6.0", 10.0), ("1.9.1", 20.0))
    ]
    operators, categories, cases = data(text_of("runs", "html", runs))["tables"]
    row = dict(zip((column["name"] for column in cases["columns"]), cases["rows"][0], strict=True))
    assert (row["time 1.6.0"], row["time 1.9.1"], row["ratio 1.9.1"]) == (
        [10, "10.0 us"],
        [20, "20.0 us"],
        [2, "2.000"],
    )
    assert operators["rows"] == [["exp", "broadcast", "forward", [1, "1.000"], [2, "2.000"], "2.00x slower in 1.9.1"]]
    assert categories["rows"] == [["broadcast", "forward", [1, "1.000"], [2, "2.000"]]]
