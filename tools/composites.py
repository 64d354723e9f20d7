"""Writes the table of all composites into docs/composites.md.

python tools/composites.py                             # measures: some four minutes of an idle machine
python tools/composites.py composites.ndjson           # from a run of the same cases
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from page_blocks import DOCS, fill

from autoperf.analysis.composite_times import EAGER, HYBRIDIZED, STATIC, CompositeTime, composite_times
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.reports.markdown import cells, heading
from autoperf.reports.units import NONE, count, duration, percent
from autoperf.results.intervals import median
from autoperf.results.run_reader import RunReader
from autoperf.rules.catalog import catalog
from autoperf.rules.rule import Rule

PAGE = DOCS / "composites.md"
COLUMNS = [("composite", False), ("computes", False), ("operators", True), ("imperative", True), ("hybridized", True),
           ("static", True), ("dispatch", True), ("each", True), ("saves", True),
           ("backward imperative", True), ("backward static", True), ("backward saves", True)]  # fmt: skip
PROFILE = "small"
MEASUREMENT = ("--draws", "0", "--processes", "3", "--max-time", "50ms")


def main(arguments: Sequence[str]) -> None:
    """Fills the block of the page, from this run or from a new one; ends with the usage for more than one file."""
    if len(arguments) > 1:
        sys.exit(__doc__)
    passes = passes_of(Path(arguments[0])) if arguments else measured()
    fill(PAGE, {"composites": "".join(page_block(passes))})


def measured() -> Sequence[CompositeTime]:
    """The times of a run of all composites."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "composites.ndjson"
        words = (
            "run",
            "--category",
            COMPOSITE_NAMESPACE,
            "--input-profile",
            PROFILE,
            *MEASUREMENT,
            "--run-file",
            str(run),
        )
        subprocess.run([sys.executable, "-m", "autoperf", *words], check=True, stdout=subprocess.DEVNULL)
        return passes_of(run)


def passes_of(path: Path) -> Sequence[CompositeTime]:
    """The times in a run file."""
    with RunReader(path) as run:
        return composite_times(run).passes


def page_block(passes: Iterable[CompositeTime]) -> Iterator[str]:
    """A table for each family, and what dispatch costs and the graph saves in the median."""
    times = {(time.name, time.pass_): time for time in passes if time.profile == PROFILE}
    for family, rules in families().items():
        yield f"\n### {family}\n\n{heading(COLUMNS)}"
        yield from (cells(row_of(rule, times)) for rule in rules)
    yield f"\n{summary(list(times.values()))}\n\n"


def families() -> Mapping[str, list[Rule]]:
    """The composites of each module, by the module's name in words."""
    members: dict[str, list[Rule]] = {}
    for rule in catalog().named.values():
        if rule.category == COMPOSITE_NAMESPACE:
            module = rule.source.partition(":")[0].rpartition("/")[2].removesuffix(".py")
            members.setdefault(" ".join(reversed(module.split("_"))).capitalize(), []).append(rule)
    return members


def row_of(rule: Rule, times: Mapping[tuple[str, str], CompositeTime]) -> list[str]:
    """The cells of a composite, with dashes for what was not measured."""
    (name,) = rule.names
    forward, backward = times.get((name, "forward")), times.get((name, "backward"))
    sentence = " ".join((rule.draw.__doc__ or "").split()).removesuffix(".")
    return [
        name,
        sentence,
        str(forward.operators) if forward else NONE,
        *(duration(forward.wall_us(way) if forward else None) for way in (EAGER, HYBRIDIZED, STATIC)),
        duration(forward.dispatch_us if forward else None),
        duration(forward.dispatch_each_us if forward else None),
        _saved(forward),
        *(duration(backward.wall_us(way) if backward else None) for way in (EAGER, STATIC)),
        _saved(backward),
    ]


def summary(times: Sequence[CompositeTime]) -> str:
    """The medians over all composites, in one sentence."""
    each = [time.dispatch_each_us for time in times if time.dispatch_each_us is not None]
    saved = {name: [time.saved_share for time in times if time.pass_ == name and time.saved_share is not None]
             for name in ("forward", "backward")}  # fmt: skip
    shares = [f"{percent(median(sorted(values)))} of the {name} time" for name, values in saved.items() if values]
    if not each or not shares:
        return "Nothing was measured."
    dispatch = f"The dispatch of an operator takes {duration(median(sorted(each)))} in the median"
    return f"{dispatch} of {count(len(each), 'composite')}; the static graph saves {' and '.join(shares)}."


def _saved(time: CompositeTime | None) -> str:
    share = time.saved_share if time else None
    return NONE if share is None else f"{share:.0%}"


if __name__ == "__main__":
    main(sys.argv[1:])
