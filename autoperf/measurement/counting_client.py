"""Client of the process that counts cases under valgrind."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import msgspec

from autoperf.backends.protocol import ChildKind, TrialResult
from autoperf.core.counts import CodeCount, Part
from autoperf.core.errors import CounterError, UsageError
from autoperf.core.graph import FRONT_END
from autoperf.core.outcome import PASSES, Pass, PassName, Status
from autoperf.counts.dumps import read_dump
from autoperf.counts.functions import code_count
from autoperf.counts.valgrind import Valgrind, hides_avx512, unknown_instruction
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import CaseCounts, CaseFailure, Counted, PassCounts, Task
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import ForkServerClient
from autoperf.stats.statistics import summarise

# The process itself gives up a case that needs more of the processor than the time limit, beside other programs later.
PATIENCE = 5.0
CHOOSING = (Part.ONEDNN.value, Part.BLAS.value)
OTHER_CODE = "oneDNN and BLAS choose code by the processor: AVX2's was counted, outside valgrind it can be AVX-512's"


def with_counts(run: Pass, counts: PassCounts | None) -> Pass:
    """The pass with the instructions of its kernels in each counted call, and the functions of the last one."""
    if counts is None:
        return run
    series, code = summarise([float(count.kernels) for count in counts.calls]), counts.calls[-1]
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
        if settings.keep_dumps:
            _make_folder(Path(settings.keep_dumps))
        self.command = valgrind.command(self._dumps)

    def stop(self) -> None:
        """Ends the process and its fork, and removes what they have written."""
        super().stop()
        for dump in self._dumps.glob("*"):
            dump.unlink(missing_ok=True)

    def count(self, job: Job, trial_result: TrialResult) -> CaseCounts | CaseFailure:
        """The counts of a case's passes by name, or why there are none."""
        if job.case.way in FRONT_END:
            return CaseFailure(Status.SKIPPED, "calls of the Python package aren't counted, only those of the C API")
        self.prepare()
        deadline = time.monotonic() + PATIENCE * self._settings.timeout
        answer = self.run_once(Task(job.case, trial_result, program=job.program), deadline, Counted)
        if isinstance(answer, Counted):
            return self._read(answer, job.case.id)
        if code := unknown_instruction(self.child.log()):
            reason = (
                f"{self._valgrind.name} doesn't know an instruction that the call executes ({code}): compile that code "
                "without it (AVX-512: -mno-avx512f), or time the case alone (leave out --counters)"
            )
            return CaseFailure(Status.SKIPPED, reason)
        return answer

    def _put_away(self, dump: Path, name: str) -> None:
        """Removes a dump that was read, or keeps it by its name, the last one of a pass. Raises OSError."""
        folder = self._settings.keep_dumps
        if folder:
            shutil.move(dump, Path(folder) / name)
        else:
            dump.unlink()

    def _read(self, counted: Counted, case: str) -> CaseCounts | CaseFailure:
        """The counts in the dumps of a fork."""
        passes = PASSES[: 1 + counted.has_backward]
        found: dict[PassName, list[CodeCount]] = {name: [] for name in passes}
        try:
            for number in range(counted.calls * len(passes)):
                path = self._dumps / f"{counted.pid}.{number + 1}"
                name = passes[number % len(passes)]
                found[name].append(code_count(read_dump(path), self._valgrind.name))
                self._put_away(path, f"callgrind.out.{case.replace('/', '-')}.{name}")
        except (CounterError, OSError) as error:
            return CaseFailure(Status.FAILED, str(error))
        return CaseCounts({name: PassCounts(tuple(counts)) for name, counts in found.items()})


def _make_folder(folder: Path) -> None:
    """Raises UsageError where the folder can't be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"invalid --keep-dumps {folder}: {error.strerror}; name a folder that can be made") from error
