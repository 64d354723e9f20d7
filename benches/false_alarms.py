"""Whether a gate cries wolf: one build against itself beside drawn loads, and whole runs simulated from that.

    python benches/false_alarms.py measure FOLDER [--sets 10] [--whole 0] [--threshold 3%] [--time-budget 90s]
        [-- OPTIONS OF gate]
    python benches/false_alarms.py report FOLDER [--runs 1000] [--cases 3960]

`measure` runs two gates of each set of drawn operators, at different times and each beside a drawn number of busy
processes; what a gate finds slower it measures again. The sets of `--whole` have all operators. `report` prints by load
how many gates failed, the share of p values below some levels (a valid test has at most the level itself), and how many
figures were decided. Then it simulates runs of so many cases: each is a measured one, with its sides exchanged at
random; what is slower in the first look of a run is looked at again in the other gate of its set, as it was measured at
another time. The gate's own rules decide.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from exact_counts import load
from numpy.typing import NDArray

from autoperf.comparison.comparison import Verdict
from autoperf.comparison.ratios import Ratios, adjusted, verdicts
from autoperf.core.errors import Exit

PROGRAM = (sys.executable, "-m", "autoperf")
SIDES = ("--config", "none", "--mxnet", "installed", "--mxnet", "installed")
LOADS = (0, 0, 0, 1, 2, 4, 8, 15)
LEVELS = (0.05, 0.01, 0.001)
SET = 12
"""The number of operators in a set."""
CASES = 3960
"""The number of cases of a run of all operators of 1.9.1."""
Look = Mapping[str, Sequence[dict[str, Any]]]
"""The figures of a gate's first look, by case."""


def operators() -> list[str]:
    """The names of the operators that have cases."""
    command = (*PROGRAM, "discover", "--format", "json")
    document = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return [operator["name"] for operator in document["operators"] if operator["status"] == "covered"]


def drawn_sets(sets: int, whole: int) -> Iterator[tuple[str, Sequence[str]]]:
    """The options that select each set, by its name."""
    names = operators()
    for at in range(sets):
        yield str(at), ("--operator", ",".join(random.Random(at).sample(names, SET)))
    for at in range(whole):
        yield f"all{at}", ("--input-profile", "common")


def measure(folder: Path, chosen: Mapping[str, Sequence[str]], options: Sequence[str]) -> None:
    """Runs the gates that FOLDER lacks."""
    for look, (name, selection) in product(range(2), chosen.items()):
        busy = random.Random(f"{name}/{look}").choice(LOADS)
        path = folder / f"{name}-{look}-load{busy}.json"
        if path.exists():
            continue
        files = ("--run-file", str(path.with_suffix(".ndjson")), "--report", str(path))
        command = (*PROGRAM, "gate", *SIDES, *selection, "--draws", "0", *options, *files)
        with load(busy):
            done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (Exit.FINE, Exit.FINDING, Exit.INCONCLUSIVE):
            sys.exit(f"exit code {done.returncode} of {' '.join(command)}")
        print(f"{path.name}: exit code {done.returncode}", flush=True)


class Gate(NamedTuple):
    """A measured gate, and the number of processes beside it."""

    set: str
    busy: int
    failed: bool
    figures: list[dict[str, Any]]


def gates(folder: Path) -> list[Gate]:
    """The gates that FOLDER has."""
    found = []
    for path in sorted(folder.glob("*-*-load*.json")):
        at, _, beside = path.stem.split("-")
        document = json.loads(path.read_text())
        figures = [figure for figure in document["cases"] if figure["base_processes"] > 1]
        found.append(Gate(at, int(beside.removeprefix("load")), document["gate"] == "fails", figures))
    return found


def by_load(measured: Sequence[Gate]) -> Iterator[str]:
    """A row for each load."""
    yield f"| load | gates | red | figures | decided | slower at first |{''.join(f' p < {at} |' for at in LEVELS)}"
    yield f"|{'---:|' * (6 + len(LEVELS))}"
    for busy in sorted({gate.busy for gate in measured}):
        beside = [gate for gate in measured if gate.busy == busy]
        figures = [figure for gate in beside for figure in gate.figures]
        decided = sum(figure["verdict"] != Verdict.UNDECIDED.value for figure in figures) / len(figures)
        slower = sum("again" in figure or figure["verdict"] == Verdict.SLOWER.value for figure in figures)
        p = np.array([figure["p"] for figure in figures])
        levels = "".join(f" {(p < level).mean():.2%} |" for level in LEVELS)
        red = sum(gate.failed for gate in beside)
        yield f"| {busy} | {len(beside)} | {red} | {len(figures)} | {decided:.0%} | {slower} |{levels}"


class Pool:
    """The measured cases with a figure in both gates of their set: row by row each figure, padded to a rectangle."""

    def __init__(self, measured: Sequence[Gate]) -> None:
        looks: dict[str, list[dict[tuple[str, str, str], dict[str, Any]]]] = defaultdict(list)
        for gate in measured:
            looks[gate.set].append({(each["case"], each["pass"], each["clock"]): each for each in gate.figures})
        pairs: dict[tuple[str, int], list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
        for both in looks.values():
            for first, second in ((0, 1), (1, 0)) if len(both) == 2 else ():
                for key in both[first].keys() & both[second].keys():
                    pairs[key[0], first].append((both[first][key], both[second][key]))
        most = max(map(len, pairs.values()))
        self.figures = np.full((len(pairs), most, 2, 4), np.nan)
        for row, listed in enumerate(pairs.values()):
            for column, both_looks in enumerate(listed):
                for look, figure in enumerate(both_looks):
                    values = figure["ratio"], figure["low"], figure["high"], figure["p"]
                    self.figures[row, column, look] = values

    def looked(self, rows: NDArray[np.int64], look: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """The figures of a look at these cases: cases x figures x (ratio, low, high, p), with the sides exchanged."""
        figures = self.figures[rows, :, look]
        ratio, low, high, p = np.moveaxis(figures, 2, 0)
        exchanged = (rng.random(len(rows)) < 0.5)[:, None]
        sides = [(ratio, 1 / ratio), (low, 1 / high), (high, 1 / low)]
        return np.stack([*(np.where(exchanged, other, own) for own, other in sides), p], axis=2)


def slower(figures: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Which of these figures the gate's rules call slower; cases x figures."""
    there = ~np.isnan(figures[..., 0])
    ratio, low, high, p = figures[there].T
    judged = verdicts(Ratios(ratio, low, high, p, np.ones_like(p)), adjusted(p), threshold)
    found = np.zeros(there.shape, dtype=bool)
    found[there] = [verdict is Verdict.SLOWER for verdict in judged]
    return found


def simulated(pool: Pool, runs: int, cases: int, threshold: float) -> Iterator[str]:
    """The numbers of simulated runs that are slower at first, and that are so again."""
    rng, first, red = np.random.default_rng(1), 0, 0
    for _ in range(runs):
        rows = rng.integers(len(pool.figures), size=cases)
        found = slower(pool.looked(rows, 0, rng), threshold)
        doubtful = found.any(axis=1)
        first += doubtful.any()
        if doubtful.any():
            red += (found[doubtful] & slower(pool.looked(rows[doubtful], 1, rng), threshold)).any()
    yield f"{runs} simulated runs of {cases} cases at {threshold:.0%}: {first} slower at first, {red} red"


def report(folder: Path, runs: int, cases: int) -> Iterator[str]:
    measured = gates(folder)
    yield from by_load(measured)
    pool = Pool(measured)
    yield f"{len(pool.figures)} measured cases, in {len(measured)} gates"
    for threshold in (0.01, 0.03, 0.05):
        yield from simulated(pool, runs, cases, threshold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("measure", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--whole", type=int, default=0)
    parser.add_argument("--threshold", default="3%")
    parser.add_argument("--time-budget", default="90s")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=CASES)
    own, _, others = " ".join(sys.argv[1:]).partition(" -- ")
    options = parser.parse_args(own.split())
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.command == "measure":
        words = ("--threshold", options.threshold, "--time-budget", options.time_budget)
        measure(options.folder, dict(drawn_sets(options.sets, options.whole)), (*words, *others.split()))
    print(*report(options.folder, options.runs, options.cases), sep="\n")


if __name__ == "__main__":
    main()
