"""One run as the user sees it: checks first, progress while it goes on, results at the end, nothing lost in between."""

from __future__ import annotations

import datetime as dt
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import msgspec

from autoperf import __version__
from autoperf.capi.releases import INSTALLED, is_version
from autoperf.cases.build import Recipe
from autoperf.cases.store import StoredGroups
from autoperf.cli.output import notices, show_outcomes, show_releases_run, tell
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Resumed
from autoperf.core.places import cache_folder
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.batches import OperatorBatches
from autoperf.pipeline.concurrent_runs import ConcurrentRuns, notices_at_end, notices_at_start
from autoperf.pipeline.doctor import check_threads, load_check
from autoperf.pipeline.dtype_refusals import DtypeRefusals
from autoperf.pipeline.release import open_release
from autoperf.pipeline.resume import Remaining, ResumedRun, RunOptions, check_same, digests, moved
from autoperf.pipeline.round_robin import round_robin, shuffled
from autoperf.pipeline.schedules import Judge, measure, refuse_dtype
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.selection import Selection, check_profiles
from autoperf.pipeline.sides import Side, file_batches, labelled, select_operators, selected_batches, stored_batches
from autoperf.pipeline.time_budget import TimeBudget
from autoperf.reports.progress import Progress, progress_for
from autoperf.reports.side_by_side import Column
from autoperf.results.environment import record
from autoperf.results.reading import RunReader, Stored
from autoperf.results.runfile import ResumableRun, RunEnd, RunHeader, RunWriter, check_output, default_path

FINDING = 1
INTERRUPTED = 130


@dataclass(frozen=True)
class Plan:
    """What is about to run: the releases, how many operators, and their batches for each, made as they are needed.

    `left` says how many seconds remain, for a run with a time budget; `remaining` what a resumed run has left to do.
    """

    sides: tuple[Side, ...]
    operators: int
    queue: Iterator[OperatorBatches]
    left: Callable[[], float] | None = None
    remaining: Remaining | None = None


@dataclass(frozen=True)
class Track:
    """A release while it is measured: its processes, its run file, and who judges what a dtype's failures are."""

    side: Side
    executor: Executor
    writer: RunWriter
    judge: Judge | None = None


@dataclass(frozen=True)
class Session:
    """What the command line asked for; `libraries` names the releases, none the default one.

    `resumption` is the run to go on with; it was asked for the same.
    """

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: Path | None = None
    output: Path | None = None
    libraries: tuple[str, ...] = ()
    form: str = "table"
    rules: tuple[Path, ...] = ()
    resumption: ResumedRun | None = None
    COMMAND: ClassVar[str] = "run"

    def run(self) -> int:
        """Measure and show the results; the exit code: 1 if a case failed, crashed or timed out, 130 after Ctrl-C."""
        begun = time.monotonic()
        self._check()
        busy = load_check(os.getloadavg()[0], os.cpu_count() or 1)
        if busy.advice:
            notices().write(f"this machine is busy: load {busy.finding}; {busy.advice}\n")
        with ExitStack() as stack:
            others = stack.enter_context(ConcurrentRuns(cache_folder() / "running", command_line(), now()))
            tell(notices_at_start(others.earlier))
            scratch = stack.enter_context(scratch_folder())
            plan = self._paced(self._rest(self._plan(scratch, self._sides(stack))), scratch, begun)
            outputs = self._outputs(plan.sides)
            progress = stack.enter_context(progress_for(notices(), plan.operators, plan.left))
            tracks = [
                self._track(stack, plan.sides, number, output, scratch, progress)
                for number, output in enumerate(outputs)
            ]
            ends = self._measure(plan, tracks, progress)
            tell(notices_at_end(others.later))
        return self._tell(tracks, ends)

    def _sides(self, stack: ExitStack) -> list[Side]:
        releases = [stack.enter_context(open_release(hint, self.rules)) for hint in self._hints()]
        for release in releases:
            tell(release.unknown_names())
        return labelled(releases)

    def _hints(self) -> Sequence[str | None]:
        """Which libraries; None is the default one."""
        return self.libraries or (None,)

    def _settings(self, sides: int) -> Sequence[Settings]:
        """How each of so many sides is measured."""
        return [self.settings] * sides

    def _plan(self, scratch: Path, sides: list[Side]) -> Plan:
        if self.cases is None:
            chosen = select_operators(sides, self.selection)
            check_profiles([one.target for one in chosen], sorted(self.recipe.profiles or ()))
            if self.settings.time_budget is not None:
                chosen = shuffled(chosen, self.recipe.seed)
            return Plan(tuple(sides), len(chosen), selected_batches(sides, chosen, self.recipe, scratch))
        if self.cases.suffix == ".py":
            return Plan(tuple(sides), 1, iter(list(file_batches(sides, self.cases, scratch, self.settings.timeout))))
        stored = StoredGroups(self.cases)
        order = list(range(len(stored)))
        if self.settings.time_budget is not None:
            order = shuffled(order, self.recipe.seed)
        groups = (stored[number] for number in order)
        return Plan(tuple(sides), len(stored), stored_batches(sides, groups, self.recipe.seed, scratch))

    def _rest(self, plan: Plan) -> Plan:
        """The plan without what the run to go on with has done already."""
        if self.resumption is None:
            return plan
        tell([f"{self.resumption.kept} outcomes are there already; the run goes on behind them"])
        remaining = Remaining(self.resumption.begun)
        return replace(plan, queue=remaining.of(plan.queue), remaining=remaining)

    def _paced(self, plan: Plan, scratch: Path, begun: float) -> Plan:
        """The plan within the time budget from `begun` on, if there is one."""
        settings = self.settings
        if settings.time_budget is None:
            return plan
        spent = self.resumption.spent if self.resumption else 0.0
        pace = TimeBudget(settings.time_budget, plan.operators, settings.max_time, begun - spent)
        return replace(plan, queue=round_robin(plan.queue, pace, self.recipe.seed, scratch), left=pace.left)

    def _outputs(self, sides: Sequence[Side]) -> list[Path]:
        """A run file for each release: the one that was named, or beside it under the releases' labels."""
        if self.resumption:
            return list(self.resumption.paths)
        given = self.output or default_output()
        paths = [given] if len(sides) == 1 else [labelled_path(given, side.label) for side in sides]
        for path in paths:
            check_output(path)
        if self.output is None:
            tell(f"results go to {path}" for path in paths)
        return paths

    def _track(
        self, stack: ExitStack, sides: Sequence[Side], number: int, output: Path, scratch: Path, progress: Progress
    ) -> Track:
        side = sides[number]
        own = scratch / f"release-{side.label}"
        own.mkdir()
        executor = Executor(
            side.release.library, self._settings(len(sides))[number], own, on_start=progress.case_started
        )
        header = self._header(sides, side, stack.enter_context(executor))
        begun = self.resumption.begun[number] if self.resumption else None
        writer = stack.enter_context(_writer(output, header, begun))
        judge = DtypeRefusals(side, executor, self.recipe.dtype, own).judged if self.recipe.dtype else None
        return Track(side, executor, writer, judge)

    def _measure(self, plan: Plan, tracks: Sequence[Track], progress: Progress) -> list[RunEnd]:
        begun = time.monotonic()
        complete = True
        first: Outcome | None = None
        try:
            for row in plan.queue:
                progress.batch_started(row[0].operator, sum(batch.size for batch in row))
                for track, batch in zip(tracks, row, strict=True):
                    for outcome in measure(track.executor, batch, track.judge):
                        track.writer.add(outcome)
                        progress.case_done(outcome)
                        first = first or outcome
        except KeyboardInterrupt:
            complete = False
        progress.finish()
        counts = sum((track.writer.counts for track in tracks), Counter())
        if complete and not counts.total():
            raise UsageError("nothing to run: the selection has no cases; see --samples and --profile")
        if complete and self.selection.operators:
            refuse_dtype(counts, first, self.recipe.dtype)
        if complete and plan.remaining and plan.remaining.over:
            tell([f"{plan.remaining.over} of the outcomes that were there are of cases that weren't asked for now"])
        return [track.writer.finish(time.monotonic() - begun, complete) for track in tracks]

    def _tell(self, tracks: Sequence[Track], ends: Sequence[RunEnd]) -> int:
        paths = [track.writer.path for track in tracks]
        names = [f"MXNet {track.side.label}: " if len(tracks) > 1 else "" for track in tracks]
        tell(f"results: {name}{path}" for name, path in zip(names, paths, strict=True))
        complete = all(end.complete for end in ends)
        if not complete:
            kept = sum(end.asked for end in ends)
            tell([f"interrupted; {kept} cases are kept; go on with `autoperf run --resume {paths[0]}`"])
        show_runs(paths, [track.side.label for track in tracks], self.form, self.settings.time_budget is not None)
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

    def _header(self, sides: Sequence[Side], side: Side, executor: Executor) -> RunHeader:
        asked = RunOptions(
            selection=self.selection,
            recipe=self.recipe,
            settings=executor.settings,
            cases=str(self.cases.absolute()) if self.cases else None,
            rules=tuple(str(path.absolute()) for path in self.rules),
            mxnet=tuple(map(anchored, self.libraries)),
            labels=tuple(one.label for one in sides),
            label=side.label,
            command=self.COMMAND,
            digests=digests(self.cases, self.rules),
        )
        return RunHeader(
            autoperf=__version__,
            mxnet=side.mxnet,
            seed=self.recipe.seed,
            started=now(),
            command=command_line(),
            options=msgspec.to_builtins(asked),
            environment=record(msgspec.to_builtins(executor.build)),
        )


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


def _writer(output: Path, header: RunHeader, begun: ResumableRun | None) -> RunWriter:
    """Writes a new run file, or goes on with one, if all that matters is here as it was."""
    if begun is None:
        return RunWriter(output, header)
    check_same(output, begun.header, header)
    tell(moved(begun.header, header))
    mark = Resumed(header.started, header.command, header.environment.machine, header.environment.load)
    return RunWriter(output, begun.header, begun=begun, mark=mark)


def command_line() -> tuple[str, ...]:
    """The words of this command, spelled so that they can be written."""
    return tuple(os.fsencode(word).decode(errors="backslashreplace") for word in sys.argv)


def now() -> str:
    """The time, in UTC and ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")


def anchored(hint: str) -> str:
    """A library's path from the root, so that it means the same elsewhere; the name of a release as it is."""
    return hint if hint == INSTALLED or is_version(hint) else str(Path(hint).absolute())


def labelled_path(path: Path, label: str) -> Path:
    """`run.ndjson` as `run-1.6.0.ndjson`."""
    return path.with_name(f"{path.stem}-{label}{path.suffix}")


def default_output() -> Path:
    """Runs that were given no file are kept with the cache, under the time at which they began."""
    stamp = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return default_path(cache_folder() / "runs", f"{stamp}-{os.getpid()}")
