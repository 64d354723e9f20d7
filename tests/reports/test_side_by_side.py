"""Several releases' runs as a table, CSV, Markdown and JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.outcome import FigureWarning, Outcome, Status
from autoperf.reports.side_by_side import ReleaseRun
from tests.reports.report_values import report, text_of
from tests.values import PAIR, measured, timed


def skipped(outcome: Outcome, reason: str) -> Outcome:
    without = {"forward": None, "backward": None, "memory": None}
    return msgspec.structs.replace(outcome, status=Status.SKIPPED, reason=reason, **without)


@pytest.fixture
def columns() -> list[ReleaseRun]:
    """1.6.0 lacks one operator, crashes in another's last case, and was cut off before it."""
    add = measured("broadcast_add", "small", PAIR, timed(8, 30), timed(4, 50))
    wide = measured("broadcast_add", "wide", PAIR, timed(100, 130), digest="aaaaaaaa", axis=-1)
    fmax = measured("_npi_fmax", "small", PAIR, timed(5, 20))
    last = measured("dot", "small", PAIR, timed(2, 9), category="gemm")
    old = [add, wide, skipped(fmax, "MXNet 1.6.0 has no operator _npi_fmax")]
    new = [
        msgspec.structs.replace(add, forward=timed(4, 20)),
        skipped(wide, "MXNet 2.0.0b1 has no parameter axis of broadcast_add"),
        fmax,
        last,
    ]
    return [ReleaseRun("1.6.0", report(old)), ReleaseRun("2.0.0b1", report(new))]


@pytest.mark.parametrize("width", [60, 100, 140])
def test_table(columns: list[ReleaseRun], width: int, snapshot: SnapshotAssertion) -> None:
    text = text_of("runs", "table", columns, width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_many_releases_fit_any_width(columns: list[ReleaseRun]) -> None:
    many = [ReleaseRun(f"1.{number}.0.post2", columns[0].run) for number in range(6)]
    text = text_of("runs", "table", many, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "1.5.0.post2 8.00 us, ratio 1.00" in " ".join(text.split())


def test_markdown(columns: list[ReleaseRun], snapshot: SnapshotAssertion) -> None:
    assert text_of("runs", "md", columns, 9999) == snapshot


def test_the_same_case_twice_stays_two_rows(columns: list[ReleaseRun]) -> None:
    outcome = columns[0].outcomes[0]
    twice = [ReleaseRun("a", report([outcome, outcome])), ReleaseRun("b", report([outcome, outcome]))]
    assert text_of("runs", "table", twice, 100).count("broadcast_add") == 1
    assert text_of("runs", "table", twice, 100).count("small") == 2


def test_figures_have_the_letters_of_their_warnings(columns: list[ReleaseRun]) -> None:
    add = columns[0].outcomes[0]
    short = msgspec.structs.replace(add, forward=timed(8, 30, warnings=(FigureWarning.SHORT,)))
    throttled = msgspec.structs.replace(short, backward=timed(4, 50, warnings=(FigureWarning.THROTTLED,)))
    warned = [ReleaseRun("1.6.0", report([short])), ReleaseRun("2.0.0b1", report([throttled]))]
    text = text_of("runs", "table", warned, 100)
    rows = [line.split("ward")[1].split() for line in text.splitlines() if "forward" in line or "backward" in line]
    assert rows == [["s", "8.00", "us", "s", "8.00", "us", "1.00"], ["4.00", "us", "t", "4.00", "us", "1.00"]]
    assert "s short (1 case): too few samples for an interval\nt throttled (1 case)" in text
    assert "forward s 8.00 us" in " ".join(text_of("runs", "table", warned, 50).split())
    page = text_of("runs", "md", warned, 9999)
    assert "| backward | 4.00 us | t 4.00 us | 1.00 |" in page
    assert "\n- s short (1 case): too few samples" in page


def test_csv_names_the_release(columns: list[ReleaseRun]) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of("runs", "csv", columns, 10_000))))
    assert [(row["release"], row["operator"], row["status"]) for row in rows] == [
        ("1.6.0", "broadcast_add", "measured"),
        ("1.6.0", "broadcast_add", "measured"),
        ("1.6.0", "_npi_fmax", "skipped"),
        ("2.0.0b1", "broadcast_add", "measured"),
        ("2.0.0b1", "broadcast_add", "skipped"),
        ("2.0.0b1", "_npi_fmax", "measured"),
        ("2.0.0b1", "dot", "measured"),
    ]
    assert rows[0]["forward_kernel_median_us"] == "8"


def test_json_has_each_run_whole(columns: list[ReleaseRun]) -> None:
    whole = [
        ReleaseRun(column.label, dataclasses.replace(column.run, header={"mxnet": column.label}, end={"asked": 3}))
        for column in columns
    ]
    runs = json.loads(text_of("runs", "json", whole))["runs"]
    assert [run["run"]["mxnet"] for run in runs] == ["1.6.0", "2.0.0b1"]
    assert [run["summary"]["skipped"] for run in runs] == [1, 1]
    assert [len(run["outcomes"]) for run in runs] == [3, 4]
