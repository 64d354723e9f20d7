"""What a user's code does to its process is told, and is done to a child alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autoperf.core.errors import RuleError
from autoperf.rules.rehearsal import Enter, rehearse

SCRIPT = """
import signal, subprocess, sys, time
from autoperf.rules.rehearsal import rehearse

def endless(enter):
    enter("mine.py")
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open(sys.argv[1], "w").write(f"{child.pid}\\n")
    while True:
        time.sleep(0.01)

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    rehearse(endless, 600.0)
except KeyboardInterrupt:
    sys.exit(130)
"""


def entering(*files: str, then: object) -> object:
    def play(enter: Enter) -> None:
        for file in files:
            enter(file)
        then()  # type: ignore[operator]

    return play


def test_what_comes_to_its_end_leaves_nothing_here() -> None:
    seen: list[int] = []
    rehearse(lambda _enter: seen.append(os.getpid()))
    assert seen == []


def test_the_last_file_is_named_that_does_not_come_to_its_end() -> None:
    with pytest.raises(RuleError, match=r"two\.py: it didn't come to an end within 0\.3 s"):
        rehearse(entering("one.py", "two.py", then=lambda: time.sleep(600)), 0.3)  # type: ignore[arg-type]


def test_a_process_that_says_nothing_more_is_waited_for_no_longer() -> None:
    def play(_enter: Enter) -> None:
        os.closerange(3, 256)
        time.sleep(600)

    with pytest.raises(RuleError, match=r"the rules: it didn't come to an end within 0\.3 s"):
        rehearse(play, 0.3)


def test_what_it_raises_is_told_in_its_words() -> None:
    def play(_enter: Enter) -> None:
        raise RuleError("the words \0 \udcff")

    with pytest.raises(RuleError, match=r"the words  \\udcff"):
        rehearse(play)


def test_ctrl_c_ends_the_child_and_what_it_started(tmp_path: Path) -> None:
    file = tmp_path / "child"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(file)])
    while not file.exists() or not file.read_text().endswith("\n"):
        assert process.poll() is None
        time.sleep(0.01)
    grandchild = Path("/proc", file.read_text().strip())
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    deadline = time.monotonic() + 60
    while grandchild.exists() and "Z" not in _state(grandchild) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "Z" in _state(grandchild)


def _state(process: Path) -> str:
    """As Linux tells it; "Z" too for a process that nobody has any more."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
