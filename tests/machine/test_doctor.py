"""What doctor makes of a roofline, and of a new reference speed."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.releases import FILE_NAME
from autoperf.core.coverage import Health
from autoperf.core.machine import Roofline
from autoperf.machine.doctor import counters_check, examine, numpy_check, roofline_check, speed_check
from autoperf.measurement.machine_state import known_reference
from autoperf.measurement.probe import Probe
from autoperf.processes.counters import Unavailable

IDLE = Roofline(
    bandwidth=10e9,
    cached_bandwidth=40e9,
    cache_bytes=2**24,
    flops={"float32": 100e9, "float64": 50e9},
    overhead_us=20.0,
    load=0.9,
    processors=4,
    measured=dt.datetime(2026, 5, 4, tzinfo=dt.timezone.utc),
)


def test_a_roofline_of_an_idle_machine_is_taken_as_it_is() -> None:
    check = roofline_check(IDLE)
    assert (check.status, check.advice) == (Health.OK, "")


def test_one_of_a_busy_machine_is_to_be_measured_again() -> None:
    check = roofline_check(msgspec.structs.replace(IDLE, load=3.5))
    assert check.status is Health.WARNING
    assert "while other programs used 3.5 processors" in check.finding
    assert "doctor --calibrate" in check.advice


@pytest.mark.parametrize(
    ("version", "package", "status"),
    [
        ("1.23.5", False, Health.PROBLEM),
        ("1.26.4", True, Health.OK),
        ("2.0.0", False, Health.OK),
        ("2.0.0", True, Health.WARNING),
        ("2.4.0rc1", True, Health.WARNING),
    ],
)
def test_numpy_2_is_too_new_for_the_package_of_mxnet(version: str, package: bool, status: Health) -> None:
    check = numpy_check(version, package=package)
    assert (check.status, version in check.finding) == (status, True)
    assert ("pip install 'numpy<2'" in check.advice) is (status is Health.WARNING)


def test_the_package_is_looked_for_beside_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "2.1.0")
    library = tmp_path / FILE_NAME
    library.touch()
    assert _numpy_status(library) is Health.OK
    (tmp_path / "__init__.py").touch()
    assert _numpy_status(library) is Health.WARNING
    assert _numpy_status(tmp_path / "absent") is Health.OK


def _numpy_status(library: Path) -> Health:
    return next(check.status for check in examine(str(library)) if check.name == "NumPy")


def test_only_processors_that_may_be_used_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5})
    findings = {check.name: check.finding for check in examine(str(tmp_path / "absent"))}
    assert findings["threads"] == "OMP_NUM_THREADS=2 on 1 processor"
    assert "of 1 processor" in findings["load"]


def test_counters_are_optional() -> None:
    absent = Unavailable("Linux permits none", "permit them")
    there, missing = (counters_check(each, "valgrind 3.19 counts") for each in (None, absent))
    assert (there.status, there.advice) == (Health.OK, "")
    assert (missing.status, missing.advice) == (Health.OK, "permit them")
    assert missing.finding == "valgrind 3.19 counts; Linux permits none"


def test_a_reference_that_is_slower_than_the_one_before_is_doubted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is kept all the same: a machine may have become slower for good."""
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path))
    times = iter((1.9, 2.0, 2.6))
    monkeypatch.setattr(Probe, "calibrate", lambda *_arguments: next(times))
    first, second, third = (speed_check(anew=True) for _ in range(3))
    assert (first.status, first.finding) == (Health.OK, "the probe takes 1.90 us, which is the reference from now on")
    assert second.status is Health.OK
    assert third.status is Health.WARNING
    assert "2.60 us, which is the reference from now on, and took 2.00 us on 20" in third.finding
    assert "on an idle machine" in third.advice
    assert known_reference().us == 2.6
