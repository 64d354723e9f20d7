"""Counts events of this process (instructions retired, cycles) by Linux's perf_event_open."""

from __future__ import annotations

import contextlib
import ctypes as c
import errno
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from autoperf.core.errors import CounterError, UsageError

TASKS = Path("/proc/self/task")
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
# The highest level at which users may count events of their own programs outside the kernel.
MAX_PARANOID = 2

_SYSTEM_CALLS = {"x86_64": 298, "aarch64": 241}
_THIS_THREAD, _ANY_PROCESSOR, _NO_GROUP = 0, -1, -1
_CLOSE_ON_EXEC = 8
_DISABLE_ALL, _ENABLE_ALL = 31, 32
_VALUE_BYTES = 8
_HARDWARE = 0
# Bits of perf_event_attr. A pinned event is always counted or fails, but is never estimated from a part of the time.
_DISABLED, _INHERIT, _PINNED, _EXCLUDE_KERNEL, _EXCLUDE_HYPERVISOR = 1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 6


class Event(NamedTuple):
    """An event: its name, and its type and number in <linux/perf_event.h>."""

    name: str
    kind: int
    number: int


INSTRUCTIONS = Event("instructions", _HARDWARE, 1)
CYCLES = Event("cycles", _HARDWARE, 0)
EVENTS = {event.name: event for event in (INSTRUCTIONS, CYCLES)}
"""By the names of counters."""


class Unavailable(msgspec.Struct, frozen=True):
    """The reason why an event can't be counted here; `advice` is empty if there is no remedy."""

    finding: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.finding}; {self.advice}" if self.advice else self.finding


class _Attributes(c.Structure):
    """The first version of `struct perf_event_attr`, which every kernel takes."""

    _fields_ = (
        *((name, c.c_uint32) for name in ("type", "size")),
        *((name, c.c_uint64) for name in ("config", "sample_period", "sample_type", "read_format", "flags")),
        *((name, c.c_uint32) for name in ("wakeup_events", "bp_type")),
        ("config1", c.c_uint64),
    )


class Counter:
    """Counts events in all threads of this process, outside the kernel, between `start` and `stop`.

    Threads that are started later are counted with those that started them. The counter belongs to the thread that
    opened it, where alone it can be started and stopped. All counters of a thread run at the same time.
    """

    def __init__(self, *events: Event) -> None:
        """Opens the events for each thread. Raises CounterError where one can't be counted."""
        self._files: dict[Event, list[int]] = {event: [] for event in events}
        self._before = (0,) * len(events)
        self._switch = _function("prctl", c.c_int, c.c_ulong, c.c_ulong, c.c_ulong, c.c_ulong)
        try:
            for task in sorted(int(entry.name) for entry in TASKS.iterdir()):
                for event in events:
                    file = _opened(event, task)
                    if isinstance(file, Unavailable):
                        raise CounterError(str(file))
                    if file is not None:
                        self._files[event].append(file)
        except BaseException:
            self.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the events, in the order of `stop`."""
        return tuple(event.name for event in self._files)

    def start(self) -> None:
        """Starts at zero."""
        self._before = self._totals()
        self._switch(_ENABLE_ALL, 0, 0, 0, 0)

    def stop(self) -> tuple[int, ...]:
        """The number of each event since `start`. Raises CounterError if one wasn't counted all the time."""
        # One call ends the count of all events in all threads, so that reading them isn't counted.
        self._switch(_DISABLE_ALL, 0, 0, 0, 0)
        return tuple(after - before for before, after in zip(self._before, self._totals(), strict=True))

    def close(self) -> None:
        """Closes the events; a second call does nothing."""
        for files in self._files.values():
            while files:
                os.close(files.pop())

    def _totals(self) -> tuple[int, ...]:
        return tuple(sum(self._read(event, file) for file in files) for event, files in self._files.items())

    def _read(self, event: Event, file: int) -> int:
        value = os.read(file, _VALUE_BYTES)
        if len(value) < _VALUE_BYTES:
            raise CounterError(
                f"{event.name} were not counted all the time: another program has the processor's counter; "
                "end other profilers"
            )
        return int.from_bytes(value, sys.byteorder)


def unavailable(event: Event) -> Unavailable | None:
    """Why an event can't be counted on this machine; None if it can."""
    file = _opened(event, _THIS_THREAD)
    if isinstance(file, int):
        os.close(file)
    return file if isinstance(file, Unavailable) else None


def require_counters(names: Iterable[str]) -> None:
    """Raises UsageError if the events of one of these counters can't be counted on this machine."""
    for name in names:
        if missing := unavailable(EVENTS[name]):
            raise UsageError(
                f"--counters {name} can't be used: {missing}; leave it out to measure times alone, or let valgrind "
                "count instructions: --counters instructions --count-by valgrind"
            )


def reason(event: Event, code: int, paranoid: Path = PARANOID) -> Unavailable:
    """The meaning of an error code of perf_event_open for an event."""
    if code in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP):
        return Unavailable(f"the processor has no counter of {event.name}, as in most virtual machines")
    if code in (errno.EACCES, errno.EPERM):
        level = "unreadable"
        with contextlib.suppress(OSError):
            level = paranoid.read_text(encoding="ascii").strip()
        return Unavailable(
            f"Linux permits no counting of {event.name} ({paranoid} is {level})",
            f"`sudo sysctl kernel.perf_event_paranoid={MAX_PARANOID}` permits it; a container needs the capability "
            "PERFMON too",
        )
    if code == errno.ENOSYS:
        return Unavailable("this system has no perf_event_open, by which Linux counts events")
    return Unavailable(f"perf_event_open failed for {event.name}: {os.strerror(code)}")


def _opened(event: Event, task: int) -> int | Unavailable | None:
    """A file from which the count of a thread and of those that it starts is read; None if the thread has ended."""
    number = _SYSTEM_CALLS.get(platform.machine())
    if number is None:
        return reason(event, errno.ENOSYS)
    flags = _DISABLED | _INHERIT | _PINNED | _EXCLUDE_KERNEL | _EXCLUDE_HYPERVISOR
    attributes = _Attributes(type=event.kind, size=c.sizeof(_Attributes), config=event.number, flags=flags)
    call = _function("syscall", c.c_long, c.c_void_p, c.c_int, c.c_int, c.c_int, c.c_ulong)
    call.restype = c.c_long
    file = int(call(number, c.byref(attributes), task, _ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC))
    if file >= 0:
        return file
    code = c.get_errno()
    return None if code == errno.ESRCH else reason(event, code)


def _function(name: str, *argtypes: type[Any]) -> Any:
    """A function of the C library. Each look-up gives another object, so that its types are its own."""
    function = c.CDLL(None, use_errno=True)[name]
    function.argtypes = argtypes
    return function
