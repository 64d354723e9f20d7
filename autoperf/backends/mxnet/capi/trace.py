"""Reads the dumps of MXNet's profiler: kernels with their times, and the bytes held on each device."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.engine_kernels import ROLES
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.protocol import Kernel

# A dump is a Chrome trace whose events are always formatted alike. Regular expressions read it ten times faster than a
# JSON parser, and accept a dump that is cut off.
_PAIR = (
    rb'"name": "([^"]*)",\s+"cat": "(?:operator|Custom Operator)[^"]*",\s+"ph": "([%s])",\s+"ts": (\d+),'
    rb'(?:\s+"id": (\d+),)?\s+"pid": \d+,\s+"tid": (\d+)'
)
_DURATIONS = re.compile(_PAIR % b"BE")
_FIRST_TASK = b'"ph": "b"'
_TASKS = re.compile(_PAIR % b"be")
_STORAGE = re.compile(rb'"cat": "Device Storage",\s+"ph": "C",\s+"ts": (\d+),\s+"args": \{ "Memory: ([^"]+)": (\d+) \}')


class Held(NamedTuple):
    """The bytes that a device holds from `time` (microseconds since the epoch) on."""

    time: int
    device: str
    bytes: int


class Recorder:
    """This process's profiler. It dumps to memory, since MXNet flushes after each event, which is slow on a disk."""

    roles = ROLES

    def __init__(self, library: Library, *, memory: bool) -> None:
        """Configures the profiler, which is possible once in a process; `memory` also records storage events."""
        self._library = library
        self._descriptor = os.memfd_create("autoperf-trace")
        profiler.configure(library, Path(f"/proc/self/fd/{self._descriptor}"), memory)
        self.pause, self.resume = profiler.pause_functions(library)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Runs the profiler inside the context. It is always stopped: a process that ends while it runs can hang."""
        profiler.set_state(self._library, True)
        try:
            yield
        finally:
            profiler.set_state(self._library, False)

    def kernels(self) -> list[Kernel]:
        """The kernels since the last dump, sorted by start."""
        return kernels(self.dump())

    def dump(self) -> bytes:
        """The events since the last dump."""
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
    """All kernels in a dump, sorted by start.

    MXNet writes each run of a kernel twice: first all as duration events (B/E), then all as asynchronous events (b/e).
    The second kind is read only if there is none of the first. An event without its other half is dropped.
    """
    tasks_begin = dump.find(_FIRST_TASK)
    durations = dump[:tasks_begin] if tasks_begin >= 0 else dump
    runs = _paired(_DURATIONS.findall(durations)) or _paired(_TASKS.findall(dump))
    runs.sort(key=lambda kernel: kernel.start)
    return runs


def storage(dump: bytes) -> list[Held]:
    """All changes of the bytes held, sorted by time: a dump lists the threads one after the other."""
    changes = [Held(int(time), device.decode(), int(held)) for time, device, held in _STORAGE.findall(dump)]
    changes.sort(key=lambda held: held.time)
    return changes


def _paired(events: Iterable[tuple[bytes, bytes, bytes, bytes, bytes]]) -> list[Kernel]:
    """Pairs begin and end by name and thread (or id); of nested events, the last to begin ends first."""
    names: dict[bytes, str] = {}
    waiting: dict[tuple[bytes, bytes], list[int]] = defaultdict(list)
    runs: list[Kernel] = []
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
            runs.append(Kernel(name, start, int(time) - start))
    return runs
