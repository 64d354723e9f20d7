"""Does the kernel time that autoperf reports agree with an independent measurement?

    python benches/kernel_agreement.py [--rounds 3] > docs/kernel-agreement.md

For each operator a large canonical case is run by `autoperf`'s executor (MXNet's profiler, one call at a time) and,
independently, in a process of its own without any profiler: a long loop of calls, forward and backward, each of which
is waited for. Results are freed outside of the time: to give large memory back to the system is no kernel. What a call
takes beside its kernels, the same loop tells with the operator's small inputs: it is subtracted, with their kernels of
some microseconds. The loop doesn't queue calls: results of several calls at once don't fit into the caches, and the
system has to provide their memory anew, which takes longer than many kernels.
Both sides run on the same processor and are corrected to the machine's reference speed by readings of its probe right
after calls: autoperf's sample by sample, the loop's around each stretch of 16 ms. The loop tells the median of 25
stretches: what disturbs some calls is in a mean, but not in the median that autoperf reports. Both are measured in
turn, `--rounds` times; the table has the medians, and the median of the rounds' ratios, corrected and as measured.
Exits with 1 if the median ratio is further than 2% from 1, or less than 90% of the ratios are within 10%.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from case_cells import case_cells

from autoperf.capi import autograd
from autoperf.capi.devices import openmp_threads
from autoperf.capi.library import Library, open_library
from autoperf.capi.library_path import find_library
from autoperf.cases.build import Recipe
from autoperf.core.clocks import KERNEL
from autoperf.core.outcome import Outcome, Pass
from autoperf.executor.call import Call, describe, differentiable_inputs
from autoperf.executor.messages import BackwardRequest
from autoperf.executor.placement import choose_processors, place, usable_processors
from autoperf.executor.probe import Probe
from autoperf.executor.reference import known_reference
from autoperf.executor.settings import Settings
from autoperf.executor.suite import SuiteFile
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.pipeline.batches import jobs_of
from autoperf.pipeline.release import open_release
from autoperf.pipeline.selection import Selection, targets
from autoperf.pipeline.suite_generation import prepare
from autoperf.results.slopes import typical_slope

OPERATORS = """
exp sin tanh erf sqrt log cbrt gamma broadcast_add broadcast_mul broadcast_power elemwise_add elemwise_div
_plus_scalar _power_scalar sum mean max prod norm argmax topk sort argsort softmax log_softmax Activation
LeakyReLU LayerNorm InstanceNorm GroupNorm L2Normalization Convolution Deconvolution Pooling FullyConnected
Embedding dot batch_dot _linalg_gemm2 _linalg_syrk _linalg_potrf _linalg_trsm transpose SwapAxis reverse
tile repeat Concat stack SliceChannel take pick one_hot gather_nd where clip Cast Pad slice _random_uniform
_random_normal sgd_update adam_update _npi_add _npi_exp _npi_mean _npi_matmul cumsum RNN UpSampling
SequenceMask
"""
SECONDS = 0.4
STRETCHES = 25
READINGS = 3
MAX_MEDIAN_ERROR, MIN_WITHIN = 0.02, 0.9
HEAD = """# Kernel time against an independent loop

Made by `python benches/kernel_agreement.py` on a shared virtual machine with two processors at 2.5 GHz, MXNet 1.9.1;
[measurement.md](measurement.md) says how to read it.
"""
ROUNDS = 3
LARGE, SMALL = "large", "small"


class Times(NamedTuple):
    """Microseconds a call: at reference speed, and as measured."""

    corrected: float
    measured: float

    def less(self, other: Times) -> Times:
        """What is left of these times without the other ones."""
        return Times(self.corrected - other.corrected, self.measured - other.measured)


class Round(NamedTuple):
    """What autoperf reports of an operator, and the loop beside it."""

    outcome: Outcome
    reported: Times
    looped: Times


class Row(NamedTuple):
    """An operator's outcome, the microseconds a call by both measurements, and their ratios: medians over the rounds.

    The ratios are taken round by round, since a shared machine's speed drifts between rounds.
    """

    outcome: Outcome
    reported: float
    looped: float
    ratio: float
    measured_ratio: float

    @classmethod
    def of(cls, rounds: Sequence[Round]) -> Row:
        median = statistics.median
        return cls(
            rounds[-1].outcome,
            median(entry.reported.corrected for entry in rounds),
            median(entry.looped.corrected for entry in rounds),
            median(entry.reported.corrected / entry.looped.corrected for entry in rounds),
            median(entry.reported.measured / entry.looped.measured for entry in rounds),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop", nargs="+", metavar="FILE FUNCTION GRADIENT", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often both sides measure each operator")
    arguments = parser.parse_args()
    if arguments.loop:
        file, function, *gradients = arguments.loop
        print(json.dumps(loop(Path(file), function, gradients)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(Path(folder), arguments.rounds)
    return report(rows)


def compare(folder: Path, count: int) -> list[Row]:
    rows = []
    recipe = Recipe(draws=0, profiles=frozenset({LARGE, SMALL}))
    with open_release() as release, Executor(release.library, Settings(processes=1), folder) as executor:
        for target in targets(release.registry, release.catalog, Selection(operators=tuple(OPERATORS.split()))):
            jobs = {job.case.profile: job for job in jobs_of(prepare(release, target, recipe), folder)}
            if jobs.keys() < {LARGE, SMALL}:
                continue
            rounds = [measured for _ in range(count) if (measured := in_turn(executor, jobs[LARGE], jobs[SMALL]))]
            if rounds:
                rows.append(Row.of(rounds))
    return rows


def in_turn(executor: Executor, large: Job, small: Job) -> Round | None:
    """One round: what autoperf reports, then the loops; None where the case can't be measured."""
    outcome = next(executor.run([large]))
    if outcome.forward is None or outcome.forward.kernel_us is None:
        return None
    has_backward = outcome.backward is not None
    passes = [run for run in (outcome.forward, outcome.backward) if run]
    reported = Times(sum(map(total, passes)), sum(map(uncorrected_total, passes)))
    looped, overhead = (
        independent(job, differentiable_inputs(job.case) if has_backward else ()) for job in (large, small)
    )
    return Round(outcome, reported, looped.less(overhead))


def independent(job: Job, gradients: Sequence[str]) -> Times:
    command = [sys.executable, __file__, "--loop", str(job.file), job.function, *gradients]
    return Times(*json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def loop(file: Path, function: str, gradients: list[str]) -> Times:
    """Microseconds a call, forward and (if there are gradients) backward: the median of stretches of calls."""
    library = open_library(find_library())
    place(choose_processors(None, openmp_threads(library), usable_processors(), os.environ))
    call = Call(library, SuiteFile(file).build(function), ("cpu", 0))
    if gradients:
        call.request_gradients(BackwardRequest(inputs=tuple(gradients)))
        outputs = _forward(library, call)
        call.make_heads([describe(library, output) for output in outputs])
        call.invoke.free(outputs)
    count = _calibrate(library, call)
    stretches = [_corrected(library, call, count) for _ in range(STRETCHES)]
    return Times(*(statistics.median(times) / count * 1e6 for times in zip(*stretches, strict=True)))


def _corrected(library: Library, call: Call, count: int) -> Times:
    """The seconds of a stretch at the machine's reference speed, and as measured."""
    reference = known_reference()
    assert reference, "autoperf's own side ran before"
    probe = Probe()

    def reading() -> float:
        """Right after a call, as beside a sample."""
        readings = []
        for _ in range(READINGS):
            _stretch(library, call, 1)
            readings.append(probe.read() / 1000)
        return statistics.median(readings)

    before = reading()
    seconds = _stretch(library, call, count)
    after = reading()
    slope = typical_slope(KERNEL, seconds / count * 1e6)
    return Times(seconds / ((before * after) ** 0.5 / reference.us) ** slope, seconds)


def _calibrate(library: Library, call: Call) -> int:
    _stretch(library, call, 3)
    return max(1, int(SECONDS / STRETCHES / (_stretch(library, call, 3) / 3)))


def _stretch(library: Library, call: Call, count: int) -> float:
    """Seconds of so many calls, each of which is waited for before its results are freed, and these before the next."""
    seconds = 0.0
    for _ in range(count):
        start = time.perf_counter()
        outputs = _forward(library, call)
        if call.gradients:
            autograd.backward(library, outputs, [head.handle for head in call.heads], train=call.case.training)
        library.wait_all()
        seconds += time.perf_counter() - start
        call.invoke.free(outputs)
        library.wait_all()
    return seconds


def _forward(library: Library, call: Call) -> tuple[int, ...]:
    training = autograd.set_training(library, call.case.training)
    recording = autograd.set_recording(library, bool(call.gradients))
    try:
        return call.invoke()
    finally:
        autograd.set_recording(library, recording)
        autograd.set_training(library, training)


def total(run: Pass) -> float:
    """The microseconds of a pass: the median of its own kernels, and the engine's helpers, which a loop has too."""
    return run.kernel_us.median + sum(run.helpers.values()) if run.kernel_us else 0.0


def uncorrected_total(run: Pass) -> float:
    """The same as measured."""
    if not run.kernel_us or run.kernel_us.uncorrected is msgspec.UNSET:
        return total(run)
    return total(run) * run.kernel_us.uncorrected / run.kernel_us.median


def report(rows: list[Row]) -> int:
    print(HEAD)
    print("| operator | inputs | passes | reported (us) | loop (us) | ratio | as measured |")
    print("|---|---|---|---:|---:|---:|---:|")
    for row in rows:
        figures = f"{row.reported:.0f} | {row.looped:.0f} | {row.ratio:.3f} | {row.measured_ratio:.3f}"
        print(f"| {case_cells(row.outcome)} | {figures} |")
    print(f"\n{agreement('At reference speed', [row.ratio for row in rows])}")
    print(f"\n{agreement('As measured', [row.measured_ratio for row in rows])}")
    ratios = [row.ratio for row in rows]
    return int(abs(statistics.median(ratios) - 1) > MAX_MEDIAN_ERROR or within(ratios, 0.1) < MIN_WITHIN * len(rows))


def agreement(name: str, ratios: list[float]) -> str:
    near = f"{within(ratios, 0.05)} within 5%, {within(ratios, 0.1)} within 10%"
    return f"{name}: {len(ratios)} operators, median ratio {statistics.median(ratios):.3f}; {near}."


def within(ratios: list[float], bound: float) -> int:
    return sum(abs(ratio - 1) <= bound for ratio in ratios)


if __name__ == "__main__":
    sys.exit(main())
