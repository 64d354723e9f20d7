"""docs/layers.md has every class of the installed release, and the times of every layer, as its scripts write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.analysis.layer_times import LayerTimes
from autoperf.pipeline.layer_coverage import layer_report
from autoperf.pipeline.release import Release
from autoperf.results.runfile import read_run
from autoperf.rules.gluon_layers.catalog import gluon_layers_by_name
from tests.scripts import load_script
from tools.page_blocks import block_of

PAGE = (Path(__file__).parents[1] / "docs" / "layers.md").read_text(encoding="utf-8")
TIMES = block_of(PAGE, "times")
STORED = Path(__file__).parent / "data" / "stored"
LATER = ("gluon_SiLU", "gluon_Concatenate", "gluon_HybridConcatenate")
"""Layers that MXNet 1.9.1 doesn't have."""


@pytest.mark.parametrize("name", gluon_layers_by_name())
def test_the_page_has_each_layer_and_its_times(name: str) -> None:
    layer = gluon_layers_by_name()[name]
    assert any(f".{layer.name} |" in PAGE or f"{module}.{layer.name}`" in PAGE for module in layer.modules)
    rows = [line for line in TIMES.splitlines() if line.startswith(f"| {name} ")]
    assert len(rows) == int(name not in LATER)


def test_the_page_has_every_class_as_its_script_writes_it(release: Release) -> None:
    assert block_of(PAGE, "classes") == load_script("tools", "layers.py").classes(layer_report(release)).strip("\n")


def test_a_row_has_each_way_and_the_kernels() -> None:
    script = load_script("tools", "layer_tables.py")
    layer: LayerTimes = next(script.layers_of(read_run(STORED / "layers-3.ndjson").outcomes))
    row = script.row_of(layer)
    assert len(row) == len(script.HEAD)
    assert row[0].startswith(layer.outcome.operator)
    assert row[-1].split(", ")[0] == next(iter(layer.kernels("forward")))
