"""Writes the composites that gain most as a graph into docs/reference/composites.md.

python tools/composites.py                             # measures: some four minutes of an idle machine
python tools/composites.py composites.ndjson           # from a run of the same cases
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from autoperf.analysis.modes import CompositeTime, composite_times
from autoperf.core.modes import IMPERATIVE, STATIC
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.reports.layout import cells, heading
from autoperf.reports.units import NONE, count, duration, percent
from autoperf.results.intervals import median
from autoperf.results.run_reader import RunReader
from autoperf.rules.catalog import catalog
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "reference" / "composites.md"
COLUMNS = [("family", False), ("composites", True), ("saves most", False), ("operators", True), ("imperative", True),
           ("static", True), ("each", True), ("saves", True), ("backward saves", True)]  # fmt: skip
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
        selection = ("--category", COMPOSITE_NAMESPACE, "--input-profile", PROFILE)
        words = ("run", *selection, *MEASUREMENT, "--run-file", str(run))
        subprocess.run([sys.executable, "-m", "autoperf", *words], check=True, stdout=subprocess.DEVNULL)
        return passes_of(run)


def passes_of(path: Path) -> Sequence[CompositeTime]:
    """The times in a run file."""
    with RunReader(path) as run:
        return composite_times(run)


def page_block(passes: Iterable[CompositeTime]) -> Iterator[str]:
    """The composite of each family of which the graph saves most, and the medians over all composites."""
    times = {(time.name, time.pass_): time for time in passes if time.profile == PROFILE}
    yield heading(COLUMNS)
    for family, names in families().items():
        measured = [times[name, "forward"] for name in names if (name, "forward") in times]
        if measured:
            best = max(measured, key=lambda time: time.saved_share or 0.0)
            yield cells([family, str(len(names)), *_row(best, times.get((best.name, "backward")))])
    yield f"\n{summary(list(times.values()))}\n\n"


def families() -> Mapping[str, list[str]]:
    """The names of the composites of each module, by the module's name in words."""
    members: dict[str, list[str]] = {}
    for rule in catalog().named.values():
        if rule.category == COMPOSITE_NAMESPACE:
            module = rule.source.partition(":")[0].rpartition("/")[2].removesuffix(".py")
            members.setdefault(" ".join(reversed(module.split("_"))).capitalize(), []).extend(rule.names)
    return members


def _row(forward: CompositeTime, backward: CompositeTime | None) -> list[str]:
    return [
        forward.name,
        str(forward.operators),
        *(duration(forward.wall_us(way)) for way in (IMPERATIVE, STATIC)),
        duration(forward.dispatch_each_us),
        _saved(forward),
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
