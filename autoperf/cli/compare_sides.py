"""The two sides that `autoperf compare` measures itself, when it is given no run files."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from autoperf.cli.output import tell
from autoperf.cli.run_sessions import session
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Status
from autoperf.executor.settings import Settings
from autoperf.pipeline.interleaved import Interleaved
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.run_session import FinishedRun, FinishedSide, RunMode
from autoperf.reports.units import count, span
from autoperf.results.run_reader import RunReader

SIDES = ("A", "B")
# Seconds a case and side beside its samples: the trial, and getting ready in each process.
OVERHEAD = 0.3


def check_sides(request: RunRequest) -> None:
    """Raises UsageError for what no comparison of two sides can be asked for."""
    if len(request.libraries) > len(SIDES):
        raise UsageError(f"compare takes two releases, not {len(request.libraries)}: {', '.join(request.libraries)}")
    if request.settings.time_budget is not None:
        raise UsageError("compare takes no --time-budget: leave out cases by --category, --operator or --samples")
    keep = request.output
    if keep and keep.is_dir():
        raise UsageError(f"--keep {keep} is a folder; name a file, such as {keep / 'runs.ndjson'}")


def measure_sides(request: RunRequest) -> tuple[Path, Path] | None:
    """The run files of both sides, measured in turn, case by case; None after Ctrl-C."""
    scheduler = partial(Interleaved, seed=request.recipe.seed)
    size = partial(_size, request.settings)
    mode = RunMode("compare", scheduler, SIDES, in_turn=uuid.uuid4().hex, may_be_empty=True, size=size)
    run = session(request, mode)
    tell(_summary(run))
    base, new = run.sides
    return (base.path, new.path) if run.complete else None


def _size(settings: Settings, operators: int, cases: int) -> Iterator[str]:
    """How much there is to do, and how long that may take."""
    asked = f"{count(operators, 'operator')}, about {count(cases, 'case')} on each of two sides"
    if settings.runs is not None:
        yield asked
        return
    seconds = cases * len(SIDES) * (settings.max_time + OVERHEAD)
    yield f"{asked}: up to {span(seconds)} at --max-time {settings.max_time:g}s; Ctrl-C keeps what is done"


def _summary(run: FinishedRun) -> Iterator[str]:
    for name, side in zip(SIDES, run.sides, strict=True):
        yield f"results: side {name}, MXNet {side.mxnet}: {side.path}"
        yield from _want_of_figures(name, side)
    if not run.complete:
        yield f"interrupted, with {count(run.kept, 'outcome')} kept"


def _want_of_figures(name: str, side: FinishedSide) -> Iterator[str]:
    """Why a side that measured nothing did so, by the first of its cases, and what --env gave it."""
    with RunReader(side.path) as run:
        if run.total and not run.statuses[Status.MEASURED.value]:
            first = run.at(0)
            given = ", ".join(f"{variable}={value}" for variable, value in side.environment.items())
            cause = f"; --env gave it {given}" if given else ""
            yield f"side {name} measured nothing: {first.case} {first.status.value}: {first.reason}{cause}"
