"""What `autoperf run` says at its end, and the exit code that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from autoperf.cli.output import show_outcomes, show_releases_run, tell
from autoperf.pipeline.run_session import FinishedRun
from autoperf.reports.side_by_side import Column
from autoperf.results.reading import RunReader, Stored

FINDING = 1
INTERRUPTED = 130


def show_finished(run: FinishedRun, form: str, grouped: bool) -> int:
    """Shows the results; the exit code: 1 if a case failed, crashed or timed out, 130 after Ctrl-C."""
    paths = [side.path for side in run.sides]
    names = [f"MXNet {side.label}: " if len(run.sides) > 1 else "" for side in run.sides]
    tell(f"results: {name}{path}" for name, path in zip(names, paths, strict=True))
    if not run.complete:
        tell([f"interrupted; {run.kept} cases are kept; go on with `autoperf run --resume {paths[0]}`"])
    show_runs(paths, [side.label for side in run.sides], form, grouped)
    if not run.complete:
        return INTERRUPTED
    return FINDING if run.broken else 0


def show_runs(paths: Sequence[Path], labels: Sequence[str], form: str, grouped: bool = False) -> None:
    """Shows the run files of one run, a release each; `grouped` by category and operator if they were taken in turn."""
    with ExitStack() as stack:
        runs = [stack.enter_context(RunReader(path)) for path in paths]
        shown = [Stored(run, grouped=grouped, samples=form == "json") for run in runs]
        if len(runs) == 1:
            show_outcomes(runs[0].header, shown[0], runs[0].end, form)
        else:
            columns = [Column(label, outcomes) for label, outcomes in zip(labels, shown, strict=True)]
            show_releases_run(columns, [(run.header, run.end) for run in runs], form)
