"""The lines of docs/frameworks.ndjson: a case's times in MXNet and other frameworks, from run files of comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.cases.selection import UNREGISTERED_CATEGORIES
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparedFigure, ComparisonOptions
from autoperf.core.clocks import KERNEL, PYTHON
from autoperf.core.errors import UsageError
from autoperf.core.files import write_atomic
from autoperf.core.outcome import NOT_TIMED, PASSES, Outcome, Status
from autoperf.front.compare_sides import SIDES, fair_metrics
from autoperf.measurement.resumed_run import labelled_path
from autoperf.reports.units import describe_case, one_line
from autoperf.rules.categories import CATEGORIES
from autoperf.runs.run_reader import RunReader

TORCH, NUMPY, JAX = "torch", "numpy", "jax"
OTHERS = (TORCH, NUMPY, JAX)
REGISTERED = tuple(name for name in CATEGORIES if name not in UNREGISTERED_CATEGORIES)
"""The categories of registered operators, which are measured."""
DIGITS, REACH_DIGITS = 4, 3
"""The significant digits of a time, and of how far its ratio's interval reaches."""
MAX_REASON = 160
VIEW = re.compile(r"\bviews?\b")


class Figure(NamedTuple):
    """A time that is compared: a pass, a clock and the framework beside MXNet."""

    pass_: str
    clock: str
    framework: str


FIGURES = tuple(
    Figure(pass_, clock.name, framework)
    for framework in OTHERS
    for clock in fair_metrics((MXNET, framework))
    for pass_ in PASSES
)


class Times(msgspec.Struct, frozen=True, array_like=True):
    """Microseconds in MXNet and in the other framework; the factor to either end of the 95% interval of their ratio."""

    mxnet: float
    other: float
    reach: float

    @property
    def ratio(self) -> float:
        """MXNet's time over the other's: above 1, MXNet is slower."""
        return self.mxnet / self.other

    @property
    def certain(self) -> float:
        """The end of the ratio's interval that is nearest to 1; 1 within the interval."""
        return max(self.ratio / self.reach, min(1.0, self.ratio * self.reach))


class Setup(msgspec.Struct, frozen=True):
    """A release of MXNet and the number of threads of all frameworks."""

    mxnet: str
    threads: int

    def __str__(self) -> str:
        return f"MXNet {self.mxnet}, {self.threads} thread{'s' if self.threads > 1 else ''}"


class TimesHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: how the times were measured. `date` is the first day, `options` those of `autoperf compare`.

    `versions` are those of the other frameworks. Each line has a tuple of times for each of `setups`, one for each of
    `figures`. `covered` has the categories that were measured, by framework, for each setup. Lines name a reason by its
    number in `reasons`.
    """

    method: int
    commit: str
    date: str
    processor: str
    processors: int | None
    options: str
    versions: dict[str, str]
    setups: tuple[Setup, ...]
    figures: tuple[tuple[str, str, str], ...]
    covered: tuple[dict[str, tuple[str, ...]], ...]
    reasons: tuple[str, ...]


class CaseTimes(msgspec.Struct, frozen=True, omit_defaults=True):
    """A case: `times` for each setup and figure, None where there is none.

    `missing` has the number of the reason by framework for each setup. `views` are the frameworks that return a view
    where MXNet copies. `kernels` are the kernels of both frameworks with a profiler: `forward mxnet`, `backward torch`.
    """

    case: str
    category: str
    operator: str
    inputs: str
    times: tuple[tuple[Times | None, ...], ...]
    missing: tuple[dict[str, int], ...] = ()
    views: tuple[str, ...] = ()
    kernels: dict[str, tuple[str, ...]] = {}

    def at(self, setup: int, figure: Figure) -> Times | None:
        """The times of a figure; None where there is none."""
        return self.times[setup][FIGURES.index(figure)]


class Measured(NamedTuple):
    """All times, and how they were measured."""

    header: TimesHeader
    cases: tuple[CaseTimes, ...]


class Step(NamedTuple):
    """One comparison: its setup, the framework beside MXNet, its categories, and its run files' common path."""

    setup: Setup
    framework: str
    categories: tuple[str, ...]
    path: Path

    @property
    def files(self) -> tuple[Path, Path]:
        """The run file of MXNet and of the other framework."""
        first, second = (labelled_path(self.path, side) for side in SIDES)
        return first, second

    @property
    def is_complete(self) -> bool:
        """Whether both run files have their last line."""
        return all(path.exists() and _is_complete(path) for path in self.files)


def _is_complete(path: Path) -> bool:
    with RunReader(path) as run:
        return run.end is not None and run.end.complete


@dataclass
class _Collected:
    """What the steps say of a case."""

    outcome: Outcome
    times: dict[tuple[Setup, Figure], Times] = field(default_factory=dict)
    missing: dict[tuple[Setup, str], str] = field(default_factory=dict)
    views: set[str] = field(default_factory=set)
    kernels: dict[str, tuple[str, ...]] = field(default_factory=dict)


def collect(steps: Sequence[Step], options: str) -> Measured:
    """The times of the complete ones of these steps. Raises CaseFileError, and UsageError if none is complete."""
    complete = [step for step in steps if step.is_complete]
    if not complete:
        raise UsageError("no comparison is complete: measure at least one")
    cases: dict[str, _Collected] = {}
    for step in complete:
        _add(step, cases)
    header = _header(complete, options, cases.values())
    lines = (_line(case, header) for case in cases.values())
    return Measured(header, tuple(sorted(lines, key=lambda line: (line.category, line.operator, line.case))))


def _add(step: Step, cases: dict[str, _Collected]) -> None:
    first, second = step.files
    with RunReader(first) as run:
        for outcome in _outcomes(run):
            case = cases.setdefault(outcome.case, _Collected(outcome))
            case.missing |= _reason(step, outcome)
            case.kernels |= _kernels(MXNET, outcome)
    with RunReader(second) as run:
        for outcome in _outcomes(run):
            case = cases.setdefault(outcome.case, _Collected(outcome))
            # A side that isn't timed because of the other one gives no reason of its own.
            if not outcome.reason.startswith(NOT_TIMED):
                case.missing |= _reason(step, outcome)
            case.kernels |= _kernels(step.framework, outcome)
            if outcome.forward and any(map(VIEW.search, outcome.forward.notes)):
                case.views.add(step.framework)
    for figure in _figures(step):
        key = step.setup, Figure(figure.pass_, figure.clock, step.framework)
        cases[figure.case].times[key] = _times(figure)


def _outcomes(run: RunReader) -> Iterator[Outcome]:
    return (run.at(position, samples=False) for position in range(len(run)))


def _reason(step: Step, outcome: Outcome) -> dict[tuple[Setup, str], str]:
    """Why a case has no times; empty if it was measured."""
    if outcome.status is Status.MEASURED:
        return {}
    reason = re.sub(rf"^{backend_of(step.framework).title} \S+: ", "", one_line(outcome.reason))
    text = f"{outcome.status.value}: {reason}" if outcome.status is not Status.SKIPPED else reason
    return {(step.setup, step.framework): text[:MAX_REASON]}


def _kernels(framework: str, outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """The kernels of a framework with a profiler, the longest first."""
    return {
        f"{name} {framework}": tuple(sorted(run.kernels, key=lambda kernel: -run.kernels[kernel]))
        for name, run in outcome.passes.items()
        if run.kernels
    }


def _figures(step: Step) -> tuple[ComparedFigure, ...]:
    """The compared times; none if no case was measured on both sides."""
    options = ComparisonOptions(metrics=fair_metrics((MXNET, step.framework)), allow_missing=True)
    with suppress(UsageError):
        return compare_files(*step.files, options).cases
    return ()


def _times(figure: ComparedFigure) -> Times:
    mxnet_us, other_us = (float(f"{value:.{DIGITS}g}") for value in (figure.base_us, figure.new_us))
    return Times(mxnet_us, other_us, float(f"{(figure.high / figure.low) ** 0.5:.{REACH_DIGITS}g}"))


def _header(steps: Sequence[Step], options: str, cases: Iterable[_Collected]) -> TimesHeader:
    setups = tuple(sorted({step.setup for step in steps}, key=lambda setup: (setup.mxnet, setup.threads)))
    covered: list[dict[str, tuple[str, ...]]] = [{} for _ in setups]
    versions: dict[str, str] = {}
    stamps: list[tuple[int, str, str]] = []
    for step in steps:
        own = covered[setups.index(step.setup)]
        own[step.framework] = (*own.get(step.framework, ()), *step.categories)
        with RunReader(step.files[1]) as run:
            versions[step.framework] = run.header.mxnet
            machine = run.machines[0].environment
            stamps.append((run.header.method, run.header.started, (machine.git or "")[:7]))
    method, started, commit = min(stamps)
    return TimesHeader(
        method=method,
        commit=commit,
        date=started[:10],
        processor=machine.processor.model,
        processors=machine.processor.logical,
        options=options,
        versions=versions,
        setups=setups,
        figures=FIGURES,
        covered=tuple(covered),
        reasons=tuple(sorted({reason for case in cases for reason in case.missing.values()})),
    )


def _line(case: _Collected, header: TimesHeader) -> CaseTimes:
    missing = [
        {name: header.reasons.index(reason) for (own, name), reason in case.missing.items() if own == setup}
        for setup in header.setups
    ]
    return CaseTimes(
        case.outcome.case,
        case.outcome.category,
        case.outcome.operator,
        describe_case(case.outcome),
        tuple(tuple(case.times.get((setup, figure)) for figure in FIGURES) for setup in header.setups),
        tuple(missing) if any(missing) else (),
        tuple(sorted(case.views)),
        case.kernels if _has_kernels(case.times) else {},
    )


def _has_kernels(times: Mapping[tuple[Setup, Figure], Times]) -> bool:
    return any(figure.clock == KERNEL.name for _, figure in times)


def write_times(path: Path, measured: Measured) -> None:
    """Writes the header and a line for each case."""
    lines = (msgspec.json.encode(line).decode() for line in (measured.header, *measured.cases))
    write_atomic(path, "".join(f"{line}\n" for line in lines))


def read_times(path: Path) -> Measured:
    """Reads what `write_times` has written. Raises msgspec.DecodeError for another file."""
    first, *lines = path.read_bytes().splitlines()
    header = msgspec.json.decode(first, type=TimesHeader)
    return Measured(header, tuple(msgspec.json.decode(line, type=CaseTimes) for line in lines))


def dispatch_us(case: CaseTimes, setup: int, pass_: str) -> tuple[float, float] | None:
    """Microseconds of a call from Python outside of its kernels, in MXNet and in PyTorch; None without both clocks."""
    calls = case.at(setup, Figure(pass_, PYTHON.name, TORCH))
    kernels = case.at(setup, Figure(pass_, KERNEL.name, TORCH))
    return (calls.mxnet - kernels.mxnet, calls.other - kernels.other) if calls and kernels else None
