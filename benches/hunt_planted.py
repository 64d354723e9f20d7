"""Does `autoperf hunt` find cliffs that were planted, and nothing where there is none?

    python benches/hunt_planted.py [--budget 60s] [--seed 1] [--only planted_axis] [--keep FOLDER]
    python benches/hunt_planted.py --kept FOLDER

Hunts each of the operators in `planted/`, one after the other, for the budget each. A cliff is found if a finding's
input lies in it, its contrast doesn't, and the pass is a right one; it is shrunk if the input is at most one step from
the simplest that is known: halving or decrementing one dimension, dropping one axis or parameter, changing one
parameter, the dtype or the pattern of the contents. Any other finding is false; a second true one repeats the cause. A
family is right if it is reported, and at least 90% of its fresh draws are. Prints Markdown. Exits with 1 if more than
one cliff is missed or not shrunk, or more than one clean operator has a finding; with --only, if one is. --kept judges
the hunts that earlier calls have kept, as one.
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
from planted.cliffs import ALL
from planted.laws import Call, Cliff, Planted

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.files import EXTENSIONS_VARIABLE

RULES = Path(__file__).with_name("planted") / "rules.py"
MAX_STEPS = 1
MAX_MISSES = 1
MIN_RIGHT = 0.9


@dataclass(frozen=True)
class Finding:
    """The judged part of a finding; `after` is the time when it was made, in seconds from the hunt's begin, if known.

    `passes` are those that it names, `operator` is that of the contrast, and `check` how the family was held against
    fresh draws: inputs inside, slow ones among them, inputs outside, fast ones among them; none for a single input.
    """

    passes: tuple[str, ...]
    inputs: Call
    contrast: Call
    ratio: float
    low: float
    high: float
    family: str
    operator: str = ""
    check: tuple[int, int, int, int] | None = None
    after: float | None = None

    @property
    def is_right(self) -> bool:
        """Whether the family is reported, and right about its fresh draws."""
        inside, slow, outside, fast = self.check or (1, 0, 1, 0)
        return slow >= MIN_RIGHT * inside and fast >= MIN_RIGHT * outside


@dataclass(frozen=True)
class JudgedCliff:
    """The true finding of a cliff that is nearest to the known simplest input, and how often it was repeated.

    `apart` is how many steps it is from that input, `after` when the cliff was first found.
    """

    cliff: Cliff
    best: Finding | None = None
    apart: int | None = None
    again: int = 0
    after: float | None = None

    @property
    def shrunk(self) -> bool:
        return self.apart is not None and self.apart <= MAX_STEPS


@dataclass(frozen=True)
class Judged:
    """What was found of the cliffs of an operator, and the false findings."""

    planted: Planted
    cliffs: tuple[JudgedCliff, ...]
    false: tuple[Finding, ...]
    seconds: float = 0.0


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
    return entry.passes[0], entry.inputs


def logged(event: dict[str, Any]) -> tuple[tuple[str, Call], float]:
    """What a line of the log says was found, and when."""
    made = event["finding"]
    tensors = [item["tensor"] for item in made["case"]["inputs"]]
    return (made["pass"], call_of({"tensors": tensors, "params": made["case"]["params"]})), event["at"]


def finding(record: dict[str, Any]) -> Finding:
    """A finding as it stands in `hunt.json`."""
    check, other = record.get("check") or {}, record.get("other_pass")
    counts = tuple(check.get(name, 0) for name in ("inside", "inside_slow", "outside", "outside_fast"))
    return Finding(
        passes=(record["pass"], *([other["pass"]] if other else [])),
        inputs=call_of(record["inputs"]),
        contrast=call_of(record["contrast"]),
        ratio=record["ratio"],
        low=record["low"],
        high=record["high"],
        family=record["family"],
        operator=record["contrast"].get("case", "").partition("/")[0],
        check=counts if check and not check.get("single") else None,
    )


def call_of(record: dict[str, Any]) -> Call:
    """The tensors and parameters of an input or a contrast."""
    tensors = record["tensors"]
    pattern = (tensors[0].get("content") or {}).get("pattern", "")
    return Call(tuple(tuple(tensor["shape"]) for tensor in tensors), tensors[0]["dtype"], record["params"], pattern)


def judge(planted: Planted, findings: Iterable[Finding], seconds: float = 0.0) -> Judged:
    """Which findings are the operator's cliffs, and which are false."""
    findings = list(findings)
    true = [[finding for finding in findings if is_true(finding, cliff)] for cliff in planted.cliffs]
    false = tuple(finding for finding in findings if not any(finding in listed for listed in true))
    cliffs = tuple(judge_cliff(*pair) for pair in zip(planted.cliffs, true, strict=True))
    return Judged(planted, cliffs, false, seconds)


def judge_cliff(cliff: Cliff, true: Sequence[Finding]) -> JudgedCliff:
    """The best of the true findings of a cliff."""
    if not true:
        return JudgedCliff(cliff)
    best = min(true, key=lambda finding: steps(finding.inputs, cliff.simplest))
    after = min((finding.after for finding in true if finding.after is not None), default=None)
    return JudgedCliff(cliff, best, steps(best.inputs, cliff.simplest), len(true) - 1, after)


def is_true(finding: Finding, cliff: Cliff) -> bool:
    """Whether the finding leads from outside of the cliff into it, in the passes that have it and no others."""
    outside = finding.operator == cliff.equivalent if cliff.equivalent else not cliff.holds(finding.contrast)
    return set(finding.passes) <= set(cliff.passes) and cliff.holds(finding.inputs) and outside


def steps(first: Call, second: Call) -> int:
    """How many elementary simplifications lie between two inputs."""
    names = {*first.params, *second.params}
    changed = sum(str(first.params.get(name)) != str(second.params.get(name)) for name in names)
    tensors = sum(between_shapes(*pair) for pair in zip(first.shapes, second.shapes, strict=False))
    others = (first.dtype != second.dtype) + (first.pattern != second.pattern)
    return changed + tensors + abs(len(first.shapes) - len(second.shapes)) + others


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
    dtype += f" {call.pattern}" if call.pattern else ""
    params = ", ".join(f"{name}={value}" for name, value in sorted(call.params.items()))
    return f"{shapes}{dtype}; {params}" if params else f"{shapes}{dtype}"


def estimate(finding: Finding) -> str:
    """`2.98 [2.91, 3.04]`."""
    return f"{finding.ratio:.2f} [{finding.low:.2f}, {finding.high:.2f}]"


HEAD = """\
| operator | cliff | after s | ratio [95%] | simplest found | known | steps apart | family | slow inside, fast outside |
|---|---|---:|---:|---|---|---:|---|---|"""


def row(planted: Planted, judged: JudgedCliff) -> str:
    """A line of the table of cliffs."""
    cliff, best = judged.cliff, judged.best
    cells = [planted.name, cliff.detail]
    if best:
        after = "" if judged.after is None else f"{judged.after:.0f}"
        cells += [after, estimate(best), describe(best.inputs), describe(cliff.simplest), str(judged.apart)]
        cells += [best.family, held(best)]
    else:
        cells += ["not found", "", "", describe(cliff.simplest), "", "", ""]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def held(finding: Finding) -> str:
    """`8 of 8, 7 of 8`."""
    if finding.check is None:
        return ""
    inside, slow, outside, fast = finding.check
    return f"{slow} of {inside}, {fast} of {outside}"


def report(judged: Sequence[Judged], allowed: int) -> bool:
    """Prints the tables and totals; whether no more is missed, unshrunk or false than is allowed."""
    cliffs = [(result.planted, each) for result in judged for each in result.cliffs]
    if cliffs:
        print("\n".join([HEAD, *(row(*pair) for pair in cliffs)]))
    found = [each for _, each in cliffs if each.best]
    clean = [result for result in judged if not result.planted.cliffs]
    shrunk, quiet = sum(each.shrunk for each in found), sum(not result.false for result in clean)
    print(
        f"\n{len(found)} of {len(cliffs)} cliffs found, {shrunk} shrunk to {MAX_STEPS} step of the known simplest input"
    )
    right = sum(each.best.is_right for each in found if each.best)
    print(f"{right} of {len(found)} families are right about at least {MIN_RIGHT:.0%} of their fresh draws")
    print(f"{quiet} of {len(clean)} operators without a cliff have no finding")
    report_false(judged)
    return min(len(found), shrunk) >= len(cliffs) - allowed and quiet >= len(clean) - allowed


def report_false(judged: Sequence[Judged]) -> None:
    """Prints how many findings are false or tell a cause again, and each false one."""
    false = [(result.planted.name, finding) for result in judged for finding in result.false]
    again = sum(each.again for result in judged for each in result.cliffs)
    total = sum(each.best is not None for result in judged for each in result.cliffs) + again + len(false)
    print(f"{len(false)} of {total} findings are false, {again} tell a cause again")
    for name, finding in false:
        print(
            f"- {name} {' and '.join(finding.passes)}: {describe(finding.inputs)} "
            f"against {describe(finding.contrast)}, {estimate(finding)}"
        )


def hunt(planted: Planted, folder: Path, library: Path, options: argparse.Namespace) -> Judged:
    """Hunts one operator; ends the script if there is nothing to judge."""
    command = [sys.executable, "-m", "autoperf", "hunt", "--operator", planted.name, "--rules", str(RULES)]
    command += ["--time-budget", str(options.budget), "--seed", str(options.seed), "--folder", str(folder)]
    environment = {**os.environ, EXTENSIONS_VARIABLE: str(library)}
    begin = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode not in (0, 1) or not (folder / "hunt.json").is_file():
        raise SystemExit(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr.strip()}")
    return judge(planted, read(folder), seconds)


def kept(folder: Path) -> list[str]:
    """The planted operators whose hunts a folder has."""
    return [name for name in ALL if (folder / name / "hunt.json").is_file()]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--budget", default="60s", help="how long to search each operator, as `autoperf hunt` takes it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=sorted(ALL), metavar="NAME", help="may be given repeatedly")
    parser.add_argument("--keep", type=Path, help="a new folder for what the hunts write")
    parser.add_argument("--kept", type=Path, help="hunt nothing; judge this folder of an earlier --keep")
    options = parser.parse_args()
    if options.kept:
        return int(not report([judge(ALL[name], read(options.kept / name)) for name in kept(options.kept)], MAX_MISSES))
    chosen = [ALL[name] for name in options.only or ALL]
    library = build(find_library())
    judged = []
    with tempfile.TemporaryDirectory() as name:
        for number, planted in enumerate(chosen, 1):
            judged.append(hunt(planted, (options.keep or Path(name)) / planted.name, library, options))
            print(f"[{number}/{len(chosen)}] {planted.name}: {judged[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    print(f"`autoperf hunt --time-budget {options.budget} --seed {options.seed}`, one operator at a time\n")
    return int(not report(judged, 0 if options.only else MAX_MISSES))


if __name__ == "__main__":
    raise SystemExit(main())
