"""Takes what MXNet's profiler dumps: kernels with their times, and the bytes held on each device."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from autoperf.capi import profiler
from autoperf.capi.library import Library

# A dump is a Chrome trace of which one event is always written in one way, so that an expression that knows the way
# reads it ten times faster than a JSON parser with its objects, and isn't disturbed by a missing end.
_PAIR = (
    rb'"name": "([^"]*)",\s+"cat": "(?:operator|Custom Operator)[^"]*",\s+"ph": "([%s])",\s+"ts": (\d+),'
    rb'(?:\s+"id": (\d+),)?\s+"pid": \d+,\s+"tid": (\d+)'
)
_DURATIONS = re.compile(_PAIR % b"BE")
_FIRST_TASK = b'"ph": "b"'
_TASKS = re.compile(_PAIR % b"be")
_STORAGE = re.compile(rb'"cat": "Device Storage",\s+"ph": "C",\s+"ts": (\d+),\s+"args": \{ "Memory: ([^"]+)": (\d+) \}')


class Kernel(NamedTuple):
    """One run of one kernel: `start` in microseconds since the epoch, `duration` in whole microseconds."""

    name: str
    start: int
    duration: int


class Held(NamedTuple):
    """The bytes that a device holds from `time` (microseconds since the epoch) on."""

    time: int
    device: str
    bytes: int


class Recorder:
    """This process's profiler, which dumps into memory: MXNet flushes after every event, and a disk is slow at that."""

    def __init__(self, library: Library, *, memory: bool) -> None:
        """Configures the profiler, which can be done once in a process; `memory` records storage events too."""
        self._library = library
        self._descriptor = os.memfd_create("autoperf-trace")
        profiler.configure(library, Path(f"/proc/self/fd/{self._descriptor}"), memory)

    def dump(self) -> bytes:
        """What was recorded since the last dump."""
        profiler.dump(self._library)
        size = os.fstat(self._descriptor).st_size
        parts: list[bytes] = []
        while size > 0:
            part = os.pread(self._descriptor, size, sum(map(len, parts)))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def kernels(dump: bytes) -> list[Kernel]:
    """Every kernel in a dump, by start.

    MXNet writes each run of a kernel twice: all of them as pairs B/E, and after that all of them as asynchronous pairs
    b/e. The first kind is read, and the second only if there is none of the first. An event whose other half is missing
    is left out.
    """
    tasks_begin = dump.find(_FIRST_TASK)
    durations = dump[:tasks_begin] if tasks_begin >= 0 else dump
    found = _paired(_DURATIONS.findall(durations)) or _paired(_TASKS.findall(dump))
    found.sort(key=lambda kernel: kernel.start)
    return found


def storage(dump: bytes) -> list[Held]:
    """Every change of the bytes held, by time; threads are written one after the other, so the dump isn't in order."""
    found = [Held(int(time), device.decode(), int(held)) for time, device, held in _STORAGE.findall(dump)]
    found.sort(key=lambda held: held.time)
    return found


def _paired(events: Iterable[tuple[bytes, bytes, bytes, bytes, bytes]]) -> list[Kernel]:
    """Begin and end belong together by name and thread (or id); of nested ones, the last begun ends first."""
    names: dict[bytes, str] = {}
    waiting: dict[tuple[bytes, bytes], list[int]] = defaultdict(list)
    found: list[Kernel] = []
    for raw, phase, time, identity, thread in events:
        key = raw, identity or thread
        if phase in b"Bb":
            waiting[key].append(int(time))
        elif waiting[key]:
            start = waiting[key].pop()
            name = names.get(raw)
            if name is None:
                # A graph with fixed memory appends the node's name: "tanh{name=bent;}]".
                name = names[raw] = raw.partition(b"{name=")[0].decode(errors="replace")
            found.append(Kernel(name, start, int(time) - start))
    return found
