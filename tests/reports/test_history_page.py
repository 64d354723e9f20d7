"""The page of a history, without a browser."""

from __future__ import annotations

from autoperf.reports.history import runs_report
from tests.reports.history_values import history_run, series_rows
from tests.reports.report_values import text_of
from tests.reports.test_run_page import data


def test_each_series_has_its_course_with_the_steps() -> None:
    page = data(text_of("history", "html", series_rows()))
    (table,) = page["tables"]
    names = [column["name"] for column in table["columns"]]
    first = dict(zip(names, table["rows"][0], strict=True))
    assert (first["operator"], first["figure"], first["last step"]) == ("softmax", "forward kernel", "slower")
    assert first["change"] == [1.5, "1.50x slower"]
    ends, dates, steps = ["10.0 us", "15.0 us"], ["2026-11-01", "2026-11-06"], [[4, "1.50x slower since 2026-11-05"]]
    assert page["details"][0]["courses"] == [["forward kernel", "00 0zz", ends, dates, steps]]
    assert page["details"][1]["courses"][0][1] == "000000"


def test_what_changed_most_comes_first() -> None:
    page = data(text_of("history", "html", series_rows()))
    assert [(ranking["title"], [row["row"] for row in ranking["rows"]]) for ranking in page["rankings"]] == [
        ("Slower", [0]), ("Faster", [2]),
    ]  # fmt: skip
    assert [(chart["x"], chart["y"], chart["group"]) for chart in page["charts"]] == [
        ("median_us", "last_us", "last step")
    ]


def test_runs_are_a_table_alone() -> None:
    page = data(text_of("history", "html", runs_report([history_run(1), history_run(2)])))
    assert [row[0] for row in page["tables"][0]["rows"]] == [[1, "1"], [2, "2"]]
    assert page["details"] == page["charts"] == page["rankings"] == []
