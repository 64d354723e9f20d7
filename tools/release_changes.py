"""Writes what changed between two releases into docs/guides/releases.md, from what `autoperf compare` printed.

    autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 --counts-first --input-profile common --draws 0 \\
        --time-budget 30m --format json > changes.json
    python tools/release_changes.py changes.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from autoperf.reports.layout import cells, heading
from autoperf.reports.units import duration, factor
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "guides" / "releases.md"
MAX_ROWS = 8
VERDICTS = ("slower", "faster", "same")
INSTRUCTIONS = "instructions"
NO_TIME = "skipped: the 75% for counting of the time budget"
CHANGES = [("operator", False), ("inputs", False), ("time", False), ("base", True), ("new", True), ("change", True)]
Figure = Mapping[str, Any]
Comparison = Mapping[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Fills the block of the page; ends with the usage if there is not one file."""
    if len(arguments) != 1:
        sys.exit(__doc__)
    changes = json.loads(Path(arguments[0]).read_text())
    text = f"{evidence(changes)}\n\n{largest(changes, 'slower')}\n\n{largest(changes, 'faster')}"
    fill(PAGE, {"changes": text})


def evidence(comparison: Comparison) -> str:
    """How many passes have which verdict: by times, else by counts of instructions, or by neither."""
    passes: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for figure in comparison["cases"]:
        passes[figure["case"], figure["pass"]].append(figure)
    by_times, by_counts = Counter[str](), Counter[str]()
    for figures in passes.values():
        timed = decided(figure for figure in figures if figure["clock"] != INSTRUCTIONS)
        counted = decided(figure for figure in figures if figure["clock"] == INSTRUCTIONS)
        by_times[timed or ""] += 1
        by_counts[counted or ""] += not timed
    cases, total = len({case for case, _ in passes}), len(passes)
    rows = (
        ("times", [by_times[verdict] for verdict in VERDICTS]),
        ("counts of instructions, where times decide nothing", [by_counts[verdict] for verdict in VERDICTS]),
    )
    columns = [("decided by", False), *((name, True) for name in VERDICTS), ("all", True)]
    lines = [cells([name, *(f"{each:,}" for each in row), f"{sum(row) / total:.1%}"]) for name, row in rows]
    left = {each["case"] for each in comparison["unmatched"] if (each["reason"] or "").startswith(NO_TIME)}
    title = (
        f"{sides(comparison)}: {total:,} passes of {cases:,} cases, {by_counts['']:,} of them undecided. "
        f"{len(comparison['different'])} cases differ in their results and aren't timed; "
        f"for {len(left)} no time was left."
    )
    return f"{title}\n\n{''.join([heading(columns), *lines])}".rstrip("\n")


def decided(figures: Iterable[Figure]) -> str | None:
    """The verdict of the figures of a pass: of the first that has one, kernels before calls."""
    return next((figure["verdict"] for figure in figures if figure["verdict"] in VERDICTS), None)


def sides(comparison: Comparison) -> str:
    """`2.0.0b1 / 1.9.1`."""
    base, new = (comparison[f"{side}_provenance"]["release"] for side in ("base", "new"))
    return f"{new} / {base}"


def largest(comparison: Comparison, verdict: str) -> str:
    """The operators that changed most: the largest change of each, by kernel time where it was compared."""
    timed = (figure for figure in comparison["cases"] if figure["clock"] != INSTRUCTIONS)
    figures = [figure for figure in timed if figure["verdict"] == verdict]
    operators = len({figure["operator"] for figure in figures})
    title = f"{operators} operators have a figure that became {verdict}. The largest changes, one for each operator:"
    rows = "".join([heading(CHANGES), *map(_change_row, ranked(figures))])
    return f"{title}\n\n{rows}".rstrip("\n")


def ranked(figures: Iterable[Figure]) -> list[Figure]:
    """One figure of an operator, the largest changes first, at most MAX_ROWS."""
    kept: dict[str, Figure] = {}
    for figure in sorted(figures, key=_size, reverse=True):
        kept.setdefault(figure["operator"], figure)
    return list(kept.values())[:MAX_ROWS]


def _size(figure: Figure) -> float:
    """How far the interval is from 1: what is certain counts, not what is possible."""
    ratio = max(figure["low"], 1 / figure["high"])
    return float(ratio)


def _change_row(figure: Figure) -> str:
    ratio = max(figure["ratio"], 1 / figure["ratio"])
    times = (duration(figure["base_us"]), duration(figure["new_us"]))
    change = f"{factor(ratio)}x {figure['verdict']}"
    return cells([figure["operator"], figure["inputs"], f"{figure['pass']} {figure['clock']}", *times, change])


if __name__ == "__main__":
    main(sys.argv[1:])
