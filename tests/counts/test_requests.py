"""Requests to valgrind do nothing where it isn't there; functions that are counted take and return what they would."""

from __future__ import annotations

import ctypes as c
import platform

import pytest

from autoperf.core.errors import CounterError
from autoperf.counts.requests import Requests


@pytest.fixture(scope="module")
def requests() -> Requests:
    return Requests()


def address(function: object) -> int:
    return c.cast(function, c.c_void_p).value or 0


def test_without_valgrind_nobody_answers(requests: Requests) -> None:
    assert not requests.is_answered
    requests.start()
    requests.zero()
    requests.toggle()
    requests.dump("nothing")


def test_a_counted_function_takes_arguments_in_registers_and_on_the_stack(requests: Requests) -> None:
    numbers = [c.c_long] * 8
    printed = c.CFUNCTYPE(c.c_int, c.c_char_p, c.c_size_t, c.c_char_p, *numbers)(
        requests.counting(address(c.CDLL(None).snprintf))
    )
    text = c.create_string_buffer(100)
    assert printed(text, 100, b"%ld %ld %ld %ld %ld %ld %ld %ld", 1, 2, 3, 4, 5, 6, 7, 8) == 15
    assert text.value == b"1 2 3 4 5 6 7 8"


def test_a_counted_function_can_be_called_again_and_keeps_its_address(requests: Requests) -> None:
    labs = address(c.CDLL(None).labs)
    absolute = c.CFUNCTYPE(c.c_long, c.c_long)(requests.counting(labs))
    assert [absolute(number) for number in (-3, 4, -(2**40))] == [3, 4, 2**40]
    assert requests.counting(labs) == requests.counting(labs)


def test_a_counted_function_returns_floating_point_numbers(requests: Requests) -> None:
    root = c.CFUNCTYPE(c.c_double, c.c_double)(requests.counting(address(c.CDLL("libm.so.6").sqrt)))
    assert root(2.25) == 1.5


def test_another_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(CounterError, match="on x86-64 only, not on aarch64"):
        Requests()
