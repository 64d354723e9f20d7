"""What the library has to compute with: GPUs and OpenMP threads."""

from __future__ import annotations

import ctypes as c

from autoperf.capi.library import Library


def gpu_count(library: Library) -> int:
    """How many GPUs MXNet sees; 0 for a build without CUDA, which has no answer. On a CUDA build this starts CUDA."""
    count = c.c_int(0)
    failed = library.dll["MXGetGPUCount"](c.byref(count))
    return 0 if failed else max(0, count.value)


def openmp_threads(library: Library) -> int | None:
    """How many threads OpenMP would use in this thread; None if the library isn't linked to an OpenMP that says so."""
    try:
        return int(library.dll["omp_get_max_threads"]())
    except AttributeError:
        return None
