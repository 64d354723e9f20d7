"""Does the kernel time that autoperf reports agree with an independent measurement?

    python benches/kernel_agreement.py [--operators 60] > docs/kernel-agreement.md

For each operator a large canonical case is run by `autoperf`'s executor (MXNet's profiler, one call at a time) and,
independently, in a process of its own without any profiler: a long loop of calls is queued on MXNet's engine, which
runs them back to back, and the wall time is divided by their number. Where a call takes much longer than queueing it,
the two must agree. Both sides are measured in turn, three times; the table has the medians and their ratio.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autoperf.capi.invoke import Invocation
from autoperf.capi.library import find_library, open_library
from autoperf.capi.ndarray import NDArray
from autoperf.cases.build import Recipe
from autoperf.core.outcome import Outcome
from autoperf.executor.contents import materialise
from autoperf.executor.settings import Settings
from autoperf.executor.suite import SuiteFile
from autoperf.executor.supervisor import Executor, Job
from autoperf.pipeline.generate import prepare
from autoperf.pipeline.release import open_release
from autoperf.pipeline.run import jobs_of
from autoperf.pipeline.selection import Selection, targets

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
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop", nargs=2, metavar=("FILE", "FUNCTION"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.loop:
        print(json.dumps(loop(Path(arguments.loop[0]), arguments.loop[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(Path(folder))
    report(rows)


def compare(folder: Path) -> list[tuple[Outcome, float, float]]:
    rows = []
    with open_release() as release, Executor(release.library, Settings(), folder) as executor:
        for target in targets(release.registry, release.catalog, Selection(operators=tuple(OPERATORS.split()))):
            prepared = prepare(release, target, Recipe(samples=0, profiles=frozenset({"large"})))
            for job in jobs_of(prepared, folder)[:1]:
                reported, looped, last = [], [], None
                for _ in range(ROUNDS):
                    last = next(executor.run([job]))
                    if last.forward is None or last.forward.kernel_us is None:
                        break
                    reported.append(last.forward.kernel_us.median)
                    looped.append(independent(job))
                if last and reported:
                    rows.append((last, statistics.median(reported), statistics.median(looped)))
    return rows


def independent(job: Job) -> float:
    command = [sys.executable, __file__, "--loop", str(job.file), job.function]
    return float(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def loop(file: Path, function: str) -> float:
    """Microseconds a call: the best of five stretches of calls that the engine runs back to back."""
    library = open_library(find_library())
    library.set_np_shape(0)
    case = SuiteFile(file).build(function)
    library.set_np_shape(int(case.operator.startswith(("_np_", "_npi_", "_npx_"))))
    arrays = [
        NDArray.from_numpy(library, materialise(item.tensor, case.digest, item.name), item.tensor.dtype)
        for item in case.inputs
    ]
    names = [item.name for item in case.inputs]
    out = [arrays[names.index(name)] for name in case.in_place] or None
    call = Invocation(library, case.operator, arrays, case.params, out)
    count = _calibrate(library, call)
    return min(_stretch(library, call, count) for _ in range(5)) / count * 1e6


def _calibrate(library, call) -> int:  # type: ignore[no-untyped-def]
    _stretch(library, call, 3)
    return max(3, int(SECONDS / 5 / (_stretch(library, call, 3) / 3)))


def _stretch(library, call, count: int) -> float:  # type: ignore[no-untyped-def]
    begun = time.perf_counter()
    for _ in range(count):
        call.free(call())
    library.wait_all()
    return time.perf_counter() - begun


def report(rows: list[tuple[Outcome, float, float]]) -> None:
    ratios = [reported / looped for _, reported, looped in rows]
    within = sum(0.9 <= ratio <= 1.1 for ratio in ratios)
    print("| operator | inputs | kernel, reported (us) | loop, independent (us) | ratio |")
    print("|---|---|---:|---:|---:|")
    for outcome, reported, looped in rows:
        shapes = ", ".join(str(item.tensor.shape) for item in outcome.inputs)
        print(f"| `{outcome.operator}` | {shapes} | {reported:.0f} | {looped:.0f} | {reported / looped:.3f} |")
    print(f"\n{len(rows)} operators, median ratio {statistics.median(ratios):.3f}, {within} within 10%.")


if __name__ == "__main__":
    main()
