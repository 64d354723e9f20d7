"""MXNet's profiler: switched on and off, and its dumps read."""

from __future__ import annotations

import ctypes as c
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from autoperf.backends.mxnet.capi.library import Library, text_array
from autoperf.backends.protocol import Kernel, KernelRoles

# The environment of a process that traces backward passes. MXNet reads it once, when the library initialises;
# without it a backward pass is traced as "ImperativeBulk" at any `set_bulk_size`.
UNBULKED = {
    "MXNET_EXEC_BULK_EXEC_TRAIN": "0",
    "MXNET_EXEC_BULK_EXEC_INFERENCE": "0",
    # Compiled graphs and loop bodies use only this one.
    "MXNET_EXEC_BULK_EXEC_MAX_NODE_TRAIN": "0",
}
WORKER = 0


def configure(library: Library, file: Path, memory: bool = True) -> None:
    """Traces imperative calls (and storage) to `file`, which each dump replaces; call it once in a process."""
    options = {
        "filename": str(file),
        "profile_symbolic": "False",
        "profile_imperative": "True",
        "profile_memory": str(memory),
        "profile_api": "False",
        "aggregate_stats": "False",
        "continuous_dump": "False",
    }
    keys, values = text_array(list(options)), text_array(list(options.values()))
    library.call("ProfilerConfig", len(options), keys, values, None)


def set_state(library: Library, run: bool) -> None:
    """Starts or stops the profiler. A process that exits with a running profiler can deadlock."""
    library.call("ProfilerState", int(run), WORKER, None)


def dump(library: Library) -> None:
    """Writes the records since the last dump to the file; recording continues."""
    library.call("ProfilerDump", 0, WORKER, None)


def set_bulk_size(library: Library, size: int) -> int:
    """Sets how many calls the engine may run as one, which a trace shows as one; returns the previous number."""
    before = c.c_int()
    library.call("EngineSetBulkSize", size, c.byref(before))
    return before.value


_COPIES = (
    "CopyCPU2CPU CopyCPU2GPU CopyGPU2CPU CopyGPU2GPU _copyto_GPU2GPU SyncCopyCPU2GPU SyncCopyGPU2CPU "
    "SyncCopyFromNDArrayCPU2CPU SyncCopyFromNDArrayCPU2GPU SyncCopyFromNDArrayGPU2CPU"
)
_MAINTENANCE = (
    "CheckFormat CustomOperatorWait DeleteVariable Reorder Reorder2Default ResourceNativeRandomSetSeed "
    "ResourceParallelRandomSetSeed ResourceRandomSetSeed SetupExec WaitForVar"
)
COPIES, MAINTENANCE = frozenset(_COPIES.split()), frozenset(_MAINTENANCE.split())
FILLING = "SetValueOp"
ENGINE_KERNELS = COPIES | MAINTENANCE | {FILLING}
ZERO_GRADIENTS = frozenset({"_zeros", "_zeros_without_dtype", "zeros_like"})
"""Kernels that fill gradients that are zero by definition."""
DEFAULT_HEAD_GRADIENT = "_ones"
HELPERS = ENGINE_KERNELS | ZERO_GRADIENTS | {DEFAULT_HEAD_GRADIENT}
ROLES = KernelRoles(HELPERS, MAINTENANCE, COPIES, FILLING, bulk="ImperativeBulk")


# A dump is a Chrome trace whose events are always formatted alike. Regular expressions read it ten times faster than a
# JSON parser, and accept a dump that is cut off.
_PAIR = (
    rb'"name": "([^"]*)",\s+"cat": "(?:operator|Custom Operator)[^"]*",\s+"ph": "([%s])",\s+"ts": (\d+),'
    rb'(?:\s+"id": (\d+),)?\s+"pid": \d+,\s+"tid": (\d+)'
)
_DURATIONS = re.compile(_PAIR % b"BE")
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
        configure(library, Path(f"/proc/self/fd/{self._descriptor}"), memory)
        # Prepared functions, which cost less than to stop and start the profiler.
        switch, worker = library.unchecked("ProfilerPause"), c.c_int(WORKER)
        self.pause, self.resume = (partial(switch, c.c_int(on), worker, None) for on in (1, 0))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Runs the profiler inside the context. It is always stopped: a process that ends while it runs can hang."""
        set_state(self._library, True)
        try:
            yield
        finally:
            set_state(self._library, False)

    def kernels(self) -> list[Kernel]:
        """The kernels since the last dump, sorted by start."""
        return kernels(self.dump())

    def dump(self) -> bytes:
        """The events since the last dump."""
        dump(self._library)
        with open(self._descriptor, "rb", closefd=False) as trace:
            trace.seek(0)
            return trace.read()


def kernels(dump: bytes) -> list[Kernel]:
    """All kernels in a dump, sorted by start.

    MXNet writes each run of a kernel twice: first all as duration events (B/E), then all as asynchronous events (b/e).
    The second kind is read only if there is none of the first. An event without its other half is dropped.
    """
    tasks_begin = dump.find(b'"ph": "b"')
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
                # A graph with fixed memory appends the node's name: "tanh{name=bent;}]". MXNet puts the name of an
                # operator written in Python before what the engine does within it: `twice::DeleteVariable`.
                whole = raw.partition(b"{name=")[0].decode(errors="replace")
                within = whole.rpartition("::")[2]
                name = names[raw] = within if within in MAINTENANCE else whole
            runs.append(Kernel(name, start, int(time) - start))
    return runs
