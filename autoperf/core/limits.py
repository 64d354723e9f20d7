"""The most that may be asked for, on the command line or in the header of a run file."""

from __future__ import annotations

MOST_PROCESSES = 64
MOST_SAMPLES = 100_000
MOST_ITERATIONS = 1_000_000
MOST_LOOPS = 2**31
MOST_BYTES = 2**60
MOST_SECONDS = 1e6
LEAST_ELEMENTS = 64
MOST_ELEMENTS = 2**40
