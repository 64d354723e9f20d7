"""The outcome of a case, by a version of the method: samples, statistics, memory and results, or why there are none.

It is raised when the same build on the same machine would get other results. Run files and pages of measurements state
it, and comparisons report a difference.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated, Literal, TypeAlias

import msgspec

from autoperf.core.case import Calls, Input
from autoperf.core.clocks import CLOCKS, METRICS, Metric
from autoperf.core.graph import Graph, mode_of
from autoperf.core.machine import Probes, Throughput
from autoperf.core.operator import Value
from autoperf.core.options import MAX_LOOPS
from autoperf.core.tensors import ArrayType
from autoperf.core.texts import Word, count
from autoperf.core.work import OWN, CodeCount, Part, Work

METHOD = 5
"""1: a warm-up ended when times no longer fell. 2: it ends when calls take no fresh memory that they won't take for
good, samples that do are taken again; the reference speed is the typical reading of the probe at full speed, and what
was taken at it is as measured; wall times are taken before kernel times, and calls below 1 ms after uncounted
ones. 3: wall times of calls of 1 to 10 ms are taken after an uncounted one too. 4: calls below 1 ms are taken in groups
of four between readings of the probe; both times of a call of 5 ms and more are of one loop, three samples a
process; calls of networks are taken after those that make their inputs, and after as many other bytes as a
pass uses. 5: a disturbed call counts little in the means over calls of short kernels."""
FIRST = 1
"""The method of files that don't state one."""
_SHORTER = {
    2: "times of calls with 4 MB and more",
    3: "wall times of short passes in calls of 1 to 10 ms",
    4: "wall times of calls below 1 ms, by up to 4%,",
    5: "times of kernels below 100 us, where calls were disturbed,",
}
"""The times that may be shorter by each method than by the one before."""


def since(method: int) -> str:
    """A page's note on the method that measured it: empty, or the changes of later methods."""
    if method == METHOD:
        return ""
    changed = " and ".join(what for number, what in _SHORTER.items() if number > method)
    return f": the method is {METHOD} now, and {changed} may be shorter"


OUTPUT, GRADIENT, UPDATED, RESULTS = "output", "gradient of ", "updated ", "results"
"""How results are named: `output` or `output 1`, `gradient of data`, `updated weight`; all of them together."""


class OpenResults(msgspec.Struct, frozen=True):
    """The results that an operator leaves open.

    `random`: they are random numbers, of which only shapes, dtypes and moments are determined. `undefined` are the
    names of results, or globs, of which only shapes and dtypes are determined. `rounding` is the factor by which the
    operator amplifies the rounding of its sums. `evidence` says how that is known.
    """

    random: bool = False
    undefined: tuple[str, ...] = ()
    rounding: float = 1.0
    evidence: str = ""

    def leaves(self, result: str) -> bool:
        """Whether the contents of a result are undefined."""
        return any(fnmatchcase(result, name) for name in self.undefined)


def either_open(first: OpenResults, second: OpenResults) -> OpenResults:
    """The results that one of two leaves open."""
    return OpenResults(
        first.random or second.random,
        (*first.undefined, *second.undefined),
        max(first.rounding, second.rounding),
        first.evidence or second.evidence,
    )


PRESENCE, NUMBER, SHAPE, DTYPE, STORAGE, VALUE = "presence", "number", "shape", "dtype", "storage", "value"
"""The properties of a result besides its statistics."""


class ResultDifference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first result that two sides don't have in common, or that timed calls don't share with the trial.

    `base` and `new` are its `compared` property on both sides, as text. Of differing values, those with the largest
    `error` stand at `place`, and `count` of `elements` are beyond the tolerance. `draw` is the number of the drawn
    contents. `timed`: the timed calls of a side differ from its trial, which is then `base`.
    """

    result: str
    compared: str
    base: str
    new: str
    place: tuple[int, ...] = ()
    error: float | None = None
    count: int = 0
    elements: int = 0
    draw: int = 1
    timed: bool = False

    @property
    def output(self) -> int | None:
        """The number of the output that differs; None for another result."""
        kind, _, number = self.result.partition(" ")
        return int(number or 0) if kind == OUTPUT else None

    def words_of(self, base: str, new: str) -> str:
        """As `words`, with the names of both sides: `largest error 0.3 at (0, 1): 1.3 in new, in base 1.0`."""
        return self.words.replace(", expected ", f" {new}, {base} ")

    @property
    def words(self) -> str:
        """`output: largest error 0.3 at (0, 1): 1.3, expected 1.0; 3 of 64 elements differ`."""
        difference = f"{self.compared} {self.new}, expected {self.base}"
        if self.compared == VALUE:
            error = "" if self.error is None else f" {self.error:.3g}"
            place = ", ".join(map(str, self.place))
            difference = f"largest error{error} at ({place}): {self.new}, expected {self.base}"
        more = f"; {self.count:,} of {count(self.elements, 'element')} differ" if self.count else ""
        return f"{self.result}: {difference}{more}"


class ResultPrint(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fingerprint of one result: enough to find another result, tolerant of rounding.

    `tolerance` is the error that an element may have. Of finite numbers there are `least`, `largest`, `mean`, the root
    of the mean square `rms`, and `sums`, each with another drawn sign for each element, divided by the root of their
    number: one wrong element changes them by more than rounding does. `values` stand at the drawn `places` of the
    flattened array, null where one isn't finite; whole numbers are exact. `specials` are the numbers of NaN, of
    infinity and of minus infinity. A random result has neither sums nor values, and an `undefined` one only a shape
    and a dtype.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    tolerance: float
    storage: str = ""
    least: int | float = 0.0
    largest: int | float = 0.0
    mean: float = 0.0
    rms: float = 0.0
    sums: tuple[float, ...] = ()
    places: tuple[int, ...] = ()
    values: tuple[int | float | None, ...] = ()
    specials: tuple[int, int, int] = (0, 0, 0)
    random: bool = False
    undefined: bool = False


class Status(Word):
    """The status of a case; a closed set."""

    MEASURED = "measured"
    SKIPPED = "skipped"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMEOUT = "timeout"


BROKEN = (Status.FAILED, Status.CRASHED, Status.TIMEOUT)
"""The statuses of cases that were to be measured and couldn't be."""


MIN_DIFFERENCE_US = 0.25
"""Microseconds, a quarter of a step of the profiler's clock: a figure that is known to it gives no cause to act.

Processes that differ by less agree, whatever share of a short time it is, and no warning tells of a clock that resolves
it: where code and data lie in a process changes any call by as much.
"""


class FigureWarning(Word):
    """The quality warnings of a figure; a closed set."""

    NOISY = "noisy"
    SHORT = "short"
    DISAGREE = "disagree"
    DRIFT = "drift"
    RESOLUTION = "resolution"
    LOAD = "load"
    THROTTLED = "throttled"
    UNSETTLED = "unsettled"
    CROWDED = "crowded"
    RECOMPILED = "recompiled"


class ProbedTimes(msgspec.Struct, frozen=True):
    """A time of each process as measured, and the reading of the probe beside it, in microseconds."""

    samples: tuple[float, ...]
    probe: tuple[float, ...]


class Series(msgspec.Struct, frozen=True):
    """Samples in microseconds (or counts), in the order in which they were taken, and their statistics.

    `loops` is the number of calls per sample (1: each call is timed). `processes` has the number of samples of each
    process, in order; empty for one process. `low` and `high` are the 95% confidence interval of the median, None for
    too few samples; `warnings` has the quality warnings. `turns` is set for interleaved comparisons: the number of
    samples of each turn, by process.

    With `probes`, which stand beside each sample, all statistics are at the reference speed of its machine. `steady` is
    the number of samples that were taken at it, if the statistics are of these alone; if they are of all, it is 0, and
    each sample is divided by (probe / reference) ** `slope`. `samples` stay as measured, and so does `uncorrected`,
    their median. A slope of 0 is no correction. `speed` is the median of reference / probe. `retaken` counts the calls
    of the case, by all clocks, that were taken again, since the machine changed its speed or another program ran beside
    them. `faults` are the page faults in each sample, a mean over its calls; unset if there were none.

    In a baseline file, each process has one sample. `quantile` states which of all its samples that is, by time at
    reference speed; unset: the median. `at_reference` has that of the samples of each process that were taken at
    reference speed, if they are enough. The probe's readings are those that the samples of the process amount to.
    """

    count: int
    mean: float
    median: float
    p50: float
    p90: float
    p99: float
    min: float
    max: float
    std: float
    samples: tuple[float, ...]
    loops: Annotated[int, msgspec.Meta(le=MAX_LOOPS)] = 1
    processes: tuple[int, ...] = ()
    low: float | None = None
    high: float | None = None
    warnings: tuple[FigureWarning, ...] = ()
    turns: tuple[tuple[int, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    probes: Probes | msgspec.UnsetType = msgspec.UNSET
    slope: float | msgspec.UnsetType = msgspec.UNSET
    uncorrected: float | msgspec.UnsetType = msgspec.UNSET
    speed: float | msgspec.UnsetType = msgspec.UNSET
    steady: int | msgspec.UnsetType = msgspec.UNSET
    retaken: int | msgspec.UnsetType = msgspec.UNSET
    faults: tuple[float, ...] | msgspec.UnsetType = msgspec.UNSET
    quantile: float | msgspec.UnsetType = msgspec.UNSET
    at_reference: ProbedTimes | msgspec.UnsetType = msgspec.UNSET


class Difference(msgspec.Struct, frozen=True):
    """How much longer one call takes, in us: the median of pairs of samples, and its interval, None for too few."""

    median: float
    low: float | None = None
    high: float | None = None

    @property
    def has_sign(self) -> bool:
        """Whether the interval says which call is longer."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


PassName: TypeAlias = Literal["forward", "backward"]
PASSES: tuple[PassName, ...] = ("forward", "backward")


class Pass(msgspec.Struct, frozen=True):
    """The forward or backward pass: kernel time from the profiler, wall time with the profiler off.

    `instructions` and `cycles` have the counts of these events of the processor in it, if they were asked for. With
    `code`, the functions that were executed, valgrind has counted, and the instructions are those of kernels.
    `library` names the kernels of oneDNN that ran, by its log: `oneDNN jit:avx2`, empty for none.
    `python_us` is the wall time of the same call by `python_function` of MXNet's Python package, `mx.nd.softmax`, if
    that was asked for, and `front_end_us` the part that Python adds.

    `kernels` has the shares of the operator's kernels in its median kernel time, by name, in microseconds, which add up
    to it; `helpers` typical microseconds a call of the engine's kernels (layout changes, copies, deletions), which
    `kernel_us` excludes. `helpers_us` is their sum; `dispatch_us` is the median wall time minus all kernels: the call,
    the engine's queue and wake-up; None if unknown. `first_us` is the wall time of the first call of a process, in the
    median over processes, as measured: it takes memory that the process didn't have, and oneDNN compiles its kernels
    in it. `compile_us` is the time in which the pass was compiled from nothing, in the first process that ran it, and
    `recompiles` how often it was compiled again in a later one, at most; both are unset where calls aren't compiled.
    `faults` are the page faults of a later call, in the median over its samples. `throughput` is
    by kernel time, or by wall time without the profiler; unset where the work isn't counted. `notes` has caveats.
    `gradients` names the inputs whose gradients a backward pass writes, as dense arrays; it is unset where they are
    row-sparse, and for layers.
    """

    kernel_us: Series | None = None
    wall_us: Series | None = None
    instructions: Series | msgspec.UnsetType | None = msgspec.UNSET
    cycles: Series | msgspec.UnsetType | None = msgspec.UNSET
    code: CodeCount | msgspec.UnsetType = msgspec.UNSET
    library: str | msgspec.UnsetType = msgspec.UNSET
    python_us: Series | msgspec.UnsetType | None = msgspec.UNSET
    python_function: str | msgspec.UnsetType = msgspec.UNSET
    front_end_us: Difference | msgspec.UnsetType = msgspec.UNSET
    kernels: dict[str, float] = {}
    helpers: dict[str, float] = {}
    helpers_us: float | None = None
    dispatch_us: float | None = None
    first_us: float | msgspec.UnsetType = msgspec.UNSET
    compile_us: float | msgspec.UnsetType = msgspec.UNSET
    recompiles: int | msgspec.UnsetType = msgspec.UNSET
    faults: float | msgspec.UnsetType = msgspec.UNSET
    throughput: Throughput | msgspec.UnsetType = msgspec.UNSET
    notes: tuple[str, ...] = ()
    gradients: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def path(self) -> str:
        """Which implementation ran: the part of kernels that counts name, oneDNN's by its log, or MXNet's own code.

        Counts are of the instructions that valgrind has, and tell BLAS from loops. Empty if neither was taken.
        """
        counted, logged = (self.code.path if self.code else ""), self.library or ""
        if counted and counted != Part.ONEDNN.value:
            return counted
        return logged or counted or (OWN if self.library == "" else "")

    @property
    def returns_view(self) -> bool:
        """Whether its results are views, whose time is that of no kernel."""
        return VIEW in self.notes

    @property
    def metrics(self) -> dict[Metric, Series]:
        """The series of every metric that was read, in the order of METRICS."""
        return {metric: series for metric in METRICS if (series := self.series(metric)) is not None}

    def series(self, metric: Metric) -> Series | None:
        """The series of a metric; None if it was not read."""
        readings: Series | msgspec.UnsetType | None = getattr(self, metric.key)
        return readings or None

    def ranking_series(self) -> Series | None:
        """The series that ranks the pass: by the first clock that was read (kernel time, else wall time)."""
        return next((series for clock in CLOCKS if (series := self.series(clock)) is not None), None)


VIEW = "it returns a view, so it moves no memory"
"""The note of a pass of another framework whose results share the memory of its inputs or head gradients."""


class PassMemory(msgspec.Struct, frozen=True):
    """Bytes above the baseline in one call: the peak, the outputs, and the rest (workspace)."""

    peak: int
    output: int
    workspace: int


class Memory(msgspec.Struct, frozen=True):
    """The memory of each pass, in bytes; None for a pass that didn't run."""

    forward: PassMemory | None = None
    backward: PassMemory | None = None


NOT_TIMED = "not timed, since the other side"
"""The start of the reason of a case that was skipped since the other side has no figure."""


NO_SAMPLES = "processes gave no samples: "
"""Within a note of the forward pass, before the reasons of processes that haven't timed a case others have."""
INTERRUPTED = "interrupted"
"""The last of these reasons if the run was interrupted."""


class ResumeMark(msgspec.Struct, frozen=True):
    """A resume of a run: when (UTC, ISO 8601), by which command, where, and the load over 1, 5 and 15 minutes."""

    started: str
    command: tuple[str, ...]
    machine: str
    load: tuple[float, float, float]


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="outcome"):
    """One line of a run file.

    `work` is the work of the forward pass, `backward_work` of the backward pass; unset unless measured and counted.
    `resumed` is set in the first outcome after a resume. `calls` and `network_calls` are the case's, unset unless it
    was captured from networks. `refused_dtype` is the dtype that the framework refuses for this call, though it takes
    others; unset unless the case was skipped for that. `visit` is the number of the visit that measured the case again,
    from 2 on: the outcome replaces the earlier one, and has the samples of both. `machine` is the id of the machine
    that tried or measured the case, unset if none did. `results` are the fingerprints of its results, unset
    where there are none. `difference` is that from the results of the other side of a comparison; of a
    failed case, from those of the framework that it follows. `waits` is set if a later visit goes on with the case.
    """

    case: str
    operator: str
    category: str
    profile: str
    status: Status
    reason: str = ""
    inputs: tuple[Input, ...] = ()
    params: dict[str, Value] = {}
    graphs: dict[str, Graph] = {}
    outputs: tuple[ArrayType, ...] = ()
    forward: Pass | None = None
    backward: Pass | None = None
    memory: Memory | None = None
    work: Work | msgspec.UnsetType = msgspec.UNSET
    backward_work: Work | msgspec.UnsetType = msgspec.UNSET
    seconds: float = 0.0
    resumed: ResumeMark | msgspec.UnsetType = msgspec.UNSET
    calls: Calls | msgspec.UnsetType = msgspec.UNSET
    network_calls: Calls | msgspec.UnsetType = msgspec.UNSET
    refused_dtype: str | msgspec.UnsetType = msgspec.UNSET
    visit: int | msgspec.UnsetType = msgspec.UNSET
    machine: str | msgspec.UnsetType = msgspec.UNSET
    results: tuple[ResultPrint, ...] | msgspec.UnsetType = msgspec.UNSET
    difference: ResultDifference | msgspec.UnsetType = msgspec.UNSET
    waits: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def mode(self) -> str:
        """The mode of its case; see Case."""
        return mode_of(self.category, self.profile, self.params)

    @property
    def passes(self) -> dict[PassName, Pass]:
        """The passes that were measured, by name."""
        return {name: run for name, run in zip(PASSES, (self.forward, self.backward), strict=True) if run is not None}

    def memory_of_pass(self, name: PassName) -> PassMemory | None:
        """The memory of a pass; None if it didn't run, or wasn't measured."""
        memory = self.memory or Memory()
        return memory.forward if name == PASSES[0] else memory.backward

    def work_of_pass(self, name: PassName) -> Work | None:
        """The counted work of a pass; None if it has none."""
        return (self.work if name == PASSES[0] else self.backward_work) or None
