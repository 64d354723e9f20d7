"""Slower measurements are taken again by themselves, before a gate fails."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparedFigure, Comparison, ComparisonOptions, Verdict
from autoperf.core.clocks import COUNTERS
from autoperf.core.errors import AutoperfError, Exit
from autoperf.core.options import SIDE_MAX_TIME
from autoperf.core.texts import count
from autoperf.counts.requests import PROGRAM, chosen_counter
from autoperf.front.compare_sides import measure_sides
from autoperf.front.output import tell
from autoperf.front.run_output import request_of, run_session
from autoperf.measurement.resumed_run import default_output, options_of
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import RunMode
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Provenance

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
