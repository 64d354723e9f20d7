"""The limits and defaults of options, and the limits of run file headers."""

from __future__ import annotations

DEFAULT_DRAWS = 2
DEFAULT_ELEMENTS = 2**18
DEFAULT_PRECISION = 0.01
DEFAULT_PROCESSES = 5
DEFAULT_TIMEOUT = 60.0
DEFAULT_MAX_TIME = 0.2
"""Seconds of samples of a case, in all its processes."""
SIDE_MAX_TIME = 1.0
"""The same for a case on a side of a comparison."""
MAX_PROCESSES = 64
MAX_DRAWS = 100_000
MAX_ITERATIONS = 1_000_000
MAX_LOOPS = 2**31
MAX_BYTES = 2**60
MAX_SECONDS = 1e6
MIN_ELEMENTS = 64
MAX_ELEMENTS = 2**40
