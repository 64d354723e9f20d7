"""What counts as a loss, and what is only told."""

from __future__ import annotations

import pytest

from autoperf.core.coverage import ChangeKind, Coverage, CoverageBaseline, CoverageEntry, compare

COVERED = CoverageEntry(Coverage.COVERED, "unary", differentiable=True)
FORWARD = CoverageEntry(Coverage.COVERED, "unary", differentiable=False)
NOT_ASKED = CoverageEntry(Coverage.COVERED, "unary")
ELSEWHERE = CoverageEntry(Coverage.COVERED, "power", differentiable=True)
UNCOVERED = CoverageEntry(Coverage.UNCOVERED)
EXCLUDED = CoverageEntry(Coverage.EXCLUDED, reason="needs several devices")
OTHERWISE = CoverageEntry(Coverage.EXCLUDED, reason="no kernel is registered")

CHANGES = [
    (COVERED, UNCOVERED, ChangeKind.LOST, False),
    (COVERED, EXCLUDED, ChangeKind.LOST, False),
    (EXCLUDED, UNCOVERED, ChangeKind.LOST, False),
    (COVERED, FORWARD, ChangeKind.LOST_BACKWARD, False),
    (COVERED, NOT_ASKED, ChangeKind.LOST_BACKWARD, False),
    (FORWARD, NOT_ASKED, ChangeKind.UNKNOWN_BACKWARD, False),
    (None, COVERED, ChangeKind.APPEARED, False),
    (None, EXCLUDED, ChangeKind.APPEARED, False),
    (COVERED, None, ChangeKind.VANISHED, False),
    (UNCOVERED, None, ChangeKind.VANISHED, False),
    (UNCOVERED, FORWARD, ChangeKind.GAINED, True),
    (EXCLUDED, COVERED, ChangeKind.GAINED, True),
    (FORWARD, COVERED, ChangeKind.GAINED_BACKWARD, True),
    (NOT_ASKED, COVERED, ChangeKind.GAINED_BACKWARD, True),
    (NOT_ASKED, FORWARD, ChangeKind.CHANGED, True),
    (UNCOVERED, EXCLUDED, ChangeKind.CHANGED, True),
    (COVERED, ELSEWHERE, ChangeKind.CHANGED, True),
    (EXCLUDED, OTHERWISE, ChangeKind.CHANGED, True),
]


def ledger(**operators: CoverageEntry | None) -> CoverageBaseline:
    return CoverageBaseline("1.9.1", {name: standing for name, standing in operators.items() if standing})


@pytest.mark.parametrize(("before", "after", "kind", "passes"), CHANGES)
def test_each_change_has_its_kind(
    before: CoverageEntry | None, after: CoverageEntry | None, kind: ChangeKind, passes: bool
) -> None:
    found = compare(ledger(exp=before, sin=COVERED), ledger(exp=after, sin=COVERED), {})
    assert [(change.kind, change.operator) for change in found.changes] == [(kind, "exp")]
    assert (found.changes[0].before, found.changes[0].after) == (before, after)
    assert found.passed is passes


@pytest.mark.parametrize("standing", [COVERED, FORWARD, NOT_ASKED, UNCOVERED, EXCLUDED])
def test_no_change_is_none(standing: CoverageEntry) -> None:
    found = compare(ledger(exp=standing), ledger(exp=standing), {})
    assert found.passed
    assert not found.changes


def test_findings_come_first_and_then_names() -> None:
    before = ledger(a=UNCOVERED, b=COVERED, c=COVERED, d=COVERED)
    found = compare(before, ledger(a=COVERED, b=UNCOVERED, c=UNCOVERED), {"d": "e"})
    assert [change.operator for change in found.changes] == ["b", "c", "d", "a"]


def test_a_name_that_became_an_alias_is_told() -> None:
    found = compare(ledger(broadcast_plus=COVERED), ledger(), {"broadcast_plus": "broadcast_add"})
    assert found.changes[0].alias_of == "broadcast_add"
