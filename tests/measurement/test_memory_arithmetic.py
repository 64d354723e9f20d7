"""The memory of real operators, byte by byte, is what arithmetic says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autoperf.core.outcome import Outcome, PassMemory, Status
from tests.measurement.memory_arithmetic import ROWS, Row, Taken

PAGE = Path(__file__).parents[2] / "docs" / "method" / "memory.md"
HEAD = (
    "| operator | inputs and parameters | forward: output | workspace | backward: output | workspace | workspace is |"
)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.operator}-{number}" for number, row in enumerate(ROWS)])
def test_memory_is_what_arithmetic_says(run: Callable[..., list[Outcome]], row: Row) -> None:
    (outcome,) = run(row.operator, row.arguments, decoration=f"in_place={row.in_place!r}")
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.memory is not None
    assert_taken(outcome.memory.forward, row.forward)
    assert_taken(outcome.memory.backward, row.backward)


def assert_taken(memory: PassMemory | None, expected: Taken | None) -> None:
    if memory is None or expected is None:
        assert memory is expected is None
        return
    workspace = memory.workspace if expected.workspace is None else expected.workspace
    assert workspace >= 0
    assert memory == PassMemory(expected.output + workspace, expected.output, workspace)


def test_the_page_has_some_of_these_rows() -> None:
    table = [text for text in PAGE.read_text(encoding="utf-8").splitlines() if text.startswith("|")]
    assert table[0] == HEAD
    assert set(table[2:]) <= set(map(line, ROWS))
    assert len(table) > 10


def line(row: Row) -> str:
    """A row of the page's table."""
    passes = (row.forward, row.backward)
    figures = " | ".join(figure for one in passes for figure in _figures(one))
    reasons = [
        f"{name}: {one.why}" for name, one in zip(("forward", "backward"), passes, strict=True) if one and one.why
    ]
    return f"| `{row.operator}` | `{row.arguments}` | {figures} | {'; '.join(reasons)} |"


def _figures(taken: Taken | None) -> tuple[str, str]:
    if taken is None:
        return "-", "-"
    return f"{taken.output:,}", "?" if taken.workspace is None else f"{taken.workspace:,}"
