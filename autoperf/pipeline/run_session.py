"""A run from request to run files: opens the sides, plans the cases, and measures them by a schedule."""

from __future__ import annotations

import itertools
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
from autoperf.core.method import METHOD
from autoperf.core.outcome import Status
from autoperf.executor.roofline import known_roofline
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.counted_work import WorkCounter
from autoperf.pipeline.dtype_refusals import DtypeRefusals
from autoperf.pipeline.known_limits import with_known_limit
from autoperf.pipeline.large_tensors import require_int64_tensors
from autoperf.pipeline.layer_work import LayerWork
from autoperf.pipeline.machine_use import notify, notify_machine_use, now, shared_machine
from autoperf.pipeline.refused_calls import check_calls
from autoperf.pipeline.release import open_release, rule_limits
from autoperf.pipeline.run_files import PathNotices, RunFiles, default_output, labelled_path, writer_of
from autoperf.pipeline.run_plan import RunPlan, plan_of
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.schedules import Schedule, SequentialSchedule, SideExecutor, refuse_dtype
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.sides import Side, label_sides
from autoperf.pipeline.visits import VisitSchedule
from autoperf.results.environment import Machine, machine_of, record
from autoperf.results.run_writer import RunWriter, check_output
from autoperf.results.runfile import RunEnd, RunHeader

Scheduler: TypeAlias = Callable[[Sequence[SideExecutor]], Schedule]


@dataclass(frozen=True)
class RunMode:
    """How a run differs from an interleaved comparison.

    `command` is stored in the headers, as is `in_turn`, which the two files of a comparison share. `names` are the
    suffixes of the run files; the default is the labels of several releases. `may_be_empty` allows a run without
    cases. `size` makes notices of the numbers of operators and cases.
    """

    command: str = "run"
    scheduler: Scheduler = SequentialSchedule
    names: tuple[str, ...] = ()
    in_turn: str | msgspec.UnsetType = msgspec.UNSET
    may_be_empty: bool = False
    size: Callable[[int, int], Iterable[str]] = lambda _operators, _cases: ()


@dataclass(frozen=True)
class FinishedSide:
    """A measured side: its label, its release, its run file with the last line, and its environment variables."""

    label: str
    mxnet: str
    path: Path
    end: RunEnd
    environment: dict[str, str]


@dataclass(frozen=True)
class FinishedRun:
    """The results of a run, by side."""

    sides: tuple[FinishedSide, ...]

    @property
    def complete(self) -> bool:
        """Whether the run was not interrupted."""
        return all(side.end.complete for side in self.sides)

    @property
    def kept(self) -> int:
        """The number of outcomes in all files."""
        return sum(side.end.asked for side in self.sides)


@dataclass(frozen=True)
class _MeasuredSide:
    """A side during its measurement: its processes, its run file, its counter of work, and the id of its machine."""

    side: Side
    side_executor: SideExecutor
    writer: RunWriter
    work: WorkCounter
    machine: str


@dataclass(frozen=True)
class RunSession:
    """Measures the cases of a request; `command` has the words of the command line."""

    request: RunRequest
    sink: Sink
    command: tuple[str, ...]
    mode: RunMode = RunMode()

    def run(self) -> FinishedRun:
        """Measures until all cases are done or Ctrl-C is pressed. Raises AutoperfError."""
        start = time.monotonic()
        self.request.check()
        with ExitStack() as stack:
            others = stack.enter_context(shared_machine(self.command, self.sink))
            scratch = stack.enter_context(scratch_folder())
            plan = self._plan(stack, scratch, start)
            outputs = self._outputs(plan.sides)
            sides = [self._start(stack, plan.sides, number, output, scratch) for number, output in enumerate(outputs)]
            # After the processes have started, so that an error comes alone.
            notify_machine_use(others, self.sink)
            notify(self.sink, self.mode.size(plan.operators, plan.cases))
            for side in sides:
                check_calls(plan.calls, side.side_executor.executor)
            self.sink.handle(RunStarted(plan.operators, plan.left, self.request.settings.visits))
            return FinishedRun(tuple(self._measure(plan, sides, scratch)))

    def _plan(self, stack: ExitStack, scratch: Path, start: float) -> RunPlan:
        limits = rule_limits(self.request.settings)
        releases = [stack.enter_context(open_release(hint, self.request.rules, limits)) for hint in self.request.hints]
        for release in releases:
            notify(self.sink, release.unknown_names())
        operators = self.request.selection.operators
        notify(self.sink, dict.fromkeys(note for release in releases for note in release.name_notes(operators)))
        notify(self.sink, self.request.own.notes())
        plan = plan_of(self.request, tuple(label_sides(releases)), scratch)
        if self.request.resumed:
            notify(self.sink, self.request.resumed.progress())
        return plan.within_budget(self.request, scratch, start)

    def _outputs(self, sides: Sequence[Side]) -> list[Path]:
        """The path of each side's run file: as given, or with the side's name if there are several."""
        request = self.request
        if request.resumed:
            return list(request.resumed.paths)
        path = request.output or default_output()
        names = self.mode.names or [side.label for side in sides]
        paths = [path] if len(sides) == 1 else [labelled_path(path, name) for name in names]
        for file in paths:
            check_output(file)
        return paths

    def _start(
        self, stack: ExitStack, sides: Sequence[Side], number: int, output: Path, scratch: Path
    ) -> _MeasuredSide:
        side, request = sides[number], self.request
        side_scratch = scratch / f"release-{side.label}"
        side_scratch.mkdir()
        settings = msgspec.structs.replace(request.settings_of(number), layers=side.release.layers)
        executor = stack.enter_context(Executor(side.release.library, settings, side_scratch, self.sink))
        if request.recipe.int64_tensor:
            require_int64_tensors(executor.build)
        header, machine = self._header(sides, number), _machine(executor, side.release.library)
        layers = stack.enter_context(LayerWork(side.release, settings))
        work = WorkCounter(side, machine.roofline or None, layers)
        resumed = request.resumed.files[number] if request.resumed else None
        writer = stack.enter_context(writer_of(output, header, machine, resumed, self.sink))
        dtypes = request.recipe.dtypes
        reclassify = DtypeRefusals(side, executor, dtypes, side_scratch).reclassify if dtypes else None
        return _MeasuredSide(side, SideExecutor(executor, reclassify), writer, work, machine.id)

    def _header(self, sides: Sequence[Side], number: int) -> RunHeader:
        return RunHeader(
            method=METHOD,
            autoperf=__version__,
            mxnet=sides[number].mxnet,
            seed=self.request.recipe.seed,
            started=now(),
            command=self.command,
            options=msgspec.to_builtins(self.request.options(self.mode.command, sides, number)),
            in_turn=self.mode.in_turn,
        )

    def _measure(self, plan: RunPlan, sides: Sequence[_MeasuredSide], scratch: Path) -> list[FinishedSide]:
        start = time.monotonic()
        files = RunFiles([side.writer for side in sides])
        is_named = self.request.output is not None or self.request.resumed is not None
        paths = PathNotices([] if is_named else [side.writer.path for side in sides], self.sink)
        complete = self._run_schedule(plan, sides, scratch, Sinks(files, paths, self.sink))
        self.sink.handle(RunFinished(complete))
        if complete:
            self._check_outcomes(files)
        paths.tell()
        if complete and plan.remaining and plan.remaining.unmatched:
            notify(self.sink, [f"{plan.remaining.unmatched} earlier outcomes are of cases that this run does not have"])
        ends = list(files.finish(time.monotonic() - start, complete))
        notify(self.sink, files.restored())
        return [
            FinishedSide(
                side.side.label, side.side.mxnet, side.writer.path, end, side.side_executor.executor.settings.env
            )
            for side, end in zip(sides, ends, strict=True)
        ]

    def _run_schedule(self, plan: RunPlan, sides: Sequence[_MeasuredSide], scratch: Path, sink: Sink) -> bool:
        """Measures the whole queue. Returns False if that was interrupted."""
        try:
            schedule = self._schedule([side.side_executor for side in sides], scratch)
            for batches in itertools.chain(plan.queue, schedule.later()):
                sink.handle(OperatorStarted(batches[0].operator, sum(batch.size for batch in batches)))
                for side, outcome, pair, replaced in schedule.outcomes(batches):
                    known = with_known_limit(sides[side].side, outcome)
                    counted = sides[side].work.counted(known, batches[side])
                    machine = sides[side].machine if outcome.case in batches[side].cases else msgspec.UNSET
                    stored = msgspec.structs.replace(counted, case=pair or counted.case, machine=machine)
                    sink.handle(CaseFinished(side, stored, replaced))
        except KeyboardInterrupt:
            return False
        return True

    def _schedule(self, sides: Sequence[SideExecutor], scratch: Path) -> Schedule:
        visits = self.request.settings.visits
        return VisitSchedule(sides, visits, scratch) if visits > 1 else self.mode.scheduler(sides)

    def _check_outcomes(self, files: RunFiles) -> None:
        """Raises UsageError if there was nothing to measure."""
        if self.mode.may_be_empty:
            return
        counts = files.counts
        if not counts.total():
            raise UsageError("nothing to measure: the selection has no cases; choose other profiles, or more draws")
        if self.request.own and counts.keys() == {Status.SKIPPED} and files.first:
            raise UsageError(f"none of these inputs can be measured: {files.first.reason}")
        if self.request.selection.operators and not (self.request.own or self.request.recipe.int64_tensor):
            refuse_dtype(counts, files.first, self.request.recipe.dtypes)


def _machine(executor: Executor, library: Path) -> Machine:
    environment = record(msgspec.to_builtins(executor.build))
    return machine_of(environment, executor.reference, known_roofline(library, executor.settings.env))
