"""The lines that say at which speed the machine ran, and how far its roofline can be trusted."""

from __future__ import annotations

import datetime as dt

import msgspec

from autoperf.core.outcome import Outcome
from autoperf.core.roofline import Roofline
from autoperf.core.throughput import Throughput
from autoperf.reports.speed import roofline_line, speed_line
from tests.values import outcome, passed, series


def at_speed(speed: float | None) -> Outcome:
    wall = series([1.0, 2.0])
    return outcome(0, passed(wall=wall if speed is None else msgspec.structs.replace(wall, speed=speed)))


def test_the_line_has_the_median_and_nine_tenths_of_the_figures() -> None:
    speeds = [0.5] * 4 + [0.9] * 46 + [0.95] * 46 + [1.2] * 4
    line = speed_line(map(at_speed, speeds))
    assert line.endswith("which ran at 90% of it (90% to 95%)")


def test_a_slow_tenth_is_told() -> None:
    assert speed_line(map(at_speed, [0.5] * 10 + [1.0] * 90)).endswith("which ran at 100% of it (50% to 100%)")


def test_a_reference_of_a_slow_moment_is_told() -> None:
    line = speed_line(map(at_speed, [1.0] * 50 + [1.3] * 50))
    assert "which ran at 100% of it (100% to 130%): the reference was measured in a slow moment;" in line


def test_without_a_probe_there_is_no_line() -> None:
    assert speed_line([at_speed(None)]) == speed_line([]) == ""


def counted(share: float | None) -> Outcome:
    return outcome(0, passed(wall=series([1.0, 2.0]), throughput=Throughput(1.0, 1.0, share)))


def roofline(load: float) -> Roofline:
    return Roofline(
        bandwidth=1e10, cached_bandwidth=1e10, cache_bytes=0, flops={}, overhead_us=5.0, load=load, processors=2,
        measured=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc),
    )  # fmt: skip


def test_a_roofline_that_is_not_known_or_too_low_is_told() -> None:
    assert roofline_line([counted(None)], None).startswith("the roofline of this machine wasn't known to the run")
    line = roofline_line([counted(2.0)], roofline(7.25))
    assert line.startswith("the roofline was measured on a busy machine (load 7.2 on 2 processors), so that shares")
    assert roofline_line([counted(0.5)], roofline(0.1)) == roofline_line([at_speed(None)], roofline(7.0)) == ""
