"""What the pages of a comparison, a hunt and several releases have, without a browser."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.analysis.comparison import Unmatched, Verdict
from autoperf.core.finding import FamilyCheck
from autoperf.reports.comparison import ComparisonReport
from autoperf.reports.side_by_side import ReleaseRun
from tests.finding_values import SEARCHED, SOFTMAX, TAKE, hunt_report
from tests.reports.report_values import report, text_of
from tests.reports.test_run_page import data
from tests.values import PAIR, compared, comparison, measured, timed


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
    page = data(text_of("hunt", "html", hunt_report({"scripts/softmax-1.py": checked}, SEARCHED)))
    (detail,) = page["details"]
    assert detail["title"] == "forward: 4.20 times [4.07, 4.37]"
    assert detail["command"] == "python scripts/softmax-1.py"
    assert detail["sides"] == [
        ["slow", "1.23 ms", [["data", False], ["(4096, 64);", False], ["axis=0", True]]],
        ["fast", "294 us", [["data", False], ["(4096, 64);", False], ["axis=-1", True]]],
    ]
    assert detail["bar"][0] == "4.20 times [4.07, 4.37]"
    assert detail["bar"][1] == pytest.approx(1 / 4.2)
    assert "tested: 8 of 8 fresh inputs of it are slow, 7 of 8 others are not" in detail["notes"]


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
    cases, operators, categories = data(text_of("runs", "html", runs))["tables"]
    row = dict(zip((column["name"] for column in cases["columns"]), cases["rows"][0], strict=True))
    assert (row["time 1.6.0"], row["time 1.9.1"], row["ratio 1.9.1"]) == (
        [10, "10.0 us"],
        [20, "20.0 us"],
        [2, "2.000"],
    )
    assert operators["rows"] == [["exp", "broadcast", "forward", [1, "1.000"], [2, "2.000"], "2.00x slower in 1.9.1"]]
    assert categories["rows"] == [["broadcast", "forward", [1, "1.000"], [2, "2.000"]]]
