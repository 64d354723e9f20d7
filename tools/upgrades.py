"""Writes the table of docs/upgrades.md from reports of `autoperf upgrade` in JSON.

    autoperf upgrade resnet50_v1 --to torch --report reports/resnet50-torch.json
    python tools/upgrades.py reports/

Each report has one or several networks on one other side; those of a training step have rows of their own. Of a network
that several reports have on one side, the last row counts.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autoperf.reports.layout import cells, heading
from autoperf.reports.units import first_of, one_line
from autoperf.upgrade.moves import OBSTACLES, UNTRIED, Fate
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "upgrades.md"
MAX_NAMED = 3
COLUMNS = [
    ("network", False), ("to", False), ("calls", True), ("moves", True), ("renamed", True), ("other results", True),
    ("not there", True), ("refused", True), ("not tried", True), ("the whole", False), ("obstacles", False),
]  # fmt: skip
FATES = (Fate.MOVES, Fate.RENAMED, Fate.DIFFERS, Fate.LACKS, Fate.REFUSED, Fate.UNKNOWN)
Record = Mapping[str, Any]


class Row(NamedTuple):
    """A network on another side: its calls, distinct ones each with its number, and the whole in each mode."""

    network: str
    to: str
    calls: Sequence[Record]
    wholes: Sequence[Record]

    @property
    def made(self) -> Counter[str]:
        """The calls of a pass by their fate; those that fail here weren't tried there."""
        counter = Counter[str]()
        for call in self.calls:
            fate = Fate.UNKNOWN.value if call["fate"] == Fate.HERE.value else call["fate"]
            counter[fate] += call["calls"]
        return counter

    @property
    def whole(self) -> str:
        """The modes of the whole that compute the same, and what becomes of others; nothing of modes not tried."""
        by_fate: dict[str, list[str]] = {}
        for whole in self.wholes:
            by_fate.setdefault(whole["fate"], []).append(whole["profile"])
        for fate in UNTRIED:
            by_fate.pop(fate.value, None)
        parts = (
            f"{'' if fate == Fate.MOVES.value else f'{fate}: '}{', '.join(modes)}" for fate, modes in by_fate.items()
        )
        return "; ".join(parts)

    @property
    def obstacles(self) -> str:
        """The operators that don't move, with the reason of the first call."""
        found: dict[str, str] = {}
        for call in filter(_obstructs, self.calls):
            found.setdefault(call["operator"], call["reason"])
        for whole in filter(_obstructs, () if found else self.wholes):
            found.setdefault("the whole", whole["reason"])
        return "; ".join(first_of([f"{name}: {reason}" for name, reason in found.items()], MAX_NAMED))


def _obstructs(record: Record) -> bool:
    return record["fate"] in {fate.value for fate in OBSTACLES}


def main(arguments: Sequence[str]) -> None:
    """Fills the block of the page; ends with the usage without a folder of reports."""
    paths = sorted(Path(arguments[0]).glob("*.json")) if len(arguments) == 1 else []
    found = rows_of(json.loads(path.read_text()) for path in paths)
    rows = list({(row.network, row.to): row for row in found}.values())
    if not rows:
        sys.exit(__doc__)
    fill(PAGE, {"upgrades": table(rows)})


def rows_of(reports: Iterable[Record]) -> Iterator[Row]:
    """A row for each network of each report; JSON of another kind has none."""
    for report in reports:
        wholes, calls = report.get("wholes", []), report.get("calls", [])
        for name in dict.fromkeys(each["network"] for each in (*calls, *wholes)):
            own = ([each for each in group if each["network"] == name] for group in (calls, wholes))
            yield Row(name, report["new"].split(" (")[0], *own)


def table(rows: Sequence[Row]) -> str:
    """All rows by side and network, and the sum of each side."""
    ordered = sorted(rows, key=lambda row: (row.to, row.network))
    sides = dict.fromkeys(row.to for row in ordered)
    text = heading(COLUMNS) + "".join(map(line, ordered))
    return f"{text.rstrip()}\n\n{''.join(sums(side, ordered) for side in sides)}"


def line(row: Row) -> str:
    """A row of the table."""
    made = row.made
    numbers = [str(made[fate.value]) if made[fate.value] else "-" for fate in FATES]
    return cells([row.network, row.to, str(sum(made.values())), *numbers, row.whole, one_line(row.obstacles)])


def sums(side: str, rows: Iterable[Row]) -> str:
    """How many networks of a side move as they are, or under other names, and how many calls."""
    own = [row for row in rows if row.to == side]
    moving = sum(not row.obstacles for row in own)
    made = sum((row.made for row in own), Counter[str]())
    running = made[Fate.MOVES.value] + made[Fate.RENAMED.value]
    calls = f"{running:,} of {sum(made.values()):,} calls"
    return f"- {side}: {moving} of {len(own)} networks move in every mode that was tried, and {calls}.\n"


if __name__ == "__main__":
    main(sys.argv[1:])
