"""The library's devices: GPUs and OpenMP threads."""

from __future__ import annotations

import ctypes as c

from autoperf.backends.mxnet.capi.library import Library


def gpu_count(library: Library) -> int:
    """The number of visible GPUs; 0 for a build without CUDA. On a CUDA build this initialises CUDA."""
    count = c.c_int(0)
    failed = library.dll["MXGetGPUCount"](c.byref(count))
    return 0 if failed else max(0, count.value)


def openmp_threads(library: Library) -> int | None:
    """The number of OpenMP threads for this thread; None if the library has no omp_get_max_threads."""
    try:
        return int(library.dll["omp_get_max_threads"]())
    except AttributeError:
        return None
