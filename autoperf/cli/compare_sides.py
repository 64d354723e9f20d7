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
from autoperf.pipeline.interleaved import Interleaved
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.run_session import FinishedRun, FinishedSide, RunMode
from autoperf.results.reading import RunReader

SIDES = ("A", "B")


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
    run = session(request, RunMode("compare", scheduler, SIDES, in_turn=uuid.uuid4().hex, may_be_empty=True))
    tell(_summary(run))
    base, new = run.sides
    return (base.path, new.path) if run.complete else None


def _summary(run: FinishedRun) -> Iterator[str]:
    for name, side in zip(SIDES, run.sides, strict=True):
        yield f"results: side {name}, MXNet {side.mxnet}: {side.path}"
        yield from _want_of_figures(name, side)
    if not run.complete:
        yield f"interrupted; {run.kept} outcomes are kept"


def _want_of_figures(name: str, side: FinishedSide) -> Iterator[str]:
    """Why a side that measured nothing did so, by the first of its cases, and what --env gave it."""
    with RunReader(side.path) as run:
        if run.total and not run.statuses[Status.MEASURED.value]:
            first = run.at(0)
            given = ", ".join(f"{variable}={value}" for variable, value in side.environment.items())
            cause = f"; --env gave it {given}" if given else ""
            yield f"side {name} measured nothing: {first.case} {first.status.value}: {first.reason}{cause}"
