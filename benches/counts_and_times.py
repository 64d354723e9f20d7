"""Whether instructions change as times do: the signs of their changes between two builds, where both are decided.

    autoperf compare ONE.ndjson TWO.ndjson --allow-missing --clock none --counters instructions --report COUNTED.json
    autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 --clock kernel --report TIMED.json
    python benches/counts_and_times.py COUNTED.json TIMED.json

prints the share of the decided times whose kernels' instructions changed in the same direction, by how far both
changed at least, and each pass in which they disagree, with the part and the functions that differ most. Exits with
1 if fewer than 90% agree.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MIN_AGREEING = 0.9
STEPS = (1.1, 1.25, 1.5, 2.0)
MAX_FUNCTIONS = 2
DECIDED = ("faster", "slower")


class Change(NamedTuple):
    """A pass whose time is decided, and its instructions."""

    name: str
    time: float
    counts: float
    code: dict[str, Any]

    @property
    def agrees(self) -> bool:
        """Whether both changed in the same direction."""
        return (self.time - 1) * (self.counts - 1) > 0

    @property
    def least(self) -> float:
        """The factor by which the time and the instructions changed, the smaller of both."""
        return math.exp(min(abs(math.log(self.time)), abs(math.log(self.counts))))

    def __str__(self) -> str:
        functions = ", ".join(
            f"{each['name'][:60]} {each['base']:,} -> {each['new']:,}"
            for each in self.code["functions"][:MAX_FUNCTIONS]
        )
        return f"{self.name}: time {self.time:.3f}, instructions {self.counts:.4f}: {self.part}: {functions or 'none'}"

    @property
    def part(self) -> str:
        """The part of kernels that spends most on either side."""
        parts: dict[str, list[int]] = self.code["parts"]
        return max(parts, key=lambda part: (part != "dispatch", sum(parts[part])))


def changes(counted: Path, timed: Path) -> Iterator[Change]:
    """The passes that are in both comparisons and whose time is decided."""
    counts = {(each["case"], each["pass"]): each for each in _figures(counted) if "code" in each}
    for each in _figures(timed):
        other = counts.get((each["case"], each["pass"]))
        if other and "code" not in each and each["verdict"] in DECIDED:
            name = f"{each['operator']} {each['pass']} ({each['profile']})"
            yield Change(name, each["ratio"], other["ratio"], other["code"])


def _figures(path: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return read


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the shares and the passes that disagree. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counted", type=Path)
    parser.add_argument("timed", type=Path)
    options = parser.parse_args(arguments)
    found = list(changes(options.counted, options.timed))
    agreeing = sum(each.agrees for each in found)
    for step in STEPS:
        group = [each for each in found if each.least >= step]
        sys.stdout.write(f"both by {step} and more: {sum(each.agrees for each in group)} of {len(group)} agree\n")
    for each in sorted((each for each in found if not each.agrees), key=lambda each: -abs(math.log(each.time))):
        sys.stdout.write(f"  {each}\n")
    sys.stdout.write(f"{agreeing} of {len(found)} decided times change as their instructions\n")
    return 0 if agreeing >= MIN_AGREEING * len(found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
