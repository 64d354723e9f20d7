"""The metrics of a pass, clocks and counters; columns, comparisons, options and CSV names are derived from this list.

A new one is an entry here, a field of Pass (`core/outcome.py`) under its key, and the code that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Metric:
    """The name of a quantity of a pass, the place where it is stored, and its unit.

    `name` is used in column names, the CSV and options; `key` is the field of Pass and of the run file. `unit` is `us`
    (microseconds) or empty (a count). `title` names a reading in a sentence. A metric `on_request` is read only where
    an option asks for it.
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


Clock: TypeAlias = Metric
KERNEL = Clock("kernel", "kernel_us", "us", "kernel time")
WALL = Clock("wall", "wall_us", "us", "wall time")
PYTHON = Clock("python", "python_us", "us", "wall time of the call from Python", on_request=True)
INSTRUCTIONS = Metric("instructions", "instructions", "", "instruction count", on_request=True)
CYCLES = Metric("cycles", "cycles", "", "cycle count", on_request=True)
CAPI = "capi"
"""The caller whose calls are always timed; the other one is `PYTHON`."""
METRICS: tuple[Metric, ...] = (KERNEL, WALL, INSTRUCTIONS, CYCLES, PYTHON)
"""All metrics, in the order of reports."""
CLOCKS = tuple(metric for metric in METRICS if metric.is_time)
"""The preferred one first."""
COUNTERS = tuple(metric for metric in METRICS if not metric.is_time)
DEFAULT_METRICS = tuple(metric for metric in METRICS if not metric.on_request)


def metric_named(name: str) -> Metric:
    """The metric of that name. Raises KeyError if there is none."""
    return {metric.name: metric for metric in METRICS}[name]


def counters_named(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """The counters of these names, in the order of reports."""
    return tuple(counter for counter in COUNTERS if counter.name in names)
