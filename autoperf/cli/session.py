"""One run as the user sees it: checks first, progress while it goes on, results at the end, nothing lost in between."""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from autoperf import __version__
from autoperf.capi.library import find_library
from autoperf.cases.build import Recipe
from autoperf.cases.store import read_cases
from autoperf.cli.output import show_outcomes
from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.release import open_release
from autoperf.pipeline.run import Batch, batches, file_batches, measure, refuse_dtype, stored_batches
from autoperf.pipeline.selection import Selection, check_profiles, targets
from autoperf.registry.cache import directory as cache_folder
from autoperf.reports.progress import Progress, progress_for
from autoperf.results.environment import record
from autoperf.results.runfile import RunEnd, RunHeader, RunWriter, check_output, default_path

FINDING = 1
INTERRUPTED = 130


@dataclass(frozen=True)
class Plan:
    """What is about to run: the release's version, how many operators, and their batches, made as they are needed."""

    mxnet: str
    operators: int
    queue: Iterator[Batch]


@dataclass(frozen=True)
class Session:
    """What the command line asked for."""

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: Path | None = None
    output: Path | None = None
    library: str | None = None
    form: str = "table"

    def run(self) -> int:
        """Measure and show the results; the exit code: 1 where nothing was measured, 130 after Ctrl-C."""
        library = find_library(self.library)
        output = self.output or _default_output()
        check_output(output)
        with (
            tempfile.TemporaryDirectory(prefix="autoperf-") as folder,
            self._plan(Path(folder)) as plan,
            progress_for(sys.stderr, plan.operators) as progress,
            Executor(library, self.settings, Path(folder), on_start=progress.case_started) as executor,
        ):
            header = self._header(plan, executor)
            with RunWriter(output, header) as writer:
                shown, end = self._measure(plan, executor, writer, progress)
        return self._tell(header, shown, end, output)

    @contextmanager
    def _plan(self, scratch: Path) -> Iterator[Plan]:
        with open_release(self.library) as release:
            mxnet = release.registry.mxnet
            if self.cases is None:
                chosen = targets(release.registry, release.catalog, self.selection)
                check_profiles(chosen, sorted(self.recipe.profiles or ()))
                yield Plan(mxnet, len(chosen), batches(release, chosen, self.recipe, scratch))
            elif self.cases.suffix == ".py":
                yield Plan(mxnet, 1, file_batches(self.cases))
            else:
                stored = list(stored_batches(read_cases(self.cases), mxnet, self.recipe.seed, scratch))
                yield Plan(mxnet, len(stored), iter(stored))

    def _measure(
        self, plan: Plan, executor: Executor, writer: RunWriter, progress: Progress
    ) -> tuple[list[Outcome], RunEnd]:
        shown: list[Outcome] = []
        begun = time.monotonic()
        complete = True
        try:
            for outcome in measure(executor, plan.queue, lambda batch: progress.batch_started(*batch.size)):
                writer.add(outcome)
                progress.case_done(outcome)
                shown.append(without_samples(outcome))
        except KeyboardInterrupt:
            complete = False
        progress.finish()
        self._refuse_dtype(shown)
        return shown, writer.finish(time.monotonic() - begun, complete)

    def _tell(self, header: RunHeader, shown: list[Outcome], end: RunEnd, output: Path) -> int:
        show_outcomes(header, shown, end, self.form)
        click.echo(f"results: {output}", err=True)
        if not end.complete:
            click.echo(f"interrupted; {end.asked} cases are kept", err=True)
            return INTERRUPTED
        return 0 if end.measured else FINDING

    def _refuse_dtype(self, shown: list[Outcome]) -> None:
        """A dtype that none of the named operators takes is the user's mistake, not a result."""
        if not any(outcome.status is Status.MEASURED for outcome in shown):
            refuse_dtype(shown, self.recipe.dtype, bool(self.selection.operators))

    def _header(self, plan: Plan, executor: Executor) -> RunHeader:
        return RunHeader(
            autoperf=__version__,
            mxnet=plan.mxnet,
            seed=self.recipe.seed,
            started=dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds"),
            command=tuple(sys.argv),
            options={
                "selection": msgspec.to_builtins(self.selection),
                "recipe": msgspec.to_builtins(self.recipe),
                "settings": msgspec.to_builtins(self.settings),
                "cases": str(self.cases) if self.cases else None,
            },
            environment=record(msgspec.to_builtins(executor.build)),
        )


def without_samples(outcome: Outcome) -> Outcome:
    """The outcome as tables need it: the samples stay in the run file, so that memory doesn't grow with them."""
    return msgspec.structs.replace(outcome, forward=_light(outcome.forward), backward=_light(outcome.backward))


def _light(run: Pass | None) -> Pass | None:
    if run is None:
        return None
    return msgspec.structs.replace(run, kernel_us=_bare(run.kernel_us), wall_us=_bare(run.wall_us))


def _bare(series: Series | None) -> Series | None:
    return msgspec.structs.replace(series, samples=()) if series else None


def _default_output() -> Path:
    """Runs that were given no file are kept with the cache, under the time at which they began."""
    stamp = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return default_path(cache_folder() / "runs", stamp)
