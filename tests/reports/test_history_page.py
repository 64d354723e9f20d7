"""The page of a history, without a browser."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.analysis.history_series import HistoryChanges
from autoperf.reports.history import changes_report, runs_report
from autoperf.reports.provenance import changed_facts
from tests.reports.history_values import RUNS, history_change, history_run, series_rows
from tests.reports.report_values import text_of
from tests.reports.test_run_page import data


def test_each_series_has_its_course_with_the_steps() -> None:
    page = data(text_of("history", "html", series_rows()))
    (table,) = page["tables"]
    names = [column["name"] for column in table["columns"]]
    first = dict(zip(names, table["rows"][0], strict=True))
    assert (first["operator"], first["figure"], first["last step"]) == ("softmax", "forward kernel", "slower")
    assert first["change"] == [1.5, "1.50x slower"]
    ends, dates = ["10.0 us", "15.0 us"], ["2026-11-01", "2026-11-06"]
    steps = [[4, "2026-11-05", "1.50x slower [1.42, 1.58] since 2026-11-05"]]
    bands = [[0, 3, 0, 0], [4, 5, 35, 35]]
    assert page["details"][0]["courses"] == [["forward kernel", "00 0zz", ends, dates, steps, bands]]
    assert page["details"][1]["courses"][0][1] == "000000"


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
    assert detail["bar"][1] == pytest.approx(1 / 1.5)


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
    report = changes_report(HistoryChanges([*alike, late], 3, 3))
    assert len(report.answer) == 2
    assert "since the night of 2026-11-06 (the run before is of 2026-11-03)" in report.answer[0]
    assert "; so is 1 other measurement of that night;" in report.answer[1]
    assert changes_report(HistoryChanges([], 3, 3)).answer == ("No measurement is known to have changed.",)


def test_facts_of_both_runs_are_compared() -> None:
    before, after = ({"NumPy": version, "MXNet's library": "/opt/libmxnet.so"} for version in ("1.0", "2.0"))
    last, first = (msgspec.structs.replace(RUNS[3], facts=facts) for facts in (before, after))
    assert list(changed_facts(last, first)) == [("NumPy", "1.0", "2.0")]
    # A run that an earlier version added has none.
    assert list(changed_facts(RUNS[3], first)) == []


def test_changes_have_the_courses_of_their_figures() -> None:
    page = data(text_of("history", "html", changes_report(HistoryChanges([history_change()], 1, 1))))
    assert page["cards"][0]["row"] == 0
    assert page["details"][0]["courses"][0][:2] == ["forward kernel", "0000zz"]
    shown = text_of("history", "table", changes_report(HistoryChanges([history_change()], 1, 1)), 100)
    assert "▁▁▁▁██" in shown
    assert "        ^ 2026-11-05" in shown


def test_runs_are_a_table_alone() -> None:
    page = data(text_of("history", "html", runs_report([history_run(1), history_run(2)])))
    assert [row[0] for row in page["tables"][0]["rows"]] == [[1, "1"], [2, "2"]]
    assert page["details"] == page["charts"] == page["rankings"] == page["cards"] == []
