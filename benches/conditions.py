"""Does a figure depend on what it should not? The same cases under other conditions, as ratios to a default run.

    python benches/conditions.py [--rounds 3] [--condition NAME ...]

In each round the conditions come in a drawn order. A figure is a median of `autoperf run --cases`: wall and kernel time
of both passes. The conditions:

- alone: a run of this case alone; last: after twelve other cases; large: after a case that takes half a gigabyte;
- one process: `--processes 1` in place of five; long: `--max-time 3s`, for more samples;
- huge pages: glibc asks for them (GLIBC_TUNABLES), and no longer keeps memory as autoperf has it do;
- fresh inputs: not by autoperf, but in a plain loop: sixteen copies of the inputs in turn against one copy.

Prints the median of the rounds' ratios for each case, and over all cases.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from accuracy import Bench
from plain_calls import Loop

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.cases.store import StoredGroups
from autoperf.comparison.figures import sampled_series
from autoperf.core.case import Case
from autoperf.core.clocks import DEFAULT_METRICS
from autoperf.core.tensors import ArrayType
from autoperf.runs.run_reader import RunReader

SUBJECTS = [
    *("exp", "relu", "softmax", "broadcast_add", "dot", "sum"),
    *("transpose", "take", "Convolution", "BatchNorm", "sort", "elemwise_add"),
]
COMPANY = [
    *("sin", "Pooling", "topk", "LayerNorm", "batch_dot", "Concat"),
    *("argmax", "clip", "tile", "one_hot", "sqrt", "SequenceMask"),
]
LARGE = (8192, 8192)
COPIES, CALLS, ROUNDS = 16, 64, 5
Figures = dict[tuple[str, str], float]
"""Microseconds by case and figure."""


class Conditions:
    """Runs the subjects under each condition."""

    def __init__(self, folder: Path) -> None:
        self._bench = Bench(folder, "", 1)
        self._folder = folder
        self.subjects = self._cases("subjects", SUBJECTS, ("common", "large"))
        self._company = self._cases("company", COMPANY, ("common",))
        self._large = [_enlarged(case) for case in self._cases("large", ["elemwise_mul"], ("large",))]
        self.all: Mapping[str, Callable[[], Figures]] = {
            "default": lambda: self._run(self.subjects),
            "alone": lambda: {key: time for case in self.subjects for key, time in self._run([case]).items()},
            "last": lambda: self._run([*self._company, *self.subjects]),
            "after a large case": self._after_large,
            "one process": lambda: self._run(self.subjects, "--processes", "1"),
            "3 s of samples": lambda: self._run(self.subjects, "--max-time", "3s"),
            "huge pages": self._huge_pages,
            "fresh inputs": self._fresh_inputs,
        }

    def _cases(self, name: str, operators: Sequence[str], profiles: Sequence[str]) -> list[Case]:
        words = [word for operator in operators for word in ("--operator", operator)]
        words += [word for profile in profiles for word in ("--input-profile", profile)]
        self._bench.autoperf("generate", "--draws", "0", *words, "--folder", str(self._folder / name), may_fail=False)
        return [case for group in StoredGroups(self._folder / name / "cases.ndjson") for case in group]

    def _run(self, cases: Sequence[Case], *words: str) -> Figures:
        path, output = self._folder / "cases.ndjson", self._folder / "run.ndjson"
        self._bench.write(path, cases)
        output.unlink(missing_ok=True)
        self._bench.autoperf("run", "--cases", str(path), "--quiet", "--run-file", str(output), *words)
        subjects = {case.id for case in self.subjects}
        return {key: time for key, time in _figures(output).items() if key[0] in subjects}

    def _after_large(self) -> Figures:
        """Each subject in a run of its own, after tensors of 256 MiB."""
        found: Figures = {}
        for case in self.subjects:
            found |= self._run([*self._large, case])
        return found

    def _huge_pages(self) -> Figures:
        """By a variable of the environment, which the processes of a run get: `run` has no option for it."""
        os.environ["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
        try:
            return self._run(self.subjects)
        finally:
            del os.environ["GLIBC_TUNABLES"]

    def _fresh_inputs(self) -> Figures:
        """The ratio of a loop over many copies to one over a single copy, by wall time, as if the default took 1 us."""
        path = self._folder / "cases.ndjson"
        self._bench.write(path, self.subjects)
        command = [sys.executable, __file__, "--copies", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **UNBULKED})
        return {(case, "ratio"): ratio for case, ratio in json.loads(done.stdout.splitlines()[-1]).items()}


def _enlarged(case: Case) -> Case:
    """The case with tensors of 256 MiB."""
    inputs = tuple(
        msgspec.structs.replace(item, tensor=msgspec.structs.replace(item.tensor, shape=LARGE)) for item in case.inputs
    )
    return msgspec.structs.replace(case, inputs=inputs, outputs=(ArrayType(LARGE, "float32"),))


def _figures(path: Path) -> Figures:
    found: Figures = {}
    for outcome in RunReader(path):
        for name, clock, series in sampled_series(outcome, metrics=DEFAULT_METRICS):
            found[outcome.case, f"{name} {clock.name}"] = series.median
    return found


def copies(path: Path) -> int:
    """Prints the ratio of calls over copies in turn to calls over one, for each case."""
    library = open_library(find_library())
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    ratios = {}
    for case in (case for group in StoredGroups(path) for case in group):
        loops = [Loop(library, case, ()) for _ in range(COPIES)]
        for loop in loops * 2:
            loop.calls(2)
        pairs = [(_median(loops), _median([loops[0]] * COPIES)) for _ in range(ROUNDS)]
        ratios[case.id] = statistics.median(fresh / reused for fresh, reused in pairs)
        for loop in loops:
            loop.call.free()
    print(json.dumps(ratios))
    sys.stdout.flush()
    os._exit(0)


def _median(loops: Sequence[Loop]) -> float:
    rounds = max(1, CALLS // len(loops))
    return statistics.median(loop.calls(1)[0].forward for _ in range(rounds) for loop in loops)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--condition", action="append")
    parser.add_argument("--copies", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.copies:
        return copies(options.copies)
    ratios: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        conditions = Conditions(Path(folder))
        names = options.condition or list(conditions.all)
        for number in range(options.rounds):
            order = list(dict.fromkeys(["default", *names]))
            random.Random(number).shuffle(order)
            found = {name: conditions.all[name]() for name in order}
            for name in names:
                base = found["default"]
                for key, time in found[name].items():
                    ratios[name][key].append(time if key[1] == "ratio" else time / base[key])
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    report(ratios)
    return 0


def report(ratios: Mapping[str, Mapping[tuple[str, str], Sequence[float]]]) -> None:
    print("| condition | figures | median ratio | P5 | P95 | furthest |")
    print("|---|---:|---:|---:|---:|---|")
    for name, by_key in ratios.items():
        medians = {key: statistics.median(values) for key, values in by_key.items()}
        ordered = sorted(medians.values())
        far = max(medians, key=lambda key: abs(medians[key] - 1))
        low, high = (ordered[round(share * (len(ordered) - 1))] for share in (0.05, 0.95))
        furthest = f"{far[0]} {far[1]} {medians[far]:.2f}"
        print(f"| {name} | {len(ordered)} | {statistics.median(ordered):.3f} | {low:.3f} | {high:.3f} | {furthest} |")


if __name__ == "__main__":
    sys.exit(main())
