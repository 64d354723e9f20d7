"""A run from request to run files: opens the sides, plans the cases, and measures them by a schedule."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from autoperf import __version__
from autoperf.backends.lookup import MXNET
from autoperf.cases.release import open_release
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.errors import AutoperfError, OutputError, UsageError
from autoperf.core.events import CaseFinished, OperatorStarted, RunFinished, RunStarted, Sink, Sinks, notify
from autoperf.core.outcome import METHOD, Status
from autoperf.core.texts import count
from autoperf.measurement.batches import BatchAnswer, BatchRequest, BatchRunner, by_id
from autoperf.measurement.counted_work import LayerWork, WorkCounter
from autoperf.measurement.local_runner import OpenRunner, local_runner
from autoperf.measurement.machine_state import disturbances
from autoperf.measurement.resumed_run import PathNotices, RunFiles, default_output, labelled_path, writer_of
from autoperf.measurement.run_request import RunPlan, RunRequest, plan_of
from autoperf.measurement.schedules import InTurn, Schedule, Scheduled, SideOutcome, Visits
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.sides import Side, label_sides, rule_limits
from autoperf.runs.environment import Machine, utc_now
from autoperf.runs.run_writer import RunWriter, check_output
from autoperf.runs.runfile import RunEnd, RunHeader


@dataclass(frozen=True)
class RunMode:
    """The differences between a run and an interleaved comparison.

    `command` is stored in the headers, as is `in_turn`, which the two files of a comparison share. With `turns`, both
    sides are measured in turn, and with `stop` until these options decide each case. `names` are the suffixes of the
    run files (default: the labels of several releases). `may_be_empty` allows a run without cases. `size` makes notices
    of the numbers of operators and cases.
    """

    command: str = "run"
    turns: InTurn | None = None
    stop: ComparisonOptions | None = None
    names: tuple[str, ...] = ()
    in_turn: str | msgspec.UnsetType = msgspec.UNSET
    may_be_empty: bool = False
    size: Callable[[int, int], Iterable[str]] = lambda _operators, _cases: ()


@dataclass(frozen=True)
class FinishedSide:
    """A measured side: its label, framework and version, run file with the last line, and environment variables."""

    label: str
    framework: str
    version: str
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


class RunEndedError(OutputError):
    """What a run needs gave out, such as space for temporary files or its cluster; `run` has what was measured."""

    def __init__(self, message: str, run: FinishedRun) -> None:
        super().__init__(message)
        self.run = run


@dataclass(frozen=True)
class _MeasuredSide:
    """A side during its measurement: its variables, its run file, and its counter of work."""

    side: Side
    env: dict[str, str]
    writer: RunWriter
    work: WorkCounter

    def finished(self, measured: SideOutcome) -> CaseFinished:
        """The event of an outcome, as its line in the run file has it: with its case's work."""
        stored = msgspec.structs.replace(measured.outcome, **self.work.counted(measured.outcome, measured.case))
        return CaseFinished(measured.side, stored, measured.replaced)


class _BatchFeed:
    """Passes batches on and takes their answers. An operator begins with its batch (`at_once`) or its first answer.

    A fleet asks for batches long before they run.
    """

    def __init__(self, schedule: Schedule, sides: Sequence[_MeasuredSide], sink: Sink, *, at_once: bool) -> None:
        self._schedule, self._sides, self._sink = schedule, sides, sink
        self._at_once = at_once
        self._waiting: dict[int, Scheduled] = {}

    def next_batch(self) -> BatchRequest | None:
        """The next batch; outcomes of operators without one are emitted."""
        while scheduled := self._schedule.next():
            request = scheduled.request
            if request and not self._at_once:
                self._waiting[request.number] = scheduled
            else:
                self._begin(scheduled)
            if request:
                return request
        return None

    def take(self, answer: BatchAnswer) -> None:
        """Emits the outcomes of an answer."""
        if answer.number in self._waiting:
            self._begin(self._waiting.pop(answer.number))
        for side, machine in zip(self._sides, answer.machines, strict=False):
            side.writer.add_machine(machine)
        for measured in self._schedule.outcomes(answer):
            self._sink.handle(self._sides[measured.side].finished(measured))

    def _begin(self, scheduled: Scheduled) -> None:
        self._sink.handle(OperatorStarted(scheduled.operator, scheduled.size))
        for skipped in scheduled.skipped:
            self._sink.handle(self._sides[skipped.side].finished(skipped))


@dataclass(frozen=True)
class RunSession:
    """Measures the cases of a request by a runner; `command` has the words of the command line.

    With `is_local` the runner measures on this machine, one batch at a time. `seconds` are those of operators in an
    earlier run: the longest come first.
    """

    request: RunRequest
    sink: Sink
    command: tuple[str, ...]
    mode: RunMode = RunMode()
    open_runner: OpenRunner = local_runner
    is_local: bool = True
    seconds: Mapping[str, float] = field(default_factory=dict)

    def run(self) -> FinishedRun:
        """Measures until all cases are done or Ctrl-C is pressed. Raises AutoperfError, RunEndedError amid cases."""
        start = time.monotonic()
        self.request.check()
        with ExitStack() as stack:
            scratch = stack.enter_context(scratch_folder())
            plan = self._plan(stack, scratch, start)
            outputs = self._outputs(plan.sides)
            runner = stack.enter_context(self.open_runner(self.request, plan, scratch, self.sink, self.mode.stop))
            sides = [
                self._start(stack, plan.sides, *each) for each in enumerate(zip(outputs, runner.machines, strict=True))
            ]
            # After the processes have started, so that an error is printed alone.
            if self.is_local and self.request.settings.takes_times:
                notify(self.sink, disturbances())
            notify(self.sink, self.mode.size(plan.operators, plan.cases))
            runner.check_calls(
                [[job for batches in plan.calls for job in batches[side].jobs] for side in range(len(sides))]
            )
            left = plan.budget.remaining if plan.budget else None
            if plan.budget and not self.is_local:
                # Machines may join hours later.
                plan.budget.share_with(lambda: runner.parallel, self.request.spent)
            self.sink.handle(RunStarted(plan.operators, left, self.request.settings.visits))
            return self._measure(plan, runner, sides, scratch)

    def _plan(self, stack: ExitStack, scratch: Path, start: float) -> RunPlan:
        limits = rule_limits(self.request.settings)
        releases = [
            stack.enter_context(open_release(build, self.request.rules, limits, framework, followed))
            for framework, build, followed in self.request.builds
        ]
        for release in releases:
            notify(self.sink, release.unknown_names())
        operators = self.request.selection.operators
        notify(self.sink, dict.fromkeys(note for release in releases for note in release.name_notes(operators)))
        notify(self.sink, self.request.own.notes())
        sides = (replace(side, others=self.request.others_of(at)) for at, side in enumerate(label_sides(releases)))
        plan = plan_of(self.request, tuple(sides), scratch, self.seconds)
        if self.request.resumed:
            notify(self.sink, self.request.resumed.progress())
        identify = self.mode.turns.identify if self.mode.turns else by_id
        return plan.within_budget(self.request, scratch, start, identify, decides=self.mode.stop is not None)

    def _outputs(self, sides: Sequence[Side]) -> list[Path]:
        """The path of each side's run file: as given, or with the side's name if there are several."""
        request = self.request
        if request.resumed:
            return list(request.resumed.paths)
        path = request.output or default_output()
        names = self.mode.names or [side.label for side in sides]
        paths = [path] if len(sides) == 1 else [labelled_path(path, name) for name in names]
        reports = {file.resolve() for file in request.reports}
        for file in paths:
            check_output(file)
            if file.resolve() in reports:
                raise UsageError(f"invalid --report {file}: it becomes a run file of this run; name another file")
        return paths

    def _start(
        self, stack: ExitStack, sides: Sequence[Side], number: int, place: tuple[Path, Machine]
    ) -> _MeasuredSide:
        side, request = sides[number], self.request
        path, machine = place
        settings = request.settings_of(number, side.release.layers)
        layers = stack.enter_context(LayerWork(side.release, settings))
        resumed = request.resumed.files[number] if request.resumed else None
        writer = stack.enter_context(writer_of(path, self._header(sides, number), machine, resumed, self.sink))
        return _MeasuredSide(side, settings.env, writer, WorkCounter(side, machine.roofline or None, layers))

    def _header(self, sides: Sequence[Side], number: int) -> RunHeader:
        side = sides[number]
        return RunHeader(
            method=METHOD,
            autoperf=__version__,
            mxnet=side.mxnet,
            framework=msgspec.UNSET if side.release.backend.name == MXNET else side.framework,
            seed=self.request.recipe.seed,
            started=utc_now(),
            command=self.command,
            options=msgspec.to_builtins(self.request.options(self.mode.command, sides, number)),
            in_turn=self.mode.in_turn,
        )

    def _measure(
        self, plan: RunPlan, runner: BatchRunner, sides: Sequence[_MeasuredSide], scratch: Path
    ) -> FinishedRun:
        start = time.monotonic()
        files = RunFiles([side.writer for side in sides])
        is_named = self.request.output is not None or self.request.resumed is not None
        paths = PathNotices([] if is_named else [side.writer.path for side in sides], self.sink)
        cause = self._run_schedule(plan, runner, sides, scratch, Sinks(files, paths, self.sink))
        complete = cause is None
        if isinstance(cause, AutoperfError) and not files.counts:
            raise cause
        self.sink.handle(RunFinished(complete))
        if complete:
            self._check_outcomes(files)
        paths.tell()
        if complete and plan.remaining and plan.remaining.unmatched:
            earlier = count(plan.remaining.unmatched, "earlier outcome is", "earlier outcomes are")
            notify(self.sink, [f"{earlier} of cases that this run does not have"])
        ends = list(files.finish(time.monotonic() - start, complete))
        notify(self.sink, files.restored())
        finished = FinishedRun(
            tuple(
                FinishedSide(side.side.label, side.side.framework, side.side.mxnet, side.writer.path, end, side.env)
                for side, end in zip(sides, ends, strict=True)
            )
        )
        if isinstance(cause, AutoperfError):
            raise RunEndedError(str(cause), finished) from cause
        return finished

    def _run_schedule(
        self, plan: RunPlan, runner: BatchRunner, sides: Sequence[_MeasuredSide], scratch: Path, sink: Sink
    ) -> KeyboardInterrupt | AutoperfError | None:
        """Measures the whole queue. Returns what ended it early: Ctrl-C, a full disk, a cluster that is gone, ..."""
        settings = self.request.settings
        visits = Visits(2 if settings.times_later else settings.visits, settings.processes, scratch)
        schedule = Schedule(plan.queue, visits, self.mode.turns, plan.budget)
        feed = _BatchFeed(schedule, sides, sink, at_once=self.is_local and runner.parallel == 1)
        try:
            for answer in runner.run(feed.next_batch):
                feed.take(answer)
        except (KeyboardInterrupt, AutoperfError) as error:
            return error
        return None

    def _check_outcomes(self, files: RunFiles) -> None:
        """Raises UsageError if there was nothing to measure, or MXNet refused all inputs or requested dtypes.

        The dtypes of a resumed run aren't judged, since earlier sessions may have measured them.
        """
        if self.mode.may_be_empty:
            return
        counts = files.counts
        if not counts.total():
            raise UsageError("nothing to measure: the selection has no cases; choose other profiles, or more draws")
        if self.request.own and counts.keys() == {Status.SKIPPED} and files.first:
            raise UsageError(f"none of these inputs can be measured: {files.first.reason}")
        dtypes = self.request.recipe.dtypes
        of_dtypes = dtypes and self.request.selection.operators and not (self.request.own or self.request.resumed)
        if of_dtypes and not self.request.recipe.int64_tensor and files.first and files.only_refusals:
            raise UsageError(f"no selected operator takes {' or '.join(dtypes)}: {files.first.reason}")
