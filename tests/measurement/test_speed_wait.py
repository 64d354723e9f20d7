"""Samples wait for the reference speed of the machine, for a limited time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from autoperf.measurement.messages import Task
from autoperf.measurement.probe import MIN_SHARE, SpeedWait
from autoperf.measurement.settings import Settings
from autoperf.measurement.worker import Worker
from tests.values import case

FAST, SLOW = 2000, 3000


class ScriptedProbe(NamedTuple):
    """A probe with these readings, in nanoseconds."""

    readings: Iterator[int]

    def read(self) -> int:
        return next(self.readings)


def waiting(seconds: float, *readings: int) -> tuple[SpeedWait, Iterator[int]]:
    left = iter(readings)
    return SpeedWait(ScriptedProbe(left), 2.0, seconds), left  # type: ignore[arg-type]


def test_it_waits_until_the_machine_is_fast() -> None:
    wait, left = waiting(600.0, SLOW, SLOW, FAST, SLOW)
    assert wait.wait() > 0
    assert list(left) == [SLOW]


def test_a_little_slower_is_fast_enough() -> None:
    wait, left = waiting(600.0, int(1.09 * FAST), SLOW)
    wait.wait()
    assert list(left) == [SLOW]


def test_it_waits_no_longer_than_it_may() -> None:
    wait, left = waiting(0.0, SLOW)
    assert wait.wait() < 600
    assert list(left) == [SLOW]


def test_time_that_is_spent_is_spent() -> None:
    wait, left = waiting(1e-9, SLOW, FAST)
    wait.wait()
    wait.wait()
    assert len(list(left)) >= 1


def test_a_wait_in_vain_makes_the_next_one_shorter() -> None:
    wait, _ = waiting(1.0)
    seconds = []
    for _ in range(8):
        seconds.append(wait._left)
        wait = wait.next(2.0, 1.0)
    assert seconds == [1.0, 0.5, 0.25, 0.125, 1 / 16, MIN_SHARE, MIN_SHARE, MIN_SHARE]


def test_a_wait_that_ends_well_makes_the_next_one_whole() -> None:
    shorter = waiting(600.0, FAST)[0].next(2.0, 600.0)
    assert shorter._left == 300.0
    shorter.wait()
    assert shorter.was_reached
    assert shorter.next(2.0, 600.0)._left == 600.0


TASK = Task(case(), reference_us=2.0)


@pytest.mark.parametrize(
    ("settings", "task", "waits"),
    [
        (Settings(), TASK, True),
        (Settings(runs=3), TASK, False),
        (Settings(), Task(TASK.case), False),
    ],
    ids=["by precision", "an exact count", "no reference"],
)
def test_what_the_user_counts_does_not_wait(settings: Settings, task: Task, waits: bool) -> None:
    worker = Worker.__new__(Worker)
    worker.settings = settings
    worker._wait, _ = waiting(1.0, FAST)
    assert (worker._speed_wait(task) is not None) is waits
