"""The coverage of several releases side by side."""

from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import ReleaseCoverage as Release
from autoperf.reports.coverage import CoverageView
from tests.reports.report_values import ADD, CONVOLUTION, REPORT, text_of

# What 2.0 has: addition under another name, an operator of its own, and no convolution of the old name.
RENAMED = msgspec.structs.replace(ADD, name="add", aliases=("broadcast_add",))
NEW = msgspec.structs.replace(CONVOLUTION, name="sliding_attention", aliases=(), category="attention")
NEXT = msgspec.structs.replace(REPORT, mxnet="2.0.0b1", operators=(RENAMED, NEW))


@pytest.fixture
def releases() -> list[Release]:
    return [Release("1.9.1", REPORT), Release("2.0.0b1", NEXT)]


@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("detailed", [False, True])
def test_table(releases: list[Release], width: int, detailed: bool, snapshot: SnapshotAssertion) -> None:
    text = text_of("coverage", "table", CoverageView(releases, detailed=detailed), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_without_operators_the_totals_stay() -> None:
    none = [Release(label, msgspec.structs.replace(REPORT, operators=())) for label in ("a", "b")]
    assert "names      11  11" in text_of("coverage", "table", CoverageView(none, detailed=True), 80)


def test_markdown(releases: list[Release], snapshot: SnapshotAssertion) -> None:
    assert text_of("coverage", "md", CoverageView(releases), 9999) == snapshot


def test_json_says_which_release_has_what(releases: list[Release]) -> None:
    document = json.loads(text_of("coverage", "json", CoverageView(releases), 9999))
    assert [release["report"]["mxnet"] for release in document["releases"]] == ["1.9.1", "2.0.0b1"]
    rows = {row["name"]: row["releases"] for row in document["operators"]}
    assert rows["broadcast_add"] == {"1.9.1": "covered", "2.0.0b1": "covered"}
    assert rows["sliding_attention"] == {"1.9.1": None, "2.0.0b1": "covered"}
    assert rows["_contrib_fft"] == {"1.9.1": "excluded", "2.0.0b1": None}
    assert "add" not in rows


def test_csv_names_the_release(releases: list[Release]) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of("coverage", "csv", CoverageView(releases), 9999))))
    assert [row["release"] for row in rows] == ["1.9.1"] * 5 + ["2.0.0b1"] * 2
    assert rows[-1]["name"] == "sliding_attention"
