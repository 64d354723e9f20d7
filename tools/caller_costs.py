"""Writes what MXNet's Python package adds to a call into docs/method/callers.md, from run files.

autoperf run --caller python --input-profile small --draws 0 --run-file 1.9.1.ndjson
python tools/caller_costs.py 1.9.1.ndjson [2.0.0b1.ndjson ...]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import quantiles

import autoperf
from autoperf.api.results import Record
from autoperf.registry.names import Means, meaning_of
from autoperf.reports.layout import cells, heading
from autoperf.reports.units import duration
from autoperf.rules.front_end import FRONT_END
from autoperf.runs.run_reader import RunReader
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "method" / "callers.md"
COLUMNS = [("MXNet", False), ("functions", False), ("cases", True), ("C API", True), ("Python", True),
           ("front end", True), ("10% to 90%", True), ("unclear", True), ("backward", True)]  # fmt: skip
NUMPY = ("mx.np.", "mx.npx.", "mx.nd.np.", "mx.nd.numpy.")
WRITTEN, GENERATED, INTERNAL, NOT_CALLED = "written in Python", "generated", "internal wrapper", "none"


def main(arguments: Sequence[str]) -> None:
    """Fills the block of the page; ends with the usage without files."""
    if not arguments:
        sys.exit(__doc__)
    rows = [row for name in arguments for row in rows_of(autoperf.load(name).records, release_of(Path(name)))]
    text = "".join([heading(COLUMNS), *map(cells, rows)])
    fill(PAGE, {"costs": text})


def release_of(path: Path) -> str:
    """The release of a run file."""
    with RunReader(path) as run:
        return run.header.mxnet


def rows_of(records: Iterable[Record], release: str) -> Iterator[list[str]]:
    """A row for each kind of function, and one for the cases that no function calls."""
    groups: Mapping[str, list[Record]] = defaultdict(list)
    for record in records:
        if record["status"] == "measured" and record["category"] != "front_end":
            groups[kind(str(record.get("python_function") or ""), release)].append(record)
    for name in sorted(groups):
        yield [release, name, *_row(name, groups[name])]


def kind(function: str, release: str) -> str:
    """`mx.np written in Python`, `mx.nd generated`, `mx.nd internal wrapper` or `none`."""
    if not function:
        return NOT_CALLED
    path = function.removeprefix("mx.")
    space = "mx.np" if function.startswith(NUMPY) else "mx.nd"
    if "._" in path:
        return f"{space} {INTERNAL}"
    meaning = FRONT_END.get(path)
    written = meaning is not None and isinstance(meaning_of(meaning, release), Means)
    return f"{space} {WRITTEN if written else GENERATED}"


def _row(name: str, records: Sequence[Record]) -> list[str]:
    if name == NOT_CALLED:
        return [f"{len(records):,}", *("" for _ in COLUMNS[3:])]
    middle = [_median([float(record[column]) for record in records]) for column in (
        "forward_wall_median_us", "forward_python_median_us", "forward_front_end_us",
    )]  # fmt: skip
    costs = [float(record["forward_front_end_us"]) for record in records]
    backward = [float(cost) for record in records if (cost := record.get("backward_front_end_us")) is not None]
    low, high = _ends(costs)
    return [f"{len(records):,}", *map(duration, middle), f"{duration(low)} to {duration(high)}",
            str(sum(map(_is_unclear, records))), duration(_median(backward)) if backward else ""]  # fmt: skip


def _is_unclear(record: Record) -> bool:
    """Whether the interval of the forward pass's cost has zero inside, or is missing."""
    low, high = (record.get(f"forward_front_end_{end}_us") for end in ("low", "high"))
    return low is None or high is None or float(low) <= 0 <= float(high)


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """The 10th and the 90th percentile."""
    if len(values) < 2:
        return values[0], values[0]
    deciles = quantiles(values, n=10)
    return deciles[0], deciles[-1]


if __name__ == "__main__":
    main(sys.argv[1:])
