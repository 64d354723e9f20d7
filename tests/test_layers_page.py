"""docs/reference/layers.md has the layers that gain most as a graph, and an example, as its script writes them."""

from __future__ import annotations

from pathlib import Path

from autoperf.reports.layout import heading
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name
from tests.scripts import load_script
from tools.page_blocks import block_of
from tools.stored_run import read_run

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "layers.md").read_text(encoding="utf-8")
STORED = Path(__file__).parent / "data" / "stored" / "layers-3.ndjson"
SCRIPT = load_script("tools", "layers.py")


def test_the_page_has_the_layers_that_gain_most() -> None:
    _, table = block_of(PAGE, "times").split(heading(SCRIPT.HEAD))
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    assert {row[0] for row in rows} <= gluon_layers_by_name().keys()
    gains = [float(row[4]) for row in rows]
    assert gains == sorted(gains, reverse=True)
    assert len(gains) == SCRIPT.MAX_LAYERS
    assert "- speed-up of the forward pass in the median of 82 configurations: hybridized " in table


def test_a_row_has_each_way_and_the_speed_up_of_the_graph() -> None:
    row = "1.42 ms | 1.47 ms | 1.41 ms | 1.01 | 1.59 ms | 1.74 ms | 1.71 ms | 0.93"
    assert f"| gluon_Dense | {row} |" in SCRIPT.block(read_run(STORED))


def test_an_example_ends_where_the_notes_begin() -> None:
    lines = SCRIPT.example(STORED, "gluon.nn.Dense").splitlines()
    assert lines[1] == "$ autoperf report layers-run.ndjson --operator gluon.nn.Dense"
    assert lines[-3].startswith("  backward no kernel")
    assert lines[-2:] == ["...", "```"]
