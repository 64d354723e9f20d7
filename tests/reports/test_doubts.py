"""Doubts have a letter each, which the table explains once."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from report_values import PAIR, measured, series, timed
from rich.console import RenderableType
from syrupy.assertion import SnapshotAssertion

from autoperf.core.outcome import Doubt, Outcome, Pass
from autoperf.reports import runs
from autoperf.reports.doubts import MARKS, doubts, legend, marks, words


def test_every_doubt_has_a_letter_of_its_own() -> None:
    assert set(MARKS) == set(Doubt)
    assert len({letter for letter, _, _ in MARKS.values()}) == len(Doubt)


def test_both_clocks_and_passes_are_doubted_together() -> None:
    far = msgspec.structs.replace(series(3, 4, (Doubt.NOISY, Doubt.LOAD)), high=3.5)
    forward = Pass(kernel_us=series(1, 2, (Doubt.LOAD,)), wall_us=far)
    outcome = measured("exp", "small", PAIR, forward, timed(1, 2, (), (Doubt.DRIFT,)))
    assert doubts(forward) == (Doubt.NOISY, Doubt.LOAD)
    assert marks(outcome) == "ndl"
    assert words(outcome) == "noisy, drift, load"
    assert doubts(None) == ()


def test_noise_that_the_interval_shows_has_no_mark_unless_it_reaches_far() -> None:
    near = series(10, 11, (Doubt.NOISY,))
    assert doubts(Pass(wall_us=near)) == ()
    assert doubts(Pass(wall_us=msgspec.structs.replace(near, low=8.9))) == (Doubt.NOISY,)


def test_the_legend_has_what_occurs_and_how_often(run: tuple[Outcome, ...]) -> None:
    lines = list(legend(run))
    assert [line.split(":")[0] for line in lines] == [
        "p processes disagree (1 case)",
        "r resolution (1 case)",
        "l load (1 case)",
    ]
    assert list(legend([measured("exp", "small", PAIR, timed(1, 2))])) == []


@pytest.mark.parametrize("width", [60, 100])
def test_a_run_of_one_or_two_cases_is_shown_in_detail(
    rendered: Callable[[RenderableType, int], str], width: int, snapshot: SnapshotAssertion
) -> None:
    outcome = measured("exp", "small", PAIR, timed(8, 50, (), (Doubt.SHORT,)), timed(16, 10))
    assert rendered(runs.table([outcome]), width) == snapshot
