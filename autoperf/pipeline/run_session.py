"""One run from request to run files: sides are opened, cases planned, measured by a schedule, and written at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf import __version__
from autoperf.core.errors import UsageError
from autoperf.core.events import CaseFinished, OperatorStarted, RunFinished, RunStarted, Sink, Sinks
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.dtype_refusals import DtypeRefusals
from autoperf.pipeline.machine_use import now, shared_machine, tell, tell_machine_use
from autoperf.pipeline.release import open_release, rule_limits
from autoperf.pipeline.run_files import RunFiles, default_output, labelled_path, writer_of
from autoperf.pipeline.run_plan import RunPlan, plan_of
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.schedules import Schedule, Sequential, SideExecutor, refuse_dtype
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.sides import Side, labelled
from autoperf.reports.units import count
from autoperf.results.environment import record
from autoperf.results.runfile import RunEnd, RunHeader, RunWriter, check_output

Scheduler: TypeAlias = Callable[[Sequence[SideExecutor]], Schedule]


@dataclass(frozen=True)
class RunMode:
    """What tells a run from an interleaved comparison.

    `size` says how much there is to do, from the numbers of operators and cases, where progress alone doesn't.
    `command` is written into the headers, and `in_turn`, if the files are the two sides of one comparison. `names` are
    the ends of the files' names; without them, they are the releases' labels where there are several. `may_be_empty`
    where somebody else says that there were no cases.
    """

    command: str = "run"
    scheduler: Scheduler = Sequential
    names: tuple[str, ...] = ()
    in_turn: str | msgspec.UnsetType = msgspec.UNSET
    may_be_empty: bool = False
    size: Callable[[int, int], Iterable[str]] = lambda _operators, _cases: ()


@dataclass(frozen=True)
class FinishedSide:
    """A side that was measured: its label, its release, its run file and that file's end, and its own variables."""

    label: str
    mxnet: str
    path: Path
    end: RunEnd
    environment: dict[str, str]


@dataclass(frozen=True)
class FinishedRun:
    """What a run has come to, by side."""

    sides: tuple[FinishedSide, ...]

    @property
    def complete(self) -> bool:
        """Whether it wasn't interrupted."""
        return all(side.end.complete for side in self.sides)

    @property
    def kept(self) -> int:
        """How many outcomes the files have."""
        return sum(side.end.asked for side in self.sides)


@dataclass(frozen=True)
class _MeasuredSide:
    """A side while it is measured: its processes and its run file."""

    side: Side
    measuring: SideExecutor
    writer: RunWriter


@dataclass(frozen=True)
class RunSession:
    """Measures what the request asks for; `command` has the words of the command line."""

    request: RunRequest
    sink: Sink
    command: tuple[str, ...]
    mode: RunMode = RunMode()

    def run(self) -> FinishedRun:
        """Measure until all is done or Ctrl-C is pressed. Raises AutoperfError."""
        begun = time.monotonic()
        self.request.check()
        with ExitStack() as stack:
            others = stack.enter_context(shared_machine(self.command, self.sink))
            scratch = stack.enter_context(scratch_folder())
            plan = self._plan(stack, scratch, begun)
            outputs = self._outputs(plan.sides)
            # Nothing is told of the machine before all that was asked for is known to make sense.
            tell_machine_use(others, self.sink)
            tell(self.sink, self.mode.size(plan.operators, plan.cases))
            self.sink.handle(RunStarted(plan.operators, plan.left))
            sides = [self._start(stack, plan.sides, number, output, scratch) for number, output in enumerate(outputs)]
            return FinishedRun(tuple(self._measure(plan, sides)))

    def _plan(self, stack: ExitStack, scratch: Path, begun: float) -> RunPlan:
        limits = rule_limits(self.request.settings)
        releases = [stack.enter_context(open_release(hint, self.request.rules, limits)) for hint in self.request.hints]
        for release in releases:
            tell(self.sink, release.unknown_names())
        operators = self.request.selection.operators
        tell(self.sink, dict.fromkeys(note for release in releases for note in release.name_notes(operators)))
        plan = plan_of(self.request, tuple(labelled(releases)), scratch)
        if self.request.resumed:
            tell(self.sink, [f"{count(self.request.resumed.kept, 'outcome')} kept; the run goes on behind"])
        return plan.within_budget(self.request, scratch, begun)

    def _outputs(self, sides: Sequence[Side]) -> list[Path]:
        """A run file for each side: the one that was named, or beside it under the sides' names."""
        request = self.request
        if request.resumed:
            return list(request.resumed.paths)
        given = request.output or default_output()
        names = self.mode.names or [side.label for side in sides]
        paths = [given] if len(sides) == 1 else [labelled_path(given, name) for name in names]
        for path in paths:
            check_output(path)
        if request.output is None:
            # Told now, since a run that is killed tells nothing at its end.
            tell(self.sink, (f"results: {path}" for path in paths))
        return paths

    def _start(
        self, stack: ExitStack, sides: Sequence[Side], number: int, output: Path, scratch: Path
    ) -> _MeasuredSide:
        side, request = sides[number], self.request
        own = scratch / f"release-{side.label}"
        own.mkdir()
        executor = stack.enter_context(Executor(side.release.library, request.settings_of(number), own, self.sink))
        header = self._header(sides, number, executor)
        begun = request.resumed.begun[number] if request.resumed else None
        writer = stack.enter_context(writer_of(output, header, begun, self.sink))
        dtype = request.recipe.dtype
        judge = DtypeRefusals(side, executor, dtype, own).judged if dtype else None
        return _MeasuredSide(side, SideExecutor(executor, judge), writer)

    def _header(self, sides: Sequence[Side], number: int, executor: Executor) -> RunHeader:
        return RunHeader(
            autoperf=__version__,
            mxnet=sides[number].mxnet,
            seed=self.request.recipe.seed,
            started=now(),
            command=self.command,
            options=msgspec.to_builtins(self.request.options(self.mode.command, sides, number)),
            environment=record(msgspec.to_builtins(executor.build)),
            in_turn=self.mode.in_turn,
        )

    def _measure(self, plan: RunPlan, sides: Sequence[_MeasuredSide]) -> list[FinishedSide]:
        begun = time.monotonic()
        files = RunFiles([side.writer for side in sides])
        complete = self._measured(plan, sides, Sinks(files, self.sink))
        self.sink.handle(RunFinished(complete))
        if complete:
            self._check_outcomes(files)
        if complete and plan.remaining and plan.remaining.over:
            over = plan.remaining.over
            tell(self.sink, [f"{over} of the outcomes that were there are of cases that weren't asked for now"])
        ends = list(files.finish(time.monotonic() - begun, complete))
        tell(self.sink, files.restored())
        return [
            FinishedSide(one.side.label, one.side.mxnet, one.writer.path, end, one.measuring.executor.settings.env)
            for one, end in zip(sides, ends, strict=True)
        ]

    def _measured(self, plan: RunPlan, sides: Sequence[_MeasuredSide], sink: Sink) -> bool:
        """Measures the whole queue; False if that was interrupted."""
        try:
            schedule = self.mode.scheduler([side.measuring for side in sides])
            for batches in plan.queue:
                sink.handle(OperatorStarted(batches[0].operator, sum(batch.size for batch in batches)))
                for side, outcome in schedule.outcomes(batches):
                    sink.handle(CaseFinished(side, outcome))
        except KeyboardInterrupt:
            return False
        return True

    def _check_outcomes(self, files: RunFiles) -> None:
        """Raises UsageError where there was nothing to measure."""
        if self.mode.may_be_empty:
            return
        counts = files.counts
        if not counts.total():
            raise UsageError("nothing to run: the selection has no cases; see --samples and --profile")
        if self.request.selection.operators:
            refuse_dtype(counts, files.first, self.request.recipe.dtype)
