"""The log of compilations, by pass."""

from __future__ import annotations

import pytest

from autoperf.backends.protocol import Compilations, CompileLog, compiled_again


def test_parts_of_a_compilation_add_up_by_pass() -> None:
    log = CompileLog()
    log.add("forward", 0.5, count=0)
    log.add("forward", 1.5, count=1)
    log.add("backward", 0.25, count=0)
    assert log.of_passes() == (Compilations(1, 2e6), Compilations(0, 0.25e6))


@pytest.mark.parametrize(
    ("at_warm_up", "now", "again"),
    [(1, 1, (0, 0)), (3, 3, (2, 0)), (1, 3, (0, 2)), (0, 0, (0, 0)), (0, 2, (0, 1)), (2, 5, (1, 3))],
)
def test_the_first_compilation_is_none_again(at_warm_up: int, now: int, again: tuple[int, int]) -> None:
    assert compiled_again(Compilations(at_warm_up), Compilations(now)) == again
