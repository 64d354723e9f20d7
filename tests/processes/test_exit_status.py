"""A child's end is named, and the tail of its log is a sentence."""

from __future__ import annotations

import signal

import pytest

from autoperf.processes.failures import MAX_TAIL, ExitStatus, log_tail


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-signal.SIGSEGV, "SIGSEGV"),
        (-signal.SIGABRT, "SIGABRT"),
        (-signal.SIGKILL, "SIGKILL, as Linux sends it when memory runs out"),
        (-123, "signal 123"),
        (255, "exit status 255"),
        (0, "exit status 0"),
        (None, "it stopped answering"),
    ],
)
def test_ends_have_names(code: int | None, words: str) -> None:
    assert ExitStatus(code).name == words


def test_the_end_comes_with_the_tail_of_the_log() -> None:
    assert ExitStatus(-int(signal.SIGSEGV)).describe("it died: {}") == "it died: SIGSEGV"
    assert ExitStatus(3, "no such file").describe("it died: {}") == "it died: exit status 3: no such file"


def test_a_signal_that_mxnet_has_caught_is_named_once() -> None:
    assert ExitStatus(255, "Segmentation fault: 11").describe("it ended ({})") == "it ended (SIGSEGV)"
    assert ExitStatus(1, "Segmentation fault: 11").describe("{}") == "exit status 1: Segmentation fault: 11"
    assert ExitStatus(255, "no fault: 11").describe("it ended ({})") == "it ended (exit status 255): no fault: 11"


@pytest.mark.parametrize(("status", "code"), [(0, 0), (7 << 8, 7), (signal.SIGKILL, -9), (signal.SIGABRT | 128, -6)])
def test_a_wait_status_is_an_exit_code(status: int, code: int) -> None:
    assert ExitStatus.of_wait(status).code == code
    assert ExitStatus.of_wait(status).killed == (code == -signal.SIGKILL)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", ""),
        ("\n  \n", ""),
        ("noise\n\nSegmentation fault: 11\n\nStack trace:\n  [bt] (0) lib.so(+0x1) [0x2]\n", "Segmentation fault: 11"),
        ("one\ntwo\n", "two"),
        (
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
            "what(): std::bad_alloc",
        ),
    ],
)
def test_the_tail_of_a_log(log: str, words: str) -> None:
    assert log_tail(log) == words


def test_the_tail_is_short() -> None:
    assert len(log_tail("word " * 1000)) <= MAX_TAIL
