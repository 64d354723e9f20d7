"""One run as the user sees it: checks first, progress while it goes on, results at the end, nothing lost in between."""

from __future__ import annotations

import datetime as dt
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from autoperf import __version__
from autoperf.cases.build import Recipe
from autoperf.cases.store import read_cases
from autoperf.cli.output import notices, show_outcomes, show_releases_run, tell
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.core.places import cache_folder
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.budget import fair, shuffled
from autoperf.pipeline.doctor import check_threads, load_check
from autoperf.pipeline.pace import Pace
from autoperf.pipeline.release import open_release
from autoperf.pipeline.run import measure, refuse_dtype
from autoperf.pipeline.selection import Selection, check_profiles
from autoperf.pipeline.sides import Row, Side, choose, file_rows, labelled, rows, stored_rows
from autoperf.reports.progress import Progress, progress_for
from autoperf.reports.side_by_side import Column
from autoperf.results.environment import record
from autoperf.results.runfile import RunEnd, RunHeader, RunWriter, check_output, default_path

FINDING = 1
INTERRUPTED = 130


@dataclass(frozen=True)
class Plan:
    """What is about to run: the releases, how many operators, and their batches for each, made as they are needed.

    `left` says how many seconds remain, for a run with a time budget.
    """

    sides: tuple[Side, ...]
    operators: int
    queue: Iterator[Row]
    left: Callable[[], float] | None = None


@dataclass(frozen=True)
class Track:
    """A release while it is measured: its processes, its run file, and its outcomes without their samples."""

    side: Side
    executor: Executor
    header: RunHeader
    writer: RunWriter
    shown: list[Outcome] = field(default_factory=list)


@dataclass(frozen=True)
class Session:
    """What the command line asked for; `libraries` names the releases, none the default one."""

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: Path | None = None
    output: Path | None = None
    libraries: tuple[str, ...] = ()
    form: str = "table"
    rules: tuple[Path, ...] = ()

    def run(self) -> int:
        """Measure and show the results; the exit code: 1 if a case failed, crashed or timed out, 130 after Ctrl-C."""
        begun = time.monotonic()
        self._check()
        busy = load_check(os.getloadavg()[0], os.cpu_count() or 1)
        if busy.advice:
            notices().write(f"this machine is busy: load {busy.finding}; {busy.advice}\n")
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autoperf-")))
            plan = self._paced(self._plan(scratch, self._sides(stack)), scratch, begun)
            outputs = self._outputs(plan.sides)
            progress = stack.enter_context(progress_for(notices(), plan.operators, plan.left))
            tracks = [
                self._track(stack, side, output, scratch, progress)
                for side, output in zip(plan.sides, outputs, strict=True)
            ]
            ends = self._measure(plan, tracks, progress)
        return self._tell(tracks, ends)

    def _sides(self, stack: ExitStack) -> list[Side]:
        releases = [stack.enter_context(open_release(hint, self.rules)) for hint in self.libraries or (None,)]
        for release in releases:
            tell(release.unknown_names())
        return labelled(releases)

    def _plan(self, scratch: Path, sides: list[Side]) -> Plan:
        if self.cases is None:
            chosen = choose(sides, self.selection)
            check_profiles([one.target for one in chosen], sorted(self.recipe.profiles or ()))
            if self.settings.time_budget is not None:
                chosen = shuffled(chosen, self.recipe.seed)
            return Plan(tuple(sides), len(chosen), rows(sides, chosen, self.recipe, scratch))
        if self.cases.suffix == ".py":
            return Plan(tuple(sides), 1, iter(list(file_rows(sides, self.cases, scratch, self.settings.timeout))))
        stored = list(stored_rows(sides, read_cases(self.cases), self.recipe.seed, scratch))
        if self.settings.time_budget is not None:
            stored = shuffled(stored, self.recipe.seed)
        return Plan(tuple(sides), len(stored), iter(stored))

    def _paced(self, plan: Plan, scratch: Path, begun: float) -> Plan:
        """The plan within the time budget from `begun` on, if there is one."""
        settings = self.settings
        if settings.time_budget is None:
            return plan
        pace = Pace(settings.time_budget, plan.operators, settings.max_time, begun)
        return replace(plan, queue=fair(plan.queue, pace, self.recipe.seed, scratch), left=pace.left)

    def _outputs(self, sides: Sequence[Side]) -> list[Path]:
        """A run file for each release: the one that was named, or beside it under the releases' labels."""
        given = self.output or _default_output()
        paths = [given] if len(sides) == 1 else [labelled_path(given, side.label) for side in sides]
        for path in paths:
            check_output(path)
        return paths

    def _track(self, stack: ExitStack, side: Side, output: Path, scratch: Path, progress: Progress) -> Track:
        own = scratch / f"release-{side.label}"
        own.mkdir()
        library = side.release.library
        executor = stack.enter_context(Executor(library, self.settings, own, on_start=progress.case_started))
        header = self._header(side.mxnet, executor)
        return Track(side, executor, header, stack.enter_context(RunWriter(output, header)))

    def _measure(self, plan: Plan, tracks: Sequence[Track], progress: Progress) -> list[RunEnd]:
        begun = time.monotonic()
        complete = True
        try:
            for row in plan.queue:
                progress.batch_started(row[0].operator, sum(batch.size for batch in row))
                for track, batch in zip(tracks, row, strict=True):
                    for outcome in measure(track.executor, batch):
                        track.writer.add(outcome)
                        progress.case_done(outcome)
                        track.shown.append(without_samples(outcome))
        except KeyboardInterrupt:
            complete = False
        progress.finish()
        if plan.left:
            for track in tracks:
                track.shown.sort(key=lambda outcome: (outcome.category, outcome.operator))
        shown = [outcome for track in tracks for outcome in track.shown]
        if complete and not shown:
            raise UsageError("nothing to run: the selection has no cases; see --samples and --profile")
        if complete and self.selection.operators:
            refuse_dtype(shown, self.recipe.dtype)
        return [track.writer.finish(time.monotonic() - begun, complete) for track in tracks]

    def _tell(self, tracks: Sequence[Track], ends: Sequence[RunEnd]) -> int:
        notice = notices()
        for track in tracks:
            name = f"MXNet {track.side.label}: " if len(tracks) > 1 else ""
            notice.write(f"results: {name}{track.writer.path}\n")
        complete = all(end.complete for end in ends)
        if not complete:
            notice.write(f"interrupted; {sum(end.asked for end in ends)} cases are kept\n")
        if len(tracks) == 1:
            show_outcomes(tracks[0].header, tracks[0].shown, ends[0], self.form)
        else:
            found = [Column(track.side.label, track.shown) for track in tracks]
            show_releases_run(found, [(track.header, end) for track, end in zip(tracks, ends, strict=True)], self.form)
        if not complete:
            return INTERRUPTED
        broken = any(end.failed or end.crashed or end.timeout for end in ends)
        return FINDING if broken or not all(end.measured for end in ends) else 0

    def _check(self) -> None:
        """Raises UsageError for options that contradict each other, and for variables that stop MXNet at its start."""
        if self.cases and (self.rules or self.selection != Selection() or self.recipe != Recipe()):
            raise UsageError(
                "--cases brings its own operators and inputs: leave out the options that select or draw them"
            )
        check_threads(os.environ)

    def _header(self, mxnet: str, executor: Executor) -> RunHeader:
        return RunHeader(
            autoperf=__version__,
            mxnet=mxnet,
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


def labelled_path(path: Path, label: str) -> Path:
    """`run.ndjson` as `run-1.6.0.ndjson`."""
    return path.with_name(f"{path.stem}-{label}{path.suffix}")


def _default_output() -> Path:
    """Runs that were given no file are kept with the cache, under the time at which they began."""
    stamp = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return default_path(cache_folder() / "runs", f"{stamp}-{os.getpid()}")
