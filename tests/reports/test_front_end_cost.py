"""The cost of the front end in tables: a time, or `unclear`."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import Difference, Pass
from autoperf.reports.run_columns import UNCLEAR, front_end_cost, front_end_interval, front_end_text
from autoperf.results.statistics import summarise

FAST, SLOW = (summarise([start + number for number in range(10)]) for start in (20.0, 40.0))


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Difference(8.0, 6.0, 9.0), "8.00 us"),
        (Difference(-8.0, -9.0, -6.0), "-8.00 us"),
        (Difference(8.0, -1.0, 9.0), UNCLEAR),
        (Difference(8.0), UNCLEAR),
    ],
)
def test_a_cost_has_a_sign_or_is_unclear(difference: Difference, text: str) -> None:
    run = Pass(wall_us=FAST, python_us=FAST, front_end_us=difference)
    assert (front_end_cost(run), front_end_text(run)) == (8.0 if difference.median > 0 else -8.0, text)
    assert front_end_interval(run) == (difference.low, difference.high)


def test_earlier_run_files_have_the_figures_of_both_calls() -> None:
    apart = Pass(wall_us=FAST, python_us=SLOW)
    assert (front_end_cost(apart), front_end_text(apart)) == (20.0, "20.0 us")
    assert front_end_text(msgspec.structs.replace(apart, python_us=FAST)) == UNCLEAR


def test_without_a_function_there_is_no_cost() -> None:
    assert (front_end_cost(Pass(wall_us=FAST)), front_end_text(Pass(wall_us=FAST)), front_end_text(None)) == (
        None, "-", "-",
    )  # fmt: skip
