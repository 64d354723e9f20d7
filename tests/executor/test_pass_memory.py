"""Peak, output and workspace follow from the bytes held over time."""

from __future__ import annotations

import pytest

from autoperf.core.outcome import PassMemory
from autoperf.executor.memory import pass_memory
from autoperf.executor.trace import Held

CPU = ("cpu", 0)


@pytest.mark.parametrize(
    ("held", "results", "expected"),
    [
        ([(110, 64)], 64, PassMemory(64, 64, 0)),
        ([(50, 100), (110, 164), (120, 1164), (130, 164)], 64, PassMemory(1064, 64, 1000)),
        ([(110, 64), (120, 1064)], 64, PassMemory(1064, 64, 1000)),
        ([], 64, PassMemory(0, 0, 0)),
        ([(50, 100), (110, 0)], 64, PassMemory(0, 0, 0)),
        ([(110, 10)], 64, PassMemory(10, 10, 0)),
        ([(50, 100), (110, 164), (120, 40)], 64, PassMemory(64, 64, 0)),
        ([(50, 7), (250, 99)], 64, PassMemory(0, 0, 0)),
    ],
)
def test_memory_of_a_pass(held: list[tuple[int, int]], results: int, expected: PassMemory) -> None:
    events = [Held(time, "cpu/0", size) for time, size in held]
    assert pass_memory(events, CPU, 100_000, 200_000, results) == expected


def test_other_devices_are_not_counted() -> None:
    events = [Held(110, "gpu/0", 64), Held(120, "gpu/1", 32)]
    assert pass_memory(events, CPU, 100_000, 200_000, 64).peak == 0
    assert pass_memory(events, ("gpu", 1), 100_000, 200_000, 64).peak == 32
