"""Runs batches on this machine in trial and worker processes: one at a time, or several beside each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.backends.lookup import backend_of
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.errors import EngineError
from autoperf.core.events import NullSink, Sink
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.outcome import Outcome
from autoperf.measurement.batches import BatchAnswer, BatchRequest, BatchRunner, CaseAnswer, Job, NextBatch
from autoperf.measurement.interleaved_executors import InterleavedExecutors
from autoperf.measurement.machine_state import known_roofline
from autoperf.measurement.managed_process import followed_by
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.placement import own_processors
from autoperf.measurement.run_request import RunPlan, RunRequest
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import require_int64_tensors
from autoperf.measurement.supervisor import Executor
from autoperf.runs.runfile import Machine, machine_of, record

_Result: TypeAlias = BatchAnswer | BatchRunner | BaseException


class ParallelRunner:
    """Gives each of these runners one batch at a time, in a thread of its own."""

    def __init__(self, runners: Sequence[BatchRunner], threads: ThreadPoolExecutor) -> None:
        """`threads` has a thread for each runner, and must end after the processes of the runners."""
        self._runners, self._threads = runners, threads
        self.machines, self.parallel = runners[0].machines, len(runners)

    def check_calls(self, jobs: Sequence[Sequence[Job]]) -> None:
        """Tries each side's calls before any is measured. Raises EngineError for one that the framework refuses."""
        self._runners[0].check_calls(jobs)

    def run(self, next_batch: NextBatch) -> Iterator[BatchAnswer]:
        """The answers as they come."""
        free, results = list(self._runners), SimpleQueue[_Result]()
        while True:
            while free and (request := next_batch()):
                self._threads.submit(_run_batch, free.pop(), request, results.put)
            if len(free) == self.parallel:
                return
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, BatchAnswer):
                yield result
            else:
                free.append(result)


def _run_batch(runner: BatchRunner, request: BatchRequest, put: Callable[[_Result], None]) -> None:
    """Puts the answers of a batch and then its runner, which is free, or what went wrong."""
    requests = iter([request])
    try:
        for answer in runner.run(lambda: next(requests, None)):
            put(answer)
        put(runner)
    except BaseException as error:  # noqa: BLE001 - raised in the thread that takes the answers
        put(error)


OpenRunner: TypeAlias = Callable[
    [RunRequest, RunPlan, Path, Sink, ComparisonOptions | None], AbstractContextManager[BatchRunner]
]
"""Opens a runner for the plan of a request, with a scratch folder, a sink of its events, and options to stop early."""


@dataclass(frozen=True)
class LocalSide:
    """A side on this machine: its executor and the machine's record."""

    executor: Executor
    machine: Machine


class LocalRunner:
    """Runs batches one after the other; `stop` ends pairs in turn as soon as they are decided by its options."""

    parallel = 1

    def __init__(self, sides: Sequence[LocalSide], stop: ComparisonOptions | None = None) -> None:
        self._sides = sides
        self._decided: Callable[[Outcome, Outcome], bool] | None = None
        if stop:
            from autoperf.comparison.deciding import EarlyStop  # noqa: PLC0415 - runs of one side start without SciPy

            executor = sides[0].executor
            self._decided = EarlyStop(executor.reference, stop, executor.settings.processes).is_decided
        self.machines = tuple(side.machine for side in sides)

    def check_calls(self, jobs: Sequence[Sequence[Job]]) -> None:
        """Tries the calls of each side before any is timed. Raises EngineError for one that MXNet refuses."""
        for side, own in zip(self._sides, jobs, strict=False):
            check_calls(own, side.executor)

    def run(self, next_batch: NextBatch) -> Iterator[BatchAnswer]:
        """The answers, an outcome or a pair in turn at a time."""
        while (request := next_batch()) is not None:
            begin = time.monotonic()
            for cases in self._in_turn(request) if request.in_turn is not None else self._one_by_one(request):
                seconds, begin = time.monotonic() - begin, time.monotonic()
                yield BatchAnswer(request.number, self.machines, cases, seconds)

    def _one_by_one(self, request: BatchRequest) -> Iterator[tuple[CaseAnswer, ...]]:
        for number, side in enumerate(self._sides):
            started = request.started[number] if request.started else ()
            first = side.executor.first_visit(request.jobs[number], request.until)
            later = side.executor.later_visit(started, request.until)
            for visits in (first, later):
                for position, visit in enumerate(visits):
                    yield (CaseAnswer(number, position, visit.outcome, visit.rest),)

    def _in_turn(self, request: BatchRequest) -> Iterator[tuple[CaseAnswer, ...]]:
        base, new = (side.executor for side in self._sides)
        turns = InterleavedExecutors(base, new, request.in_turn or 0, self._decided)
        for position, pair in enumerate(zip(*request.jobs, strict=True)):
            visits = turns.run(*pair, times_different=request.times_different)
            # Ctrl-C between the sides would leave a case in one file only.
            with interrupts_deferred():
                yield tuple(CaseAnswer(side, position, *visit) for side, visit in enumerate(visits))


class SideSetup(NamedTuple):
    """A side to open: its label, settings and build, and the build that it follows."""

    label: str
    settings: Settings
    library: Path
    followed: Path | None = None


@contextmanager
def opened_sides(
    setups: Sequence[SideSetup], dtypes: tuple[str, ...], scratch: Path, sink: Sink, *, int64_tensor: bool
) -> Iterator[list[LocalSide]]:
    """Starts the processes of all sides. Raises AutoperfError if MXNet, a library or the context can't be used."""
    with ExitStack() as stack:
        yield ready_sides(started_sides(stack, setups, dtypes, scratch, sink), int64_tensor=int64_tensor)


StartedSides: TypeAlias = Sequence[tuple[SideSetup, Executor]]


def started_sides(
    stack: ExitStack, setups: Sequence[SideSetup], dtypes: tuple[str, ...], scratch: Path, sink: Sink
) -> StartedSides:
    """The sides, whose processes load their libraries beside each other until the stack ends."""
    started = []
    for setup in setups:
        folder = scratch / f"release-{setup.label}"
        folder.mkdir(parents=True, exist_ok=True)
        settings = setup.settings
        if len(setups) > 1 and settings.keep_dumps:
            # Files of counts would have the names of another side's.
            settings = msgspec.structs.replace(settings, keep_dumps=str(Path(settings.keep_dumps) / setup.label))
        followed = followed_by(setup.settings, setup.followed, folder) if setup.followed else None
        executor = Executor(setup.library, settings, folder, sink, followed, dtypes=dtypes)
        stack.callback(executor.close)
        executor.start()
        started.append((setup, executor))
    return started


def ready_sides(started: StartedSides, *, int64_tensor: bool) -> list[LocalSide]:
    """The sides, once their processes are ready. Raises AutoperfError if MXNet or the context can't be used."""
    for _, executor in started:
        executor.wait_ready()
        if int64_tensor:
            require_int64_tensors(executor.build)
    sides = []
    for setup, executor in started:
        environment, interpreter = record(executor.build.facts), executor.build.interpreter
        library, framework = setup.library, executor.settings.framework
        if setup.followed:
            packages = {**environment.packages, "numpy": interpreter["numpy"]}
            environment = msgspec.structs.replace(environment, python=interpreter["python"], packages=packages)
            # The machine's, which the other framework has measured.
            library, framework = setup.followed, backend_of(framework).follows
        roofline = known_roofline(library, executor.settings.env, framework)
        sides.append(LocalSide(executor, machine_of(environment, executor.reference, roofline)))
    return sides


@contextmanager
def _local_runner(
    request: RunRequest, plan: RunPlan, scratch: Path, sink: Sink, stop: ComparisonOptions | None
) -> Iterator[BatchRunner]:
    setups = []
    for number, side in enumerate(plan.sides):
        settings = request.settings_of(number, side.release.layers)
        setups.append(SideSetup(side.label, settings, side.release.library, side.release.followed))
    dtypes, int64_tensor = request.recipe.dtypes, request.recipe.int64_tensor
    if request.settings.takes_times:
        with opened_sides(setups, dtypes, scratch, sink, int64_tensor=int64_tensor) as opened:
            yield LocalRunner(opened, stop)
        return
    # Counts aren't disturbed by load. Their threads emit no events, which sinks take in one thread.
    with ExitStack() as stack:
        count = min(len(own_processors()), plan.parallel)
        threads = stack.enter_context(ThreadPoolExecutor(count))
        started = [started_sides(stack, setups, dtypes, scratch / f"runner-{at}", NullSink()) for at in range(count)]
        yield ParallelRunner([LocalRunner(ready_sides(sides, int64_tensor=int64_tensor)) for sides in started], threads)


local_runner: OpenRunner = _local_runner
"""Starts the processes of all sides. Raises AutoperfError if MXNet, a library or the context can't be used."""


def check_calls(jobs: Iterable[Job], executor: Executor) -> None:
    """Tries each call before any is timed. Raises EngineError, with MXNet's words, for one that MXNet refuses.

    A call in several dtypes is refused if MXNet refuses all of them. A crash, a hang or a lack of memory is no refusal.
    """

    def call_of(job: Job) -> tuple[object, ...]:
        return job.case.operator, job.case.params, [(item.name, item.tensor.shape) for item in job.case.inputs]

    framework = backend_of(executor.settings.framework).title
    for (operator, *_), same_call in groupby(jobs, key=call_of):
        tried = [executor.try_early(job) for job in same_call]
        refusals = [each.reason for each in tried if isinstance(each, CaseFailure) and each.is_refusal]
        if len(refusals) == len(tried):
            raise EngineError(f"{framework} refuses these inputs of {operator}: {refusals[0]}")
