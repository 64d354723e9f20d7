"""A run from request to run files: opens the sides, plans, measures by a schedule, and counts the work of cases."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import msgspec

from autoperf import __version__
from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.lookup import MXNET
from autoperf.cases.release import Release, open_release, subject
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, OutputError, UsageError
from autoperf.core.events import CaseFinished, OperatorStarted, RunFinished, RunStarted, Sink, Sinks, notify
from autoperf.core.files import Closable
from autoperf.core.graph import HYBRIDIZE, NETWORK
from autoperf.core.machine import Roofline, dtype_of, throughput_of
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import METHOD, Outcome, Pass, Status
from autoperf.core.tensors import ArrayType
from autoperf.core.texts import count
from autoperf.core.work import PassWorks, Work, work_of
from autoperf.measurement.batches import BatchAnswer, BatchRequest, BatchRunner, by_id
from autoperf.measurement.local_runner import OpenRunner, local_runner
from autoperf.measurement.machine_state import disturbances
from autoperf.measurement.resumed_run import PathNotices, RunFiles, default_output, labelled_path, writer_of
from autoperf.measurement.run_request import RunPlan, RunRequest, plan_of
from autoperf.measurement.schedules import InTurn, Schedule, Scheduled, SideOutcome, Visits
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import Side, label_sides, rule_limits
from autoperf.networks.calls import NetworkCall, NetworkGraph, case_of, gradient_places
from autoperf.networks.source import TracingClient
from autoperf.registry.calls import call_of
from autoperf.rules.rule import Draft, Rule
from autoperf.runs.run_writer import RunWriter, check_output
from autoperf.runs.runfile import Machine, RunEnd, RunHeader, utc_now


class LayerWork(Closable):
    """Counts the work of layers, whose graphs a process that imports the front end traces; use it as a context."""

    def __init__(self, release: Release, settings: Settings) -> None:
        self._release = release
        self._client = TracingClient(release.library, settings.timeout, settings.bytes_allowed)
        self._known: dict[str, PassWorks] = {}
        self._subject = cache(partial(subject, release))

    def close(self) -> None:
        """Ends the process that traces."""
        self._client.close()

    def of(self, case: Case) -> PassWorks:
        """The work of a layer's passes; None if it has no graph, or if a call in it can't be made by itself."""
        params = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
        plain = msgspec.structs.replace(case, params=params)
        if plain.digest not in self._known:
            self._known[plain.digest] = self._works(plain)
        return self._known[plain.digest]

    def _works(self, case: Case) -> PassWorks:
        layer = if_known(lambda: self._traced(case))
        if layer is None:
            return PassWorks()
        return PassWorks(if_known(lambda: _sum(self._forward(layer))), if_known(lambda: _sum(self._backward(layer))))

    def _forward(self, layer: _TracedLayer) -> Iterator[tuple[int, Work]]:
        for call in layer.network.distinct_calls():
            case, rule = self._call(call, layer)
            yield call.count, rule.forward_work(case) if rule else work_of(case)

    def _backward(self, layer: _TracedLayer) -> Iterator[tuple[int, Work]]:
        """The work of the backward pass of each call that gets gradients. Raises ValueError if it isn't known."""
        if layer.network.nested:
            raise ValueError("the gradients of loops and branches aren't followed")
        calls = {number: self._call(call, layer) for number, call in layer.network.calls_by_node()}
        flow = gradient_places(
            layer.network.graph,
            lambda variable: variable.name not in layer.constants,
            lambda number: self._is_differentiable(*calls[number]),
        )
        for number, places in flow.items():
            case, rule = calls[number]
            work = rule.backward_work(case, tuple(case.inputs[place].name for place in places)) if rule else None
            if work is None:
                raise ValueError(f"no formula for the backward pass of {case.operator}")
            yield 1, work

    def _is_differentiable(self, case: Case, rule: Rule | None) -> bool:
        """Whether a call has a gradient: its rule counts the work of that, or MXNet doesn't deny one."""
        if rule and rule.backward:
            return True
        (gradient,) = self._release.client.gradients([call_of(case)])
        return gradient.differentiable is not False

    def _call(self, call: NetworkCall, layer: _TracedLayer) -> tuple[Case, Rule | None]:
        """A call of the layer as a case, and the operator's rule. Raises ValueError if it isn't valid by itself."""
        operator = self._subject(call.operator)
        made = case_of(call, operator, training=layer.training)
        if not isinstance(made, Case):
            raise ValueError(made.reason)
        return made, operator.rule

    def _traced(self, case: Case) -> _TracedLayer:
        traced = self._client.trace_layer(case, self._release.layers)
        # A layer may leave an input unused.
        variables = traced.variables
        types = {variables[item.name]: item.tensor.type for item in case.inputs if item.name in variables}
        known = {name: ArrayType(kind.shape, kind.dtype) for name, kind in types.items()}
        drafts = {name: Draft(kind.shape, kind.dtype) for name, kind in types.items()}
        network = NetworkGraph(self._release.client.graph(traced.text, known), drafts)
        differentiable = (variables[name] for name in differentiable_inputs(case) if name in variables)
        return _TracedLayer(network, frozenset(types) - frozenset(differentiable), case.training)


@dataclass(frozen=True)
class _TracedLayer:
    """A layer's graph, and the names of its inputs that get no gradient; its parameters do."""

    network: NetworkGraph
    constants: frozenset[str]
    training: bool


def _sum(counted: Iterable[tuple[int, Work]]) -> Work:
    """The work of several calls. Raises ValueError for none: the layer's work is elsewhere."""
    works = list(counted)
    if not works:
        raise ValueError("no calls")
    return Work(
        bytes_in=math.fsum(number * work.bytes_in for number, work in works),
        bytes_out=math.fsum(number * work.bytes_out for number, work in works),
        elements=max((work.elements for _, work in works), default=0.0),
        flops=math.fsum(number * work.flops for number, work in works),
    )


T = TypeVar("T")


def if_known(formula: Callable[[], T]) -> T | None:
    """The formula's result; None if it doesn't apply, for instance to an input beyond its domain."""
    try:
        return formula()
    except (AutoperfError, ArithmeticError, LookupError, TypeError, ValueError):
        return None


@dataclass(frozen=True)
class WorkCounter:
    """Counts work by the rules of a side, as a share of the roofline if that is known."""

    side: Side
    roofline: Roofline | None
    layers: LayerWork

    def counted(self, outcome: Outcome, case: Case | None) -> dict[str, Work | Pass | None]:
        """The fields of the outcome that its case's work fills: the work of its passes, and they with throughput."""
        if case is None or not outcome.forward:
            return {}
        works = self._works(case, outcome.backward)
        dtype = dtype_of(outcome.inputs, outcome.outputs)
        counted = {"work": works.forward, "backward_work": works.backward}
        return {
            **{name: work for name, work in counted.items() if work},
            "forward": self._with_throughput(outcome.forward, works.forward, dtype),
            "backward": self._with_throughput(outcome.backward, works.backward, dtype),
        }

    def _works(self, case: Case, backward: Pass | None) -> PassWorks:
        """The work of a case's passes; None where no formula applies.

        The work of a network is counted in its calls, of a composite in its operators; a layer has the sum over the
        calls in its graph.
        """
        if case.category in (NETWORK, COMPOSITE_NAMESPACE):
            return PassWorks()
        if case.way == "layer":
            works = self.layers.of(case)
            return works if backward else PassWorks(works.forward)
        rule = self.side.rule(case.operator)
        gradients = backward.gradients if backward else None
        return PassWorks(
            if_known(lambda: rule.forward_work(case) if rule else work_of(case)),
            if_known(lambda: rule.backward_work(case, gradients) if rule and gradients else None),
        )

    def _with_throughput(self, run: Pass | None, work: Work | None, dtype: str) -> Pass | None:
        series = run.ranking_series() if run else None
        if run is None or work is None or series is None:
            return run
        throughput = throughput_of(work, series.median, self.roofline, dtype)
        return msgspec.structs.replace(run, throughput=throughput or msgspec.UNSET)


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
            places = enumerate(zip(outputs, runner.machines, strict=True))
            sides = [self._start(stack, plan.sides, *each) for each in places]
            # After the processes have started, so that an error is printed alone.
            if self.is_local and self.request.settings.takes_times:
                notify(self.sink, disturbances())
            notify(self.sink, self.mode.size(plan.operators, plan.cases))
            runner.check_calls([[job for each in plan.calls for job in each[side].jobs] for side in range(len(sides))])
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

    def _start(self, stack: ExitStack, sides: Sequence[Side], number: int, at: tuple[Path, Machine]) -> _MeasuredSide:
        side, request = sides[number], self.request
        path, machine = at
        settings = request.settings_of(number, side.release.layers)
        layers = stack.enter_context(LayerWork(side.release, settings))
        resumed = request.resumed.files[number] if request.resumed else None
        header = RunHeader(
            method=METHOD,
            autoperf=__version__,
            mxnet=side.mxnet,
            framework=msgspec.UNSET if side.release.backend.name == MXNET else side.framework,
            seed=request.recipe.seed,
            started=utc_now(),
            command=self.command,
            options=msgspec.to_builtins(request.options(self.mode.command, sides, number)),
            in_turn=self.mode.in_turn,
        )
        writer = stack.enter_context(writer_of(path, header, machine, resumed, self.sink))
        return _MeasuredSide(side, settings.env, writer, WorkCounter(side, machine.roofline or None, layers))

    def _measure(self, plan: RunPlan, runner: BatchRunner, sides: list[_MeasuredSide], scratch: Path) -> FinishedRun:
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
