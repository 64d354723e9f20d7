"""Which slowdowns of real code a comparison finds by times, by the number of its processes, and beside loads.

    python benches/power.py measure FOLDER [--load 0,4,15] [--pairs 5] [--max-time 0.2,1,7] [--rounds 3]
    python benches/power.py report FOLDER

`measure` compares MXNet with itself where operators in C++ (planted/more.cc) do 0.5 to 10% more work on one side, of
more elements (about 0.1 ms a call) or of more arithmetic (0.5 ms), and two do the same, in so many pairs of processes,
by so many seconds of samples, beside so many busy processes. The figures of each comparison stay in FOLDER, and another
call goes on with those that are missing. `report` prints the share of the slowdowns whose interval lies above 1, and of
the operators that do the same, whose interval doesn't enclose 1. Counts see all of them, whatever the load
(`exact_counts.py`).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from exact_counts import RULES, compare, load
from planted.build import build
from planted.more_rules import SHARES

from autoperf.backends.mxnet.backend import find_library

WORKS = {"more": "large", "longer": "small"}
"""The operators by their kind of work, and the profile of their inputs."""
SAME = "nothing"


def measure(folder: Path, loads: Sequence[int], pairs: Sequence[int], times: Sequence[float], rounds: int) -> None:
    """Measures what FOLDER lacks, the quickest first."""
    extension = str(build(find_library(), RULES.with_name("more.cc")))
    for seed, each, seconds, busy, (work, profile) in product(range(rounds), pairs, times, loads, WORKS.items()):
        target = folder / f"{work}-load{busy}-pairs{each}-max{seconds:g}-{seed}.json"
        if target.exists():
            continue
        operators = [f"{work}_{share}" for share in (*SHARES, SAME)]
        words = ("--rules", str(RULES), "--extension", extension, "--operator", ",".join(operators))
        cases = ("--input-profile", profile, "--draws", "0", "--seed", str(seed))
        sides = ("--env", "A:LESS=1", "--env", "B:MORE=1", "--processes", str(each))
        begin = time.monotonic()
        with load(busy):
            comparison = compare(folder, *words, *cases, *sides, "--max-time", f"{seconds:g}s", times=True)
        took = (time.monotonic() - begin) / len(operators)
        target.write_text(json.dumps({"seconds": took, "figures": comparison["cases"]}))
        sys.stdout.write(f"{target.name}: {len(comparison['cases'])} figures\n")
        sys.stdout.flush()


def found(figure: dict[str, Any]) -> bool:
    """Whether a figure's interval shows what was planted; of an operator that does the same, anything."""
    is_same = figure["operator"].endswith(SAME)
    return bool(figure["low"] and (figure["low"] > 1 or (is_same and figure["high"] < 1)))


def report(folder: Path) -> Iterator[str]:
    """A row for each load, number of pairs and time: the share found of each slowdown, by both clocks.

    Half the width of the intervals is the median of all operators.
    """
    shares: dict[tuple[tuple[float, ...], str], list[bool]] = defaultdict(list)
    widths: dict[tuple[float, ...], list[float]] = defaultdict(list)
    took: dict[tuple[float, ...], list[float]] = defaultdict(list)
    for path in folder.glob("*-load*-pairs*-max*-*.json"):
        beside, pairs, most = path.stem.split("-")[1:4]
        key = int(beside.removeprefix("load")), int(pairs.removeprefix("pairs")), float(most.removeprefix("max"))
        document = json.loads(path.read_text())
        took[key].append(document["seconds"])
        for figure in document["figures"]:
            shares[key, figure["operator"].partition("_")[2]].append(found(figure))
            widths[key] += [math.log(figure["high"] / figure["low"]) / 2] if figure["low"] else []
    kinds = (SAME, *reversed(SHARES))
    names = ("load", "pairs", "max-time", "s a case", "half interval", "figures", *kinds)
    yield f"| {' | '.join(name.replace('_', ' ') for name in names)} |"
    yield f"|{'---:|' * len(names)}"
    for each in sorted(took):
        cells = [shares[each, kind] for kind in kinds]
        found_shares = (f"{sum(cell) / max(len(cell), 1):.0%}" for cell in cells)
        row = (
            *map("{:g}".format, each),
            f"{median(took[each]):.0f}",
            f"{median(widths[each]):.1%}",
            len(cells[0]),
            *found_shares,
        )
        yield f"| {' | '.join(map(str, row))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("measure", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--load", default="0,4,15")
    parser.add_argument("--pairs", default="5")
    parser.add_argument("--max-time", default="0.2,1,7")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.command == "measure":
        loads, pairs = ([*map(int, words.split(","))] for words in (options.load, options.pairs))
        measure(options.folder, loads, pairs, [*map(float, options.max_time.split(","))], options.rounds)
    sys.stdout.writelines(f"{line}\n" for line in report(options.folder))


if __name__ == "__main__":
    main()
