"""Runs cases in child processes, from trial to exactly one outcome for each, whatever happens to the processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.backends.passes import parse_context
from autoperf.backends.protocol import TrialResult
from autoperf.cases.build import has_dtype, in_dtype
from autoperf.core.clocks import KERNEL, WALL, Clock
from autoperf.core.errors import LibraryError
from autoperf.core.events import CaseStagesTimed, CaseStarted, NullSink, Sink
from autoperf.core.files import Closable
from autoperf.core.graph import FRONT_END
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import INTERRUPTED, MIN_DIFFERENCE_US, Outcome, PassName, Status
from autoperf.counts.requests import PROGRAM
from autoperf.counts.valgrind import find_valgrind
from autoperf.measurement.aggregation import DISAGREEMENT, UNTRIED, outcome_of
from autoperf.measurement.batches import Job, TriedCase
from autoperf.measurement.machine_state import reference_or
from autoperf.measurement.managed_process import FINAL, Followed, Workers
from autoperf.measurement.messages import Build, CaseCounts, CaseFailure, ClockSamples, Measured
from autoperf.measurement.sampling import TRACE_STEP_US
from autoperf.measurement.settings import Settings
from autoperf.measurement.stopping_rules import fenced, loops_for
from autoperf.measurement.trial_client import CountingClient, LayerTrialClient, TrialClient
from autoperf.stats.correction import ProbedSamples, at_reference, median, process_interval, slope_of_figure


class Agreement:
    """The samples of each pass and clock of a case by process.

    The addresses of code and data differ between processes, and the state of the machine between their times: where
    processes differ, another process adds more than more samples do.
    """

    def __init__(self, reference: Reference | None) -> None:
        """With `reference`, medians are at that speed."""
        self._reference = reference
        self._samples: dict[tuple[PassName, Clock], list[ClockSamples]] = {}
        self._is_reached: bool | None = None

    def add(self, measured: Measured) -> None:
        """Adds the samples of a process."""
        self._is_reached = None
        for name, run in measured.passes.items():
            for clock, taken in ((WALL, run.wall), (KERNEL, run.kernel)):
                if taken and taken.samples:
                    self._samples.setdefault((name, clock), []).append(taken)

    @property
    def is_reached(self) -> bool:
        """Whether the interval over the processes reaches at most 3%, or 0.25 us, beyond each median."""
        if self._is_reached is None:
            self._is_reached = all(_is_narrow(self._medians(clock, each)) for (_, clock), each in self._samples.items())
        return self._is_reached

    def _medians(self, clock: Clock, parts: Sequence[ClockSamples]) -> list[float]:
        values: Sequence[Sequence[float]] = [part.samples for part in parts]
        probed = [ProbedSamples(part.samples, part.probes) for part in parts if part.probes]
        if self._reference and len(probed) == len(parts):
            before = tuple(reading for part in probed for reading in part.probes.before)
            after = tuple(reading for part in probed for reading in part.probes.after)
            samples = [sample for part in probed for sample in part.samples]
            joined = ProbedSamples(samples, Probes(before, after), [len(part.samples) for part in probed])
            values = at_reference(*joined, self._reference, slope_of_figure(clock, joined, self._reference)).parts
        pairs = zip(parts, values, strict=True)
        return [_typical(corrected, part.samples, clock) for part, corrected in pairs if corrected]


def _typical(samples: Sequence[float], raw: Sequence[float], clock: Clock) -> float:
    """The median of a process; of a kernel of few steps of the clock the mean, which is finer than they are."""
    if clock == KERNEL and loops_for(raw, TRACE_STEP_US) > 1:
        return sum(fenced(samples, TRACE_STEP_US)) / len(samples)
    return median(sorted(samples))


def _is_narrow(medians: list[float]) -> bool:
    interval = process_interval(medians)
    if interval is None:
        return len(medians) > 1
    low, high = interval
    return high <= max((1 + DISAGREEMENT) ** 2 * low, low + 2 * MIN_DIFFERENCE_US)


# A process is asked only if there is this many times as much time left as the previous one took.
TIME_MARGIN = 1.25


class Visit(NamedTuple):
    """The state of a case after a visit: its outcome, and the case for a later visit; None if that was the last."""

    outcome: Outcome
    rest: TriedCase | None


class CaseInFlight:
    """A case between its trial and its outcome, which worker processes time, one a step.

    If all have samples but disagree, processes of the reserve time it too, until they agree. The visit ends when
    `until` processes have timed it, or failed to; None: all, and those of the reserve.
    """

    def __init__(self, case: TriedCase, workers: Workers, until: int | None = None) -> None:
        self.case = case
        self.is_interrupted = False
        self._workers, self._until = workers, until
        self._agreement = Agreement(workers.reference)
        for samples in case.measured:
            self._agreement.add(samples)
        self._left = workers.order(case.job)[case.asked :] if isinstance(case.trial_result, TrialResult) else []
        self._last_seconds, self._is_given_up = 0.0, False

    @property
    def is_done(self) -> bool:
        """Whether no process is to time the case in this visit."""
        return self._is_over or (self._until is not None and self.case.asked >= self._until)

    @property
    def _is_over(self) -> bool:
        """Whether no process is to time the case in any visit."""
        if self._is_given_up or not self._left:
            return True
        case = self.case
        return self._is_reserve and bool(case.failures or self._agreement.is_reached or case.job.seconds is not None)

    @property
    def _is_reserve(self) -> bool:
        return self.case.asked >= len(self._workers.processes)

    @property
    def rest(self) -> TriedCase | None:
        """The case for a later visit, if other processes are to time it."""
        return None if self.is_interrupted or self._is_over else self.case

    def interrupt(self) -> bool:
        """Leaves out the processes that haven't timed the case. Returns whether it has an outcome."""
        case, self.is_interrupted = self.case, True
        if not self._is_over:
            self.case = case.after(CaseFailure(Status.SKIPPED, INTERRUPTED))
        return case.asked > 0 or case.counts is not None or isinstance(case.trial_result, CaseFailure)

    def step(self) -> None:
        """Times the case in its next process, if its time limit leaves time for that."""
        trial_result = self.case.trial_result
        if not self._left or isinstance(trial_result, CaseFailure):
            return
        begin = time.monotonic()
        deadline = begin + self.case.left
        if self._last_seconds and begin + TIME_MARGIN * self._last_seconds > deadline:
            self._is_given_up = True
            if not self._is_reserve:
                self.case = self.case.after(self._workers.no_time_left())
            return
        answer = self._workers.time_in(self._left[0], self.case.job, trial_result, deadline)
        # Only now: after Ctrl-C the process must still count as one that hasn't timed the case.
        del self._left[0]
        self._last_seconds = spent = time.monotonic() - begin
        seconds, left = self.case.timing_seconds + spent, self.case.left - spent
        self.case = msgspec.structs.replace(self.case.after(answer), timing_seconds=seconds, left=left)
        if isinstance(answer, Measured):
            self._agreement.add(answer)
        else:
            self._is_given_up = answer.status in FINAL or self.case.is_lost


ROUND_CASES = 16
"""The number of cases that are timed in turn, one process a round."""


class Executor(Closable):
    """One trial process and several worker processes; use it as a context manager.

    Entering it starts them and raises AutoperfError if the framework or the context can't be used. After that no case
    raises: a failure is its outcome. The sink gets a CaseStarted before each case, and a CaseStagesTimed after each
    that `run` has timed.
    """

    def __init__(
        self,
        library: Path,
        settings: Settings,
        scratch: Path,
        sink: Sink | None = None,
        followed: Followed | None = None,
        *,
        dtypes: tuple[str, ...] = (),
    ) -> None:
        """`followed` is the framework that this one follows, `dtypes` those that were asked for of all operators."""
        parse_context(settings.ctx)
        self.settings = settings
        self._allowed = settings.bytes_allowed
        self._results = scratch / "results.npz"
        self._sink = sink or NullSink()
        self._dtypes = dtypes
        variables = followed.threads if followed else {}
        self._trial = TrialClient(library, settings, scratch, variables)
        self._followed = TrialClient(*followed.build, scratch) if followed else None
        self._trials = (self._followed, self._trial) if self._followed else (self._trial,)
        self._layer_trial = LayerTrialClient(library, settings, scratch)
        self.workers = Workers(library, settings, scratch, variables)
        by_valgrind = settings.counted_by == PROGRAM
        self._counting = CountingClient(library, settings, scratch, find_valgrind()) if by_valgrind else None
        self._forking = (*self._trials, *([self._counting] if self._counting else []))
        self._build: Build | None = None
        self._tried_early: dict[str, TrialResult | CaseFailure] = {}
        self._is_first_round = True

    def __enter__(self) -> Executor:
        try:
            self.start()
            self.wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def start(self) -> None:
        """Starts its processes without waiting for them. Raises ProcessError."""
        self.workers.start()
        for child in self._forking:
            child.start()

    def wait_ready(self) -> None:
        """Waits until its processes have loaded the framework. Raises AutoperfError if one can't."""
        timed = self.workers.wait_ready() if self.settings.takes_times else None
        if timed:
            self.workers.reference = reference_or(timed.probe_us, timed.interpreter.get("probe"))
        builds = {child: child.wait_ready() for child in self._forking}
        self._build = timed or builds[self._trial]

    def close(self) -> None:
        """Ends the child processes for good; a second time does nothing."""
        for child in (*self._forking, self._layer_trial, self.workers):
            child.close()

    @property
    def build(self) -> Build:
        """The build of the workers' library. Raises LibraryError before the executor is entered."""
        if self._build is None:
            raise LibraryError("the executor isn't running yet")
        return self._build

    @property
    def reference(self) -> Reference | None:
        """The reference speed of the machine, at which times are reported."""
        return self.workers.reference

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Yields one outcome for each job, in order; jobs are consumed one at a time."""
        return (visit.outcome for job in jobs for visit in self.first_visit([job]))

    def first_visit(self, jobs: Sequence[Job], until: int | None = None) -> Iterator[Visit]:
        """Begins cases, in rounds, until `until` processes have timed each (None: all); yields them in order.

        Each round times every case in one process. The processes of a case therefore see the machine at different
        times: disturbances last for seconds, and processes back to back would agree on a wrong time. At most
        `ROUND_CASES` cases are in flight; the first of all is alone, so that there is a result to read at once. Ctrl-C
        ends those in flight with the samples they have.
        """
        return self._visit([partial(self._begin, job, until) for job in jobs])

    def later_visit(self, cases: Sequence[TriedCase], until: int | None = None) -> Iterator[Visit]:
        """Continues cases of an earlier visit, in rounds, until `until` processes have timed each (None: all)."""
        return self._visit([partial(self._continue, case, until) for case in cases])

    def _visit(self, begins: Sequence[Callable[[], CaseInFlight]]) -> Iterator[Visit]:
        for round_ in self._rounds(begins):
            cases: list[CaseInFlight] = []
            try:
                for begin in round_:
                    cases.append(begin())
                    cases[-1].step()
                while unfinished := [case for case in cases if not case.is_done]:
                    for case in unfinished:
                        case.step()
                for case in cases:
                    self._count(case)
            except KeyboardInterrupt:
                # Only the last can be without an outcome: the others are numbered in the order of the jobs.
                with interrupts_deferred():
                    yield from map(self._end, takewhile(CaseInFlight.interrupt, cases))
                raise
            # Ctrl-C while the caller writes the first of them would cost the others.
            with interrupts_deferred():
                yield from map(self._end, cases)

    def _rounds(self, begins: Sequence[Callable[[], CaseInFlight]]) -> Iterator[Sequence[Callable[[], CaseInFlight]]]:
        size, alone = ROUND_CASES if self.settings.takes_times else 1, 0
        if begins and self._is_first_round:
            self._is_first_round, alone = False, 1
            yield begins[:1]
        yield from (begins[first : first + size] for first in range(alone, len(begins), size))

    def prepare(self) -> None:
        """Waits until all processes are ready for the next case; its time limit starts after that."""
        for trial in self._trials:
            trial.prepare()
        self.workers.prepare()

    @property
    def stored_results(self) -> Path | None:
        """The file for the results of a case's trial; None for a framework that follows another one."""
        return None if self._followed else self._results

    def run_trial(self, job: Job, draws: int = 0) -> TrialResult | CaseFailure:
        """The result of a case's trial within its time limit, or its failure; results of so many draws are stored."""
        self._sink.handle(CaseStarted(job.case))
        early = self._tried_early.pop(job.case.id, None)
        if early and not (draws and isinstance(early, TrialResult)):
            return early
        return self._tried(job, draws)

    def _tried(self, job: Job, draws: int = 0) -> TrialResult | CaseFailure:
        deadline = time.monotonic() + self.settings.timeout
        needed = job.case.input_bytes + job.case.output_bytes
        if needed > self._allowed:
            reason = f"its inputs and outputs take {needed:,} bytes, more than the limit of {self._allowed:,} bytes"
            return CaseFailure(Status.SKIPPED, reason)
        results = str(self.stored_results) if draws else ""
        if job.case.way in FRONT_END:
            if parse_context(self.settings.ctx)[0] != "cpu":
                reason = f"front-end benchmarks run on the CPU only, not on {self.settings.ctx}"
                return CaseFailure(Status.SKIPPED, reason)
            if job.case.way != "layer":
                return UNTRIED
            return self._layer_trial.run_trial(job, deadline, results=results, draws=draws or 1)
        if self._followed:
            return self._checked_trial(self._followed, job, deadline)
        return self._trial.run_trial(job, deadline, results=results, draws=draws or 1)

    def _checked_trial(self, followed: TrialClient, job: Job, deadline: float) -> TrialResult | CaseFailure:
        """The trial of a case with the results of the framework that this one follows; it fails where they differ."""
        path = str(self._results)
        try:
            expected = followed.run_trial(msgspec.structs.replace(job, program=None), deadline, results=path)
            if isinstance(expected, CaseFailure):
                return CaseFailure(Status.SKIPPED, f"no results to compare with: {expected.reason}")
            return self._trial.run_trial(job, deadline, results=path, expected=expected)
        finally:
            self._results.unlink(missing_ok=True)

    def try_early(self, job: Job) -> TrialResult | CaseFailure:
        """As `run_trial`; the result is kept for the moment when the case is timed."""
        self.prepare()
        self._tried_early[job.case.id] = result = self.run_trial(job)
        return result

    def _count(self, flight: CaseInFlight) -> None:
        if not flight.rest:
            begin, case = time.monotonic(), flight.case
            counts = self.counted(case.job, case.trial_result)
            seconds = case.timing_seconds + time.monotonic() - begin
            flight.case = msgspec.structs.replace(case, counts=counts, timing_seconds=seconds)

    def counted(self, job: Job, trial_result: TrialResult | CaseFailure) -> CaseCounts | CaseFailure | None:
        """The instructions of a case that was tried, or why there are none; None if they aren't to be counted."""
        if self._counting is None or not isinstance(trial_result, TrialResult):
            return None
        return self._counting.count(job, trial_result)

    def conclude(self, tried: TriedCase, processes: int | None = None) -> Outcome:
        """The outcome of a case (see `outcome_of`); one that fails in a dtype asked for is tried in its rule's."""
        failure, case, default, refused = tried.failure, tried.job.case, tried.job.default_dtype, ""
        if failure and failure.is_refusal and default:
            dtype = next((dtype for dtype in self._dtypes if has_dtype(case, dtype)), default)
            if dtype != default:
                self.prepare()
                runs = isinstance(self._tried(Job(in_dtype(case, dtype, default))), TrialResult)
                refused = dtype if runs else ""
        return outcome_of(tried, self.settings, self.reference, refused, processes=processes)

    def _begin(self, job: Job, until: int | None) -> CaseInFlight:
        """Tries the case. Other cases that run in between don't count against its time limit."""
        self.prepare()
        if job.case.way == "layer":
            self._layer_trial.prepare()
        begin = time.monotonic()
        trial_result = self.run_trial(job)
        spent = time.monotonic() - begin
        left = self.settings.timeout - spent + sum(trial.fork_seconds for trial in self._trials)
        return CaseInFlight(TriedCase(job, trial_result, trial_seconds=spent, left=left), self.workers, until)

    def _continue(self, case: TriedCase, until: int | None) -> CaseInFlight:
        self.prepare()
        self._sink.handle(CaseStarted(case.job.case))
        return CaseInFlight(case, self.workers, until)

    def _end(self, flight: CaseInFlight) -> Visit:
        case, rest = flight.case, flight.rest
        stages = {"trial": case.trial_seconds, "timing": case.timing_seconds}
        if isinstance(case.trial_result, TrialResult):
            stages["trial runs"] = case.trial_result.seconds
        for measured in case.measured:
            for stage, seconds in measured.stages.items():
                stages[stage] = stages.get(stage, 0.0) + seconds
        self._sink.handle(CaseStagesTimed(case.job.case, stages))
        if case.counts is None and flight.is_interrupted and self._counting:
            case = msgspec.structs.replace(case, counts=CaseFailure(Status.SKIPPED, INTERRUPTED))
        return Visit(self.conclude(case, processes=0 if rest else None), rest)
