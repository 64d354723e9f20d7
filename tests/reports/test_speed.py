"""The line that says at which speed the machine ran."""

from __future__ import annotations

import msgspec

from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.reports.speed import speed_line
from autoperf.results.statistics import summarise


def case(speed: float | None) -> Outcome:
    series = summarise([1.0, 2.0])
    if speed is not None:
        series = msgspec.structs.replace(series, speed=speed)
    return Outcome(
        case="exp/1", operator="exp", category="unary", profile="small", status=Status.MEASURED,
        forward=Pass(wall_us=series),
    )  # fmt: skip


def test_the_line_has_the_median_and_nine_tenths_of_the_figures() -> None:
    speeds = [0.5] * 4 + [0.9] * 46 + [0.95] * 46 + [1.2] * 4
    line = speed_line(map(case, speeds))
    assert line.endswith("which ran at 90% of it (90% to 95%)")


def test_a_slow_tenth_is_told() -> None:
    assert speed_line(map(case, [0.5] * 10 + [1.0] * 90)).endswith("which ran at 100% of it (50% to 100%)")


def test_without_a_probe_there_is_no_line() -> None:
    assert speed_line([case(None)]) == speed_line([]) == ""
