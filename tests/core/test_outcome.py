"""What an outcome has of each of its passes."""

from __future__ import annotations

from autoperf.core.outcome import Memory, PassMemory
from autoperf.core.work import Work
from tests.values import outcome, timed


def test_passes_are_those_that_were_measured() -> None:
    forward, backward = timed(1.0, 2.0), timed(3.0, 4.0)
    assert outcome(forward=forward, backward=backward).passes == {"forward": forward, "backward": backward}
    assert outcome(forward=forward).passes == {"forward": forward}
    assert not outcome().passes


def test_memory_and_work_of_a_pass() -> None:
    usage, work = PassMemory(3, 2, 1), Work(bytes_in=4, bytes_out=4, elements=1, flops=1)
    measured = outcome(forward=timed(1.0, 2.0), memory=Memory(forward=usage), work=work)
    assert measured.memory
    assert (measured.memory.of_pass("forward"), measured.memory.of_pass("backward")) == (usage, None)
    assert (measured.work_of_pass("forward"), measured.work_of_pass("backward")) == (work, None)
