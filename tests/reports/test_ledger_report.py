from __future__ import annotations

import json

import msgspec
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import Change, Coverage, CoverageBaseline, CoverageEntry, compare
from autoperf.reports.coverage import LedgerReport
from tests.reports.report_values import text_of

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


def test_json_reads_back() -> None:
    document = json.loads(text_of("ledger", "json", LedgerReport(CHECK, "ledger.json", REFRESH)))
    assert (document["ledger"], document["mxnet"], document["operators"]) == ("ledger.json", "1.9.1", 7)
    assert document["passed"] is False
    assert document["refresh"] == REFRESH
    assert msgspec.convert(document["changes"], tuple[Change, ...]) == CHECK.changes
