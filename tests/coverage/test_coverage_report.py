"""The coverage of one release and of several, and its changes against a ledger."""

from __future__ import annotations

import csv
import io
import json
import re

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import (
    Change,
    Coverage,
    CoverageBaseline,
    CoverageEntry,
    CoverageReport,
    ReleaseCoverage,
    compare,
)
from autoperf.coverage.report import CoverageView, LedgerReport, totals
from tests.reports.report_values import REPORT, text_of


def coverage_text(
    report: CoverageReport = REPORT, width: int = 80, form: str = "table", *, detailed: bool = False
) -> str:
    """The coverage of a release in a format."""
    return text_of("coverage", form, CoverageView([ReleaseCoverage("1.9.1", report)], detailed=detailed), width)


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("view", ["table", "listing"])
def test_tables(view: str, width: int, snapshot: SnapshotAssertion) -> None:
    text = coverage_text(width=width, detailed=view == "listing")
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_totals_are_additions_that_hold() -> None:
    for line in totals(REPORT):
        sum_, *terms = map(int, re.findall(r"\d+", line))
        assert sum_ == sum(terms)


def test_totals_count_the_operators_shown() -> None:
    kept = tuple(operator for operator in REPORT.operators if operator.status is Coverage.UNCOVERED)
    text = coverage_text(msgspec.structs.replace(REPORT, operators=kept))
    assert "1 of 5 forward operators shown" in text
    assert "broadcast" not in text


def test_one_operator_is_shown_with_the_reasons_for_the_dtypes_that_it_refuses() -> None:
    kept = tuple(operator for operator in REPORT.operators if operator.dtypes)
    text = coverage_text(msgspec.structs.replace(REPORT, operators=kept), detailed=True)
    assert "takes float16, float32, float64, int32\n" in text
    assert "bool    refused: Operator add does not support boolean\n" in text
    assert "refused" not in coverage_text(detailed=True)


def test_everything_covered_leaves_the_reasons_out() -> None:
    kept = tuple(operator for operator in REPORT.operators if operator.status is Coverage.COVERED)
    assert "not covered" not in coverage_text(msgspec.structs.replace(REPORT, operators=kept))


def test_json_is_the_contract() -> None:
    text = coverage_text(form="json")
    document = msgspec.json.decode(text)
    assert list(document) == ["mxnet", "names", "operators", "summary", "backward"]
    assert list(document["operators"][0]) == [
        "name", "aliases", "namespace", "category", "status", "reason", "rule", "differentiable", "backward_kernels",
        "dtypes",
    ]  # fmt: skip
    assert list(document["operators"][0]["rule"]) == ["tier", "source"]
    assert list(document["summary"]) == [
        "registered", "canonical", "alias", "backward", "forward", "covered", "uncovered", "excluded",
    ]  # fmt: skip
    assert {operator["status"] for operator in document["operators"]} == {"covered", "uncovered", "excluded"}
    assert msgspec.json.decode(text, type=CoverageReport) == REPORT


def test_csv_has_a_row_an_operator(snapshot: SnapshotAssertion) -> None:
    text = coverage_text(form="csv")
    names = [row["name"] for row in csv.DictReader(io.StringIO(text))]
    assert names == [operator.name for operator in REPORT.operators]
    assert text == snapshot


def test_markdown(snapshot: SnapshotAssertion) -> None:
    assert coverage_text(form="md") == snapshot


COVERED = CoverageEntry(Coverage.COVERED, "unary", differentiable=True)
UNCOVERED = CoverageEntry(Coverage.UNCOVERED)
BEFORE = {
    "sin": COVERED,
    "cos": COVERED,
    "exp": COVERED,
    "log": UNCOVERED,
    "tan": COVERED,
    "sqrt": COVERED,
    "broadcast_plus": COVERED,
}
AFTER = {
    "sin": UNCOVERED,
    "cos": CoverageEntry(Coverage.EXCLUDED, reason="holds a pointer that only a front end can make"),
    "exp": CoverageEntry(Coverage.COVERED, "unary", differentiable=False),
    "log": CoverageEntry(Coverage.COVERED, "unary"),
    "tan": COVERED,
    "sqrt": CoverageEntry(Coverage.COVERED, "power", differentiable=True),
    "my_operator": UNCOVERED,
}
CHECK = compare(
    CoverageBaseline("1.9.1", BEFORE), CoverageBaseline("1.9.1", AFTER), {"broadcast_plus": "broadcast_add"}
)
REFRESH = "autoperf discover --write-ledger ledger.json"


def test_table(snapshot: SnapshotAssertion) -> None:
    assert text_of("ledger", "table", LedgerReport(CHECK, "ledger.json", REFRESH)) == snapshot


def test_nothing_changed() -> None:
    same = compare(CoverageBaseline("1.9.1", BEFORE), CoverageBaseline("1.9.1", BEFORE), {})
    report = LedgerReport(same, "ledger.json", REFRESH)
    assert text_of("ledger", "table", report).strip() == ("MXNet 1.9.1, 7 operators, against ledger.json: no change")
    assert json.loads(text_of("ledger", "json", report))["changes"] == []


def test_names_of_a_ledger_stay_on_their_line() -> None:
    before = CoverageBaseline("1.9.1", {"a\nb\x1b[0m": UNCOVERED, "exp": COVERED})
    report = LedgerReport(compare(before, CoverageBaseline("1.9.1", {}), {}), "ledger.json", REFRESH)
    lines = text_of("ledger", "table", report).splitlines()
    assert [line[:16] for line in lines[1:3]] == [r"  a b\u001b[0m  ", "  exp           "]


def test_json_reads_back() -> None:
    document = json.loads(text_of("ledger", "json", LedgerReport(CHECK, "ledger.json", REFRESH)))
    assert (document["ledger"], document["mxnet"], document["operators"]) == ("ledger.json", "1.9.1", 7)
    assert document["passed"] is False
    assert document["refresh"] == REFRESH
    assert msgspec.convert(document["changes"], tuple[Change, ...]) == CHECK.changes


@pytest.mark.parametrize("form", ["table", "md", "json", "csv"])
def test_several_releases_follow_each_other(form: str) -> None:
    releases = [ReleaseCoverage(name, msgspec.structs.replace(REPORT, mxnet=name)) for name in ("1.9.1", "2.0.0b1")]
    text = text_of("coverage", form, CoverageView(releases), 9999)
    assert 0 < text.index("1.9.1") < text.index("2.0.0b1")
    if form == "json":
        assert [each["report"]["mxnet"] for each in json.loads(text)["releases"]] == ["1.9.1", "2.0.0b1"]


def test_two_builds_of_a_version_have_names_in_markdown() -> None:
    text = text_of("coverage", "md", CoverageView([ReleaseCoverage(name, REPORT) for name in ("1.9.1", "1.9.1-2")]), 99)
    assert re.findall("^## (.*)", text, re.MULTILINE) == ["MXNet 1.9.1", "MXNet 1.9.1-2"]
