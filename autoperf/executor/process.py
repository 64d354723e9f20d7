"""A child process that may crash, hang or talk nonsense, and that never takes its parent along."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autoperf.capi.messages import first_sentence
from autoperf.core.children import child_environment
from autoperf.executor.channel import Channel

_TAIL = 64 * 1024
_TRACE_MARKS = ("Stack trace", "Call stack", "[bt]")
LAST_WORDS = 240
_CAUGHT = re.compile(r"(Segmentation fault|Bus error|Floating point exception|Illegal instruction): (?P<number>\d+)")
_CAUGHT_STATUS = 255


class Child:
    """A Python module in a process group of its own, with a channel to it.

    Its standard output and error go to a log file, which is read for its last words only. `Ctrl-C` doesn't reach it.
    """

    def __init__(self, module: str, arguments: Sequence[str], log: Path, env: Mapping[str, str]) -> None:
        self.log = log
        to_child, ours_to_child = os.pipe()
        ours_from_child, from_child = os.pipe()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(to_child), str(from_child), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(to_child, from_child),
                start_new_session=True,
                env=child_environment(env),
            )
        os.close(to_child)
        os.close(from_child)
        self.channel = Channel(ours_from_child, ours_to_child)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def forget(self) -> None:
        """Empties the log, to which the child appends: what comes from here on belongs to the next case."""
        os.truncate(self.log, 0)

    def last_words(self) -> str:
        """What the child has said since `forget`, in one sentence; empty if nothing."""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - _TAIL))
            return last_words(file.read().decode(errors="replace"))

    def ended(self, patience: float) -> int | None:
        """The exit code (negative: the signal) once the process has ended, or None if it lives on after `patience`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        return self._process.returncode

    def kill(self) -> None:
        """Ends the process and whatever it has forked; a second time does nothing."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        with contextlib.suppress(OSError):
            self.channel.close()


def describe_end(code: int | None) -> str:
    """How a process ended: "SIGSEGV", "exit status 255"."""
    if code is None:
        return "it stopped answering"
    if code == -signal.SIGKILL:
        return "SIGKILL, as Linux sends it when memory runs out"
    if code < 0:
        return signal_name(-code)
    return f"exit status {code}"


def was_killed(code: int | None) -> bool:
    """Whether an exit code is that of SIGKILL, which no process sends to itself by accident."""
    return code == -signal.SIGKILL


def with_end(text: str, code: int | None, words: str) -> str:
    """How a process ended, in a sentence (`the process died: {}`), and its last words if there are any.

    MXNet catches some signals, says which, and exits.
    """
    caught = _CAUGHT.fullmatch(words) if code == _CAUGHT_STATUS else None
    end = signal_name(int(caught["number"])) if caught else describe_end(code)
    sentence = text.format(end)
    return f"{sentence}: {words}" if words else sentence


def signal_name(number: int) -> str:
    """The signal's name, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def last_words(text: str) -> str:
    """The last message in a log without its stack trace, as one sentence; empty if there is none."""
    for mark in _TRACE_MARKS:
        text = text.split(mark, 1)[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    sentence = first_sentence(lines[-1])
    return sentence if len(sentence) <= LAST_WORDS else sentence[: LAST_WORDS - 1] + "…"
