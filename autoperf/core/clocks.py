"""The clocks that a pass is timed by. Columns, comparisons, options and CSV names are derived from this list."""

from __future__ import annotations

from dataclasses import dataclass

from autoperf.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Clock:
    """What one reading of a pass is called, where it is stored, and its unit.

    `name` is used in column names, the CSV and `--clock`; `key` is the field of Pass and of the run file. `unit` is
    `us` (microseconds) or empty (a count). `title` names a reading in a sentence. A clock `on_request` is read only
    where `--clock` asks for it.
    """

    name: str
    key: str
    unit: str
    title: str
    on_request: bool = False

    @property
    def is_time(self) -> bool:
        """Whether it reads a time, which depends on the speed of the machine; otherwise it counts."""
        return self.unit == "us"

    @property
    def csv_suffix(self) -> str:
        """What its columns in the CSV end in: `_us`, or nothing for a count."""
        return f"_{self.unit}" if self.unit else ""


KERNEL = Clock("kernel", "kernel_us", "us", "kernel time")
WALL = Clock("wall", "wall_us", "us", "wall time")
INSTRUCTIONS = Clock("instructions", "instructions", "", "instruction count", on_request=True)
CAPI = "capi"
"""The caller whose calls are always timed; the other one is `PYTHON`."""
PYTHON = Clock("python", "python_us", "us", "wall time of the call from Python", on_request=True)
CLOCKS: tuple[Clock, ...] = (KERNEL, WALL, INSTRUCTIONS, PYTHON)
"""In the order of reports. A new clock is an entry here, a field of Pass, and the executor's code that reads it."""


DEFAULT_CLOCKS = tuple(clock for clock in CLOCKS if not clock.on_request)


def clocks_of_caller(caller: str) -> tuple[str, ...]:
    """The clocks on request that a caller needs: `capi` or `python`. Raises UsageError for any other."""
    if caller not in (CAPI, PYTHON.name):
        raise UsageError(f"invalid caller {caller!r}: expected {CAPI} or {PYTHON.name}")
    return (PYTHON.name,) if caller == PYTHON.name else ()


def time_clocks() -> tuple[Clock, ...]:
    """The clocks that read microseconds, the preferred one first."""
    return tuple(clock for clock in CLOCKS if clock.is_time)


def clocks_chosen(choice: str) -> tuple[Clock, ...]:
    """The clocks of `--clock` of a comparison: a name; `both`: those that every run reads; `all`."""
    if choice == "both":
        return DEFAULT_CLOCKS
    return tuple(clock for clock in CLOCKS if choice in (clock.name, "all"))


def clock_named(name: str) -> Clock:
    """The clock of that name. Raises KeyError if there is none."""
    return {clock.name: clock for clock in CLOCKS}[name]
