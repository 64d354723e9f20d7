"""docs/composites.md lists every composite, in the tables that tools/composites.py writes."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from autoperf.analysis.composite_times import CompositeTime, WayTime
from tests.scripts import load_script
from tools.page_blocks import block_of

PAGE = Path(__file__).parents[1] / "docs" / "composites.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "composites.py")


def rows(text: str) -> list[list[str]]:
    """The first two cells of each row, which no measurement changes."""
    return [re.split(r" \| ", line.strip("| "))[:2] for line in text.splitlines() if line.startswith("| ")]


def test_the_page_has_every_composite_with_what_it_computes(script: ModuleType) -> None:
    block = block_of(PAGE.read_text(), "composites")
    assert rows(block) == rows("".join(script.page_block([])))
    assert re.search(r"The dispatch of an operator takes .* saves .* of the forward time and .* backward", block)


def test_a_row_has_both_passes(script: ModuleType) -> None:
    ways = {"imperative": WayTime(100.0, 80.0), "hybridized": WayTime(60.0), "static": WayTime(25.0)}
    passes = [CompositeTime("giou_loss", "small", name, 40, ways) for name in ("forward", "backward")]
    table = "".join(script.page_block(passes))
    figures = "40 | 100 us | 60.0 us | 25.0 us | 80.0 us | 2.00 us | 75% | 100 us | 25.0 us | 75%"
    assert f"| giou_loss | 1 - GIoU (Rezatofighi et al., 2019) | {figures} |" in table
    assert "takes 2.00 us in the median of 1 composite; the static graph saves 75% of the forward time" in table


def test_without_a_measurement_there_are_no_figures(script: ModuleType) -> None:
    assert "".join(script.page_block([])).endswith("\nNothing was measured.\n\n")
