"""docs/reference/composites.md has a composite of each family, in the table that tools/composites.py writes."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from autoperf.analysis.composite_times import CompositeTime, WayTime
from tests.scripts import load_script
from tools.page_blocks import block_of

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "composites.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "composites.py")


def test_the_page_has_a_composite_of_each_family(script: ModuleType) -> None:
    block = block_of(PAGE.read_text(), "composites")
    rows = [line.strip("| ").split(" | ") for line in block.splitlines() if line.startswith("| ")][1:]
    families = script.families()
    assert [(row[0], int(row[1])) for row in rows] == [(family, len(names)) for family, names in families.items()]
    assert all(row[2] in families[row[0]] for row in rows)
    assert re.search(r"The dispatch of an operator takes .* saves .* of the forward time and .* backward", block)


def test_a_row_has_the_composite_of_which_the_graph_saves_most(script: ModuleType) -> None:
    ways = {"imperative": WayTime(100.0, 80.0), "hybridized": WayTime(60.0), "static": WayTime(25.0)}
    passes = [CompositeTime("giou_loss", "small", name, 40, ways) for name in ("forward", "backward")]
    slower = {**ways, "static": WayTime(30.0)}
    passes.append(CompositeTime("ciou_loss", "small", "forward", 79, slower))
    table = "".join(script.page_block(passes))
    assert "| Regression losses | 10 | giou_loss | 40 | 100 us | 25.0 us | 2.00 us | 75% | 75% |\n" in table
    assert "ciou_loss" not in table
    assert (
        "in the median of 2 composites; the static graph saves 72% of the forward time and 75% of the backward" in table
    )


def test_without_a_measurement_there_are_no_figures(script: ModuleType) -> None:
    assert "".join(script.page_block([])).endswith("\nNothing was measured.\n\n")
