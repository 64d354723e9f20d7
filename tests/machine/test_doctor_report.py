"""The reports of doctor, of installed releases, and of a finding that is timed again."""

from __future__ import annotations

import datetime as dt
import json

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import Check, Health, worst
from autoperf.core.finding import Estimate, Rechecked
from autoperf.core.machine import Roofline
from autoperf.core.releases import InstalledRelease
from autoperf.machine.doctor import DoctorReport, spell_roofline
from tests.finding_values import softmax, take
from tests.reports.report_values import text_of

CHECKS = (
    Check("Python", Health.OK, "3.11.2"),
    Check(
        "frequency governor", Health.WARNING, "powersave: clock speeds change while measuring, so that figures scatter",
        "run `sudo cpupower frequency-set --governor performance`",
    ),
    Check("libgomp", Health.PROBLEM, "libgomp.so.1 is missing", "apt-get install libgomp1"),
)  # fmt: skip


ROOFLINE = Roofline(
    bandwidth=12.34e9,
    cached_bandwidth=56.78e9,
    cache_bytes=32 * 2**20,
    flops={"float32": 123.4e9, "float64": 61.7e9},
    overhead_us=17.53,
    load=0.2,
    processors=4,
    measured=dt.datetime(2026, 5, 4, 3, 2, tzinfo=dt.timezone.utc),
    cached=True,
)


def test_table(snapshot: SnapshotAssertion) -> None:
    assert text_of("doctor", "table", DoctorReport(CHECKS), 80) == snapshot


def test_worst() -> None:
    assert worst(CHECKS) is Health.PROBLEM
    assert worst(CHECKS[:2]) is Health.WARNING
    assert worst(()) is Health.OK


def test_json_reads_back() -> None:
    document = msgspec.json.decode(text_of("doctor", "json", DoctorReport(CHECKS)))
    assert document["status"] == "problem"
    assert msgspec.convert(document["checks"], tuple[Check, ...]) == CHECKS


def test_a_roofline_in_a_line() -> None:
    assert spell_roofline(ROOFLINE) == (
        "12.3 GB/s from memory, 56.8 GB/s from caches (32.0 MiB), 123 GFLOP/s in float32, 61.7 GFLOP/s in float64, "
        "17.5 us a call; measured on 2026-05-04"
    )


def test_json_has_the_roofline() -> None:
    document = msgspec.json.decode(text_of("doctor", "json", DoctorReport(CHECKS, ROOFLINE)))
    assert msgspec.convert(document["roofline"], Roofline) == ROOFLINE
    assert msgspec.json.decode(text_of("doctor", "json", DoctorReport(CHECKS)))["roofline"] is None


ROWS = [
    InstalledRelease("1.9.1", "installed", "/site-packages/mxnet/libmxnet.so", 2**20, False),
    InstalledRelease("", "environment", "/build/libmxnet.so", 512, True),
]


def test_a_star_marks_the_default() -> None:
    lines = text_of("releases", "table", ROWS).splitlines()
    assert lines[1].split() == ["1.9.1", "installed", "1.00", "MiB"]
    assert lines[2].split() == ["/site-packages/mxnet/libmxnet.so"]
    assert lines[3].split() == ["*", "-", "environment", "512", "B"]


def test_none_says_what_to_do() -> None:
    assert "autoperf releases install 1.9.1" in text_of("releases", "table", [])


def test_json() -> None:
    assert json.loads(text_of("releases", "json", ROWS))["releases"][1] == {
        "version": "", "origin": "environment", "library": "/build/libmxnet.so", "bytes": 512, "default": True,
    }  # fmt: skip


def rechecked(ratio: float, low: float, high: float, **changes: object) -> Rechecked:
    values: dict[str, object] = {
        "operator": "softmax",
        "pass_": "backward",
        "slow": softmax(),
        "fast": softmax(axis=-1),
        "slow_us": 100.0 * ratio,
        "fast_us": 100.0,
        "estimate": Estimate(ratio, low, high),
        "above": 2.05,
        "rounds": 31,
        "mxnet": "1.9.1",
        "threads": 2,
        "found_threads": 2,
    }
    return Rechecked(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [60, 100])
def test_what_a_script_prints(width: int, snapshot: SnapshotAssertion) -> None:
    finding = rechecked(4.2, 4.1, 4.3, slow=take(100), fast=take(101), threads=1)
    assert text_of("recheck", "table", finding, width) == snapshot


@pytest.mark.parametrize(
    ("low", "high", "holds", "words"),
    [
        (2.06, 2.4, True, "reproduced: the ratio is above 2.05"),
        (1.0, 1.1, False, "not reproduced: the ratio is below 2.05"),
        (2.0, 2.4, False, "undecided: the interval reaches from below 2.05 to above it"),
    ],
)
def test_the_interval_decides(low: float, high: float, holds: bool, words: str) -> None:
    finding = rechecked((low + high) / 2, low, high)
    assert finding.holds is holds
    assert words in text_of("recheck", "table", finding)
    assert "note:" not in text_of("recheck", "table", finding)


def test_too_few_rounds_give_a_note() -> None:
    assert "5 rounds in the time given" in text_of("recheck", "table", rechecked(4.2, 4.1, 4.3, rounds=5))


def test_the_json_has_the_inputs_of_both() -> None:
    document = json.loads(text_of("recheck", "json", rechecked(4.2, 4.1, 4.3)))
    assert (document["operator"], document["pass"], document["holds"]) == ("softmax", "backward", True)
    assert (document["ratio"], document["low"], document["high"], document["above"]) == (4.2, 4.1, 4.3, 2.05)
    assert document["slow"] == {
        "case": softmax().id,
        "tensors": [{"name": "data", "shape": [4096, 64], "dtype": "float32"}],
        "params": {"axis": 0},
    }
    assert (document["slow_us"], document["fast_us"], document["fast"]["params"]) == (420.0, 100.0, {"axis": -1})
