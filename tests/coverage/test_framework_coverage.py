"""How operators stand in other frameworks: every operator once, by origin or with the reason."""

from __future__ import annotations

from collections import Counter

import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.coverage import FrameworkStanding, Standing
from autoperf.coverage.frameworks import FrameworkView, framework_coverage, terminal_reports, totals
from autoperf.implementations.frameworks import FRAMEWORKS
from tools.implementation_page import PAGE, page_block
from tools.page_blocks import block_of

NAMES = ("softmax", "exp", "_foreach", "Deconvolution", "_CustomFunction", "argmax", "cast_storage")


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
    *_, shown, layers = totals(framework_coverage(release, chosen, ["torch"]))
    assert (shown, layers) == ("1 of 611 forward operators shown", "1 layer shown, not registered by MXNet")


def test_each_of_several_releases_is_named(release: Release) -> None:
    chosen = targets(release.registry, release.catalog, Selection(operators=("softmax",)))
    coverage = framework_coverage(release, chosen, ["torch"])
    titles = [report.title for report in terminal_reports(FrameworkView([coverage] * 2, detailed=True))]
    assert titles == ["MXNet 1.9.1 in other frameworks"] * 2


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
