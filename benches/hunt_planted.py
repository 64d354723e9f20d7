"""Does `autoperf hunt` find cliffs that were planted, and nothing where there is none?

    python benches/hunt_planted.py [--budget 60s] [--seed 1] [--only planted_axis] [--keep FOLDER]

Hunts each of the sixteen operators in `planted/`, one after the other, for the budget each. A cliff is found if a
finding's input lies in it, its contrast doesn't, and the pass is the right one; it is shrunk if the input is at most
one step from the simplest that is known: halving or decrementing one dimension, dropping one axis or parameter,
changing one parameter or the dtype. Any other finding is false; a second true one tells the same cause again. Prints
Markdown. Exits with 1 if more than one cliff is missed or not shrunk, or more than one clean operator has a finding;
with --only, if one is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from planted.build import build
from planted.cliffs import ALL, Call, Cliff, Planted

from autoperf.capi.extensions import EXTENSIONS_VARIABLE
from autoperf.capi.library import find_library

RULES = Path(__file__).with_name("planted") / "rules.py"
MAX_STEPS = 1
MAX_MISSES = 1


@dataclass(frozen=True)
class Finding:
    """What is judged of a finding; `after` is when it was made, in seconds from the hunt's begin, if that is told."""

    pass_: str
    inputs: Call
    contrast: Call
    ratio: float
    low: float
    high: float
    family: str
    after: float | None = None


@dataclass(frozen=True)
class Judged:
    """The findings on one operator: the true one that is nearest to the known simplest input, how often the same cause
    was told again, and the false ones. `apart` is how many steps the first is from that input, `after` when the cliff
    was first found."""

    planted: Planted
    best: Finding | None
    apart: int | None
    again: int
    false: tuple[Finding, ...]
    seconds: float = 0.0
    after: float | None = None

    @property
    def shrunk(self) -> bool:
        return self.apart is not None and self.apart <= MAX_STEPS


def read(folder: Path) -> list[Finding]:
    """The findings in a hunt's folder, and from its log, where it has one, when each was first made.

    The log tells a finding once more when its family was widened.
    """
    findings = json.loads((folder / "hunt.json").read_text(encoding="utf-8"))["findings"]
    log = folder / "log.ndjson"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    made = [logged(event) for event in map(json.loads, lines) if event["type"] == "finding"]
    records = list(map(finding, findings))
    return [
        replace(entry, after=min((at for what, at in made if what == key(entry)), default=None)) for entry in records
    ]


def key(entry: Finding) -> tuple[str, Call]:
    return entry.pass_, entry.inputs


def logged(event: dict[str, Any]) -> tuple[tuple[str, Call], float]:
    """What a line of the log says was found, and when."""
    made = event["finding"]
    tensors = [item["tensor"] for item in made["case"]["inputs"]]
    return (made["pass"], call_of({"tensors": tensors, "params": made["case"]["params"]})), event["at"]


def finding(record: dict[str, Any]) -> Finding:
    """A finding as it stands in `hunt.json`."""
    return Finding(
        pass_=record["pass"],
        inputs=call_of(record["inputs"]),
        contrast=call_of(record["contrast"]),
        ratio=record["ratio"],
        low=record["low"],
        high=record["high"],
        family=record["family"],
    )


def call_of(record: dict[str, Any]) -> Call:
    """The tensors and parameters of an input or a contrast."""
    tensors = record["tensors"]
    return Call(tuple(tuple(tensor["shape"]) for tensor in tensors), tensors[0]["dtype"], record["params"])


def judge(planted: Planted, findings: Iterable[Finding], seconds: float = 0.0) -> Judged:
    """Which findings are the operator's cliff, and which are false."""
    findings, cliff = list(findings), planted.cliff
    if cliff is None:
        return Judged(planted, None, None, 0, tuple(findings), seconds)
    true = sorted(
        (finding for finding in findings if is_true(finding, cliff)),
        key=lambda finding: steps(finding.inputs, cliff.simplest),
    )
    false = tuple(finding for finding in findings if not is_true(finding, cliff))
    best = true[0] if true else None
    apart = steps(best.inputs, cliff.simplest) if best else None
    after = min((finding.after for finding in true if finding.after is not None), default=None)
    return Judged(planted, best, apart, max(0, len(true) - 1), false, seconds, after)


def is_true(finding: Finding, cliff: Cliff) -> bool:
    """Whether the finding leads from outside of the cliff into it, in the pass that has it."""
    return finding.pass_ == cliff.pass_ and cliff.holds(finding.inputs) and not cliff.holds(finding.contrast)


def steps(first: Call, second: Call) -> int:
    """How many elementary simplifications lie between two inputs."""
    names = {*first.params, *second.params}
    changed = sum(str(first.params.get(name)) != str(second.params.get(name)) for name in names)
    tensors = sum(between_shapes(*pair) for pair in zip(first.shapes, second.shapes, strict=False))
    return changed + tensors + abs(len(first.shapes) - len(second.shapes)) + (first.dtype != second.dtype)


def between_shapes(first: Sequence[int], second: Sequence[int]) -> int:
    """Axes that are dropped, and what lies between the dimensions that are left: the fewest steps."""
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    ways = combinations(longer, len(shorter))
    return len(longer) - len(shorter) + min(sum(map(between_extents, kept, shorter)) for kept in ways)


def between_extents(first: int, second: int) -> int:
    """Halvings, rounded down, as long as they don't lead too far, then decrements."""
    high, low, count = max(first, second), min(first, second), 0
    while high // 2 >= low and high > 1:
        high, count = high // 2, count + 1
    return count + high - low


def describe(call: Call) -> str:
    """`(1, 256) float64; axis=0`."""
    shapes = ", ".join(map(str, call.shapes))
    dtype = "" if call.dtype == "float32" else f" {call.dtype}"
    params = ", ".join(f"{name}={value}" for name, value in sorted(call.params.items()))
    return f"{shapes}{dtype}; {params}" if params else f"{shapes}{dtype}"


def estimate(finding: Finding) -> str:
    """`2.98 [2.91, 3.04]`."""
    return f"{finding.ratio:.2f} [{finding.low:.2f}, {finding.high:.2f}]"


def row(judged: Judged, cliff: Cliff) -> str:
    """A line of the table of cliffs."""
    cells = [judged.planted.name, cliff.detail]
    if best := judged.best:
        after = "" if judged.after is None else f"{judged.after:.0f}"
        cells += [
            after,
            estimate(best),
            describe(best.inputs),
            describe(cliff.simplest),
            str(judged.apart),
            best.family,
        ]
    else:
        cells += ["not found", "", "", describe(cliff.simplest), "", ""]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def report(judged: Sequence[Judged], allowed: int) -> bool:
    """Prints the tables and totals; whether no more is missed, unshrunk or false than is allowed."""
    cliffs = [(result, result.planted.cliff) for result in judged if result.planted.cliff]
    clean = [result for result in judged if not result.planted.cliff]
    if cliffs:
        print(
            "| operator | cliff | found after s | ratio [95%] | simplest input found | known | steps apart | family |"
        )
        print("|---|---|---:|---:|---|---|---:|---|")
        for result, cliff in cliffs:
            print(row(result, cliff))
    hits = sum(result.best is not None for result, _ in cliffs)
    shrunk = sum(result.shrunk for result, _ in cliffs)
    quiet = sum(not result.false for result in clean)
    print(
        f"\n{hits} of {len(cliffs)} cliffs found, "
        f"{shrunk} shrunk to {MAX_STEPS} step of the known simplest input or nearer"
    )
    print(f"{quiet} of {len(clean)} operators without a cliff have no finding")
    false = [(result.planted.name, finding) for result in judged for finding in result.false]
    again = sum(result.again for result in judged)
    total = hits + again + len(false)
    print(f"{len(false)} of {total} findings are false, {again} tell a cause again")
    for name, finding in false:
        print(
            f"- {name} {finding.pass_}: {describe(finding.inputs)} against {describe(finding.contrast)}, "
            f"{estimate(finding)}"
        )
    return min(hits, shrunk) >= len(cliffs) - allowed and quiet >= len(clean) - allowed


def hunt(planted: Planted, folder: Path, library: Path, options: argparse.Namespace) -> Judged:
    """Hunts one operator; ends the script if there is nothing to judge."""
    command = [sys.executable, "-m", "autoperf", "hunt", "--operator", planted.name, "--rules", str(RULES)]
    command += ["--budget", str(options.budget), "--seed", str(options.seed), "--output", str(folder)]
    environment = {**os.environ, EXTENSIONS_VARIABLE: str(library)}
    begin = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode not in (0, 1) or not (folder / "hunt.json").is_file():
        raise SystemExit(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr.strip()}")
    return judge(planted, read(folder), seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--budget", default="60s", help="how long to search each operator, as `autoperf hunt` takes it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=sorted(ALL), metavar="NAME", help="may be given repeatedly")
    parser.add_argument("--keep", type=Path, help="a new folder for what the hunts write")
    options = parser.parse_args()
    chosen = [ALL[name] for name in options.only or ALL]
    library = build(find_library())
    judged = []
    with tempfile.TemporaryDirectory() as name:
        for number, planted in enumerate(chosen, 1):
            judged.append(hunt(planted, (options.keep or Path(name)) / planted.name, library, options))
            print(f"[{number}/{len(chosen)}] {planted.name}: {judged[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    print(f"`autoperf hunt --budget {options.budget} --seed {options.seed}`, one operator at a time\n")
    return int(not report(judged, 0 if options.only else MAX_MISSES))


if __name__ == "__main__":
    raise SystemExit(main())
