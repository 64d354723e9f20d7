"""MXNet's profiler and the engine's bulking, over the C API."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from functools import partial
from pathlib import Path

from autoperf.backends.mxnet.capi.invoke import unchecked_function
from autoperf.backends.mxnet.capi.library import Library, text_array

# The environment of a process that traces backward passes. MXNet reads it once, when the library initialises;
# without it a backward pass is traced as "ImperativeBulk" at any `set_bulk_size`.
UNBULKED = {
    "MXNET_EXEC_BULK_EXEC_TRAIN": "0",
    "MXNET_EXEC_BULK_EXEC_INFERENCE": "0",
    # Compiled graphs and loop bodies use only this one.
    "MXNET_EXEC_BULK_EXEC_MAX_NODE_TRAIN": "0",
}
WORKER = 0
CONTINUES = 0
"""A dump that recording continues after."""


def configure(library: Library, file: Path, memory: bool = True) -> None:
    """Traces imperative calls (and storage, if `memory`) to `file`; call it once per process, before the first dump.

    Without `continuous_dump` each dump replaces the file, and no thread dumps every second.
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
    """Starts or stops the profiler. A process that exits with a running profiler can deadlock."""
    library.call("ProfilerState", int(run), WORKER, None)


def pause_functions(library: Library) -> tuple[Callable[[], object], Callable[[], object]]:
    """Prepared functions to pause and to resume recording, which cost less than to stop and start the profiler."""
    switch, worker = unchecked_function(library, "ProfilerPause"), c.c_int(WORKER)
    return partial(switch, c.c_int(1), worker, None), partial(switch, c.c_int(0), worker, None)


def dump(library: Library) -> None:
    """Writes the records since the last dump to the file; recording continues."""
    library.call("ProfilerDump", CONTINUES, WORKER, None)


def set_bulk_size(library: Library, size: int) -> int:
    """Sets the number of calls that the engine may run as one; returns the previous size.

    With bulking on, a trace has "ImperativeBulk" in place of kernel names: 0 disables it for forward calls,
    `UNBULKED` for backward passes.
    """
    before = c.c_int()
    library.call("EngineSetBulkSize", size, c.byref(before))
    return before.value
