"""docs/reference/composites.md has a composite of each family, in the table that tools/composites.py writes."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from autoperf.analysis.modes import CompositeTime, ModeTimes
from autoperf.core.graph import Graph, Node
from autoperf.core.outcome import PASSES
from tests.scripts import load_script
from tests.values import outcome, timed
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
    passes = [CompositeTime(_modes("giou_loss", 40, 25.0), name) for name in PASSES]
    passes.append(CompositeTime(_modes("ciou_loss", 79, 30.0), "forward"))
    table = "".join(script.page_block(passes))
    assert "| Losses | 31 | giou_loss | 40 | 100 us | 25.0 us | 2.00 us | 75% | 75% |\n" in table
    assert "ciou_loss" not in table
    assert (
        "in the median of 2 composites; the static graph saves 72% of the forward time and 75% of the backward" in table
    )


def test_without_a_measurement_there_are_no_figures(script: ModuleType) -> None:
    assert "".join(script.page_block([])).endswith("\nNothing was measured.\n\n")


def _modes(name: str, operators: int, static: float) -> ModeTimes:
    graph = Graph(("x",), tuple(Node(f"n{number}", "exp", ("x",)) for number in range(operators)), ("n0",))
    modes = {}
    for mode, wall in (("imperative", 100.0), ("hybridized", 60.0), ("static", static)):
        both = timed(160 / 9, wall)
        modes[mode] = outcome(
            0, both, both, operator=name, category="composite", profile=f"small:{mode}", graphs={"graph": graph}
        )
    return ModeTimes(modes)
