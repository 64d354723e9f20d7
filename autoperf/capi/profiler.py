"""MXNet's profiler and the engine's bulking, over the C API."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from functools import partial
from pathlib import Path

from autoperf.capi.invoke import unchecked
from autoperf.capi.library import Library, text_array

# The environment of a process whose backward pass is traced: MXNet reads it once, when the library starts to work,
# and without it a backward pass is traced as "ImperativeBulk" whatever `set_bulk_size` says.
UNBULKED = {
    "MXNET_EXEC_BULK_EXEC_TRAIN": "0",
    "MXNET_EXEC_BULK_EXEC_INFERENCE": "0",
    # Compiled graphs, and the bodies of loops, look at nothing but this.
    "MXNET_EXEC_BULK_EXEC_MAX_NODE_TRAIN": "0",
}
WORKER = 0


def configure(library: Library, file: Path, memory: bool = True) -> None:
    """Have imperative calls (and storage, if `memory`) traced to `file`; once in a process, before the first dump.

    Without `continuous_dump` each dump replaces the file, so that it doesn't grow, and no thread dumps every second.
    """
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
    """Start or stop the profiler. A process that ends with it running can deadlock."""
    library.call("ProfilerState", int(run), WORKER, None)


def pauses(library: Library) -> tuple[Callable[[], object], Callable[[], object]]:
    """Two functions, prepared once: the first has nothing recorded from there on, the second everything again.

    That costs less than to stop and to start.
    """
    switch, worker = unchecked(library, "ProfilerPause"), c.c_int(WORKER)
    return partial(switch, c.c_int(1), worker, None), partial(switch, c.c_int(0), worker, None)


def dump(library: Library, finished: bool = False) -> None:
    """Write what was recorded since the last dump to the file; unless `finished`, recording can go on."""
    library.call("ProfilerDump", int(finished), WORKER, None)


def set_bulk_size(library: Library, size: int) -> int:
    """How many calls the engine may run as one; returns the size before.

    With bulking on, a trace says "ImperativeBulk" in place of the kernels' names: 0 switches it off for forward
    calls, `UNBULKED` for backward passes.
    """
    before = c.c_int()
    library.call("EngineSetBulkSize", size, c.byref(before))
    return before.value
