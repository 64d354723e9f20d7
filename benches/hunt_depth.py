"""What does a longer search of operators add to a shorter one, and what does it no longer find?

    python benches/hunt_depth.py --short HUNT... --deep HUNT...

Each HUNT is the folder or the log of one. Of the operators that the deep hunts searched, prints a table of both
with Markdown: findings, their causes (as `hunt_seeds.py` tells them apart), families and cliffs by size; then the
causes of the short hunts, above a ratio of 3, that the deep ones miss.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from hunt_seeds import MIN_RATIO, ShownCause, causes

from autoperf.hunt.investigator import SINGLE, UNFINISHED
from autoperf.hunt.registry_causes import ranking
from autoperf.hunt.stored import read_hunt
from autoperf.reports.units import factor

# The limits of a family by sizes: "65 elements or more", "the last dimension is at most 38".
SIZE = re.compile(r"elements|dimension|length along|times the ")


@dataclass(frozen=True)
class Found:
    """The findings of some operators, as `hunt.json` has them, and the causes that they show."""

    findings: dict[str, list[dict[str, Any]]]
    causes: dict[str, list[ShownCause]]

    @classmethod
    def of(cls, records: Iterable[dict[str, Any]]) -> Found:
        """Of these records."""
        by_operator: dict[str, list[dict[str, Any]]] = {}
        for record in records:
            by_operator.setdefault(record["operator"], []).append(record)
        return cls(by_operator, {name: causes(listed) for name, listed in by_operator.items()})

    def families(self, holds: Callable[[str], object]) -> int:
        """The number of findings with such a family."""
        return sum(bool(holds(each["family"])) for listed in self.findings.values() for each in listed)

    def strong(self) -> list[tuple[str, ShownCause]]:
        """The causes above 3 with their operators, the largest first."""
        listed = [(name, each) for name, shown in self.causes.items() for each in shown if each.ratio > MIN_RATIO]
        return sorted(listed, key=lambda each: -each[1].ratio)

    def shows(self, operator: str, cause: ShownCause) -> bool:
        """Whether a finding shows the cause of this operator."""
        return any(map(cause.is_same, self.causes.get(operator, ())))


def read(paths: Sequence[Path], operators: set[str]) -> tuple[Found, set[str]]:
    """What the hunts found in these operators, or in all, and the operators that they searched."""
    hunts = list(map(read_hunt, paths))
    searched = {one.operator for hunt in hunts for one in hunt.searched if not one.reason}
    records = [
        record
        for hunt in hunts
        for record in msgspec.json.decode(hunt.json(ranking(hunt.findings)))["findings"]
        if record["operator"] in (operators or searched)
    ]
    return Found.of(records), searched


def rows(short: Found, deep: Found) -> Iterable[tuple[str, str, str]]:
    """The rows of the table."""
    counted: tuple[tuple[str, Callable[[Found], int]], ...] = (
        ("operators with a finding", lambda found: len(found.findings)),
        ("findings", lambda found: sum(map(len, found.findings.values()))),
        ("causes", lambda found: sum(map(len, found.causes.values()))),
        ("causes above 3", lambda found: len(found.strong())),
        ("findings with a family", lambda found: found.families(lambda family: not family.startswith(SINGLE))),
        ("of them cliffs by size", lambda found: found.families(SIZE.search)),
        ("findings of one input only", lambda found: found.families(lambda family: family == SINGLE)),
        ("families cut short by the budget", lambda found: found.families(lambda family: family == UNFINISHED)),
    )
    for words, number in counted:
        yield words, f"{number(short):,}", f"{number(deep):,}"
    seen, others = (
        sum(other.shows(*each) for each in found.strong()) for found, other in ((short, deep), (deep, short))
    )
    yield "causes above 3 that the other shows too", f"{seen:,}", f"{others:,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--short", nargs="+", required=True, type=Path, metavar="HUNT")
    parser.add_argument("--deep", nargs="+", required=True, type=Path, metavar="HUNT")
    given = parser.parse_args()
    deep, operators = read(given.deep, set())
    short, _ = read(given.short, operators)
    print(f"{len(operators)} operators\n\n| | short | deep |\n|---|---:|---:|")
    for row in rows(short, deep):
        print(f"| {' | '.join(row)} |")
    missed = [(name, cause) for name, cause in short.strong() if not deep.shows(name, cause)]
    print(f"\n{len(missed)} causes above {MIN_RATIO:g} are in the short hunts alone:")
    for name, cause in missed:
        print(f"- {name} {'/'.join(cause.passes)}: {cause.words}, {factor(cause.ratio)} times")


if __name__ == "__main__":
    main()
