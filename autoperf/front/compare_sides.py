"""The two sides that `autoperf compare` measures without run files; and what is slower, measured again by itself."""

from __future__ import annotations

import datetime as dt
import os
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from autoperf.backends.lookup import backend_of, parse_framework
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparedFigure, Comparison, ComparisonOptions, Verdict
from autoperf.comparison.deciding import InterimVerdicts, seconds_of_sides
from autoperf.core.clocks import CAPI, COUNTERS, KERNEL, PYTHON, Metric
from autoperf.core.errors import AutoperfError, Exit, UsageError
from autoperf.core.machine import is_busy
from autoperf.core.options import SIDE_MAX_TIME
from autoperf.core.outcome import BROKEN, Status
from autoperf.core.texts import count
from autoperf.counts.requests import PROGRAM, chosen_counter
from autoperf.front.output import NoticeSink, tell
from autoperf.front.run_output import exit_code, request_of, run_session
from autoperf.measurement.batches import by_id
from autoperf.measurement.machine_state import present_load
from autoperf.measurement.resumed_run import default_output, options_of
from autoperf.measurement.run_request import RunRequest, inputs_key
from autoperf.measurement.run_session import FinishedRun, RunMode
from autoperf.measurement.schedules import InTurn
from autoperf.measurement.settings import Settings
from autoperf.reports.units import span
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Provenance

SIDES = ("A", "B")
_ONE_CALL: dict[str, Any] = {"profiler": "python", "warmup": 0, "runs": 1, "processes": 1}
"""The settings of a comparison of results alone. A process makes the calls too: a trial has one thread."""
_UNCOUNTED = re.compile("OMP|THREADS|ENGINE|MALLOC|LD_|AFFINITY|PROCESSORS")


def check_sides(request: RunRequest) -> None:
    """Raises UsageError for options that a comparison of two sides does not support."""
    if len(request.libraries) > len(SIDES):
        raise UsageError(
            f"invalid --mxnet: expected two releases, got {len(request.libraries)}: {', '.join(request.libraries)}"
        )
    if len(request.frameworks) not in (0, 1, len(SIDES)):
        listed = ", ".join(request.frameworks)
        raise UsageError(f"invalid --frameworks: expected two, got {len(request.frameworks)}: {listed}")
    has_sides = any(request.environments) or request.namespaces or len(request.frameworks) > 1
    if len(request.libraries) == 1 and not has_sides:
        (library,) = request.libraries
        raise UsageError(
            f"invalid --mxnet {library}: expected two sides: a second --mxnet, or --env A:NAME=VALUE; for a build "
            f"against itself --mxnet {library} --mxnet {library}"
        )
    if request.namespaces and (len(request.libraries) > 1 or any(request.environments)):
        raise UsageError(
            "--front-ends compares two functions of one MXNet: leave out the second --mxnet and --env, which are a "
            "further difference"
        )
    keep = request.output
    if keep and keep.is_dir():
        raise UsageError(f"invalid --run-file {keep}: expected a file, not a folder, such as {keep / 'runs.ndjson'}")


def fair_metrics(frameworks: Sequence[str]) -> tuple[Metric, ...]:
    """The clocks that are alike: calls through both Python packages, and kernels if all frameworks have a profiler."""
    profiled = all(backend_of(parse_framework(each).name).profiled for each in frameworks)
    return (*([KERNEL] if profiled else []), PYTHON)


class MeasuredSides(NamedTuple):
    """The run files of both sides, and the exit code of their measurement, as `run` would return it."""

    base: Path
    new: Path
    code: int


def measure_sides(request: RunRequest, options: ComparisonOptions, cluster: str | None = None) -> MeasuredSides:
    """Measures both sides in turn, case by case, here or on a cluster.

    The metrics of the comparison are read. Within a time budget, a case ends as soon as its figures are decided by the
    options of the comparison. Raises UsageError for options that a comparison of two sides does not support.
    """
    check_sides(request)
    if options.counts_first:
        _check_counts_first(request)
    counters = tuple(counter.name for counter in COUNTERS if counter in options.metrics)
    is_counted = set(counters) == {metric.name for metric in options.metrics}
    by_valgrind = chosen_counter(counters, request.settings.count_by) == PROGRAM
    settings = msgspec.structs.replace(
        request.settings,
        profiler="none" if is_counted and by_valgrind else request.settings.profiler,
        counters=counters,
        count_by=PROGRAM if options.counts_first else request.settings.count_by,
        counts_first=options.counts_first,
        caller=PYTHON.name if PYTHON in options.metrics else CAPI,
    )
    if not options.metrics:
        settings = msgspec.structs.replace(settings, **_ONE_CALL)
    request = replace(request, settings=settings, output=request.output or default_output())
    run = run_session(request, mode_in_turn(request, options), cluster, InterimVerdicts(options, NoticeSink()))
    tell(_summary(run))
    base, new = run.sides
    code = exit_code((base.end, new.end)) if run.complete else Exit.INTERRUPTED
    return MeasuredSides(base.path, new.path, code)


def _check_counts_first(request: RunRequest) -> None:
    """Raises UsageError for sides that differ in what counts of instructions can't see."""
    if request.namespaces or len(request.frameworks) > 1:
        raise UsageError("--counts-first is for two builds or environments of MXNet: leave it out")
    hidden = [name for variables in request.environments for name in variables if _UNCOUNTED.search(name)]
    if hidden:
        raise UsageError(
            f"--counts-first can't see what {hidden[0]} changes: cases are counted with one thread, in the thread that "
            "calls; leave out --counts-first"
        )


def mode_in_turn(request: RunRequest, options: ComparisonOptions) -> RunMode:
    """The mode in which both sides of a request are measured in turn."""
    stop = options if request.settings.time_budget is not None else None
    different = ("*",) if options.time_different else tuple(options.allow_different)
    turns = InTurn(request.recipe.seed, inputs_key if request.namespaces else by_id, different)
    size = partial(_size, request.settings)
    return RunMode("compare", turns, stop, SIDES, in_turn=uuid.uuid4().hex, may_be_empty=True, size=size)


def _size(settings: Settings, operators: int, cases: int) -> Iterator[str]:
    """The number of cases, the time that they take on an idle machine, and the reasons for a longer one."""
    amount = f"{count(operators, 'operator')}, about {count(cases, 'case')} on each of two sides"
    if settings.time_budget is not None:
        yield f"{amount}, within {span(settings.time_budget)}; cases that are decided end early"
        return
    if settings.runs is not None:
        yield amount
        return
    seconds, beside = seconds_of_sides(cases, settings.max_time, settings.processes), ""
    processors = len(os.sched_getaffinity(0))
    if is_busy(present_load(), processors):
        # How many wait for processors, and not only how many of these they use: each takes its part of them.
        load = os.getloadavg()[0]
        beside = f", {span(seconds * max(1.0, (load + 1) / processors))} beside the present load of {load:.0f}"
    yield (
        f"{amount}: about {span(seconds)} at --max-time {settings.max_time:g}s on an idle machine{beside}, longer for "
        "calls of more than 10 ms; Ctrl-C keeps the results so far"
    )


def _summary(run: FinishedRun) -> Iterator[str]:
    """The run file of each side, and why one measured nothing or how many of its cases broke: the first reason."""
    for name, side in zip(SIDES, run.sides, strict=True):
        yield f"results: side {name}, {side.framework} {side.version}: {side.path}"
        broken = side.end.failed + side.end.crashed + side.end.timeout
        if side.end.measured and not broken:
            continue
        lost = f"{count(broken, 'case')} failed, crashed or timed out" if side.end.measured else "measured nothing"
        variables = ", ".join(f"{key}={value}" for key, value in side.environment.items())
        cause = f"; --env gave it {variables}" if variables else ""
        with RunReader(side.path) as reader:
            outcomes = (reader.at(position, samples=False) for position in range(len(reader)))
            wanted = BROKEN if broken else tuple(Status)
            first = next((outcome for outcome in outcomes if outcome.status in wanted), None)
        if first:
            yield f"side {name}: {lost}: {first.case} {first.status.value}: {first.reason}{cause}"
    if not run.complete:
        yield f"interrupted, with {count(run.kept, 'outcome')} kept"


LIMIT = 600.0
"""Seconds that the second measurement may take, if the first had no time budget.

A case with a budget takes turns until it is decided, up to ten times as many as without, whatever its `max_time`.
"""
SHARE = 0.25
"""The share of the first measurement's time budget that the second one may take."""
Again: TypeAlias = Callable[[frozenset[str]], tuple[Path, Path] | None]
"""A function that measures the cases of these ids again, and returns the run files of base and of new."""


def slower_times(comparison: Comparison) -> list[ComparedFigure]:
    """What a second measurement may refute; exact counts need none."""
    return [figure for figure in comparison.cases if figure.verdict is Verdict.SLOWER and not figure.code]


def confirmed(comparison: Comparison, options: ComparisonOptions, again: Again) -> Comparison:
    """The comparison after what is slower was measured again."""
    slower = slower_times(comparison)
    cases = frozenset(figure.case for figure in slower)
    if not cases:
        return comparison
    tell([f"{count(len(slower), 'measurement')} slower: {count(len(cases), 'case')} measured again, to confirm"])
    try:
        files = again(cases)
        if files is None:
            return comparison
        second = compare_files(*files, msgspec.structs.replace(options, allow_missing=True))
    except AutoperfError as error:
        # Not measured, or nothing in common: nothing is refuted.
        tell([f"not confirmed: {error}"])
        return comparison
    tell([f"measured again: {files[0]} and {files[1]}"])
    return comparison.confirmed(second)


def again_in_turn(request: RunRequest, options: ComparisonOptions, cluster: str | None) -> Again | None:
    """Measures the cases on both sides in turn; None for two front ends, whose cases have no common ids."""
    if request.namespaces:
        return None

    def measure(cases: frozenset[str]) -> tuple[Path, Path] | None:
        budget = request.settings.time_budget
        longer = msgspec.structs.replace(request.settings, visits=1, time_budget=SHARE * budget if budget else LIMIT)
        narrowed = replace(request, settings=longer, output=_beside(request.output), only=cases)
        # Nothing is counted exactly again.
        counters = tuple(metric.name for metric in options.metrics if metric in COUNTERS)
        is_exact = options.counts_first or chosen_counter(counters, longer.count_by) == PROGRAM
        metrics = tuple(metric for metric in options.metrics if metric.is_time or not is_exact)
        sides = measure_sides(narrowed, msgspec.structs.replace(options, metrics=metrics, counts_first=False), cluster)
        return None if sides.code == Exit.INTERRUPTED else (sides.base, sides.new)

    return measure


def again_alone(base: Path, request: RunRequest, cluster: str | None) -> Again:
    """Measures the cases of new again, where base is a file whose build isn't at hand."""

    def measure(cases: frozenset[str]) -> tuple[Path, Path] | None:
        settings = request.settings
        if settings.counted_by == PROGRAM:
            settings = msgspec.structs.replace(settings, counters=())
        narrowed = replace(request, settings=settings, output=_beside(request.output), only=cases)
        run = run_session(narrowed, RunMode(), cluster)
        return (base, run.sides[0].path) if run.complete else None

    return measure


def _beside(output: Path | None) -> Path:
    """The path of the second run files: `nightly-again.ndjson` beside `nightly.ndjson`, unless there are such files."""
    if output is None or any(output.parent.glob(f"{escape(output.stem)}-again*")):
        return default_output()
    return output.with_name(f"{output.stem}-again{output.suffix}")


def request_like(path: Path) -> RunRequest:
    """The request that measures what the run of this file measured, in the same way. Raises CaseFileError."""
    with RunReader(path) as run:
        options = options_of(path, run.header)
    return replace(
        request_of(options),
        settings=msgspec.structs.replace(options.settings, env={}),
        libraries=options.own_side(options.mxnet),
        frameworks=options.own_side(options.frameworks),
    )


def again_from_files(comparison: Comparison, new: Path, options: ComparisonOptions) -> Again | None:
    """Measures the cases of two run files in turn; None unless the builds of both are there as they were."""
    provenances = comparison.base_provenance, comparison.new_provenance
    builds = [each.build for each in provenances if each and _is_unchanged(each)]
    if len(set(builds)) < len(provenances):
        return None

    def measure(cases: frozenset[str]) -> tuple[Path, Path] | None:
        request = request_like(new)
        settings = msgspec.structs.replace(request.settings, max_time=SIDE_MAX_TIME)
        request = replace(request, settings=settings, libraries=tuple(builds), frameworks=())
        again = again_in_turn(request, options, None)
        return again(cases) if again else None

    return measure


def _is_unchanged(provenance: Provenance) -> bool:
    """Whether the library of a run is there, and older than the run."""
    library = Path(provenance.build)
    started = dt.datetime.fromisoformat(provenance.date).timestamp()
    return library.is_file() and library.stat().st_mtime < started
