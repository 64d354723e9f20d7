"""Times the same cases on two executors in turn, so that load on the machine affects both alike."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec

from autoperf.backends.protocol import TrialResult
from autoperf.backends.results import form_note
from autoperf.core.errors import EngineError
from autoperf.core.options import DEFAULT_PROCESSES, SIDE_MAX_TIME
from autoperf.core.outcome import NOT_TIMED, Outcome, Status
from autoperf.measurement.batches import Job, TriedCase
from autoperf.measurement.messages import CaseCounts, CaseFailure, Close, Measured, Open, Opened, Task, Turn, Turned
from autoperf.measurement.open_case import TurnFailed, take_turns
from autoperf.measurement.results_check import is_checked, remove_results, stored_difference
from autoperf.measurement.sampling import UNSETTLED_SECONDS
from autoperf.measurement.settings import Settings, sampling_seconds
from autoperf.measurement.supervisor import Executor, Visit

# The number of turns of a case in a process; long cases have fewer.
TURNS = 40
# The seconds of a process's share of the sampling time by default; a longer share has as many more turns.
USUAL_SHARE = SIDE_MAX_TIME / DEFAULT_PROCESSES
# With a time budget, the time that is left is for further turns of the later pairs of undecided cases.
MAX_TURNS = 400
MIN_TURNS = 12
TURN_SECONDS = 0.0025
MAX_SAMPLES = 64
# The seconds of a turn without its samples: two messages, waking the process, and the first call with cold caches.
TURN_OVERHEAD = 0.001
# With a time budget, turns take less than their overhead only if the case's share ends them; a case whose samples are
# longer than this has fewer turns than others.
LONG_SECONDS = 0.005
MIN_LONG_TURNS = 5
MAX_TIMEOUT_SHARE = 0.25
MIN_PAIRS = 2
# The number of contents for which results are compared: the case's own, and others by which a stale result shows.
DRAWS = 2
DIFFERENT = "not timed, since its results differ"
WITHOUT_PARTNER = f"{NOT_TIMED} gave no samples"
CANT_RUN = f"{NOT_TIMED} can't run it"


T = TypeVar("T")
Decided: TypeAlias = Callable[[Outcome, Outcome], bool]
"""Whether the results of a case on both sides so far need no more turns."""


@dataclass
class _InterleavedSide:
    """One side of a case: its executor, the case with the results of its processes, and the draws of its results."""

    executor: Executor
    case: TriedCase
    draws: int = 0

    def change(self, **changes: object) -> None:
        """Changes fields of the case."""
        self.case = msgspec.structs.replace(self.case, **changes)

    @property
    def task(self) -> Task:
        """The case as a process is asked to time it; the first one holds what it computes against the stored results.

        The others make the same calls by the same build, and reading what they compute takes as long again.
        """
        result, job = self.case.trial_result, self.case.job
        results = str(self.executor.stored_results) if self.draws and not self.case.measured else ""
        return Task(
            job.case,
            result if isinstance(result, TrialResult) else None,
            seconds=job.seconds,
            program=job.program,
            results=results,
            draws=self.draws,
            open=job.open,
        )

    @property
    def lost(self) -> bool:
        """Whether no more processes should try the case."""
        return self.case.is_lost or any(failure.status is Status.TIMEOUT for failure in self.case.failures)

    def outcome(self) -> Outcome:
        """The outcome, by the processes that were asked: a decided case needs no others."""
        return self.executor.conclude(self.case, processes=0)

    def visit(self, *, waits: bool) -> Visit:
        """The outcome, and with `waits` the case for the visit that times it."""
        return Visit(self.outcome(), self.case if waits and isinstance(self.case.trial_result, TrialResult) else None)


class _ProcessPair(NamedTuple):
    """A process of a side, which keeps the case open until the deadline."""

    side: _InterleavedSide
    process: int
    deadline: float

    def open(self) -> Opened | CaseFailure:
        if isinstance(self.side.case.trial_result, CaseFailure):
            return self.side.case.trial_result
        return self._ask(Open(self.side.task), Opened)

    def take(self, turn: Turn) -> Turned | CaseFailure:
        return self._ask(turn, Turned)

    def close(self) -> Measured | CaseFailure:
        return self._ask(Close(), Measured)

    def _ask(self, message: Open | Turn | Close, kind: type[T]) -> T | CaseFailure:
        begin = time.monotonic()
        answer = self.side.executor.workers.ask(self.process, message, kind, self.deadline)
        self.side.change(timing_seconds=self.side.case.timing_seconds + time.monotonic() - begin)
        return answer


class InterleavedExecutors:
    """Two executors with the same number of processes, which form pairs.

    The processes of a pair keep a case open and alternate in turns of a few milliseconds, forty each or more, in random
    order within each round and on the same processors. The pairs run one after the other. A slowdown of the machine for
    a tenth of a second therefore affects turns of both sides, or few turns.
    """

    def __init__(self, base: Executor, new: Executor, seed: int, decided: Decided | None = None) -> None:
        """`decided` is called after each pair but the first; the remaining pairs of a decided case don't run."""
        self._executors, self._seed, self._decided = (base, new), seed, decided

    def run(self, base: Job, new: Job, *, times_different: bool = False) -> tuple[Visit, Visit]:
        """The outcomes of a case on both sides.

        A case that fails on one side is not timed on the other, and one whose results differ is only timed with
        `times_different`. Where all are counted before the first is timed, one whose counts differ waits for a later
        visit.
        """
        draws = DRAWS if self._has_comparable(base, new) else 0
        try:
            pairs = zip(self._executors, (base, new), strict=True)
            sides = [self._run_trial(executor, job, draws) for executor, job in pairs]
            _note_form(*sides)
            untimed = self._why_untimed(sides, times_different=times_different)
            waits = False
            if untimed:
                for side in sides:
                    side.case = side.case.after(untimed)
            else:
                waits = self._measure(sides, base.case.id)
            return sides[0].visit(waits=waits), sides[1].visit(waits=waits)
        finally:
            for executor in self._executors if draws else ():
                remove_results(executor.stored_results or Path(), draws)

    def _why_untimed(self, sides: Sequence[_InterleavedSide], *, times_different: bool) -> CaseFailure | None:
        """Why a case that was tried isn't timed: one side can't run it, or computes something else; None if it is."""
        if any(isinstance(side.case.trial_result, CaseFailure) for side in sides):
            return CaseFailure(Status.SKIPPED, CANT_RUN)
        base, new = (side.executor.stored_results for side in sides)
        try:
            is_drawn = all(side.draws for side in sides)
            found = stored_difference((base, new), sides[1].task) if is_drawn and base and new else None
        except EngineError as error:
            return CaseFailure(Status.FAILED, str(error), broken=True)
        for side in sides:
            side.change(difference=found)
        return CaseFailure(Status.SKIPPED, f"{DIFFERENT}: {found.words}") if found and not times_different else None

    def _has_comparable(self, base: Job, new: Job) -> bool:
        """Whether both sides make calls with the same contents by one framework, whose results are read."""
        has_same_contents = base.case.digest == new.case.seed and not (base.program or new.program)
        frameworks = {executor.settings.framework for executor in self._executors}
        has_files = all(executor.stored_results for executor in self._executors)
        return has_same_contents and len(frameworks) == 1 and has_files and is_checked(base.case)

    def _run_trial(self, executor: Executor, job: Job, draws: int) -> _InterleavedSide:
        executor.prepare()
        begin = time.monotonic()
        trial_result = executor.run_trial(job, draws)
        if job.case.way == "layer" and not (executor.stored_results and executor.stored_results.exists()):
            # It is timed all the same, as one whose memory isn't known.
            draws = 0
        seconds = time.monotonic() - begin
        return _InterleavedSide(executor, TriedCase(job, trial_result, trial_seconds=seconds, counts=job.counts), draws)

    def _measure(self, sides: list[_InterleavedSide], case: str) -> bool:
        """Counts and times a case; returns whether it is to be timed once all others are counted."""
        settings = sides[0].executor.settings
        if settings.counts_first and not sides[0].case.counts:
            _count(sides)
            if settings.times_later:
                return not _are_identical(sides)
        if settings.takes_times and not (settings.counts_first and _are_identical(sides)):
            self._time(sides, case)
        if not settings.counts_first:
            _count(sides)
        return False

    def _time(self, sides: list[_InterleavedSide], case: str) -> None:
        draw = random.Random(f"{self._seed}/{case}")  # noqa: S311 - an order of measurements, not a secret
        processes = range(min(side.executor.settings.processes for side in sides))
        timeout = sum(side.executor.settings.timeout for side in sides)
        begin = time.monotonic()
        deadline = begin + timeout
        granted = sum(side.case.job.seconds for side in sides if side.case.job.seconds is not None) or float("inf")
        for number, pair in enumerate(draw.sample(processes, len(processes))):
            # Two short pairs decide most cases; the others divide the time that is left, which no other case may need.
            is_short = number < MIN_PAIRS or granted == float("inf")
            left = None if is_short else (granted - time.monotonic() + begin) / (len(processes) - number) / len(sides)
            used = [not side.executor.workers.processes[pair].fresh for side in sides]
            answers = _run_pair(sides, pair, draw, deadline, left)
            # Earlier cases may have damaged a process, so a failure counts only in a fresh one.
            broken = (isinstance(each, CaseFailure) and each.status is not Status.TIMEOUT for each in answers)
            if any(was_used and is_broken for was_used, is_broken in zip(used, broken, strict=True)):
                for side in sides:
                    side.executor.workers.processes[pair].renew()
                answers = _run_pair(sides, pair, draw, max(deadline, time.monotonic() + timeout), left)
            for side, answer in zip(sides, answers, strict=True):
                side.case = side.case.after(answer or CaseFailure(Status.SKIPPED, WITHOUT_PARTNER))
            if any(side.lost for side in sides) or self._is_complete(sides, time.monotonic() - begin, granted):
                return

    def _is_complete(self, sides: Sequence[_InterleavedSide], elapsed: float, granted: float) -> bool:
        """Whether a case needs no further pair: it is decided, or a pair would take more than it was granted."""
        pairs = min(len(side.case.measured) for side in sides)
        if self._decided is None or pairs < MIN_PAIRS:
            return False
        if elapsed + elapsed / pairs / 2 > granted:
            return True
        base, new = sides
        return self._decided(base.outcome(), new.outcome())


def _note_form(base: _InterleavedSide, new: _InterleavedSide) -> None:
    """Adds a note to a counterpart's trial whose outputs have another form than those of the other function."""
    theirs, own = base.case.trial_result, new.case.trial_result
    if not (new.case.job.case.counterpart and isinstance(theirs, TrialResult) and isinstance(own, TrialResult)):
        return
    if note := form_note(theirs.outputs, own.outputs):
        new.change(trial_result=msgspec.structs.replace(own, notes=(*own.notes, note)))


def _count(sides: Sequence[_InterleavedSide]) -> None:
    """Counts a case on all sides at once, each by its own process. Raises what counting one side raised."""
    raised: list[Exception] = []

    def count(side: _InterleavedSide) -> None:
        try:
            side.change(counts=side.executor.counted(side.case.job, side.case.trial_result))
        except Exception as error:  # noqa: BLE001 - it goes on in the caller's thread
            raised.append(error)

    # After Ctrl-C nobody waits for them: they end with their processes.
    threads = [Thread(target=count, args=(side,), daemon=True) for side in sides]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def _are_identical(sides: Sequence[_InterleavedSide]) -> bool:
    """Whether both sides' kernels execute the same code, call by call: those of a random operator may differ."""
    base, new = (side.case.counts for side in sides)
    if not (isinstance(base, CaseCounts) and isinstance(new, CaseCounts)) or base.passes.keys() != new.passes.keys():
        return False
    pairs = zip(base.passes.values(), new.passes.values(), strict=True)
    return all([call.digest for call in one] == [call.digest for call in other] for one, other in pairs)


def plan_turns(
    settings: Settings, iteration_seconds: float, seconds: float | None = None, *, most: int = TURNS
) -> list[Turn]:
    """At most `most` turns of a case in one process, by the seconds of an iteration; `seconds` limits a side's samples.

    With an exact count (`--samples`), exactly that many samples are taken. Otherwise a turn has at most 2.5 ms of
    samples, but at least one.
    """
    if settings.runs is not None:
        turns = min(TURNS, settings.runs)
        return [Turn(settings.runs // turns + (number < settings.runs % turns)) for number in range(turns)]
    sample_seconds = max(iteration_seconds, 1e-6) * settings.iterations_per_sample
    share = sampling_seconds(settings, seconds)
    if seconds is None:
        # All of the time is for samples, and is divided into as many turns as possible.
        count = _power_of_two(min(TURN_SECONDS, share / TURNS) / sample_seconds)
        least, most = MIN_TURNS, max(TURNS, min(MAX_TURNS, int(TURNS * share / USUAL_SHARE)))
        turn_seconds = count * sample_seconds
    else:
        # A budget includes the overhead of turns: each takes samples for as long as its overhead, which is the cheapest
        # way to a precise ratio if turns and samples scatter alike.
        count = _power_of_two(TURN_OVERHEAD / sample_seconds)
        least = MIN_LONG_TURNS if sample_seconds > LONG_SECONDS else MIN_TURNS
        turn_seconds = TURN_OVERHEAD + count * sample_seconds
    turns = max(least, min(most, int(share / turn_seconds)))
    max_turns = max(1, int(settings.timeout * MAX_TIMEOUT_SHARE / settings.processes / (count * sample_seconds)))
    return [Turn(count, discard_first=iteration_seconds < UNSETTLED_SECONDS)] * min(turns, max_turns)


def _power_of_two(samples: float) -> int:
    return 1 << (max(1, min(MAX_SAMPLES, int(samples))).bit_length() - 1)


def _run_pair(
    sides: Sequence[_InterleavedSide], pair: int, draw: random.Random, deadline: float, left: float | None = None
) -> list[Measured | CaseFailure | None]:
    """The results of a pair on each side; if a side fails, its failure, and None for the other.

    `left` are the seconds of each side in a pair that takes longer than the case's first ones.
    """
    settings, seconds = sides[0].executor.settings, sides[0].case.job.seconds
    share, most = (seconds, TURNS) if left is None else (left * settings.processes, MAX_TURNS)

    def plan(iteration_seconds: Sequence[float]) -> Iterator[Sequence[Turn]]:
        end = float("inf") if left is None else time.monotonic() + left * len(sides)
        for number, turn in enumerate(plan_turns(settings, max(iteration_seconds), share, most=most)):
            # Beside other programs, turns take longer than planned.
            if number >= MIN_LONG_TURNS and time.monotonic() > end:
                return
            yield [turn] * len(sides)

    try:
        return [*take_turns([_ProcessPair(side, pair, deadline) for side in sides], draw, plan, Measured)]
    except TurnFailed as failed:
        return [failed.failure if number == failed.side else None for number in range(len(sides))]
