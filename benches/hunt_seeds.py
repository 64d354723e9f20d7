"""Do two hunts with different seeds find the same causes?

    python benches/hunt_seeds.py FOLDER [--operator sum ...] [--seed 5 --seed 11] [--budget 60s] [--mxnet 1.9.1]
    python benches/hunt_seeds.py FOLDER --kept

Hunts each operator once with each seed, one after the other; hunts whose folder is there already aren't repeated. Of
the causes that one seed shows with a ratio above 3, how many does the other show too, with any ratio? Two findings show
one cause if they have a pass in common, and what lies between the slow and the fast input is the same: the slow dtype,
the parameters that differ, the place of an axis, which dimension is short, or the other operator. Where that is faster
for one dtype alone, the dtype is what lies between. Two that tell one family, of some condition, show one cause too.
Prints Markdown.
Exits with 1 if less than 90% are shared, or nothing was compared.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

OPERATORS = (
    *("broadcast_to", "tile", "where", "log_softmax", "take", "sum", "LayerNorm", "topk"),
    *("softmax", "argmax", "broadcast_add", "batch_dot", "Pooling", "norm", "slice_axis", "_np_cumsum"),
)
MIN_RATIO = 3.0
# A family of one dtype, from a number of elements on.
DTYPE_FAMILY = re.compile(r"(\w+\d)(?:, and [\d,]+ elements or more)?")
# The family without a condition; it may be that of any cause.
EVERY_INPUT = "every input"
MIN_SHARED = 0.9


@dataclass(frozen=True)
class ShownCause:
    """What a finding shows: its passes, each with its ratio, what differs between its inputs, and a told family."""

    passes: dict[str, float]
    key: tuple[str, ...]
    family: str

    @property
    def words(self) -> str:
        """The family, or what differs."""
        return self.family or " ".join(self.key)

    @property
    def ratio(self) -> float:
        """The larger one of its passes."""
        return max(self.passes.values())

    def is_same(self, other: ShownCause) -> bool:
        """Whether another finding shows the same cause."""
        is_one_family = self.family == other.family and self.family not in ("", EVERY_INPUT)
        return (is_one_family or self.key == other.key) and bool(self.passes.keys() & other.passes.keys())


@dataclass(frozen=True)
class Hunted:
    """The causes that the hunts of an operator show, for each seed, and the seconds that each hunt had."""

    operator: str
    causes: dict[int, list[ShownCause]]
    seconds: float = 60.0

    def strong(self, seed: int) -> list[ShownCause]:
        """The causes of a seed with a ratio above 3."""
        return [cause for cause in self.causes[seed] if cause.ratio > MIN_RATIO]

    def shared(self, seed: int, other: int) -> list[ShownCause]:
        """Those of them that another seed shows."""
        return [cause for cause in self.strong(seed) if any(map(cause.is_same, self.causes[other]))]


def causes(findings: Sequence[dict[str, Any]]) -> list[ShownCause]:
    """The causes of findings as they stand in `hunt.json`, each once."""
    kept: list[ShownCause] = []
    for cause in map(shown, findings):
        if not any(map(cause.is_same, kept)):
            kept.append(cause)
    return kept


def shown(finding: dict[str, Any]) -> ShownCause:
    """What a finding shows."""
    other = finding.get("other_pass")
    passes = {finding["pass"]: finding["ratio"], **({other["pass"]: other["ratio"]} if other else {})}
    key = difference(finding["inputs"], finding["contrast"])
    family = finding["family"]
    if key[0] == "than" and (dtype := DTYPE_FAMILY.fullmatch(family)):
        # Another operator is faster for this dtype alone: the dtype is the cause.
        key = "dtype", dtype[1]
    return ShownCause(passes, key, "" if family.startswith("this input") else family)


def difference(slow: dict[str, Any], fast: dict[str, Any]) -> tuple[str, ...]:
    """What lies between a slow input and a fast one, in the coarsest words that tell causes apart."""
    operator = fast["case"].partition("/")[0]
    if slow["case"].partition("/")[0] != operator:
        return "than", operator
    dtypes = [[tensor["dtype"] for tensor in each["tensors"]] for each in (slow, fast)]
    if dtypes[0] != dtypes[1]:
        return "dtype", next(before for before, after in zip(*dtypes, strict=False) if before != after)
    names = {*slow["params"], *fast["params"]}
    changed = sorted(name for name in names if slow["params"].get(name) != fast["params"].get(name))
    if "axis" in slow["params"] and set(changed) <= {"axis"} and (changed or is_transposed(slow, fast)):
        return "axis", axis_place(slow)
    # A parameter such as a shape follows the lengths.
    return ("parameter", *changed) if changed and shapes(slow) == shapes(fast) else ("shape", shorter(slow, fast))


def shapes(call: dict[str, Any]) -> list[list[int]]:
    return [tensor["shape"] for tensor in call["tensors"]]


def axis_place(call: dict[str, Any]) -> str:
    """Where the axis lies: "last" or "not last"; of several axes, whether the last is among them."""
    given = call["params"]["axis"]
    rank = max(map(len, shapes(call)))
    return (
        "last" if rank - 1 in [axis % rank for axis in (given if isinstance(given, list) else [given])] else "not last"
    )


def is_transposed(slow: dict[str, Any], fast: dict[str, Any]) -> bool:
    """Whether the first tensor has the same lengths in another order."""
    first, second = shapes(slow)[0], shapes(fast)[0]
    return first != second and sorted(first) == sorted(second)


def shorter(slow: dict[str, Any], fast: dict[str, Any]) -> str:
    """What is short in the slow input, of the first tensor that differs: the last dimension, the first, or others."""
    for number, (before, after) in enumerate(zip(shapes(slow), shapes(fast), strict=False)):
        if before != after:
            name = "last" if before[-1:] < after[-1:] else "first" if before[:1] < after[:1] else "other"
            return f"{name} dimension of tensor {number} short"
    return "other"


def hunt(operator: str, seed: int, folder: Path, options: argparse.Namespace) -> None:
    """Hunts one operator; ends the script if that fails."""
    command = [sys.executable, "-m", "autoperf", "hunt", "--operator", operator, "--time-budget", options.budget]
    command += ["--seed", str(seed), "--mxnet", options.mxnet, "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr.strip()}")


def read(operator: str, folders: Mapping[int, Path]) -> Hunted:
    """What the folders of an operator's hunts have."""
    hunts = {seed: json.loads((folder / "hunt.json").read_text(encoding="utf-8")) for seed, folder in folders.items()}
    seconds = min(hunt["searched"]["budget"] for hunt in hunts.values())
    return Hunted(operator, {seed: causes(hunt["findings"]) for seed, hunt in hunts.items()}, seconds)


def kept(folder: Path, seeds: Sequence[int]) -> Iterator[Hunted]:
    """The operators of which the folder has a hunt with each seed."""
    for operator in OPERATORS:
        folders = {seed: folder / f"{operator}-{seed}" for seed in seeds}
        if all((each / "hunt.json").is_file() for each in folders.values()):
            yield read(operator, folders)


def report(hunted: Sequence[Hunted], seeds: Sequence[int]) -> bool:
    """Prints the table and the total; whether enough is shared."""
    pairs = list(permutations(seeds, 2))
    head = [f"above 3 with seed {seed} | also with seed {other}" for seed, other in pairs]
    print(f"| operator | s | {' | '.join(head)} |\n|---|---:|{'---|---|' * len(pairs)}")
    for each in hunted:
        row = (cell for pair in pairs for cell in cells(each, *pair))
        print(f"| {each.operator} | {each.seconds:.0f} | {' | '.join(row)} |")
    strong = sum(len(each.strong(seed)) for each in hunted for seed, _ in pairs)
    shared = sum(len(each.shared(*pair)) for each in hunted for pair in pairs)
    print(
        f"\n{shared} of {strong} causes above {MIN_RATIO:g} in {len(hunted)} operators are shown by the other seed too"
    )
    return bool(hunted) and shared >= MIN_SHARED * strong


def cells(hunted: Hunted, seed: int, other: int) -> tuple[str, str]:
    """The causes of a seed, and those that the other one misses."""
    strong, shared = hunted.strong(seed), hunted.shared(seed, other)
    missing = ", ".join(f"not {cause.words}" for cause in strong if cause not in shared)
    return ", ".join(cause.words for cause in strong) or "none", missing or ("all" if strong else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="for the hunts, each in a folder of its own")
    parser.add_argument(
        "--operator", action="append", choices=OPERATORS, metavar="NAME", help="may be given repeatedly"
    )
    parser.add_argument("--seed", action="append", type=int, help="may be given repeatedly; 5 and 11 by default")
    parser.add_argument("--budget", default="60s", help="how long to search each operator, as `autoperf hunt` takes it")
    parser.add_argument("--mxnet", default="1.9.1", help="the release")
    parser.add_argument("--kept", action="store_true", help="hunt nothing; judge what the folder has")
    options = parser.parse_args()
    seeds = options.seed or [5, 11]
    for operator in () if options.kept else options.operator or OPERATORS:
        for seed in seeds:
            place = options.folder / f"{operator}-{seed}"
            if not (place / "hunt.json").is_file():
                hunt(operator, seed, place, options)
                print(f"{operator}, seed {seed}", file=sys.stderr, flush=True)
    print(f"`autoperf hunt`, each operator for so many seconds (s), with seeds {' and '.join(map(str, seeds))}\n")
    return int(not report(list(kept(options.folder, seeds)), seeds))


if __name__ == "__main__":
    raise SystemExit(main())
