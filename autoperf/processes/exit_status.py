"""Describes how a process ended: its signal or exit status, and the tail of its log."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass

from autoperf.processes.messages import first_sentence

TAIL_BYTES = 64 * 1024
MAX_TAIL = 240
_TRACE_MARKS = ("Stack trace", "Call stack", "[bt]")
# MXNet catches some signals, prints their names, and exits with this status.
_CAUGHT = re.compile(r"(Segmentation fault|Bus error|Floating point exception|Illegal instruction): (?P<number>\d+)")
_CAUGHT_STATUS = 255


@dataclass(frozen=True)
class ExitStatus:
    """The exit code of a process (negative: the signal; None: it still runs), and the tail of its log."""

    code: int | None
    tail: str = ""

    @classmethod
    def of_wait(cls, status: int, tail: str = "") -> ExitStatus:
        """From the wait status that `os.waitpid` returns."""
        return cls(os.waitstatus_to_exitcode(status), tail)

    @property
    def killed(self) -> bool:
        """Whether the process was ended by SIGKILL, which comes from outside."""
        return self.code == -signal.SIGKILL

    @property
    def name(self) -> str:
        """The signal or exit status, such as "SIGSEGV" or "exit status 255"."""
        if self.code is None:
            return "it stopped answering"
        if self.killed:
            return "SIGKILL, as Linux sends it when memory runs out"
        if self._caught:
            return signal_name(self._caught)
        return signal_name(-self.code) if self.code < 0 else f"exit status {self.code}"

    def describe(self, template: str) -> str:
        """`template` (such as `the process died: {}`) with the name filled in, and the tail of the log if any."""
        return with_tail(template.format(self.name), "" if self._caught else self.tail)

    @property
    def _caught(self) -> int:
        """The number of the signal that MXNet has caught and printed; 0 if there was none."""
        caught = _CAUGHT.fullmatch(self.tail) if self.code == _CAUGHT_STATUS else None
        return int(caught["number"]) if caught else 0


def signal_name(number: int) -> str:
    """The signal's name, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def with_tail(text: str, tail: str) -> str:
    """`text`, followed by the tail of the log if there is one."""
    return f"{text}: {tail}" if tail else text


def log_tail(text: str) -> str:
    """The last message in a log without its stack trace, as one sentence; empty if there is none."""
    for mark in _TRACE_MARKS:
        text = text.split(mark, 1)[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    sentence = first_sentence(lines[-1])
    return sentence if len(sentence) <= MAX_TAIL else sentence[: MAX_TAIL - 1] + "…"
