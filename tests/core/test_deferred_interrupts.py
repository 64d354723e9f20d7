"""Ctrl-C within a deferring block comes at its end, and is never lost."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from autoperf.core.interrupts import Interrupt, interrupts_deferred


def press() -> None:
    """Ctrl-C, handled before the next statement."""
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True, params=[signal.default_int_handler, Interrupt()])
def handler(request: pytest.FixtureRequest) -> Iterator[Callable[..., object]]:
    """The handler of Ctrl-C before a block, which is there again afterwards."""
    previous = signal.signal(signal.SIGINT, request.param)
    yield request.param
    assert signal.signal(signal.SIGINT, previous) is request.param


def interrupted(block: Callable[[list[int]], None]) -> list[int]:
    """The steps that a block had made when its interrupt came."""
    steps: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        block(steps)
    return steps


def test_an_interrupt_comes_at_the_end_of_the_block() -> None:
    def block(steps: list[int]) -> None:
        with interrupts_deferred():
            press()
            steps.append(1)
        steps.append(2)

    assert interrupted(block) == [1]


def test_without_an_interrupt_nothing_comes() -> None:
    steps: list[int] = []
    with interrupts_deferred():
        steps.append(1)
    steps.append(2)
    assert steps == [1, 2]


def test_an_interrupt_comes_at_the_end_of_the_outer_block() -> None:
    def block(steps: list[int]) -> None:
        with interrupts_deferred():
            with interrupts_deferred():
                press()
            steps.append(1)
        steps.append(2)

    assert interrupted(block) == [1]


def test_a_second_interrupt_comes_at_once() -> None:
    def block(steps: list[int]) -> None:
        with interrupts_deferred():
            press()
            steps.append(1)
            press()
            steps.append(2)

    assert interrupted(block) == [1]


def test_an_interrupt_comes_after_an_error_too() -> None:
    def block(_steps: list[int]) -> None:
        with interrupts_deferred():
            press()
            raise ValueError

    assert interrupted(block) == []


def test_a_generator_yields_all_before_the_interrupt() -> None:
    def numbers() -> Iterator[int]:
        with interrupts_deferred():
            yield from range(3)

    def block(steps: list[int]) -> None:
        for number in numbers():
            if not number:
                press()
            steps.append(number)
        steps.append(3)

    assert interrupted(block) == [0, 1, 2]


def test_a_handler_of_the_callers_own_stays() -> None:
    signals: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, _frame: signals.append(number))
    try:
        with interrupts_deferred():
            press()
            assert signals == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, previous)


def test_another_thread_has_no_interrupts_to_defer() -> None:
    done: list[bool] = []

    def deferring() -> None:
        with interrupts_deferred():
            done.append(True)

    thread = Thread(target=deferring)
    thread.start()
    thread.join()
    assert done == [True]
