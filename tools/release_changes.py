"""Writes what changed between two releases into docs/guides/releases.md, from what `autoperf compare` printed.

    autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 --time-budget 30m --format json > changes.json
    autoperf compare --mxnet 1.9.1 --mxnet 1.9.1 --time-budget 30m --format json > same.json
    python tools/release_changes.py changes.json same.json

The second compares a release with itself, which shows how often a verdict is wrong.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from autoperf.reports.layout import cells, heading
from autoperf.reports.units import duration, factor
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "guides" / "releases.md"
MAX_ROWS = 8
VERDICTS = ("slower", "faster", "same", "undecided")
CHANGES = [("operator", False), ("inputs", False), ("time", False), ("base", True), ("new", True), ("change", True)]
Figure = Mapping[str, Any]
Comparison = Mapping[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Fills the block of the page; ends with the usage if there are not two files."""
    if len(arguments) != 2:
        sys.exit(__doc__)
    changes, same = (json.loads(Path(name).read_text()) for name in arguments)
    text = f"{counts(changes, same)}\n\n{largest(changes, 'slower')}\n\n{largest(changes, 'faster')}"
    fill(PAGE, {"changes": text})


def counts(*comparisons: Comparison) -> str:
    """A row for each comparison: its cases and figures, and how many have which verdict."""
    columns = [("NEW / BASE", False), ("cases", True), ("figures", True), *((name, True) for name in VERDICTS)]
    return "".join([heading(columns), *map(_count_row, comparisons)]).rstrip("\n")


def _count_row(comparison: Comparison) -> str:
    figures = comparison["cases"]
    verdicts = Counter(figure["verdict"] for figure in figures)
    shares = [f"{verdicts[name]:,} ({verdicts[name] / len(figures):.1%})" for name in VERDICTS]
    cases = len({figure["case"] for figure in figures})
    return cells([sides(comparison), f"{cases:,}", f"{len(figures):,}", *shares])


def sides(comparison: Comparison) -> str:
    """`2.0.0b1 / 1.9.1`."""
    base, new = (comparison[f"{side}_provenance"]["release"] for side in ("base", "new"))
    return f"{new} / {base}"


def largest(comparison: Comparison, verdict: str) -> str:
    """The operators that changed most: the largest change of each, by kernel time where it was compared."""
    figures = [figure for figure in comparison["cases"] if figure["verdict"] == verdict]
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
