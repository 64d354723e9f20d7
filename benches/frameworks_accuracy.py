"""Are the times of other frameworks right? Default runs of ten operators in each, compared with a plain loop.

    python benches/frameworks_accuracy.py FOLDER [--input-profile common] [--framework torch] [--report-only]

The program's times are those of calls from Python: `autoperf run --framework NAME --caller python`, with its default
options otherwise. `framework_loop.py` times each call three times, each time in a fresh process of the framework's own
interpreter, with the expressions below; the loop's time is their median. Operators with a gradient are timed in both
passes, but for NumPy. Both have one thread, the same contents, and glibc that keeps freed memory. FOLDER keeps the
measurements: the bench goes on where it was interrupted.

Prints the ratios of reported to looped time. Exits with 1 if a median of a framework's pass is further than 5% from 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autoperf.backends.contents import materialise
from autoperf.backends.lookup import MXNET, backend_of
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case
from autoperf.core.outcome import PASSES, Outcome
from autoperf.measurement.scratch import KEEP_MEMORY
from autoperf.runs.run_reader import RunReader

ROOT = Path(__file__).resolve().parents[1]
SOFTMAX = "(lambda powers: powers / np.sum(powers, -1, keepdims=True))(np.exp(data - np.max(data, -1, keepdims=True)))"
LOG_SOFTMAX = (
    "(lambda low: low - np.log(np.sum(np.exp(low), -1, keepdims=True)))(data - np.max(data, -1, keepdims=True))"
)
CALLS: Mapping[str, Mapping[str, str]] = {
    operator: dict(zip((MXNET, "torch", "jax", "numpy"), expressions, strict=True))
    for operator, expressions in {
        "exp": ("mx.nd.exp(data)", "torch.exp(data)", "jnp.exp(data)", "np.exp(data)"),
        "tanh": ("mx.nd.tanh(data)", "torch.tanh(data)", "jnp.tanh(data)", "np.tanh(data)"),
        "softmax": ("mx.nd.softmax(data)", "torch.softmax(data, -1)", "jax.nn.softmax(data)", SOFTMAX),
        "log_softmax": (
            *("mx.nd.log_softmax(data)", "torch.log_softmax(data, -1)"),
            *("jax.nn.log_softmax(data)", LOG_SOFTMAX),
        ),
        "sum": ("mx.nd.sum(data, axis=(1,))", "torch.sum(data, 1)", "jnp.sum(data, 1)", "np.sum(data, 1)"),
        "dot": ("mx.nd.dot(lhs, rhs)", "lhs @ rhs", "lhs @ rhs", "lhs @ rhs"),
        "batch_dot": (
            *("mx.nd.batch_dot(lhs, rhs)", "lhs @ rhs"),
            *("lhs @ rhs", "lhs @ rhs"),
        ),
        "broadcast_add": (
            "mx.nd.broadcast_add(lhs, rhs)",
            "torch.add(lhs, rhs)",
            "jnp.add(lhs, rhs)",
            "np.add(lhs, rhs)",
        ),
        "argmax": (
            *("mx.nd.argmax(data, axis=1)", "torch.argmax(data, 1)"),
            *("jnp.argmax(data, 1)", "np.argmax(data, 1)"),
        ),
        "sort": ("mx.nd.sort(data, axis=1)", "torch.sort(data, 1).values", "jnp.sort(data, 1)", "np.sort(data, 1)"),
    }.items()
}
PROCESSES = 3
LOOP_TIMEOUT = 120
MAX_MEDIAN, NEAR = 0.05, 0.05


class Reading(NamedTuple):
    """A time of a case as reported and in the loops, in microseconds."""

    framework: str
    case: str
    pass_: str
    reported: float
    looped: float

    @property
    def ratio(self) -> float:
        return self.reported / self.looped


class Bench:
    """What is in FOLDER."""

    def __init__(self, folder: Path, profiles: str) -> None:
        self.folder, self.profiles = folder, profiles
        folder.mkdir(parents=True, exist_ok=True)

    def autoperf(self, *words: str) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "autoperf", *words]
        done = subprocess.run(command, check=False, env=environment, stdout=subprocess.DEVNULL, cwd=ROOT)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}")

    def cases(self) -> list[Case]:
        path = self.folder / "suite" / "cases.ndjson"
        if not path.exists():
            selection = ("--operator", ",".join(CALLS), "--input-profile", self.profiles, "--draws", "0")
            self.autoperf("generate", *selection, "--folder", str(path.parent))
        return [case for group in StoredGroups(path) for case in group]

    def run_of(self, framework: str, operator: str) -> Path:
        """The run file of an operator's cases."""
        path = self.folder / "runs" / f"{framework}-{operator}.ndjson"
        if not path.exists():
            partial = path.with_suffix(".partial.ndjson")
            partial.unlink(missing_ok=True)
            path.parent.mkdir(exist_ok=True)
            cases = ("--cases", str(self.folder / "suite" / "cases.ndjson"), "--operator", operator)
            options = ("--framework", framework, "--caller", "python", "--quiet", "--run-file", str(partial))
            self.autoperf("run", *cases, *options)
            partial.rename(path)
        return path

    def measure(self, frameworks: Sequence[str]) -> None:
        """Each operator by autoperf and right after it by the loops: a shared machine is another one minutes later."""
        cases = {case.id: case for case in self.cases()}
        for operator, framework in product(CALLS, frameworks):
            with RunReader(self.run_of(framework, operator)) as run:
                reference = run.machines[0].reference
                for outcome in run:
                    for number in range(PROCESSES):
                        self._loop(framework, cases[outcome.case], outcome, number, reference.us if reference else 1e9)

    def _loop(self, framework: str, case: Case, outcome: Outcome, number: int, reference_us: float) -> None:
        output = self._looped(framework, case.id, number)
        if output.exists() or case.operator not in CALLS:
            return
        output.parent.mkdir(exist_ok=True)
        arrays = self.folder / "arrays.npz"
        contents = {item.name: materialise(item.tensor, case.digest, item.name) for item in case.inputs}
        np.savez(arrays, **contents)
        backend = backend_of(framework)
        interpreter = sys.executable if framework == MXNET else str(backend.interpreter(backend.find(None)))
        gradients = "gradients" if outcome.backward else "none"
        words = [framework, CALLS[case.operator][framework], str(arrays), gradients, str(reference_us)]
        threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        settings = {**backend.variables("worker"), **KEEP_MEMORY, **UNBULKED, **threads}
        environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [interpreter, str(Path(__file__).parent / "framework_loop.py"), *words],
            check=True, stdout=subprocess.PIPE, text=True, timeout=LOOP_TIMEOUT, env=environment,
        )  # fmt: skip
        output.write_text(done.stdout.strip().splitlines()[-1], encoding="utf-8")

    def _looped(self, framework: str, case: str, number: int) -> Path:
        return self.folder / "loops" / f"{framework}-{case.replace('/', '-')}.{number}.json"

    def readings(self, frameworks: Sequence[str]) -> Iterator[Reading | str]:
        """Each time that both sides have, or why a case has none."""
        for framework, operator in product(frameworks, CALLS):
            with RunReader(self.run_of(framework, operator)) as run:
                for outcome in run:
                    loops = [self._looped(framework, outcome.case, number) for number in range(PROCESSES)]
                    found = [json.loads(loop.read_text(encoding="utf-8")) for loop in loops if loop.exists()]
                    times = [loop["us"] for loop in found if loop["calls"]]
                    yield from _readings(framework, outcome, times)


def _readings(framework: str, outcome: Outcome, loops: Sequence[Sequence[float]]) -> Iterator[Reading | str]:
    if not (outcome.passes and loops):
        yield f"{framework} {outcome.case}: {outcome.reason or 'the loop was never at reference speed'}"
        return
    for name, run in outcome.passes.items():
        looped = float(np.median([loop[PASSES.index(name)] for loop in loops]))
        if run.python_us:
            yield Reading(framework, outcome.case, name, run.python_us.median, looped)
        else:
            yield f"{framework} {outcome.case}: no call from Python: {'; '.join(run.notes)}"


def report(readings: Sequence[Reading], reasons: Sequence[str]) -> int:
    """Prints the ratios. Returns 1 if a framework's median is too far from 1."""
    print("| framework | pass | cases | median ratio | within 5% | lowest | highest |")
    print("|---|---|---:|---:|---:|---:|---:|")
    far = False
    for framework, name in dict.fromkeys((each.framework, each.pass_) for each in readings):
        ratios = np.array([each.ratio for each in readings if (each.framework, each.pass_) == (framework, name)])
        middle, near = np.median(ratios), np.mean(np.abs(ratios - 1) <= NEAR)
        far |= bool(abs(middle - 1) > MAX_MEDIAN)
        ends = f"{min(ratios):.3f} | {max(ratios):.3f}"
        print(f"| {framework} | {name} | {len(ratios)} | {middle:.3f} | {near:.0%} | {ends} |")
    print("\n| more than 5% off | pass | reported (us) | loop (us) | ratio |\n|---|---|---:|---:|---:|")
    for each in sorted(readings, key=lambda each: -each.ratio):
        if abs(each.ratio - 1) > NEAR:
            place = f"{each.framework} {each.case} | {each.pass_}"
            print(f"| {place} | {each.reported:.2f} | {each.looped:.2f} | {each.ratio:.3f} |")
    print("".join(f"\n- {reason}" for reason in reasons))
    return int(far)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--input-profile", default="common")
    parser.add_argument("--framework", action="append", choices=(MXNET, "numpy", "torch", "jax"))
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    frameworks = options.framework or [MXNET, "numpy", "torch", "jax"]
    bench = Bench(options.folder, options.input_profile)
    if not options.report_only:
        bench.measure(frameworks)
    found = list(bench.readings(frameworks))
    readings = [entry for entry in found if isinstance(entry, Reading)]
    return report(readings, [entry for entry in found if isinstance(entry, str)])


if __name__ == "__main__":
    sys.exit(main())
