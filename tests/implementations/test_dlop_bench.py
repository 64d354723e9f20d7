"""DLOP-Bench's basic operators: each has MXNet's operator with its implementations, or the reason why it has none."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.implementations.implementation import FRAMEWORKS
from tools.dlop_bench import TABLE, filled, read

TEXT = TABLE.read_text(encoding="utf-8")
ROWS = read(TEXT)


def test_every_sample_has_an_operator_or_a_reason() -> None:
    assert len(ROWS) == len({row["sample"] for row in ROWS}) == 176
    assert [row["sample"] for row in ROWS if bool(row["operator"]) == bool(row["why"])] == []
    assert sum(bool(row["operator"]) for row in ROWS) >= 140


def test_the_table_is_the_programs(release: Release) -> None:
    assert filled(TEXT, release) == TEXT, "run `python tools/dlop_bench.py`"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_nearly_all_have_an_implementation(framework: str) -> None:
    lacking = [row["sample"] for row in ROWS if row["operator"] and row[framework].startswith("none")]
    assert len(lacking) <= 8
