"""Ctrl-C at any moment of the first half second ends a command without a traceback of autoperf's."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import autoperf
from autoperf.core.exits import Exit

COMMANDS = (("discover",), ("--help",), ("doctor",), ("run", "--operator", "exp", "--output", "/no/where"))
WINDOW = 0.5
PACKAGE = str(Path(autoperf.__file__).parent)


def interrupted(command: tuple[str, ...], seconds: float) -> tuple[int, str]:
    """The exit code and standard error of a command that gets Ctrl-C after so many seconds."""
    with subprocess.Popen(
        [sys.executable, "-m", "autoperf", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    return process.returncode, errors


def ours(errors: str) -> bool:
    """Whether a traceback is of autoperf, and not of Python's own start, in which no program can have a say."""
    files = re.findall(rf'File "{re.escape(PACKAGE)}/(.*?)"', errors)
    return any(file != "__init__.py" for file in files) or "Exception ignored" in errors


def check(seed: int, signals: int) -> None:
    draw = random.Random(seed)
    for _ in range(signals):
        command, seconds = draw.choice(COMMANDS), draw.uniform(0, WINDOW)
        code, errors = interrupted(command, seconds)
        assert not ours(errors), f"{command} after {seconds:.4f} s: {errors}"
        python_starts = 1 if "Traceback" in errors else None
        assert code in (*Exit, -signal.SIGINT, python_starts), f"{command} after {seconds:.4f} s: {code}, {errors}"


def test_an_early_ctrl_c_leaves_no_traceback() -> None:
    check(seed=1, signals=40)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_an_early_ctrl_c_leaves_no_traceback(seed: int) -> None:
    check(seed, signals=200)


def test_ctrl_c_while_the_interpreter_ends_is_silent() -> None:
    """The signal comes when the program is done and Python closes down."""
    script = (
        "import atexit, os, signal, sys\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "from autoperf.__main__ import main\n"
        "sys.argv = ['autoperf', '--version']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert done.stdout.startswith("autoperf")
