"""A comparison in every form: what changed comes first, nothing is left out, and programs can read it."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree as ET

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.analysis.comparison import Comparison, Unmatched, Verdict, VerdictCounts
from autoperf.reports.comparison import ComparisonReport
from tests.reports.report_values import text_of
from tests.values import compared, comparison

TALL = "lhs (10000, 1), rhs (1, 10000); axis=(0, 1), keepdims=True"


@pytest.fixture
def whole() -> Comparison:
    slow, quick, even = "broadcast_add/3f9c2a1b", "softmax/00c0ffee", "_npi_true_divide_scalar/12345678"
    return comparison(
        compared(even, "forward", "kernel", 1.001, Verdict.SAME),
        compared(slow, "forward", "kernel", 1.234, Verdict.SLOWER, base_us=12345.6, inputs=TALL),
        compared(slow, "forward", "wall", 1.19, Verdict.UNDECIDED, base_us=12400, inputs=TALL),
        compared(slow, "backward", "kernel", 12.3, Verdict.SLOWER, base_us=0.85, inputs=TALL),
        compared(quick, "forward", "kernel", 0.5, Verdict.FASTER),
        compared(quick, "backward", "wall", 0.031, Verdict.UNDECIDED),
        base="base.ndjson (MXNet 1.9.1, 2024-01-01T00:00:00+00:00)",
        new="new.ndjson (MXNet 2.0.0, 2024-01-02T00:00:00+00:00)",
        unmatched=(
            Unmatched(case="Pooling/1", operator="Pooling", missing="base", reason="absent"),
            Unmatched(case="Pooling/2", operator="Pooling", missing="base", reason="absent"),
            Unmatched(case="topk/1", operator="topk", missing="new", reason="crashed: ended by\nSIGSEGV <&>",
                      lost=True),
            Unmatched(case="dot/1", operator="dot", missing="both", reason="skipped: [bold]too large[/bold]"),
            Unmatched(case=even, operator="x", missing="new", reason="no backward wall time", pass_="backward",
                      clock="wall"),
        ),
        notices=("OMP_NUM_THREADS: base 2, new 1",),
    )  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_table(whole: Comparison, width: int, snapshot: SnapshotAssertion) -> None:
    text = text_of("comparison", "table", ComparisonReport(whole), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_no_shape_is_broken(whole: Comparison) -> None:
    assert "(10000, 1)" in text_of("comparison", "table", ComparisonReport(whole), 80)


def test_text_for_a_file_has_no_colour(whole: Comparison) -> None:
    text = text_of("comparison", "table", ComparisonReport(whole), 120)
    assert "\x1b" not in text
    assert text.endswith(
        "6 figures = 1 faster + 2 slower + 1 same + 2 undecided; 1 missing in new; 4 without a partner\n"
    )


def test_json_is_the_contract(whole: Comparison) -> None:
    read = json.loads(text_of("comparison", "json", ComparisonReport(whole)))
    assert list(read)[:3] == ["cases", "unmatched", "summary"]
    assert set(read["cases"][1]) >= {
        "case", "operator", "pass", "clock", "ratio", "low", "high", "p", "verdict",
    }  # fmt: skip
    assert read["cases"][1]["pass"] == "forward"
    assert read["cases"][1]["verdict"] == "slower"
    assert read["summary"] == {"faster": 1, "slower": 2, "same": 1, "undecided": 2}
    assert read["unmatched"][2]["reason"].startswith("crashed")
    assert (read["unmatched"][4]["pass"], read["unmatched"][0]["pass"]) == ("backward", None)


def test_only_changed_counts_all(whole: Comparison) -> None:
    brief = ComparisonReport(whole, brief=True).shown
    assert [figure.verdict.value for figure in brief.cases] == ["slower", "slower", "faster"]
    assert brief.summary == whole.summary


def test_csv_has_a_row_for_each_figure(whole: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of("comparison", "csv", ComparisonReport(whole)))))
    assert [(row["pass"], row["clock"], row["verdict"]) for row in rows[:2]] == [
        ("forward", "kernel", "same"), ("forward", "kernel", "slower"),
    ]  # fmt: skip
    assert rows[1]["inputs"] == TALL
    assert float(rows[1]["ratio"]) == 1.234


@pytest.mark.parametrize("brief", [False, True])
def test_markdown(whole: Comparison, brief: bool, snapshot: SnapshotAssertion) -> None:
    assert text_of("comparison", "md", ComparisonReport(whole, brief)) == snapshot


def test_junit(whole: Comparison, snapshot: SnapshotAssertion) -> None:
    text = text_of("comparison", "junit", ComparisonReport(whole))
    suite = ET.fromstring(text)[0]
    tests = {test.get("name"): test for test in suite}
    assert len(tests) == len(suite) == 10
    assert (suite.get("failures"), suite.get("skipped")) == ("3", "5")
    assert [child.tag for child in tests["broadcast_add/3f9c2a1b forward"]] == ["failure"]
    assert [child.tag for child in tests["softmax/00c0ffee backward"]] == ["skipped"]
    assert [child.tag for child in tests["softmax/00c0ffee forward"]] == ["system-out"]
    assert text == snapshot


def test_control_characters_are_spelled(whole: Comparison) -> None:
    broken = msgspec.structs.replace(
        whole, base="a\x1b[2Jb", cases=(compared("x\x1b/1", "forward", "wall", 2.0, Verdict.SLOWER, inputs="\x07"),)
    )
    assert "\x1b" not in text_of("comparison", "table", ComparisonReport(broken), 80)
    ET.fromstring(text_of("comparison", "junit", ComparisonReport(broken)))


def test_an_empty_comparison(whole: Comparison) -> None:
    empty = msgspec.structs.replace(whole, cases=(), unmatched=(), summary=VerdictCounts(), notices=())
    assert text_of("comparison", "table", ComparisonReport(empty), 80).endswith(
        "0 figures = 0 faster + 0 slower + 0 same + 0 undecided\n"
    )
    assert "nothing slower" in text_of("comparison", "md", ComparisonReport(empty))
    assert json.loads(text_of("comparison", "json", ComparisonReport(empty)))["cases"] == []
    assert len(ET.fromstring(text_of("comparison", "junit", ComparisonReport(empty)))[0]) == 0


def test_reasons_for_missing_figures(whole: Comparison) -> None:
    reason = "skipped: not timed, since the other side has no such case"
    mish = Unmatched(case="mish/1", operator="mish", missing="both", reason=reason)
    given = msgspec.structs.replace(whole, unmatched=(mish, *whole.unmatched))
    lines = text_of("comparison", "table", ComparisonReport(given), 120).splitlines()
    assert f"    1 not measured on both sides ({reason}): mish" in lines
    assert "    2 absent in base: Pooling" in lines
    assert "    1 no backward wall time in new: x" in lines
