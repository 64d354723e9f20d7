"""A child's end is named, and its last words are a sentence."""

from __future__ import annotations

import signal

import pytest

from autoperf.executor.process import LAST_WORDS, child_environment, describe_end, last_words, with_end


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
    assert describe_end(code) == words


def test_the_end_comes_with_the_last_words() -> None:
    assert with_end("it died: {}", -int(signal.SIGSEGV), "") == "it died: SIGSEGV"
    assert with_end("it died: {}", 3, "no such file") == "it died: exit status 3: no such file"


def test_a_signal_that_mxnet_has_caught_is_named() -> None:
    assert with_end("it ended ({})", 255, "Segmentation fault: 11") == "it ended (SIGSEGV): Segmentation fault: 11"
    assert with_end("it ended ({})", 1, "Segmentation fault: 11") == "it ended (exit status 1): Segmentation fault: 11"
    assert with_end("it ended ({})", 255, "no fault: 11") == "it ended (exit status 255): no fault: 11"


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
def test_last_words(log: str, words: str) -> None:
    assert last_words(log) == words


def test_last_words_are_short() -> None:
    assert len(last_words("word " * 1000)) <= LAST_WORDS


def test_a_child_finds_this_package_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    env = child_environment({"OMP_NUM_THREADS": "3"})
    assert env["OMP_NUM_THREADS"] == "3"
    assert env["PYTHONPATH"].endswith(":/elsewhere")
    assert env["PYTHONSAFEPATH"] == "1"
