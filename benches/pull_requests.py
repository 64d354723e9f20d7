"""How a gate judges pull requests that change nothing, 5% of a time, or 1% of a count: each light, and how many.

    python benches/pull_requests.py times A.NDJSON B.NDJSON      # simulated, of one build in turn with itself
    python benches/pull_requests.py counts A.NDJSON B.NDJSON     # simulated, of counts of one build
    python benches/pull_requests.py real FOLDER                  # measured, through docs/ci/github.sh, half an hour

A simulated pull request by times takes, of each stored case, 5 pairs of processes for the gate and 20 others for its
second look, drawn without replacement; each pair's sides change places at random, which makes no difference between
two sides of one build. To plant a change, all samples of one operator are multiplied on the second side. By counts, it
takes 30 stored cases, and one of them executes 1% more in all its functions. The gate's own code compares, looks again
and decides. Exits with 1 if a pull request without a change is red, or one with a change isn't.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from autoperf.cli.compare import exit_code
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.clocks import INSTRUCTIONS, KERNEL, WALL
from autoperf.core.errors import Exit
from autoperf.core.machine import Probes
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.core.work import CodeCount
from autoperf.front.compare_sides import confirmed
from autoperf.runs.run_reader import RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.stats.statistics import summarise

FIRST, SECOND, CASES = 5, 20, 30
REQUESTS = 100
SLOWER, MORE, THRESHOLD = 1.05, 1.01, 0.02
LIGHTS = {Exit.FINE: "green", Exit.FINDING: "red", Exit.INCONCLUSIVE: "inconclusive"}
Sides = tuple[list[Outcome], list[Outcome]]
Look = Callable[[int, Collection[str]], Sides]
"""Both sides of the first look, or of the second (1) at some cases."""
SCRIPT = Path(__file__).parents[1] / "docs" / "ci" / "github.sh"


def pairs(a: Path, b: Path) -> list[tuple[Outcome, Outcome]]:
    """The outcomes of the cases that both files measured."""
    with RunReader(a) as first, RunReader(b) as second:
        known = {each.case: each for each in second if each.passes}
        return [(each, known[each.case]) for each in first if each.passes and each.case in known]


def dealt(sides: tuple[Series, Series], chosen: NDArray[np.int64], swapped: NDArray[np.bool_], factor: float) -> Series:
    """The chosen processes of the first side, or of the second where they are swapped, with samples times a factor."""
    parts: list[list[float]] = [[], [], []]
    for process, swap in zip(chosen, swapped, strict=True):
        series = sides[int(swap)]
        ends = np.cumsum((0, *series.processes))
        reach = slice(ends[process], ends[process + 1])
        probes = (series.probes.before, series.probes.after) if series.probes else ((), ())
        for part, source in zip(parts, (series.samples, *probes), strict=True):
            part.extend(source[reach])
    of = [(sides[int(swap)], process) for process, swap in zip(chosen, swapped, strict=True)]
    made = summarise([factor * sample for sample in parts[0]], sides[0].loops)
    return msgspec.structs.replace(
        made, processes=tuple(series.processes[process] for series, process in of),
        turns=tuple(series.turns[process] for series, process in of if series.turns),
        probes=Probes(tuple(parts[1]), tuple(parts[2])) if parts[1] else msgspec.UNSET, slope=sides[0].slope,
    )  # fmt: skip


def drawn(
    outcomes: tuple[Outcome, Outcome], chosen: NDArray[np.int64], swapped: NDArray[np.bool_], factor: float
) -> Outcome:
    """An outcome of these processes; the sides of `outcomes` are those of the result, and the other."""

    def passed(name: str) -> Pass | None:
        runs = [each.passes.get(name) for each in outcomes]  # type: ignore[call-overload]
        if None in runs:
            return None
        clocks = {"kernel_us": KERNEL, "wall_us": WALL}
        series = {field: tuple(run.metrics.get(clock) for run in runs) for field, clock in clocks.items()}
        made = {field: dealt(both, chosen, swapped, factor) for field, both in series.items() if None not in both}
        changed: Pass = msgspec.structs.replace(runs[0], **made)
        return changed

    return msgspec.structs.replace(outcomes[0], forward=passed("forward"), backward=passed("backward"))


def request(stored: Sequence[tuple[Outcome, Outcome]], rng: np.random.Generator, slower: str) -> Look:
    """A simulated pull request in which an operator is slower; no one for an empty name."""
    processes = [len(next(iter(base.passes["forward"].metrics.values())).processes) for base, _ in stored]
    orders = [rng.permutation(number) for number in processes]
    swaps = [rng.random(number) < 0.5 for number in processes]

    def look(number: int, cases: Collection[str]) -> Sides:
        reach = slice(FIRST, FIRST + SECOND) if number else slice(FIRST)
        sides: Sides = ([], [])
        for (base, new), order, swap in zip(stored, orders, swaps, strict=True):
            if base.case in cases or not number:
                factor = SLOWER if base.operator == slower else 1.0
                sides[0].append(drawn((base, new), order[reach], swap[reach], 1.0))
                sides[1].append(drawn((new, base), order[reach], swap[reach], factor))
        return sides

    return look


def write(source: Path, target: Path, outcomes: Sequence[Outcome]) -> Path:
    """A run file of these outcomes, with the origin of another."""
    with RunReader(source) as run, RunWriter(target, run.header, run.machines[0]) as writer:
        for outcome in outcomes:
            writer.add(outcome)
        writer.finish(0.0)
    return target


def light(source: Path, look: Look, options: ComparisonOptions) -> str:
    """What the gate says, which looks again at what is slower."""
    with tempfile.TemporaryDirectory() as folder:

        def measured(number: int, cases: Collection[str]) -> tuple[Path, Path]:
            base, new = look(number, cases)
            paths = [Path(folder) / f"{number}-{side}.ndjson" for side in "AB"]
            return write(source, paths[0], base), write(source, paths[1], new)

        first = compare_files(*measured(0, ()), options)
        return LIGHTS[Exit(exit_code(confirmed(first, options, lambda cases: measured(1, cases))))]


def times(a: Path, b: Path, count: int) -> bool:
    """Prints the lights by threshold and planted change; whether they are as they should be."""
    stored, rng = pairs(a, b), np.random.default_rng(1)
    operators = sorted({base.operator for base, _ in stored})
    print(f"{len(stored)} cases of {', '.join(operators)}, each with {FIRST} of its pairs of processes")
    good = True
    for planted in (False, True):
        lights: Counter[str] = Counter()
        for number in range(count):
            slower = operators[number % len(operators)] if planted else ""
            lights[light(a, request(stored, rng, slower), ComparisonOptions(threshold=THRESHOLD))] += 1
        change = f"one operator {SLOWER - 1:.0%} slower" if planted else "no change"
        good &= show(f"times, threshold {THRESHOLD:.0%}, {change}", lights, "red" if planted else "")
    return good


def with_more(outcome: Outcome) -> Outcome:
    """The outcome with 1% more instructions in each function."""

    def passed(run: Pass | None) -> Pass | None:
        if run is None or not run.instructions or not isinstance(run.code, CodeCount):
            return run
        functions = tuple(
            msgspec.structs.replace(each, instructions=round(MORE * each.instructions)) for each in run.code.functions
        )
        parts = {part: round(MORE * number) for part, number in run.code.parts.items()}
        code = msgspec.structs.replace(run.code, functions=functions, parts=parts, digest=f"more {run.code.digest}")
        series = summarise([round(MORE * sample) for sample in run.instructions.samples], run.instructions.loops)
        return msgspec.structs.replace(run, instructions=series, code=code)

    return msgspec.structs.replace(outcome, forward=passed(outcome.forward), backward=passed(outcome.backward))


def fixed(sides: Sides) -> Look:
    """The same sides at each look: exact counts need no second one."""
    return lambda _number, _cases: sides


def counts(a: Path, b: Path, count: int) -> bool:
    """Prints the lights of pull requests by counts; whether they are as they should be."""
    rng, options = np.random.default_rng(1), ComparisonOptions(metrics=(INSTRUCTIONS,))
    stored = [each for each in pairs(a, b) if all(outcome.forward and outcome.forward.code for outcome in each)]
    print(f"{len(stored)} counted cases, {CASES} in each pull request")
    good = True
    for planted in (False, True):
        lights: Counter[str] = Counter()
        for _ in range(count):
            chosen = [stored[at] for at in rng.choice(len(stored), CASES, replace=False)]
            base, new = ([each[side] for each in chosen] for side in (0, 1))
            new[:1] = [with_more(new[0])] if planted else new[:1]
            lights[light(a, fixed((base, new)), options)] += 1
        change = f"one case of {CASES} executes {MORE - 1:.0%} more" if planted else "no change"
        good &= show(f"counts, {change}", lights, "red" if planted else "green")
    return good


def show(what: str, lights: Mapping[str, int], expected: str) -> bool:
    """Prints the lights; whether all are the expected one, or none is red."""
    print(f"{what}: {', '.join(f'{number} {name}' for name, number in sorted(lights.items()))}", flush=True)
    return set(lights) == {expected} if expected else not lights.get("red")


def real(folder: Path) -> bool:
    """Runs small pull requests through docs/ci/github.sh; whether each light is as it should be."""
    sys.path.insert(0, str(Path(__file__).parent))
    from planted.build import build  # noqa: PLC0415 - not a package of autoperf

    from autoperf.backends.mxnet.backend import find_library  # noqa: PLC0415 - loads the registry

    rules = Path(__file__).parent / "planted" / "more_rules.py"
    extension = build(find_library(), rules.with_name("more.cc"))
    small = "--input-profile small --draws 0"
    more = f"--operator more_percent --rules {rules} --extension {extension} {small} --env A:LESS=1 --env B:MORE=1"
    requests = (
        ("no change", f"--operator softmax,sum,dot {small}", Exit.FINE),
        ("no change", f"--operator exp,relu,topk,Convolution {small}", Exit.FINE),
        ("no change", f"--operator LayerNorm,Pooling,take,FullyConnected {small}", Exit.FINE),
        ("no change", f"--operator BatchNorm,sort,transpose,concat {small}", Exit.FINE),
        ("no change", f"--operator Embedding,where,argmax,mean {small}", Exit.FINE),
        ("1% more instructions", more, Exit.FINDING),
        ("without oneDNN", f"--operator softmax,sum {small} --env B:MXNET_MKLDNN_ENABLED=0", Exit.FINDING),
    )
    good = True
    for number, (what, options, expected) in enumerate(requests):
        place = folder / str(number)
        place.mkdir(parents=True, exist_ok=True)
        names = {"BASE": "installed", "NEW": "installed", "OPTIONS": f"--config none {options}"}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, **names, "PATH": path, "GITHUB_STEP_SUMMARY": str(place / "summary.md")}
        begun = time.monotonic()
        done = subprocess.run(["bash", str(SCRIPT)], cwd=place, env=environment, capture_output=True, check=False)
        summary = place / "summary.md"
        said = summary.read_text().splitlines() if summary.exists() else done.stderr.decode().splitlines()[-1:]
        answer = next((line for line in said if line.startswith("**")), said[-1] if said else "")
        print(f"{what}: exit {done.returncode} in {time.monotonic() - begun:.0f} s; {answer}", flush=True)
        good &= done.returncode == expected
    return good


def main() -> int:
    """Runs the part that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("times", "counts", "real"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    options = parser.parse_args()
    if options.part == "real":
        return 0 if real(options.paths[0]) else 1
    part = times if options.part == "times" else counts
    base, new = options.paths
    return 0 if part(base, new, options.requests) else 1


if __name__ == "__main__":
    raise SystemExit(main())
