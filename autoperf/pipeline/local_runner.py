"""Runs batches on this machine, one at a time, in its trial and worker processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.analysis.comparison import ComparisonOptions
from autoperf.analysis.early_stop import EarlyStop
from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import TrialResult
from autoperf.cases.build import has_dtype
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError
from autoperf.core.events import Sink
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.batches import BatchAnswer, BatchRequest, BatchRunner, CaseAnswer, Job, NextBatch, StartedCase
from autoperf.executor.child_setup import EXHAUSTED
from autoperf.executor.followed import followed_by
from autoperf.executor.interleaved_executors import InterleavedExecutors
from autoperf.executor.messages import CaseFailure
from autoperf.executor.roofline import known_roofline
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.sides import Side, require_int64_tensors
from autoperf.results.environment import Machine, machine_of, record

Reclassify: TypeAlias = Callable[[Job, Outcome], Outcome]
DefaultDtype: TypeAlias = Callable[[str], str | None]
OpenRunner: TypeAlias = Callable[
    [RunRequest, Sequence[Side], Path, Sink, ComparisonOptions | None], AbstractContextManager[BatchRunner]
]
"""Opens a runner for the sides of a request, with a scratch folder, a sink of its events, and options to stop early."""


@dataclass(frozen=True)
class LocalSide:
    """A side on this machine: its executor, the machine's record, and the function that reclassifies failures."""

    executor: Executor
    machine: Machine
    reclassify: Reclassify | None = None


class LocalRunner:
    """Runs batches one after the other; `stop` ends pairs in turn as soon as they are decided by its options."""

    parallel = 1

    def __init__(self, sides: Sequence[LocalSide], stop: ComparisonOptions | None = None) -> None:
        self._sides = sides
        self._decided = EarlyStop(sides[0].executor.reference, stop).is_decided if stop else None
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
        """One side after the other, each with all of its cases."""
        for number, side in enumerate(self._sides):
            jobs = request.jobs[number]
            for position, visit in enumerate(side.executor.first_visit(jobs, request.until)):
                outcome = side.reclassify(jobs[position], visit.outcome) if side.reclassify else visit.outcome
                yield (self._answer(number, position, outcome, visit.rest),)
            started = request.started[number] if request.started else ()
            for position, visit in enumerate(side.executor.later_visit(started, request.until)):
                yield (self._answer(number, position, visit.outcome, visit.rest),)

    def _in_turn(self, request: BatchRequest) -> Iterator[tuple[CaseAnswer, ...]]:
        """Both sides of each case in turns of a few milliseconds."""
        base, new = (side.executor for side in self._sides)
        turns = InterleavedExecutors(base, new, request.in_turn or 0, self._decided)
        for position, pair in enumerate(zip(*request.jobs, strict=True)):
            timed = turns.run(*pair)
            # Ctrl-C between the sides would leave a case in one file only.
            with interrupts_deferred():
                yield tuple(self._answer(side, position, outcome) for side, outcome in enumerate(timed))

    def _answer(self, side: int, position: int, outcome: Outcome, rest: StartedCase | None = None) -> CaseAnswer:
        named = msgspec.structs.replace(outcome, machine=self.machines[side].id)
        return CaseAnswer(side, position, named, rest)


class SideSetup(NamedTuple):
    """A side to open: its label, settings and build, the build that it follows, and the default dtypes of its rules."""

    label: str
    settings: Settings
    library: Path
    followed: Path | None = None
    default_dtype: DefaultDtype = lambda _operator: None


@contextmanager
def opened_sides(
    setups: Sequence[SideSetup], dtypes: tuple[str, ...], scratch: Path, sink: Sink, *, int64_tensor: bool
) -> Iterator[list[LocalSide]]:
    """Starts the processes of all sides. Raises AutoperfError if MXNet, a library or the context can't be used."""
    opened: list[LocalSide] = []
    with ExitStack() as stack:
        for setup in setups:
            folder = scratch / f"release-{setup.label}"
            folder.mkdir()
            followed = followed_by(setup.settings, setup.followed, folder) if setup.followed else None
            executor = stack.enter_context(Executor(setup.library, setup.settings, folder, sink, followed))
            if int64_tensor:
                require_int64_tensors(executor.build)
            reclassify = DtypeRefusals(setup.default_dtype, executor, dtypes).reclassify if dtypes else None
            opened.append(LocalSide(executor, _machine(setup, executor), reclassify))
        yield opened


@contextmanager
def _local_runner(
    request: RunRequest, sides: Sequence[Side], scratch: Path, sink: Sink, stop: ComparisonOptions | None
) -> Iterator[LocalRunner]:
    setups = [
        SideSetup(
            side.label,
            request.settings_of(number, side.release.layers),
            side.release.library,
            side.release.followed,
            side.default_dtype,
        )
        for number, side in enumerate(sides)
    ]
    recipe = request.recipe
    with opened_sides(setups, recipe.dtypes, scratch, sink, int64_tensor=recipe.int64_tensor) as opened:
        yield LocalRunner(opened, stop)


local_runner: OpenRunner = _local_runner
"""Starts the processes of all sides. Raises AutoperfError if MXNet, a library or the context can't be used."""


def _machine(setup: SideSetup, executor: Executor) -> Machine:
    environment, interpreter = record(executor.build.facts), executor.build.interpreter
    library, framework = setup.library, executor.settings.framework
    if setup.followed:
        packages = {**environment.packages, "numpy": interpreter["numpy"]}
        environment = msgspec.structs.replace(environment, python=interpreter["python"], packages=packages)
        # The machine's, which the other framework has measured.
        library, framework = setup.followed, backend_of(framework).follows
    roofline = known_roofline(library, executor.settings.env, framework)
    return machine_of(environment, executor.reference, roofline)


def check_calls(jobs: Iterable[Job], executor: Executor) -> None:
    """Tries each call before any is timed. Raises EngineError, with MXNet's words, for one that MXNet refuses.

    A call in several dtypes is refused if MXNet refuses all of them. A crash, a hang or a lack of memory is no refusal.
    """
    for _, same_call in groupby(jobs, key=lambda job: _without_dtypes(job.case)):
        refusals = [_refusal(executor, job) for job in same_call]
        if all(refusals):
            raise EngineError(refusals[0])


def _without_dtypes(case: Case) -> tuple[object, ...]:
    """Equal for the dtypes of one call."""
    return case.operator, case.params, [(item.name, item.tensor.shape) for item in case.inputs]


def _refusal(executor: Executor, job: Job) -> str:
    """The framework's error for a case that it refuses, else nothing."""
    tried: TrialResult | CaseFailure = executor.try_early(job)
    if isinstance(tried, TrialResult) or tried.status is not Status.FAILED:
        return ""
    if tried.broken or tried.reason.startswith(EXHAUSTED):
        return ""
    framework = backend_of(executor.settings.framework).title
    return f"{framework} refuses these inputs of {job.case.operator}: {tried.reason}"


@dataclass(frozen=True)
class DtypeRefusals:
    """Reclassifies failures of a run with --dtype; `default_dtype` gives that of an operator's rule, if it has one."""

    default_dtype: DefaultDtype
    executor: Executor
    dtypes: tuple[str, ...]

    def reclassify(self, job: Job, outcome: Outcome) -> Outcome:
        """The outcome of a job; a failed case becomes skipped if it runs in the default dtype of its rule."""
        if outcome.status is not Status.FAILED or outcome.reason.startswith(EXHAUSTED):
            return outcome
        default = self.default_dtype(job.case.operator)
        dtype = next((dtype for dtype in self.dtypes if has_dtype(job.case, dtype)), default)
        if default is None or default == dtype or not self._runs(in_dtype(job.case, str(dtype), default)):
            return outcome
        framework = backend_of(self.executor.settings.framework).title
        reason = f"{framework} refuses {dtype} at run time, but accepts {default}: {outcome.reason}"
        return msgspec.structs.replace(outcome, status=Status.SKIPPED, reason=reason)

    def _runs(self, case: Case) -> bool:
        self.executor.prepare()
        return isinstance(self.executor.run_trial(Job(case)), TrialResult)


def in_dtype(case: Case, was: str, now: str) -> Case:
    """The case with tensors and parameters of dtype `was` changed to `now`, without outputs."""
    inputs = tuple(
        Input(item.name, msgspec.structs.replace(item.tensor, dtype=now)) if item.tensor.dtype == was else item
        for item in case.inputs
    )
    params = {name: now if value == was else value for name, value in case.params.items()}
    return msgspec.structs.replace(case, inputs=inputs, params=params, outputs=())
