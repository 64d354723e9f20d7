"""docs/layers.md accounts for the classes of the installed release, and names each layer that has a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.pipeline.layer_coverage import layer_report
from autoperf.pipeline.release import Release
from autoperf.rules.gluon_layers.catalog import gluon_layers_by_name
from tests.scripts import load_script
from tools.page_blocks import block_of

PAGE = (Path(__file__).parents[1] / "docs" / "layers.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", gluon_layers_by_name())
def test_the_page_names_each_layer(name: str) -> None:
    layer = gluon_layers_by_name()[name]
    assert any(f".{layer.name} |" in PAGE or f"{module}.{layer.name}`" in PAGE for module in layer.modules)


def test_the_page_has_every_class_as_its_script_writes_it(release: Release) -> None:
    assert block_of(PAGE, "classes") == load_script("tools", "layers.py").classes(layer_report(release)).strip("\n")
