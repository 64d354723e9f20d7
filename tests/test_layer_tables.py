"""docs/layers.md has the times of every layer that the installed release has, as tools/layer_tables.py writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.analysis.layer_times import LayerTimes
from autoperf.results.runfile import read_run
from autoperf.rules.gluon_layers.catalog import gluon_layers_by_name
from tests.scripts import load_script
from tools.page_blocks import block_of

SCRIPT = load_script("tools", "layer_tables.py")
PAGE = (Path(__file__).parents[1] / "docs" / "layers.md").read_text(encoding="utf-8")
TIMES = block_of(PAGE, "times")
STORED = Path(__file__).parent / "data" / "stored"
LATER = ("gluon_SiLU", "gluon_Concatenate", "gluon_HybridConcatenate")
"""Layers that MXNet 1.9.1 doesn't have."""


@pytest.mark.parametrize("name", gluon_layers_by_name())
def test_the_table_has_each_layer(name: str) -> None:
    rows = [line for line in TIMES.splitlines() if line.startswith(f"| {name} ")]
    assert len(rows) == int(name not in LATER)


def test_a_row_has_each_way_and_the_kernels() -> None:
    run = read_run(STORED / "layers-3.ndjson")
    layer: LayerTimes = next(SCRIPT.layers_of(run.outcomes))
    row = SCRIPT.row_of(layer)
    assert len(row) == len(SCRIPT.HEAD)
    assert row[0].startswith(layer.outcome.operator)
    assert row[-1].split(", ")[0] == next(iter(layer.kernels("forward")))
