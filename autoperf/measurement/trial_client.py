"""Clients of the fork servers: trials, dry runs and counts of cases, in forks that may crash."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from autoperf.backends.protocol import ChildKind, TrialResult
from autoperf.core.errors import AutoperfError, CounterError, LibraryError, UsageError
from autoperf.core.graph import FRONT_END
from autoperf.core.outcome import PASSES, Pass, PassName, Status
from autoperf.core.work import CodeCount, Part
from autoperf.counts.functions import code_count, read_dump
from autoperf.counts.valgrind import OPTIONS, Valgrind, hides_avx512, unknown_instruction
from autoperf.measurement import messages
from autoperf.measurement.batches import Job
from autoperf.measurement.managed_process import Child, ManagedProcess
from autoperf.measurement.settings import Settings
from autoperf.processes.channel import UNSOLICITED, ChannelError, ChannelGarbled, ChannelMismatched
from autoperf.processes.failures import ExitStatus, lack_of_address_space, with_tail
from autoperf.stats.statistics import summarise

F = TypeVar("F", bound="ForkServerClient")
T = TypeVar("T")
# A fork server makes its next fork in milliseconds; one that takes this many seconds was stopped.
READY_PATIENCE = 10.0
# The maximum seconds of a case's time limit that the trial of a layer takes.
MAX_LAYER_SECONDS = 20.0


class ForkServerClient(ManagedProcess):
    """Client of a child process that forks for each case; use it as a context manager.

    Entering it starts the process and raises AutoperfError if the framework can't be used. After that no case
    raises: a failure is the answer.
    """

    forks: ChildKind
    _ready = False
    _problem: AutoperfError | None = None

    fork_seconds = 0.0
    """Seconds that the last case waited for a fork, which don't count against its time limit."""

    def __init__(self, library: Path, settings: Settings, scratch: Path, variables: Mapping[str, str] = {}) -> None:
        """`variables` are added to its environment."""
        super().__init__(self.forks, library, settings, scratch, variables)

    def __enter__(self: F) -> F:
        self.start()
        self.wait_ready()
        return self

    def stop(self) -> None:
        """Ends the process and its fork."""
        self._ready = False
        super().stop()

    def renew(self) -> None:
        """Does nothing, since each case has a new fork anyway."""

    def prepare(self) -> None:
        """Waits for a fork that is ready, before the case's time limit starts; an error is the next case's answer."""
        self._problem = None
        try:
            self._with_one_retry(self._await_fork)
        except AutoperfError as error:
            self._problem = error

    def run_once(self, task: messages.Task, deadline: float, kind: type[T]) -> T | messages.CaseFailure:
        """The answer of this kind, or a lost fork's failure; the time to get a fork is added to the deadline."""
        begin, self.fork_seconds = time.monotonic(), 0.0
        problem, self._problem = self._problem, None
        if problem:
            return self.not_started(problem)
        try:
            child, number = self._with_one_retry(lambda: self._hand_over(task))
        except AutoperfError as error:
            return self.not_started(error)
        self.fork_seconds = time.monotonic() - begin
        try:
            answered, answer = child.channel.receive(deadline + self.fork_seconds)
        except ChannelError as error:
            return self.lost(child, error)
        if isinstance(answer, messages.ChildExited):
            end = ExitStatus.of_wait(answer.status, child.tail())
            reason = end.describe("the process died: {}") + lack_of_address_space()
            return messages.CaseFailure(Status.CRASHED, reason, killed=end.killed)
        if answered != number:
            return self.lost(child, ChannelMismatched())
        return answer if isinstance(answer, kind | messages.CaseFailure) else self.invalid_answer()

    def _hand_over(self, task: messages.Task) -> tuple[Child, int]:
        """The process whose fork has accepted the task, and the task's number. Raises AutoperfError, ChannelError."""
        self._await_fork()
        child = self.child
        child.clear_log()
        patience, self._ready = self._patience(), False
        number = child.channel.post(task, patience)
        if not isinstance(child.channel.answer(number, patience), messages.Accepted):
            raise ChannelGarbled("a fork answered before it accepted its task")
        self.fresh = False
        return child, number

    def _with_one_retry(self, act: Callable[[], T]) -> T:
        """Runs `act`; replaces the process and runs it again if the process was lost without a case.

        The same holds for a lost fork, which may have read a part of the task. Raises AutoperfError the second time.
        """
        tail = ""
        for _ in range(2):
            with contextlib.suppress(ChannelError):
                return act()
            tail = self.tail()
            self.stop()
        raise LibraryError(with_tail("it ended before it accepted a case", tail) + lack_of_address_space())

    def _await_fork(self) -> None:
        """Waits for the next fork, made while the last case was timed. Raises ChannelError and AutoperfError."""
        if self._ready and self.runs:
            return
        # The first message may be the end of the last case's fork; a second end means a fork that was never ready.
        for _ in range(2):
            number, message = self.child.channel.receive(self._patience())
            if number != UNSOLICITED:
                raise ChannelMismatched("an unexpected answer came")
            if isinstance(message, messages.Unusable):
                raise LibraryError(message.reason)
            if isinstance(message, messages.ForkReady):
                self._ready = True
                return
        raise ChannelGarbled("forks end before they are ready")

    def _patience(self) -> float:
        return time.monotonic() + (self.start_patience if self.fresh else READY_PATIENCE)


class TrialClient(ForkServerClient):
    """Runs the trial of each case before it is timed."""

    forks: ChildKind = "trial"

    def run_trial(
        self, job: Job, deadline: float, *, results: str = "", draws: int = 1, expected: TrialResult | None = None
    ) -> TrialResult | messages.CaseFailure:
        """The trial's result; a case that crashes is tried again without its backward pass, a possible cause.

        A case whose process was killed is first repeated unchanged, since the cause may be outside the case. `results`,
        `draws` and `expected` are as in a Task.
        """
        backward = self._settings.backward and job.case.has_backward
        task = messages.Task(
            job.case, expected, backward=backward, program=job.program, results=results, draws=draws, open=job.open
        )
        result = self.with_retry(lambda until: self.run_once(task, until, TrialResult), deadline, _from_outside)
        if not (isinstance(result, messages.CaseFailure) and result.status is Status.CRASHED and task.backward):
            return result
        forward = self.run_once(msgspec.structs.replace(task, backward=False), deadline, TrialResult)
        if isinstance(forward, TrialResult):
            return msgspec.structs.replace(forward, reason=f"no backward pass: {result.reason}")
        return result


class LayerTrialClient(ForkServerClient):
    """Finds the memory and the results of layers; its process starts with the first one."""

    forks: ChildKind = "layer_trial"

    def run_trial(self, job: Job, deadline: float, *, results: str = "", draws: int = 1) -> TrialResult:
        """The memory of a layer; its results go to a file. One whose trial fails has none, and is timed anyway."""
        deadline = min(deadline, time.monotonic() + MAX_LAYER_SECONDS)
        task = messages.Task(job.case, backward=self._settings.backward, results=results, draws=draws, open=job.open)
        result = self.run_once(task, deadline, TrialResult)
        return result if isinstance(result, TrialResult) else TrialResult((), None, (), (), None)


class DryRunClient(ForkServerClient):
    """Finds out whether a case runs, without profiler and warm-up."""

    forks: ChildKind = "dry_run"

    def forward(self, job: Job) -> TrialResult | messages.CaseFailure:
        """Runs a case forward; the result only has its outputs."""
        task = messages.Task(job.case, backward=False)
        deadline = time.monotonic() + self._settings.timeout
        return self.with_retry(lambda until: self.run_once(task, until, TrialResult), deadline, _from_outside)


def _from_outside(failure: messages.CaseFailure) -> bool:
    return failure.killed or (failure.broken and failure.status is Status.CRASHED)


# The process itself gives up a case that needs more of the processor than the time limit, beside other programs later.
PATIENCE = 5.0
CHOOSING = (Part.ONEDNN.value, Part.BLAS.value)
OTHER_CODE = "oneDNN and BLAS choose code by the processor: AVX2's was counted, outside valgrind it can be AVX-512's"


def with_counts(run: Pass, counts: Sequence[CodeCount] | None) -> Pass:
    """The pass with the instructions of its kernels in each counted call, and the functions of the last one."""
    if counts is None:
        return run
    series, code = summarise([float(count.kernels) for count in counts]), counts[-1]
    notes = (*run.notes, OTHER_CODE) if code.path in CHOOSING and hides_avx512() else run.notes
    return msgspec.structs.replace(run, instructions=series, code=code, notes=notes)


class CountingClient(ForkServerClient):
    """Counts the instructions of cases."""

    forks: ChildKind = "counting"
    # Valgrind loads a framework in five times the time that it takes without.
    start_patience = 300.0

    def __init__(self, library: Path, settings: Settings, scratch: Path, valgrind: Valgrind) -> None:
        super().__init__(library, settings, scratch)
        self._valgrind = valgrind
        self._dumps = scratch / "counts"
        self._dumps.mkdir(exist_ok=True)
        if folder := settings.keep_dumps:
            try:
                Path(folder).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(
                    f"invalid --keep-dumps {folder}: {error.strerror}; name a folder that can be made"
                ) from error
        self.command = valgrind.command(self._dumps)

    def stop(self) -> None:
        """Ends the process and its fork, and removes what they have written."""
        super().stop()
        for dump in self._dumps.glob("*"):
            dump.unlink(missing_ok=True)

    def _with_environment(self, reason: str) -> str:
        """The reason, with the options that valgrind takes from its variable, which may be the cause."""
        options = os.environ.get(OPTIONS)
        given = super()._with_environment(reason)
        return f"{given}; {OPTIONS} gave valgrind {options}: unset it" if options else given

    def count(self, job: Job, trial_result: TrialResult) -> messages.CaseCounts | messages.CaseFailure:
        """The counts of a case's passes by name, or why there are none."""
        if job.case.way in FRONT_END:
            return messages.CaseFailure(
                Status.SKIPPED, "calls of the Python package aren't counted, only those of the C API"
            )
        self.prepare()
        deadline = time.monotonic() + PATIENCE * self._settings.timeout
        answer = self.run_once(messages.Task(job.case, trial_result, program=job.program), deadline, messages.Counted)
        if isinstance(answer, messages.Counted):
            return self._read(answer, job.case.id)
        if code := unknown_instruction(self.log()):
            reason = (
                f"{self._valgrind.name} doesn't know an instruction that the call executes ({code}): compile that code "
                "without it (AVX-512: -mno-avx512f), or time the case alone (leave out --counters)"
            )
            return messages.CaseFailure(Status.SKIPPED, reason)
        return answer

    def _read(self, counted: messages.Counted, case: str) -> messages.CaseCounts | messages.CaseFailure:
        passes, folder = PASSES[: 1 + counted.has_backward], self._settings.keep_dumps
        found: dict[PassName, list[CodeCount]] = {name: [] for name in passes}
        try:
            for number in range(counted.calls * len(passes)):
                path = self._dumps / f"{counted.pid}.{number + 1}"
                name = passes[number % len(passes)]
                found[name].append(code_count(read_dump(path), self._valgrind.name))
                # The last one of a pass is kept, by its name.
                if folder:
                    shutil.move(path, Path(folder) / f"callgrind.out.{case.replace('/', '-')}.{name}")
                else:
                    path.unlink()
        except (CounterError, OSError) as error:
            return messages.CaseFailure(Status.FAILED, str(error))
        return messages.CaseCounts({name: tuple(counts) for name, counts in found.items()})
