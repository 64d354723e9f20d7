"""The client of the quick timing process, and timings of cases on one or two sides."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec

from autoperf.backends.protocol import Program, TrialResult
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.files import Closable
from autoperf.core.outcome import PASSES, PassName, Status
from autoperf.measurement.managed_process import ManagedProcess
from autoperf.measurement.messages import (
    Build,
    CaseFailure,
    Close,
    Open,
    Opened,
    PairedTimes,
    PairedTiming,
    QuickTimes,
    QuickTiming,
    Request,
    Task,
    Turn,
    Turned,
)
from autoperf.measurement.open_case import TurnFailed, take_turns
from autoperf.measurement.quick_timing import MAX_LOOPS, SAMPLE_SECONDS
from autoperf.measurement.results_check import stored_difference
from autoperf.measurement.sampling import UNSETTLED_SECONDS
from autoperf.measurement.settings import Settings
from autoperf.rules.open_results import open_results

T = TypeVar("T")
Programs: TypeAlias = Callable[[Case], Program | str]
"""The program of a case in a framework that follows another one, or the reason why there is none."""
# The seconds that creating the arrays may take in addition to the samples. A virtual machine gets pages that it has
# never used from its host, which may take a second for each GB, and each array exists several times.
PATIENCE = 10.0
BYTES_A_SECOND = 5e7


class QuickTimingClient(Closable):
    """One child process as a context, restarted after a crash; entering raises AutoperfError, nothing after that."""

    def __init__(
        self,
        library: Path,
        settings: Settings,
        scratch: Path,
        variables: Mapping[str, str] = {},
        *,
        by_kernels: bool = False,
        programs: Programs | None = None,
    ) -> None:
        """`variables` are added to its environment. `by_kernels`: kernels are timed. `programs`: it follows another."""
        self.build: Build
        """The build of the process's library, once it is entered."""
        # Single cases are timed by the profiler, or by the wall clock alone.
        self._settings = msgspec.structs.replace(settings, profiler="native" if by_kernels else "python")
        self._programs = programs
        self._results = scratch / "results.npz"
        self._process = ManagedProcess("quick_timing", library, self._settings, scratch, variables)

    def __enter__(self) -> QuickTimingClient:
        try:
            self._process.start()
            self.build = self._process.wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Ends the process; a second time does nothing."""
        self._process.stop()

    def renew(self) -> None:
        """Ends the process, so that the next request gets a fresh one."""
        self._process.stop()

    def time_case(self, request: QuickTiming) -> QuickTimes | CaseFailure:
        """The times of each pass, or the failure."""
        program = self.program(request.case)
        if isinstance(program, CaseFailure):
            return program
        request = msgspec.structs.replace(request, program=program)
        return self.ask(request, QuickTimes, request.seconds, request.case)

    def time_pair(self, request: PairedTiming) -> PairedTimes | CaseFailure:
        """The times of the pass of both cases, taken alternately, or the failure."""
        return self.ask(request, PairedTimes, request.seconds, request.first, request.second)

    def compare_results(self, case: Case, reference: QuickTimingClient, seconds: float) -> TrialResult | CaseFailure:
        """The trial of a case whose results equal those of the other side's process, or the failure."""
        program = self.program(case)
        if isinstance(program, CaseFailure):
            return program
        paths = self._results, self._results.with_name("results-new.npz")
        first, second = (Task(case, results=str(path), open=open_results(case)) for path in paths)
        try:
            expected = reference.ask(first, TrialResult, seconds, case)
            if isinstance(expected, CaseFailure):
                return CaseFailure(Status.SKIPPED, f"no results to compare with: {expected.reason}")
            if program:
                followed = msgspec.structs.replace(first, trial_result=expected, program=program)
                return self.ask(followed, TrialResult, seconds, case)
            trial = self.ask(second, TrialResult, seconds, case)
            found = None if isinstance(trial, CaseFailure) else stored_difference(paths, second)
        except EngineError as error:
            return CaseFailure(Status.FAILED, str(error))
        finally:
            for path in paths:
                path.unlink(missing_ok=True)
        return CaseFailure(Status.SKIPPED, f"the results differ: {found.words}") if found else trial

    def program(self, case: Case) -> Program | CaseFailure | None:
        """The program of a case in a framework that follows another one, or why there is none; None of MXNet."""
        found = self._programs(case) if self._programs else None
        return CaseFailure(Status.SKIPPED, found) if isinstance(found, str) else found

    def ask(self, request: Request, kind: type[T], seconds: float, *cases: Case) -> T | CaseFailure:
        """The answer of this kind to a request about these cases, which takes about so many seconds, or the failure."""
        needed = sum(case.input_bytes + case.output_bytes for case in cases)
        if needed > self._settings.bytes_allowed:
            return CaseFailure(Status.SKIPPED, f"inputs and outputs take {needed:,} bytes, more than the limit")
        limit = min(self._settings.timeout, seconds + PATIENCE + needed / BYTES_A_SECOND)
        return self._process.ask(request, kind, time.monotonic() + limit, limit)


class EqualResults(NamedTuple):
    """The passes of a case whose results both sides computed alike; `reason` says why another one isn't among them."""

    passes: tuple[PassName, ...] = ()
    reason: str = ""


VIEW = "the other framework returns a view there, which computes nothing"
NO_GRADIENT = "no gradient to compare there"


class SideTimings:
    """The quick timings of a hunt's sides, by their numbers.

    Two cases of one side are timed alternately by its process. Those of two sides are kept open by both processes,
    which alternate in turns as those of an interleaved comparison do.
    """

    def __init__(self, clients: Sequence[QuickTimingClient]) -> None:
        self._clients = tuple(clients)

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        """The times of each pass of a case on a side, or the failure."""
        return self._clients[side].time_case(request)

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        """The times of the pass of both cases, each on its side, taken alternately, or the failure."""
        first, second = (self._clients[side] for side in sides)
        if first is second:
            return first.time_pair(request)
        takers = [OpenPass(first, request.first, request), OpenPass(second, request.second, request)]
        draw = random.Random(request.seed)  # noqa: S311 - an order of measurements, not a secret
        try:
            times = take_turns(takers, draw, lambda seconds: _rounds(seconds, request), QuickTimes)
        except TurnFailed as failed:
            return failed.failure
        return PairedTimes(*(side.backward_us if request.backward else side.forward_us for side in times))

    def check_case(self, case: Case, side: int, seconds: float) -> EqualResults:
        """The passes of a case whose results on a side equal the other side's."""
        client = self._clients[side]
        reference = next(other for other in self._clients if other is not client)
        trial = client.compare_results(case, reference, seconds)
        if isinstance(trial, CaseFailure):
            return EqualResults(reason=trial.reason)
        passes: tuple[PassName, ...] = ("forward", "backward") if trial.backward_request else ("forward",)
        computed = tuple(pass_ for pass_ in passes if pass_ not in trial.views)
        missing = VIEW if trial.views else trial.reason or NO_GRADIENT
        return EqualResults(computed, missing if len(computed) < len(PASSES) else "")

    def renew(self) -> None:
        """Ends the processes, so that the next answers come from fresh ones."""
        for client in self._clients:
            client.renew()


class OpenPass(NamedTuple):
    """A case that one side's process keeps open, to time its pass in turns; what fails is an answer."""

    client: QuickTimingClient
    case: Case
    request: PairedTiming

    def open(self) -> Opened | CaseFailure:
        """Opens the case."""
        program = self.client.program(self.case)
        if isinstance(program, CaseFailure):
            return program
        return self._ask(Open(Task(self.case, backward=self.request.backward, program=program)), Opened)

    def take(self, turn: Turn) -> Turned | CaseFailure:
        """Takes the samples of a turn."""
        return self._ask(turn, Turned)

    def close(self) -> QuickTimes | CaseFailure:
        """Closes the case: the mean microseconds of each turn."""
        return self.client.ask(Close(), QuickTimes, 0.0)

    def _ask(self, message: Request, kind: type[T]) -> T | CaseFailure:
        return self.client.ask(message, kind, self.request.seconds, self.case)


def _rounds(iteration_seconds: Sequence[float], request: PairedTiming) -> Iterator[Sequence[Turn]]:
    """The requested rounds that fit in the time, at least one; a turn has as many calls as a sample."""
    deadline = time.monotonic() + request.seconds
    turns = [
        Turn(max(1, min(MAX_LOOPS, int(SAMPLE_SECONDS / max(each, 1e-9)))), discard_first=each < UNSETTLED_SECONDS)
        for each in iteration_seconds
    ]
    for number in range(max(1, request.rounds)):
        if number and time.monotonic() >= deadline:
            return
        yield turns
