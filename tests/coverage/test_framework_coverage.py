"""How operators stand in other frameworks: every operator once, by origin or with the reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.coverage import Coverage, FrameworkStanding, Standing
from autoperf.core.graph import LayerClass, LayerCoverage, LayerReport
from autoperf.coverage import layers
from autoperf.coverage.frameworks import (
    FrameworkView,
    csv_table,
    framework_coverage,
    framework_document,
    markdown_reports,
    terminal_reports,
    totals,
)
from autoperf.coverage.layers import LayerView
from autoperf.implementations.implementation import FRAMEWORKS
from tools.implementation_page import PAGE, page_block
from tools.page_blocks import block_of

NAMES = ("softmax", "exp", "_foreach", "Deconvolution", "_CustomFunction", "argmax", "cast_storage")
LABELS = ["1.9.1", "1.9.1-2"]


@pytest.fixture(scope="module")
def standings(release: Release) -> dict[tuple[str, str], FrameworkStanding]:
    chosen = targets(release.registry, release.catalog, Selection(operators=NAMES))
    report = framework_coverage(release, chosen, list(FRAMEWORKS))
    assert [operator.name for operator in report.operators] == sorted(NAMES)
    return {(operator.name, each.framework): each for operator in report.operators for each in operator.frameworks}


@pytest.mark.parametrize(
    ("operator", "framework", "standing", "gradient", "words"),
    [
        ("exp", "numpy", Standing.FOUND, False, ""),
        ("exp", "torch", Standing.FOUND, True, ""),
        ("softmax", "jax", Standing.HAND, True, ""),
        ("argmax", "jax", Standing.HAND, None, ""),
        ("_foreach", "torch", Standing.NONE, None, "it doesn't run imperatively"),
        ("Deconvolution", "numpy", Standing.NONE, None, "NumPy has no equivalent in a few expressions"),
        ("cast_storage", "jax", Standing.NONE, None, "it converts to sparse storage"),
        ("_CustomFunction", "jax", Standing.NONE, None, "holds a pointer that only a front end can make"),
    ],
)
def test_an_operator_has_an_origin_or_a_reason(
    standings: dict[tuple[str, str], FrameworkStanding],
    operator: str,
    framework: str,
    standing: Standing,
    gradient: bool | None,
    words: str,
) -> None:
    found = standings[operator, framework]
    assert (found.standing, found.gradient) == (standing, gradient)
    assert found.reason.startswith(words)
    assert bool(found.expressions) == (standing is not Standing.NONE)


def test_a_layer_is_no_forward_operator(release: Release) -> None:
    chosen = targets(release.registry, release.catalog, Selection(operators=("softmax", "gluon_Dense")))
    *_, shown, beside = totals(framework_coverage(release, chosen, ["torch"]))
    assert (shown, beside) == ("1 of 611 forward operators shown", "1 layer shown, not registered by MXNet")


def test_each_of_several_releases_has_a_name_of_its_own(release: Release) -> None:
    chosen = targets(release.registry, release.catalog, Selection(operators=("softmax",)))
    view = FrameworkView([framework_coverage(release, chosen, ["torch"])] * 2, detailed=True)
    for reports in (terminal_reports(view), markdown_reports(view)):
        assert [report.title for report in reports] == [f"MXNet {label} in other frameworks" for label in LABELS]
    assert [row[0] for row in csv_table(view).rows] == LABELS
    document: Any = framework_document(view)
    assert [(each["label"], each["mxnet"]) for each in document["releases"]] == [(label, "1.9.1") for label in LABELS]


def test_two_builds_of_a_version_have_their_layers_under_two_names() -> None:
    layer = LayerCoverage(LayerClass("nn", "Dense", "(units)", hybrid=True), Coverage.UNCOVERED)
    view = LayerView([LayerReport("1.9.1", (layer,))] * 2)
    for reports in (layers.terminal_reports(view), layers.markdown_reports(view)):
        assert [report.title for report in reports] == [f"Gluon of MXNet {label}" for label in LABELS]
    assert [row[0] for row in layers.csv_table(view).rows] == LABELS
    document: Any = layers.layer_document(view)
    assert [(each["label"], each["mxnet"]) for each in document["releases"]] == [(label, "1.9.1") for label in LABELS]


def test_all_operators_are_accounted_for_and_the_page_says_so(release: Release) -> None:
    chosen = targets(release.registry, release.catalog, Selection())
    report = framework_coverage(release, chosen, list(FRAMEWORKS))
    assert len(report.operators) == report.forward
    for framework in FRAMEWORKS:
        each = [one for operator in report.operators for one in operator.frameworks if one.framework == framework]
        assert sum(Counter(one.standing for one in each).values()) == report.forward
        assert [one for one in each if one.standing is Standing.NONE and not one.reason] == []
    assert len(list(totals(report))) == len(FRAMEWORKS)
    assert block_of(PAGE.read_text(encoding="utf-8"), "implementations") == page_block(release).strip("\n")
