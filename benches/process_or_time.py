"""Do figures differ by process, or by the time at which they are measured?

    python benches/process_or_time.py [PROCESSES ROUNDS] > table.md

Six processes stay alive and measure twenty operators in turn, in an order drawn for each of six rounds, seconds apart.
Each round prepares the arrays of a case anew. What differs between the rounds of a process is time; what its mean
differs by beyond that is the process. Wall times, corrected by the slope of all readings of a case.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library, open_library, openmp_threads
from autoperf.backends.mxnet.capi.library_path import find_library
from autoperf.cases.build import Recipe, build
from autoperf.core.case import Case
from autoperf.core.clocks import WALL
from autoperf.core.machine import Probes, Reference
from autoperf.executor.placement import choose_processors, place, usable_processors
from autoperf.executor.probe import Probe
from autoperf.executor.runner import Runner
from autoperf.pipeline.release import open_release
from autoperf.pipeline.selection import Selection, targets
from autoperf.results.correction import corrected
from autoperf.results.slopes import ProbedSamples, fitted_slope

OPERATORS = """
exp sin sqrt broadcast_add broadcast_mul sum argmax softmax LayerNorm FullyConnected dot Pooling sort take transpose
where Concat one_hot tile clip
"""
PROCESSES, ROUNDS = 6, 6
SECONDS = 0.06
BLOCK = 5
ANY_SPEED = Reference("any", 1.0, "")


class Visit(msgspec.Struct, frozen=True):
    """The samples of a case in one round of a process and the readings beside them, in microseconds."""

    samples: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


class Spread(NamedTuple):
    """The standard deviation of the logarithm of a figure: between the rounds of a process, and between processes."""

    rounds: float
    processes: float


def main(arguments: Sequence[str]) -> None:
    if arguments == ["child"]:
        serve()
        return
    processes, rounds = (
        int(arguments[place]) if len(arguments) > place else (PROCESSES, ROUNDS)[place] for place in (0, 1)
    )
    cases = common_cases()
    visits = collect(cases, processes, rounds)
    print("| operator | time (us) | slope | as measured: rounds | processes | corrected: rounds | processes |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for number, case in enumerate(cases):
        print(f"| `{case.operator}` | {row([[visit[number] for visit in process] for process in visits])} |")


def common_cases() -> list[Case]:
    with open_release() as release:
        chosen = targets(release.registry, release.catalog, Selection(operators=tuple(OPERATORS.split())))
        recipe = Recipe(draws=0, profiles=frozenset({"common"}))
        built = [build(target.operator, target.rule, recipe, release.client) for target in chosen if target.rule]
    return [result.cases[0] for result in built]


def collect(cases: Sequence[Case], count: int, rounds: int) -> list[list[list[Visit]]]:
    """The visits by process, round and case; the first round of each process isn't counted."""
    command = [sys.executable, __file__, "child"]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]
    visits: list[list[list[Visit]]] = [[] for _ in children]
    for number in range(rounds + 1):
        for index in random.Random(number).sample(range(count), count):
            child = children[index]
            assert child.stdin
            assert child.stdout
            child.stdin.write(msgspec.json.encode(list(cases)) + b"\n")
            child.stdin.flush()
            visited = msgspec.json.decode(child.stdout.readline(), type=list[Visit])
            visits[index] += [visited] if number else []
    for child in children:
        child.communicate()
    return visits


def row(visits: Sequence[Sequence[Visit]]) -> str:
    """The cells of a case from its visits by process and round."""
    every = [visit for process in visits for visit in process]
    samples = [sample for visit in every for sample in visit.samples]
    probes = Probes(*(tuple(r for visit in every for r in side(visit)) for side in (before, after)))
    slope = fitted_slope(WALL, [ProbedSamples(samples, probes, [len(visit.samples) for visit in every])]).value
    spreads = [spread([[middle(visit, power) for visit in process] for process in visits]) for power in (0.0, slope)]
    cells = " | ".join(f"{each.rounds:.1%} | {each.processes:.1%}" for each in spreads)
    return f"{np.median(samples):.1f} | {slope:.2f} | {cells}"


def before(visit: Visit) -> tuple[float, ...]:
    return visit.before


def after(visit: Visit) -> tuple[float, ...]:
    return visit.after


def middle(visit: Visit, slope: float) -> float:
    return float(np.median(corrected(visit.samples, Probes(visit.before, visit.after), (), ANY_SPEED, slope)))


def spread(medians: Sequence[Sequence[float]]) -> Spread:
    """Variance components of a one-way layout (Searle, Casella and McCulloch, "Variance Components", 1992)."""
    logs = np.log(np.array(medians))
    within = float(logs.var(axis=1, ddof=1).mean())
    between = float(logs.mean(axis=1).var(ddof=1)) - within / logs.shape[1]
    return Spread(within**0.5, max(0.0, between) ** 0.5)


def serve() -> None:
    """Measures the cases of each line of standard input."""
    library = open_library(find_library())
    place(choose_processors(None, openmp_threads(library), usable_processors(), os.environ))
    probe = Probe()
    for line in sys.stdin:
        cases = msgspec.json.decode(line, type=list[Case])
        sys.stdout.write(msgspec.json.encode([visit(library, case, probe) for case in cases]).decode() + "\n")
        sys.stdout.flush()


def visit(library: Library, case: Case, probe: Probe) -> Visit:
    call = Call(library, case, ("cpu", 0))
    runner = Runner(call, probe)
    runner.block(time.perf_counter_ns, BLOCK)
    calls = []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        calls += [each for each in runner.block(time.perf_counter_ns, BLOCK, discard_first=True) if each.counted]
    call.free()
    return Visit(
        tuple((each.forward_end - each.start) / 1000 for each in calls),
        tuple(each.before / 1000 for each in calls),
        tuple(each.after / 1000 for each in calls),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
