"""Runs a child's module, once NumPy is imported with threads that sleep as soon as they have nothing to do.

NumPy's OpenBLAS starts a thread for each further processor, which turns for about 0.1 s before it sleeps: a quarter of
the processor time of a process that begins, while others wait for the processor to begin too. The variable is gone
before a framework is loaded, whose own OpenBLAS is measured as it is.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import sys

THREAD_TIMEOUT = "OPENBLAS_THREAD_TIMEOUT"
"""The variable with the exponent of two of the clock cycles for which a thread of OpenBLAS turns."""


if __name__ == "__main__":
    # A variable that the user has set stays in force.
    given = os.environ.get(THREAD_TIMEOUT)
    os.environ.setdefault(THREAD_TIMEOUT, "4")
    with contextlib.suppress(ImportError):
        import numpy  # noqa: F401, ICN001 - for its threads
    if given is None:
        del os.environ[THREAD_TIMEOUT]
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
