from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
from rich.console import RenderableType
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import Coverage
from autoperf.core.ledger import Change, CoverageBaseline, CoverageEntry, compare
from autoperf.reports import ledger

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


def test_table(rendered: Callable[[RenderableType, int], str], snapshot: SnapshotAssertion) -> None:
    assert rendered(ledger.table(CHECK, "ledger.json"), 100) == snapshot


def test_nothing_changed(rendered: Callable[[RenderableType, int], str]) -> None:
    same = compare(CoverageBaseline("1.9.1", BEFORE), CoverageBaseline("1.9.1", BEFORE), {})
    assert rendered(ledger.table(same, "ledger.json"), 100).strip() == (
        "MXNet 1.9.1, 7 operators, against ledger.json: no change"
    )
    assert json.loads(ledger.to_json(same, "ledger.json", REFRESH))["changes"] == []


def test_json_reads_back() -> None:
    document = json.loads(ledger.to_json(CHECK, "ledger.json", REFRESH))
    assert (document["ledger"], document["mxnet"], document["operators"]) == ("ledger.json", "1.9.1", 7)
    assert document["passed"] is False
    assert document["refresh"] == REFRESH
    assert msgspec.convert(document["changes"], tuple[Change, ...]) == CHECK.changes
