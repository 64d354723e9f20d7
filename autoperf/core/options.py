"""The options of a measurement, each stated once for the command line and for Python, and their limits."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from autoperf.core import clocks
from autoperf.core.clocks import CAPI, PYTHON
from autoperf.core.errors import UsageError

DEFAULT_DRAWS = 2
DEFAULT_ELEMENTS = 2**18
DEFAULT_PRECISION = 0.01
DEFAULT_PROCESSES = 5
DEFAULT_TIMEOUT = 60.0
DEFAULT_MAX_TIME = 0.1
"""Seconds of samples of a case, in all its processes."""
SIDE_MAX_TIME = 1.0
"""Seconds of samples of a case on a side of a comparison."""
MAX_PROCESSES = 64
MAX_DRAWS = 100_000
MAX_ITERATIONS = 1_000_000
MAX_LOOPS = 2**31
MAX_BYTES = 2**60
MAX_SECONDS = 1e6
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)")
_UNITS = {"": 1.0, "MS": 1e-3, "S": 1.0, "M": 60.0, "MIN": 60.0, "H": 3600.0}
MIN_ELEMENTS = 64
MAX_ELEMENTS = 2**40


class Kind(enum.Enum):
    """The kinds of values, and their types in Python."""

    COUNT = "a whole number"
    SHARE = "a share, such as 0.05"
    SECONDS = "a number of seconds"
    NUMBER = "a number"
    BYTES = "a number of bytes, such as 4 * 2**30"
    SWITCH = "True or False"
    CHOICE = "a text"
    CHOICES = "a text, or a list of texts, of them"
    NAMES = "a text, or a list of texts"
    DTYPES = "a dtype, or a list of them"
    DEVICE = '"cpu", "gpu(0)", or one of MXNet\'s contexts'
    PROCESSORS = 'a number, a list of numbers, or a text such as "2-3"'
    PATH = "a path"
    PATHS = "a path, or a list of paths"
    LIBRARY = "one release or the path of a library"
    FRAMEWORK = 'a framework, such as "torch"'
    CLUSTER = 'a cluster, such as "tcp://head:8786"'


@dataclass(frozen=True)
class Option:
    """An option: `--max-time` on the command line, `max_time` in Python.

    `field` is the field of the value that it becomes a part of, where that has another name. `low` and `high` bound a
    count or a number; `choices` are the texts that may be chosen. `also` is opperf's name of it, which is accepted too.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    field: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    also: str = ""

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def target(self) -> str:
        """The field of the value that it becomes a part of."""
        return self.field or self.name

    def check(self, value: Any) -> None:
        """Raises UsageError for a value of the right type that is out of range; None stands for the default."""
        values = value if isinstance(value, tuple) else (value,)
        for each in values if value is not None else ():
            if expected := self._expected(each):
                unit = " s" if self.kind is Kind.SECONDS else ""
                shown = f"{each!r}" if self.choices else f"{each:g}" if isinstance(each, float) else f"{each}"
                raise UsageError(f"invalid {self.name} {shown}{unit}: expected {expected}")

    def _expected(self, value: Any) -> str:
        if self.choices and value not in self.choices:
            return " or ".join(self.choices)
        if self.kind is Kind.SECONDS and not 0 < value <= MAX_SECONDS:
            return f"more than 0 s and at most {MAX_SECONDS:g} s"
        if self.kind is Kind.SHARE and not 0 < value < 1:
            return "more than 0 and less than 1"
        if self.kind is Kind.BYTES and not 1 <= value <= MAX_BYTES:
            return "1 byte to 2**60 bytes"
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            return f"{self.low:,} to {self.high:,}"
        return ""


CATEGORY: Final = Option(
    "category",
    Kind.NAMES,
    "Select a category, or an opperf group (nn_conv, sorting_searching, ...).",
    (),
    field="categories",
)
SELECTION: Final = (
    CATEGORY,
    Option("namespace", Kind.NAMES, "Select a namespace: nd, np, npx, contrib, ...", (), field="namespaces"),
)
"""The options that select operators: the fields of Selection, beside its `operators`."""

PROFILE: Final = Option(
    "input_profile", Kind.NAMES, "Select an input profile: small, common, large, ...", (), field="profiles"
)
SEED: Final = Option("seed", Kind.COUNT, "Seed for drawing inputs.", 0)
DTYPE: Final = Option(
    "dtype",
    Kind.DTYPES,
    "The dtype of the data, or several. Default: the default dtype of each operator's rule.",
    (),
    field="dtypes",
)
ELEMENTS: Final = Option(
    "max_elements",
    Kind.COUNT,
    "Maximum number of elements in a drawn tensor.",
    DEFAULT_ELEMENTS,
    field="elements",
    low=MIN_ELEMENTS,
    high=MAX_ELEMENTS,
)
RECIPE: Final = (
    PROFILE,
    Option("draws", Kind.COUNT, "Number of drawn inputs per operator.", DEFAULT_DRAWS, low=0, high=MAX_DRAWS),
    SEED,
    DTYPE,
    ELEMENTS,
)
"""The options that select inputs of the operators: fields of Recipe."""
INT64_TENSOR: Final = Option(
    "int64_tensor",
    Kind.SWITCH,
    "One case for each operator, with a tensor of more than 2**32 elements, by one process and one sample unless given "
    "otherwise. A build that has such tensors is needed, such as 2.0.0b1.",
    False,
)

CALLER: Final = Option(
    "caller",
    Kind.CHOICE,
    "python: also time each call through MXNet's Python package (mx.nd, mx.np), beside the C API's, in turn.",
    CAPI,
    choices=(CAPI, PYTHON.name),
)
PROCESSES: Final = Option(
    "processes", Kind.COUNT, "Number of processes that measure each case.", DEFAULT_PROCESSES, low=1, high=MAX_PROCESSES
)
TIMEOUT: Final = Option("timeout", Kind.SECONDS, "Time limit of a case.", DEFAULT_TIMEOUT)
MEMORY_LIMIT: Final = Option("memory_limit", Kind.BYTES, "Maximum memory of a process.")
CTX: Final = Option("ctx", Kind.DEVICE, "The device: cpu or gpu(0).", "cpu")
COUNT_BY: Final = Option(
    "count_by",
    Kind.CHOICE,
    "Count instructions by the processor, or exactly and by function under valgrind. Default: by the processor where "
    "it can.",
    choices=("processor", "valgrind"),
)
KEEP_DUMPS: Final = Option(
    "keep_dumps",
    Kind.PATH,
    "Keep valgrind's file of each counted pass in this folder, for callgrind_annotate and KCachegrind.",
)
BACKWARD: Final = Option(
    "backward",
    Kind.SWITCH,
    "Whether backward passes run; without them, your own inputs are inference, as in MXNet outside of autograd.record.",
    True,
)
SETTINGS: Final = (
    Option(
        "profiler",
        Kind.CHOICE,
        "native: kernel time from MXNet's profiler, and wall time. python: wall time only. none: no times, with "
        "--counters.",
        "native",
        choices=("native", "python", "none"),
    ),
    Option("warmup", Kind.COUNT, "Exact number of warm-up iterations. Default: adaptive.", low=0, high=MAX_ITERATIONS),
    Option(
        "samples",
        Kind.COUNT,
        "Exact number of samples per clock and process. Default: adaptive, see --precision.",
        field="runs",
        low=1,
        high=MAX_ITERATIONS,
        also="runs",
    ),
    Option(
        "precision",
        Kind.SHARE,
        "Sample until the 95% confidence interval of the median is within this share of the median.",
        DEFAULT_PRECISION,
    ),
    Option("max_time", Kind.SECONDS, "Maximum sampling time per case.", DEFAULT_MAX_TIME),
    PROCESSES,
    Option("time_budget", Kind.SECONDS, "Maximum time of the whole run. Operators share it; the rest is skipped."),
    TIMEOUT,
    MEMORY_LIMIT,
    CTX,
    Option(
        "cpus",
        Kind.PROCESSORS,
        "The processors of the timed processes: 1, 2-3 or 0,2; any: Linux chooses. Default: one for each thread of "
        "MXNet.",
    ),
    COUNT_BY,
    KEEP_DUMPS,
    BACKWARD,
)
"""How cases are measured; they are fields of Settings."""
COUNTERS: Final = Option(
    "counters",
    Kind.CHOICES,
    "Count these events of the processor in each pass too: instructions,cycles.",
    (),
    choices=tuple(counter.name for counter in clocks.COUNTERS),
)
RUN_SETTINGS: Final = (
    *SETTINGS,
    COUNTERS,
    Option(
        "visits",
        Kind.COUNT,
        "Spread the processes of a case over this many visits instead of running them back to back: for runs that are "
        "compared with others.",
        1,
        low=1,
        high=MAX_PROCESSES,
    ),
)

CASES: Final = Option(
    "cases",
    Kind.PATHS,
    "Take the cases of this file (YAML, JSON, TOML, CSV, Python, or NDJSON by autoperf) or of a suite's folder.",
    (),
)
RULES: Final = Option(
    "rules",
    Kind.PATHS,
    "A Python file or folder of your own rules and lines for other frameworks, which override built-in ones.",
    (),
)
EXTENSION: Final = Option(
    "extension",
    Kind.PATHS,
    "A library (.so) or a Python file (.py) of your own operators, which MXNet loads.",
    (),
    field="extensions",
)
MXNET: Final = Option(
    "mxnet", Kind.LIBRARY, "A release (see `autoperf releases`), or the path of libmxnet.so.", field="libraries"
)
FRAMEWORK: Final = Option(
    "framework",
    Kind.NAMES,
    "The framework that runs the cases: mxnet, numpy, torch or jax; torch:compile and jax:jit compile; torch@2.13.0 is "
    "a version of `autoperf frameworks install`, torch=PATH an interpreter that has it.",
    (),
    field="frameworks",
)
AGAINST: Final = Option(
    "against",
    Kind.FRAMEWORK,
    "Search for inputs on which MXNet's kernels take longer than a call of this framework with equal results: numpy, "
    "torch or jax; torch@2.13.0 is a version of `autoperf frameworks install`, torch=PATH an interpreter that has it.",
)
HUNT: Final = (
    Option(
        "time_budget",
        Kind.SECONDS,
        "Time of the hunt of all operators, with its start and confirmations.",
        60.0,
        field="budget",
    ),
    Option("at_least", Kind.NUMBER, "Minimum slowdown to report.", 2.0, field="least", low=1.2, high=1000),
    Option(
        "folder",
        Kind.PATH,
        "Write findings, scripts and the log to this new folder. Default: one in the cache folder.",
        field="output",
    ),
    Option(
        "signal",
        Kind.CHOICE,
        "What the search compares: times, or the instructions that valgrind counts, which no other program disturbs.",
        "time",
        choices=("time", "instructions"),
    ),
)
CLUSTER: Final = Option(
    "cluster",
    Kind.CLUSTER,
    "Measure on the machines of a Dask cluster: the address of its scheduler (tcp://head:8786), local or local:2 for "
    "workers on this machine, a Dask configuration file, or module:function.",
)
RUN_FILE: Final = Option(
    "run_file",
    Kind.PATH,
    "Write the run file (NDJSON, one outcome per line) to this path. Default: a new file in the cache folder.",
    field="output",
)


def check_fields(options: Iterable[Option], holder: object) -> None:
    """Raises UsageError for a field of this value that is out of the range of its option."""
    for option in options:
        option.check(getattr(holder, option.target))


def share_of(percentage: str) -> float:
    """The share of a percentage, 0.05 for `5%` and `5`. Raises ValueError for `0.05`, which may mean 5% or 0.05%."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", percentage.strip())
    number = float(match[1]) if match else math.nan
    if not math.isfinite(number):
        raise ValueError(f"invalid percentage {percentage!r}: expected a percentage, such as 5%")
    if match and not match[2] and 0 < number < 1:
        raise ValueError(f"invalid percentage {percentage!r}: expected {100 * number:g}% or {number:g}%")
    return number / 100


def seconds_of(duration: str) -> float:
    """The seconds of a duration: `90s`, `10m`, `1h30m`, `200ms`, `5`; 0 for anything else."""
    parts = _AMOUNT.findall(duration)
    # "10 20" has two numbers without a unit, which is ambiguous.
    units = {unit.upper() for _, unit in parts}
    is_known = units <= _UNITS.keys() and len(units) == len(parts) and not _AMOUNT.sub("", duration).strip()
    return sum(float(number) * _UNITS[unit.upper()] for number, unit in parts) if is_known else 0.0
