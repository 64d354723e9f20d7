"""How a process failed: its signal or exit status, its log, the limit that was reached, and one sentence for it."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
from dataclasses import dataclass

from autoperf.core.errors import ProcessError
from autoperf.processes.channel import ChannelClosed, ChannelError, ChannelMismatched, ChannelSilent

_TRACE = re.compile(r"\n?(Stack trace|Call stack)\b.*", re.DOTALL)
_PYTHON_STYLE = re.compile(r'^Traceback \(most recent call last\):\n(?:\s+(?:File "|\[bt\]|\d+: ).*\n?)*', re.MULTILINE)
# Anchored at the start of a word: otherwise matching takes quadratic time.
LOCATION = re.compile(r"(?<!\S)(?:\[\d\d:\d\d:\d\d\] )?\S+\.(?:cc|cu|cuh|h|hpp):\d+: ")
_CLOCK = re.compile(r"\[\d\d:\d\d:\d\d\] ")
_CLASS = re.compile(r"^(?:\w*Error|Exception): ")
_LISTING = re.compile(r",? Possible Arguments:.*", re.DOTALL)
_OPERATOR = re.compile(r"^Error in operator \S+: ")
# How Gluon introduces MXNet's message when a layer can't deduce the shapes of its parameters.
_DEFERRED = re.compile(r"^Deferred initialization failed because shape cannot be inferred\.?\s*")
_SENTENCE_END = re.compile(r"(?<=[\w)\]\"'>`])[.!?](?=\s+[A-Z\"'])")
MAX_CHARACTERS = 400


def first_sentence(text: str) -> str:
    """The first sentence of a message: without time, source location and stack trace, on one line.

    `Check failed: ...` stays, since it is often a check's only text. A sentence of more than 400 characters
    is cut with an ellipsis. An empty message gives "no message was given".
    """
    message = _TRACE.sub("", text.strip())
    message = _PYTHON_STYLE.sub("", message)
    for pattern in (LOCATION, _CLOCK):
        message = pattern.sub("", message)
    message = _DEFERRED.sub("", _CLASS.sub("", _LISTING.sub("", message.strip())))
    message = _CLASS.sub("", _OPERATOR.sub("", message))
    message = " ".join(message.split())
    if end := _SENTENCE_END.search(message):
        message = message[: end.start()]
    message = message.strip().rstrip(":").removesuffix(".").strip()
    if len(message) > MAX_CHARACTERS:
        message = message[: MAX_CHARACTERS - 1].rstrip() + "…"
    return message or "no message was given"


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


INVALID_ANSWER = "the process wrote garbage in place of an answer"
MISMATCH = "the process answered another request"
# Python, NumPy and SciPy map this much before anything runs.
MIN_ADDRESS_SPACE = 384 << 20
# A process that loads MXNet maps this much, with small inputs.
MXNET_ADDRESS_SPACE = 2048 << 20
_UNLIMITED = 1 << 63
_REASONS = {
    errno.EMFILE: "too many files are open in this process; raise the limit (`ulimit -n`)",
    errno.ENFILE: "too many files are open on this machine; close other programs",
    errno.EAGAIN: "no more processes are allowed; end others, or raise the limit (`ulimit -u`, or the container's)",
    errno.ENOMEM: "there is not enough memory; free some, or raise the limit (`ulimit -v`)",
    errno.ENOSPC: "the disk of temporary files is full; free some, or name another place by TMPDIR",
}


def check_address_space() -> None:
    """Raises ProcessError if the limit of address space is too low for autoperf's own modules."""
    limit = _address_space()
    if limit < MIN_ADDRESS_SPACE:
        raise ProcessError(
            f"invalid limit of address space: expected at least {MIN_ADDRESS_SPACE >> 20} MiB for autoperf itself, "
            f"and {MXNET_ADDRESS_SPACE >> 20} MiB with MXNet, got {limit >> 20} MiB; raise it (`ulimit -v`)"
        )


def address_space_note() -> str:
    """A suffix for the error of a process that didn't start: the limit of address space, if one is set."""
    limit = _address_space()
    if limit == _UNLIMITED:
        return ""
    advice = f", but MXNet needs {MXNET_ADDRESS_SPACE >> 20} MiB" if limit < MXNET_ADDRESS_SPACE else ""
    return f"; the limit of address space is {limit >> 20} MiB{advice}; raise it (`ulimit -v`)"


def lack_of_address_space() -> str:
    """A suffix for the end of a process that had started: the limit, where it is too low for MXNet."""
    return address_space_note() if _address_space() < MXNET_ADDRESS_SPACE else ""


def _address_space() -> int:
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return _UNLIMITED if soft == resource.RLIM_INFINITY else soft


def start_error(what: str, error: OSError) -> ProcessError:
    """The error for a process that can't be started, or lacks a resource to start."""
    reason = _REASONS.get(error.errno or 0)
    place = f" ({error.filename})" if error.filename else ""
    return ProcessError(f"can't start {what}: {reason or f'{error.strerror or error}{place}'}")


def no_answer(error: ChannelError, limit: float, end: ExitStatus) -> str:
    """Why a process gave no answer within `limit` seconds: its end, a timeout, or an invalid message."""
    if isinstance(error, ChannelClosed):
        return end.describe("the process ended without an answer ({})") + lack_of_address_space()
    if isinstance(error, ChannelSilent):
        # A library that can't make its threads may wait for them for ever.
        return with_tail(f"no answer within the limit of {limit:g} s", end.tail) + lack_of_address_space()
    return with_tail(MISMATCH if isinstance(error, ChannelMismatched) else INVALID_ANSWER, end.tail)
