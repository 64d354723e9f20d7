"""One run as the user sees it: checks first, progress while it goes on, results at the end, nothing lost in between."""

from __future__ import annotations

import datetime as dt
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autoperf import __version__
from autoperf.capi.library import find_library
from autoperf.cases.build import Recipe
from autoperf.cases.store import read_cases
from autoperf.cli.output import notices, show_outcomes, tell
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.core.places import cache_folder
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.doctor import check_threads, load_check
from autoperf.pipeline.release import open_release
from autoperf.pipeline.run import Batch, batches, file_batches, measure, refuse_dtype, stored_batches
from autoperf.pipeline.selection import Selection, check_profiles, targets
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
    rules: tuple[Path, ...] = ()

    def run(self) -> int:
        """Measure and show the results; the exit code: 1 if a case failed, crashed or timed out, 130 after Ctrl-C."""
        self._check()
        library = find_library(self.library)
        output = self.output or _default_output()
        check_output(output)
        busy = load_check(os.getloadavg()[0], os.cpu_count() or 1)
        if busy.advice:
            notices().write(f"this machine is busy: load {busy.finding}; {busy.advice}\n")
        with (
            tempfile.TemporaryDirectory(prefix="autoperf-") as folder,
            self._plan(Path(folder)) as plan,
            progress_for(notices(), plan.operators) as progress,
            Executor(library, self.settings, Path(folder), on_start=progress.case_started) as executor,
        ):
            header = self._header(plan, executor)
            with RunWriter(output, header) as writer:
                shown, end = self._measure(plan, executor, writer, progress)
        return self._tell(header, shown, end, output)

    @contextmanager
    def _plan(self, scratch: Path) -> Iterator[Plan]:
        with open_release(self.library, self.rules) as release:
            tell(release.unknown_names())
            mxnet = release.registry.mxnet
            if self.cases is None:
                chosen = targets(release.registry, release.catalog, self.selection)
                check_profiles(chosen, sorted(self.recipe.profiles or ()))
                yield Plan(mxnet, len(chosen), batches(release, chosen, self.recipe, scratch))
            elif self.cases.suffix == ".py":
                yield Plan(mxnet, 1, iter(list(file_batches(self.cases, scratch, self.settings.timeout))))
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
        if complete and not shown:
            raise UsageError("nothing to run: the selection has no cases; see --samples and --profile")
        if complete and self.selection.operators:
            refuse_dtype(shown, self.recipe.dtype)
        return shown, writer.finish(time.monotonic() - begun, complete)

    def _tell(self, header: RunHeader, shown: list[Outcome], end: RunEnd, output: Path) -> int:
        notice = notices()
        notice.write(f"results: {output}\n")
        if not end.complete:
            notice.write(f"interrupted; {end.asked} cases are kept\n")
        show_outcomes(header, shown, end, self.form)
        if not end.complete:
            return INTERRUPTED
        return FINDING if end.failed or end.crashed or end.timeout or not end.measured else 0

    def _check(self) -> None:
        """Raises UsageError for options that contradict each other, and for variables that stop MXNet at its start."""
        if self.cases and (self.rules or self.selection != Selection() or self.recipe != Recipe()):
            raise UsageError(
                "--cases brings its own operators and inputs: leave out the options that select or draw them"
            )
        check_threads(os.environ)

    def _header(self, plan: Plan, executor: Executor) -> RunHeader:
        return RunHeader(
            autoperf=__version__,
            mxnet=plan.mxnet,
            seed=self.recipe.seed,
            started=dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds"),
            command=tuple(os.fsencode(word).decode(errors="backslashreplace") for word in sys.argv),
            options={
                "selection": msgspec.to_builtins(self.selection),
                "recipe": msgspec.to_builtins(self.recipe),
                "settings": msgspec.to_builtins(self.settings),
                "cases": str(self.cases) if self.cases else None,
                "rules": [str(path) for path in self.rules],
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
    return default_path(cache_folder() / "runs", f"{stamp}-{os.getpid()}")
