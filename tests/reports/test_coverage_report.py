from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import msgspec
import pytest
from coverage_values import REPORT
from rich.console import RenderableType
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import Coverage, CoverageReport
from autoperf.reports import coverage

Render = Callable[[RenderableType, int], str]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("view", [coverage.table, coverage.listing])
def test_tables(
    view: Callable[[CoverageReport], RenderableType], width: int, rendered: Render, snapshot: SnapshotAssertion
) -> None:
    text = rendered(view(REPORT), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_totals_are_additions_that_hold() -> None:
    for line in coverage.totals(REPORT):
        sum_, *terms = map(int, re.findall(r"\d+", line))
        assert sum_ == sum(terms)


def test_totals_count_the_operators_shown(rendered: Render) -> None:
    kept = tuple(operator for operator in REPORT.operators if operator.status is Coverage.UNCOVERED)
    text = rendered(coverage.table(msgspec.structs.replace(REPORT, operators=kept)), 80)
    assert "1 of 5 forward operators shown" in text
    assert "broadcast" not in text


def test_one_operator_is_shown_with_the_reasons_for_the_dtypes_that_it_refuses(rendered: Render) -> None:
    kept = tuple(operator for operator in REPORT.operators if operator.dtypes)
    text = rendered(coverage.listing(msgspec.structs.replace(REPORT, operators=kept)), 80)
    assert "takes float16, float32, float64, int32\n" in text
    assert "bool    refused: Operator add does not support boolean\n" in text
    assert "refused" not in rendered(coverage.listing(REPORT), 80)


def test_everything_covered_leaves_the_reasons_out(rendered: Render) -> None:
    kept = tuple(operator for operator in REPORT.operators if operator.status is Coverage.COVERED)
    assert "not covered" not in rendered(coverage.table(msgspec.structs.replace(REPORT, operators=kept)), 80)


def test_json_is_the_contract() -> None:
    text = coverage.to_json(REPORT)
    document = msgspec.json.decode(text)
    assert list(document) == ["mxnet", "names", "operators", "summary", "backward"]
    assert list(document["operators"][0]) == [
        "name", "aliases", "namespace", "category", "status", "reason", "rule", "differentiable", "backward_kernels",
        "dtypes",
    ]  # fmt: skip
    assert list(document["operators"][0]["rule"]) == ["tier", "source"]
    assert list(document["summary"]) == [
        "registered", "canonical", "alias", "backward", "forward", "covered", "uncovered", "excluded",
    ]  # fmt: skip
    assert {operator["status"] for operator in document["operators"]} == {"covered", "uncovered", "excluded"}
    assert msgspec.json.decode(text, type=CoverageReport) == REPORT


def test_csv_has_a_row_an_operator(snapshot: SnapshotAssertion) -> None:
    text = coverage.to_csv(REPORT)
    names = [row["name"] for row in csv.DictReader(io.StringIO(text))]
    assert names == [operator.name for operator in REPORT.operators]
    assert text == snapshot


def test_markdown(snapshot: SnapshotAssertion) -> None:
    assert coverage.to_markdown(REPORT) == snapshot
