"""Times a finding between two sides by plain loops: calls in two builds, or MXNet's kernels and another framework.

    python benches/side_pair.py FRAMEWORK CASES.ndjson ID PROGRAM.json GRADIENTS REFERENCE_US

is the loop over whole calls of the other framework, run by its own interpreter. It shares with autoperf the preparation
of the call and nothing of the measurement, which is that of `framework_loop.py`. MXNet's loop is `plain_calls.py`. Each
side has a process, a processor, and glibc that keeps freed memory.
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
from autoperf.backends.mxnet.backend import LIBRARY_VARIABLE, find_library
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.backends.protocol import BackwardRequest, CallOptions, PreparedCall, Program
from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case
from autoperf.core.finding import Finding, SideRecord
from autoperf.core.outcome import PASSES
from autoperf.measurement.scratch import KEEP_MEMORY

ROOT = Path(__file__).resolve().parents[1]


class Setup(NamedTuple):
    """The file with the finding's case, and where and how both sides are timed."""

    file: Path
    folder: Path
    threads: int
    reference_us: float
    seconds: float


def times_of(finding: Finding, sides: Sequence[SideRecord], program: Program | None, setup: Setup) -> list[float]:
    """Microseconds of the slow and the fast side: kernels of MXNet beside another framework, else whole calls.

    `program` is the call of the other framework. Raises LoopError where a side has no time.
    """
    which = PASSES.index(finding.pass_)
    gradients = ",".join(differentiable_inputs(finding.case)) if finding.pass_ == "backward" else ""
    times, answers = [], []
    for side in sides:
        if side.framework and program:
            answer = _framework_answer(finding.case, side, program, gradients, setup)
            us = _enough(answer, "us")
        elif program:
            kernels = [",".join(finding.kernels) if at == which else "" for at in range(len(PASSES))]
            answer = _mxnet_answer(finding.case, side, [gradients, *kernels], setup)
            us = answer["kernel_us"]
        else:
            answer = _mxnet_answer(finding.case, side, [gradients, "", ""], setup)
            us = _enough(answer, "wall_us")
        times.append(us[which])
        answers.append(answer)
    if not all(times):
        raise LoopError(f"too few calls at reference speed, of {' and '.join(map(str, answers))}")
    return times


def _enough(answer: Mapping[str, Any], name: str) -> list[float]:
    """The medians of this name, zeros if they are of too few calls; those of kernels are without."""
    us: list[float] = answer[name]
    return us if answer["calls"] >= MIN_CALLS else [0.0] * len(us)


def _mxnet_answer(case: Case, side: SideRecord, names: Sequence[str], setup: Setup) -> dict[str, Any]:
    """`names`: the inputs with a gradient, and the kernels of both passes, each with commas."""
    loop = str(Path(__file__).with_name("plain_calls.py"))
    library = {LIBRARY_VARIABLE: str(find_library(side.library or side.mxnet))}
    words = [loop, str(setup.file), case.id, str(setup.reference_us), *names]
    answer = _answer([sys.executable, *words], {**library, **side.env}, setup)
    if not answer["settled"]:
        raise LoopError(f"the call did not settle on {side.words}")
    return answer


def _framework_answer(case: Case, side: SideRecord, program: Program, gradients: str, setup: Setup) -> dict[str, Any]:
    path = setup.folder / "program.json"
    path.write_bytes(msgspec.json.encode(program))
    choice = parse_framework(side.framework)
    backend = backend_of(choice.name)
    interpreter = str(backend.interpreter(backend.find(choice.hint)))
    words = [choice.name, str(setup.file), case.id, str(path), gradients, str(setup.reference_us)]
    return _answer([interpreter, __file__, *words], {**backend.variables("worker"), **side.env}, setup)


def _answer(command: Sequence[str], variables: Mapping[str, str], setup: Setup) -> dict[str, Any]:
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    threads = dict.fromkeys(names, str(setup.threads))
    settings = {**KEEP_MEMORY, **UNBULKED, **threads, "PYTHONPATH": str(ROOT), **variables}
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
