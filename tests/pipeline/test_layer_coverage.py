"""The layer classes of a release, listed by a process that imports its front end."""

from __future__ import annotations

import pytest

from autoperf.core.coverage import Coverage
from autoperf.core.errors import UsageError
from autoperf.core.layers import LayerReport
from autoperf.core.modes import MODES
from autoperf.pipeline.coverage import layer_report, layer_reports
from autoperf.pipeline.release import Release
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name


@pytest.fixture(scope="module")
def report(release: Release) -> LayerReport:
    return layer_report(release)


def test_every_class_is_covered_or_has_a_reason(report: LayerReport) -> None:
    assert report.count(Coverage.UNCOVERED) == 0
    assert len(report.layers) == report.count(Coverage.COVERED) + report.count(Coverage.EXCLUDED)
    assert all(layer.reason for layer in report.layers if layer.status is Coverage.EXCLUDED)


def test_every_rule_covers_a_class_or_is_for_another_release(report: LayerReport) -> None:
    names = {layer.operator for layer in report.layers if layer.status is Coverage.COVERED}
    absent = {f"gluon_{path.rpartition('.')[2]}" for path in report.absent}
    assert names | absent == gluon_layers_by_name().keys()
    assert not names & absent


def test_a_covered_class_has_its_place_its_ways_and_its_configurations(report: LayerReport) -> None:
    layers = {layer.layer.path: layer for layer in report.layers}
    dense = layers["gluon.nn.Dense"]
    assert dense.layer.hybrid
    assert dense.layer.signature.startswith("(units, ")
    assert dense.ways == tuple(MODES)
    assert dense.configurations[0].call == "data (32, 1024); units=1024"
    assert layers["gluon.nn.Lambda"].ways == ("imperative",)
    assert "a block without a graph" in layers["gluon.nn.Lambda"].reason
    assert layers["gluon.Block"].status is layers["gluon.loss.Loss"].status is Coverage.EXCLUDED


def test_without_the_python_package_the_classes_are_not_known(next_release: Release) -> None:
    assert "aren't known, since its Python package isn't beside it" in layer_report(next_release).problem
    with pytest.raises(UsageError, match=r"the layers of MXNet 2\.0\.0b1 in"):
        layer_reports([next_release])
