"""Counts of instructions in place of times: a hunt by them, and formulas of them over a grid of lengths, by paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import msgspec
from rich.text import Text

from autoperf.comparison.ratios import MIN_SAMPLE_PAIRS, ratio_of_pairs
from autoperf.core.case import Case
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.events import NullSink
from autoperf.core.finding import Estimate, Finding, FindingCode, OtherPass
from autoperf.core.outcome import PASSES, PassName, Status
from autoperf.core.work import KERNELS, CodeCount
from autoperf.counts.functions import shortened
from autoperf.counts.requests import PROGRAM
from autoperf.counts.valgrind import require_counter
from autoperf.hunt.edits import Dimension, dimension_words, dimensions
from autoperf.hunt.findings import finding_code
from autoperf.hunt.investigator import ROUNDS
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.timings import CONFIRMING_SECONDS, TimingSource
from autoperf.measurement.batches import Job
from autoperf.measurement.local_runner import SideSetup, started_sides
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import EqualResults
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, describe_case


def check_countable(counters: tuple[str, ...], ctx: str, against: str) -> None:
    """Raises UsageError where a hunt can't count these events, or no valgrind is installed; nothing without any."""
    if counters and against:
        raise UsageError(
            f"counting compares functions of MXNet's, and {against} has others: leave out --signal and --counters"
        )
    require_counter(counters, PROGRAM, ctx)


class CountedSide(NamedTuple):
    """A build of MXNet, with the settings of its processes."""

    library: Path
    settings: Settings


class CodeCounter:
    """Counts both inputs of findings; processes start with the first one, and the stack closes them."""

    def __init__(self, sides: Sequence[CountedSide], scratch: Path, stack: ExitStack) -> None:
        """`sides` are the slow one and the fast one, or one for both."""
        self._sides, self._scratch, self._stack = sides, scratch, stack
        self._executors: list[Executor] = []

    def counted(self, finding: Finding) -> Finding:
        """The finding with its code. Raises AutoperfError where an input can't be counted."""
        code = self.code(finding.case, finding.contrast, finding.pass_, finding.work)
        return msgspec.structs.replace(finding, code=code)

    def code(self, slow: Case, fast: Case, pass_: PassName, work: float) -> FindingCode:
        """The code of a finding. Raises AutoperfError where an input can't be counted."""
        found: list[CodeCount] = []
        for case, side in ((slow, 0), (fast, len(self._sides) - 1)):
            counts = self.counts(case, side)
            if isinstance(counts, CaseFailure) or pass_ not in counts:
                reason = counts.reason if isinstance(counts, CaseFailure) else f"it has no {pass_} pass"
                raise EngineError(f"{case.id} isn't counted: {reason}")
            found.append(counts[pass_])
        return finding_code(found[0], found[1], work)

    def counts(self, case: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        """The counts of a case's passes on a side, or why there are none."""
        (outcome,) = self.executor(side).run([Job(case)])
        counts = {name: run.code for name, run in outcome.passes.items() if run.code}
        return counts or CaseFailure(outcome.status, outcome.reason or "its passes have no counts")

    def executor(self, side: int) -> Executor:
        """The running processes of a side; those of all sides load their libraries beside each other."""
        if not self._executors:
            counting = {"profiler": "none", "counters": (INSTRUCTIONS.name,), "count_by": PROGRAM, "processes": 1}
            setups = [
                SideSetup(f"code-{number}", msgspec.structs.replace(settings, **counting), library)
                for number, (library, settings) in enumerate(self._sides)
            ]
            started = [executor for _, executor in started_sides(self._stack, setups, (), self._scratch, NullSink())]
            for each in started:
                each.wait_ready()
            self._executors = started
        return self._executors[side]


# A search compares so many instructions as it compares a microsecond, in which kernels execute some thousands: the
# limits in microseconds then stand for inputs of about the same size, whose kernels take longer than their dispatch.
UNIT = 5000
MAX_KNOWN = 10_000
_Timed = TypeVar("_Timed", Finding, OtherPass)


class CountingSource:
    """Answers with the instructions of kernels, in units of UNIT; `timer` times findings."""

    def __init__(self, counter: CodeCounter, timer: TimingSource, searched: int, other: int) -> None:
        """`searched` and `other` are the numbers of the sides of a finding's slow and fast input."""
        self._counter, self._timer, self._sides = counter, timer, (searched, other)
        self._known: dict[tuple[str, int], dict[PassName, CodeCount] | CaseFailure] = {}

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        """The counts of each pass of the case on a side."""
        counts = self._counts(request.case, side)
        if isinstance(counts, CaseFailure):
            return counts
        forward, backward = (_units(counts, pass_, request.count) for pass_ in PASSES)
        return QuickTimes(forward, backward if request.backward else ())

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        """The counts of the pass of both cases, as many as there are rounds."""
        found = []
        for case, side in ((request.first, sides[0]), (request.second, sides[1])):
            counts = self._counts(case, side)
            if isinstance(counts, CaseFailure):
                return counts
            found.append(_units(counts, request.pass_, request.rounds))
        if not all(found):
            return CaseFailure(Status.FAILED, f"{request.first.operator} has no {request.pass_} pass there")
        return PairedTimes(found[0], found[1])

    def check_case(self, case: Case, side: int, seconds: float) -> EqualResults:
        """The comparison of results, by the processes that take times."""
        return self._timer.check_case(case, side, seconds)

    def renew(self) -> None:
        """Counts are the same in each process."""

    def timed(self, finding: Finding) -> Finding:
        """The finding of a search by counts, with its code, and with times of both inputs in fresh processes.

        Raises AutoperfError where they can't be timed.
        """
        found = []
        for case, side in zip((finding.case, finding.contrast), self._sides, strict=True):
            counts = self._counts(case, side)
            if isinstance(counts, CaseFailure):
                raise EngineError(f"{case.id} can't be counted: {counts.reason}")
            found.append(counts[finding.pass_])
        contrast, other = finding.contrast, finding.other_pass
        timed = self._with_times(finding, contrast)
        # The contrast of an other pass that another input showed isn't kept.
        kept = other if other and other.case == finding.case else None
        return msgspec.structs.replace(
            timed,
            expected_us=timed.contrast_us * finding.work,
            code=finding_code(found[0], found[1], finding.work),
            other_pass=self._with_times(kept, contrast) if kept else None,
        )

    def _with_times(self, found: _Timed, contrast: Case) -> _Timed:
        """A finding or its other pass with times in fresh processes, and with their ratio for the work of its pass."""
        self._timer.renew()
        request = PairedTiming(found.case, contrast, found.pass_, ROUNDS, CONFIRMING_SECONDS)
        times = self._timer.time_pair(request, self._sides)
        if isinstance(times, CaseFailure):
            raise EngineError(f"{found.case.id} can't be timed: {times.reason}")
        rounds = len(times.first_us)
        if rounds < MIN_SAMPLE_PAIRS:
            raise EngineError(f"{found.case.id} can't be timed: {rounds} rounds are too few for an interval")
        ratio = ratio_of_pairs(times.first_us, times.second_us)
        # Until here these are counts, which are the same in each round: their ratio for equal work divides by the work.
        work = found.actual_us / found.contrast_us / found.estimate.ratio
        estimate = Estimate(ratio.ratio / work, ratio.low / work, ratio.high / work)
        actual, fast = median(times.first_us), median(times.second_us)
        return msgspec.structs.replace(found, estimate=estimate, actual_us=actual, contrast_us=fast)

    def _counts(self, case: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        # The counts of an input are the same whenever it is counted, so each is counted once and one count stands for
        # all samples.
        key = case.digest, side
        if key not in self._known:
            self._known[key] = self._counter.counts(case, side)
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]
        return self._known[key]


def _units(counts: dict[PassName, CodeCount], pass_: PassName, number: int) -> tuple[float, ...]:
    code = counts.get(pass_)
    # Ratios need a number above zero of a call without kernels.
    return (max(code.kernels, 1) / UNIT,) * number if code else ()


# The lengths of the grid: vectors of any width divide them, so that no remainder bends a line.
LENGTHS = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
MAX_DIMENSIONS = 3
# A function of less than this share of the kernels doesn't make a path.
MIN_PATH_SHARE = 0.05


class LengthCount(NamedTuple):
    """The count of a pass at a length of a dimension, with the elements of the input."""

    length: int
    elements: float
    code: CodeCount

    @property
    def path(self) -> tuple[str, ...]:
        """The functions of kernels that take part, by name."""
        least = MIN_PATH_SHARE * self.code.kernels
        listed = (each for each in self.code.functions if each.part in KERNELS and each.instructions >= least)
        return tuple(sorted(each.name for each in listed))


class PathFormula(msgspec.Struct, frozen=True, kw_only=True):
    """The instructions of kernels are `constant + slope * length` at all counted `lengths`, to the instruction.

    `begin` and `end` are the lengths of this path as far as they are known: where other functions execute beside it,
    their limit was searched. `slope` is None for a single length, of which `constant` is the count. `elements` are
    those of a unit of length, `functions` those that execute at the largest length.
    """

    pass_: PassName = msgspec.field(name="pass")
    dimension: str
    begin: int
    end: int
    lengths: tuple[int, ...]
    constant: float
    slope: float | None
    elements: float
    functions: tuple[str, ...]

    @property
    def words(self) -> str:
        """`1,204 + 640 n`."""
        return _number(self.constant) if self.slope is None else f"{_number(self.constant)} + {_number(self.slope)} n"

    @property
    def per_element(self) -> float | None:
        """The instructions for each element; None for a single length."""
        return None if self.slope is None else self.slope / self.elements


class Formulas(msgspec.Struct, frozen=True, kw_only=True):
    """The formulas of an operator from one input, of which one dimension at a time has other lengths."""

    operator: str
    inputs: str
    formulas: tuple[PathFormula, ...]
    refused: tuple[str, ...] = ()


def lines(counted: Iterable[LengthCount]) -> list[list[LengthCount]]:
    """The counts by length, divided where they leave a line; two alone are one if they execute the same functions."""
    parts: list[list[LengthCount]] = []
    # The largest come first into a line: a function that starts a call is listed for small inputs alone.
    for each in sorted(counted, reverse=True):
        part = parts[-1] if parts else []
        is_line = len(part) > 1 and _slope(part[-2:]) == _slope([part[-1], each])
        if is_line or (len(part) == 1 and each.path == part[0].path):
            part.append(each)
        else:
            parts.append([each])
    return [part[::-1] for part in reversed(parts)]


def path_formulas(
    pass_: PassName, dimension: str, counted: Sequence[LengthCount], count: Callable[[int], LengthCount | None]
) -> list[PathFormula]:
    """The formula of each path of a pass; `count` counts further lengths, between two paths of other functions."""
    parts = lines(counted)
    begins = [limit(before[-1], after[0], count) for before, after in pairwise(parts)]
    firsts = [begin or part[0].length for begin, part in zip((None, *begins), parts, strict=True)]
    lasts = [begin - 1 if begin else part[-1].length for begin, part in zip((*begins, None), parts, strict=True)]
    slopes = [_slope([part[0], part[-1]]) if len(part) > 1 else None for part in parts]
    return [
        PathFormula(
            pass_=pass_,
            dimension=dimension,
            begin=begin,
            end=end,
            lengths=tuple(each.length for each in part),
            constant=float(part[0].code.kernels - (slope or 0) * part[0].length),
            slope=None if slope is None else float(slope),
            elements=part[0].elements / part[0].length,
            functions=part[-1].path,
        )
        for part, begin, end, slope in zip(parts, firsts, lasts, slopes, strict=True)
    ]


def limit(low: LengthCount, high: LengthCount, count: Callable[[int], LengthCount | None]) -> int | None:
    """The first length with the functions of `high`, by bisection; None where `low` has them, or a third path is."""
    if low.path == high.path:
        return None
    while high.length - low.length > 1:
        middle = count((low.length + high.length) // 2)
        if middle is None or middle.path not in (low.path, high.path):
            return None
        low, high = (middle, high) if middle.path == low.path else (low, middle)
    return high.length


def _slope(pair: Sequence[LengthCount]) -> Fraction:
    first, last = pair
    return Fraction(last.code.kernels - first.code.kernels, last.length - first.length)


def formulas_of(factory: PointFactory, counter: CodeCounter) -> Formulas:
    """The formulas of an operator from the first canonical input of its rule."""
    base = factory.canonical(factory.rule.dtype)[0]
    parts = [_along(factory, counter, base, dimension) for dimension in dimensions(base.call)[:MAX_DIMENSIONS]]
    return Formulas(
        operator=factory.operator.name,
        inputs=describe_case(base.case),
        formulas=tuple(each for formulas, _ in parts for each in formulas),
        refused=tuple(dict.fromkeys(reason for _, refused in parts for reason in refused)),
    )


def _along(
    factory: PointFactory, counter: CodeCounter, base: Point, dimension: Dimension
) -> tuple[list[PathFormula], list[str]]:
    """The formulas for other lengths of a dimension, and the reasons why some lengths have no counts."""
    words = dimension_words(dimension)
    found: list[PathFormula] = []
    invalid: list[int] = []
    failed: list[str] = []

    def counts(length: int) -> dict[PassName, LengthCount]:
        point = factory.first(base.resized(dimension, length))
        if point is None:
            invalid.append(length)
            return {}
        counted = counter.counts(point.case, 0)
        if isinstance(counted, CaseFailure):
            failed.append(f"{describe_case(point.case)}: {counted.reason}")
            return {}
        return {pass_: LengthCount(length, point.work.elements, code) for pass_, code in counted.items()}

    def count(pass_: PassName, length: int) -> LengthCount | None:
        return counts(length).get(pass_)

    listed = list(map(counts, LENGTHS))
    for pass_ in PASSES:
        if sizes := [each[pass_] for each in listed if pass_ in each]:
            found += path_formulas(pass_, words, sizes, partial(count, pass_))
    return found, [*([f"no input has {words} {', '.join(map(str, invalid))}"] if invalid else []), *failed]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3f}"


_COLUMNS: tuple[Column[PathFormula], ...] = (
    fact("pass", lambda row: row.pass_, place=Place.LEAD),
    fact("dimension", lambda row: row.dimension, place=Place.LEAD),
    fact("lengths", lambda row: " to ".join(f"{each:,}" for each in sorted({row.begin, row.end})), place=Place.LEAD),
    Column("counts", "counts", lambda row: len(row.lengths), place=Place.FIGURE),
    fact("instructions", lambda row: row.words, place=Place.FIGURE),
    Column(
        "per element", "per element", lambda row: row.per_element,
        lambda row: NONE if row.per_element is None else _number(row.per_element), place=Place.FIGURE,
    ),
)  # fmt: skip


def formulas_reports(found: Sequence[Formulas]) -> list[Report]:
    """A table for each operator."""

    def below(row: PathFormula, width: int) -> Iterator[Text]:
        names = ", ".join(shortened(name) for name in row.functions)
        return iter(hanging(" " * len(f"  {row.pass_} "), names.split(), width) if names else ())

    tables = [Table(f"{each.operator}, from {each.inputs}", _COLUMNS, each.formulas, below=below) for each in found]
    refused = (reason for each in found for reason in each.refused)
    return [Report(tables=tables, notes=("instructions of the kernels in one call, where n is the length", *refused))]


def formulas_document(found: Sequence[Formulas]) -> dict[str, object]:
    """The JSON document."""
    return {"operators": msgspec.to_builtins(found)}
