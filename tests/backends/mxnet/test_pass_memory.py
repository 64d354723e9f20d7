"""Peak, output and workspace follow from the bytes held over time."""

from __future__ import annotations

import pytest

from autoperf.backends.mxnet.capi.profiler import Held
from autoperf.backends.mxnet.trial import Span, backward_memory, forward_memory
from autoperf.core.outcome import PassMemory

CPU = ("cpu", 0)
SPAN = Span(100_000, 200_000)


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
    assert forward_memory(events, CPU, SPAN, results) == expected


def test_other_devices_are_not_counted() -> None:
    events = [Held(110, "gpu/0", 64), Held(120, "gpu/1", 32)]
    assert forward_memory(events, CPU, SPAN, 64).peak == 0
    assert forward_memory(events, ("gpu", 1), SPAN, 64).peak == 32


def test_gradients_are_the_output_of_a_backward_pass() -> None:
    events = [Held(50, "cpu/0", 500), Held(110, "cpu/0", 300), Held(120, "cpu/0", 1300), Held(130, "cpu/0", 10)]
    assert backward_memory(events, CPU, SPAN, 64, 64) == PassMemory(864, 64, 800)
    assert backward_memory([], CPU, SPAN, 64, 64) == PassMemory(64, 64, 0)


def test_gradients_that_grow_in_the_pass_are_its_output_too() -> None:
    """Row-sparse gradients have no rows before."""
    events = [Held(50, "cpu/0", 500), Held(110, "cpu/0", 548)]
    assert backward_memory(events, CPU, SPAN, 0, 48) == PassMemory(48, 48, 0)
