"""Functions that die, one by one, in forked children."""

import os
import signal
import time

import psutil

from autoperf.processes.forks import ForkError, forked


def body(number: int) -> bytes:
    if number == 2:
        os.kill(os.getpid(), signal.SIGTERM)
    if number == 4:
        os._exit(7)
    if number == 5:
        time.sleep(60)
    return str(number).encode() * 100_000


def test_each_item_has_its_own_fate() -> None:
    before = psutil.Process().children()
    results = list(forked(body, range(7), limit=2.0))
    said = [str(result) if isinstance(result, ForkError) else result[:1].decode() for result in results]
    assert said == [
        "0",
        "1",
        "the process ended without an answer (SIGTERM)",
        "3",
        "the process ended without an answer (exit status 7)",
        "no answer within the limit of 2 s",
        "6",
    ]
    assert [result.is_external for result in results if isinstance(result, ForkError)] == [False, False, True]
    assert psutil.Process().children() == before


def test_a_child_has_no_handlers_of_the_command() -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        results = list(forked(body, [2], limit=2.0))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [str(result) for result in results] == ["the process ended without an answer (SIGTERM)"]


def test_nothing_to_do() -> None:
    assert list(forked(body, [], limit=1.0)) == []
