"""Times a finding against another framework by plain loops: MXNet's kernels, and whole calls of the other.

    python benches/framework_pair.py FRAMEWORK CASES.ndjson ID PROGRAM.json GRADIENTS REFERENCE_US

is the loop over the other framework's call, run by its own interpreter. It shares with autoperf the preparation of the
call and nothing of the measurement, which is that of `framework_loop.py`. MXNet's loop is `plain_calls.py`. Both have a
process, a processor, and glibc that keeps freed memory.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from framework_loop import MIN_CALLS, Passes, print_medians
from loop_process import LoopError, answer_of

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.lookup import backend_of, parse_framework
from autoperf.backends.mxnet.capi.library_path import LIBRARY_VARIABLE, find_library
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.backends.protocol import BackwardRequest, CallOptions, PreparedCall, Program
from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case
from autoperf.core.finding import Finding
from autoperf.core.outcome import PASSES
from autoperf.executor.fresh_memory import KEEP_MEMORY

ROOT = Path(__file__).resolve().parents[1]


class Setup(NamedTuple):
    """MXNet's release, the other framework as it is named, and where and how both are timed."""

    mxnet: str
    framework: str
    folder: Path
    threads: int
    reference_us: float
    seconds: float


def times_of(finding: Finding, program: Program, file: Path, setup: Setup) -> tuple[float, float]:
    """Microseconds of MXNet's kernels and of the other framework's call. Raises LoopError where there are none."""
    which = PASSES.index(finding.pass_)
    gradients = ",".join(differentiable_inputs(finding.case)) if finding.pass_ == "backward" else ""
    kernels = ["", ""]
    kernels[which] = ",".join(finding.kernels)
    loop = str(Path(__file__).with_name("plain_calls.py"))
    mxnet = _answer(
        [sys.executable, loop, str(file), finding.case.id, str(setup.reference_us), gradients, *kernels], setup, {}
    )
    if not mxnet["settled"]:
        raise LoopError("MXNet's call did not settle")
    path = setup.folder / "program.json"
    path.write_bytes(msgspec.json.encode(program))
    choice = parse_framework(setup.framework)
    backend = backend_of(choice.name)
    interpreter = str(backend.interpreter(backend.find(choice.hint)))
    words = [choice.name, str(file), finding.case.id, str(path), gradients, str(setup.reference_us)]
    other = _answer([interpreter, __file__, *words], setup, backend.variables("worker"))
    times = mxnet["kernel_us"][which], other["us"][which]
    if not all(times) or other["calls"] < MIN_CALLS:
        raise LoopError(f"too few calls at reference speed, of {mxnet} and {other}")
    return times


def _answer(command: Sequence[str], setup: Setup, variables: Mapping[str, str]) -> dict[str, Any]:
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    settings = {
        **variables,
        **KEEP_MEMORY,
        **UNBULKED,
        **dict.fromkeys(names, str(setup.threads)),
        LIBRARY_VARIABLE: str(find_library(setup.mxnet)),
        "PYTHONPATH": str(ROOT),
    }
    return answer_of(command, {**os.environ, **settings}, setup.seconds)


@contextmanager
def passes_of(call: PreparedCall, gradients: Sequence[str]) -> Iterator[Passes]:
    """Both passes of a prepared call, which wait for their results."""
    if gradients:
        call.request_gradients(BackwardRequest(tuple(gradients)))

    def forward() -> Any:
        outputs = call.invoke()
        call.idle()
        return outputs

    def backward(outputs: Any) -> None:
        call.run_backward(outputs)
        call.idle()

    with call.mode():
        if gradients:
            # Updated inputs follow MXNet's outputs.
            call.make_heads(call.describe(forward())[: len(call.case.outputs) or None])
        yield Passes(forward, backward if gradients else None)


def main() -> None:
    framework, file, identifier, program, names, reference_us = sys.argv[1:]
    # Before the framework starts its threads.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    case: Case = next(case for group in StoredGroups(Path(file)) for case in group if case.id == identifier)
    given = msgspec.json.decode(Path(program).read_bytes(), type=Program)
    gradients = [name for name in names.split(",") if name and name not in given.implementation.constant]
    engine = backend_of(framework).open(Path(sys.executable))
    call = engine.prepare(case, CallOptions(backward=bool(gradients)), given)
    with passes_of(call, gradients) as passes:
        print_medians(passes, float(reference_us))


if __name__ == "__main__":
    main()
