"""What counts events: the processor or valgrind."""

from __future__ import annotations

from autoperf.processes.counters import INSTRUCTIONS, unavailable

PROCESSOR, PROGRAM = "processor", "valgrind"
"""The two ways to count: by the processor's own counters, or by a program that runs the process."""


def chosen_counter(counters: tuple[str, ...], count_by: str | None) -> str:
    """What counts these events: the processor or valgrind as asked for, else the processor where it can.

    Empty without counters.
    """
    if not counters or count_by:
        return (count_by or "") if counters else ""
    needs_processor = any(name != INSTRUCTIONS.name for name in counters)
    return PROCESSOR if needs_processor or not unavailable(INSTRUCTIONS) else PROGRAM
