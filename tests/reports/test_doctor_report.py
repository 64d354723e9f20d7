from __future__ import annotations

import datetime as dt

import msgspec
from syrupy.assertion import SnapshotAssertion

from autoperf.core.coverage import Check, Health, worst
from autoperf.core.machine import Roofline
from autoperf.reports.doctor import DoctorReport, spell_roofline
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
