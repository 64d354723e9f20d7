"""Writes the counts of implementations by category into docs/reference/implementations.md.

python tools/implementation_page.py FOLDER     # where tools/implementation_check.py has written its verdicts
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from autoperf.implementations.implementation import FRAMEWORKS
from autoperf.reports.layout import cells, heading
from tools.implementation_check import Verdict
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "reference" / "implementations.md"
COLUMNS = [("category", False), ("operators", True)]
HAVING = ("found", "hand")


def main(arguments: Sequence[str]) -> None:
    """Fills the block of the page; ends with the usage without a folder."""
    if len(arguments) != 1:
        sys.exit(__doc__)
    folder = Path(arguments[0])
    verdicts = {
        name: msgspec.json.decode((folder / f"{name}.verdicts").read_bytes(), type=list[Verdict]) for name in FRAMEWORKS
    }
    fill(PAGE, {"implementations": "".join(page_block(verdicts))})


def page_block(verdicts: Mapping[str, Sequence[Verdict]]) -> Iterator[str]:
    """A row for each category, and one for all: found and by hand, and how many of them have the gradient."""
    yield heading([*COLUMNS, *((title, False) for title in FRAMEWORKS.values())])
    categories = Counter(verdict.category for verdict in next(iter(verdicts.values())))
    for category in (*sorted(categories), "all"):
        chosen = {name: _of(category, items) for name, items in verdicts.items()}
        number = len(next(iter(chosen.values())))
        yield cells([category, str(number), *(_counts(name, items) for name, items in chosen.items())])


def _of(category: str, verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if category in ("all", verdict.category)]


def _counts(framework: str, verdicts: Sequence[Verdict]) -> str:
    """`12 (10 found), 9 with gradients`."""
    having = [verdict for verdict in verdicts if verdict.standing in HAVING]
    found = sum(verdict.standing == "found" for verdict in having)
    text = f"{len(having)} ({found} found)" if having else "none"
    gradients = sum(verdict.gradient == "gradient" for verdict in having)
    return f"{text}, {gradients} gradients" if framework != "numpy" and gradients else text


if __name__ == "__main__":
    main(sys.argv[1:])
