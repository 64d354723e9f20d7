"""Writes two tables into docs/reference/composites.md: what a graph saves in MXNet, and other frameworks beside it.

python tools/composites.py                         # measures: some four minutes of an idle machine for the first table
python tools/composites.py composites.ndjson       # from a run of the same cases

autoperf run --category composite --input-profile small --draws 0 --processes 3 --max-time 50ms \\
    --framework mxnet,torch,torch:compile,jax,jax:jit --run-file ways.ndjson  # an hour, most of which compiles
python tools/composites.py ways-*.ndjson           # the second table, from a file for each framework
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import UNSET

from autoperf.comparison.groups import geometric_mean
from autoperf.core.graph import IMPERATIVE, MODES, STATIC
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import PASSES, Outcome, PassName, Status
from autoperf.core.texts import count
from autoperf.networks.report import ModeTimes, input_modes, side_modes
from autoperf.reports.layout import cells, heading
from autoperf.reports.units import NONE, duration, factor, percent
from autoperf.rules.catalog import catalog
from autoperf.runs.run_reader import RunReader
from autoperf.stats.correction import median
from tools.page_blocks import DOCS, fill, require_quiet

PAGE = DOCS / "reference" / "composites.md"
COLUMNS = [("family", False), ("composites", True), ("saves most", False), ("operators", True), ("imperative", True),
           ("static", True), ("each", True), ("saves", True), ("backward saves", True)]  # fmt: skip
TITLES = ("MXNet", "PyTorch", "torch.compile", "JAX", "jax.jit")
PROFILE = "small"
MEASUREMENT = ("--draws", "0", "--processes", "3", "--max-time", "50ms")


def main(arguments: Sequence[str]) -> None:
    """Fills a block of the page: the first from a run or a new one, the second from the runs of several frameworks."""
    if len(arguments) > 1:
        with ExitStack() as stack:
            runs = [stack.enter_context(RunReader(Path(each))) for each in arguments]
            fill(PAGE, {"ways": "".join(ways_block(ordered(runs)))})
    else:
        times = times_of(Path(arguments[0])) if arguments else measured()
        fill(PAGE, {"composites": "".join(page_block(times))})


def measured() -> Sequence[ModeTimes]:
    """The times of a run of all composites."""
    require_quiet()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "composites.ndjson"
        selection = ("--category", COMPOSITE_NAMESPACE, "--input-profile", PROFILE)
        words = ("run", *selection, *MEASUREMENT, "--run-file", str(run))
        subprocess.run([sys.executable, "-m", "autoperf", *words], check=True, stdout=subprocess.DEVNULL)
        return times_of(run)


def times_of(path: Path) -> Sequence[ModeTimes]:
    """The times in a run file."""
    with RunReader(path) as run:
        return input_modes(run)


def page_block(composites: Iterable[ModeTimes]) -> Iterator[str]:
    """The composite of each family of which the graph saves most, and the medians over all composites."""
    by_name = {times.outcome.operator: times for times in composites if times.outcome.profile == PROFILE}
    yield heading(COLUMNS)
    for family, names in families().items():
        measured = [by_name[name] for name in names if name in by_name]
        if measured:
            best = max(measured, key=lambda times: saved_share(times, "forward") or 0.0)
            yield cells([family, str(len(names)), *_row(best)])
    yield f"\n{summary(list(by_name.values()))}\n\n"


def families() -> Mapping[str, list[str]]:
    """The names of the composites of each module, by the module's name in words."""
    members: dict[str, list[str]] = {}
    for rule in catalog().named.values():
        if rule.category == COMPOSITE_NAMESPACE:
            module = rule.source.partition(":")[0].rpartition("/")[2].removesuffix(".py")
            members.setdefault(" ".join(reversed(module.split("_"))).capitalize(), []).extend(rule.names)
    return members


def ordered(runs: Iterable[RunReader]) -> list[tuple[str, RunReader]]:
    """The runs in the order of TITLES, each with its title. Ends the script for another framework."""
    listed = list(runs)
    titled = {run.header.framework or TITLES[0]: run for run in listed}
    if len(titled) < len(listed):
        raise SystemExit("invalid runs: expected one of each framework")
    if unknown := titled.keys() - set(TITLES):
        raise SystemExit(f"invalid run: expected one of {', '.join(TITLES)}, not {', '.join(sorted(unknown))}")
    return [(title, titled[title]) for title in TITLES if title in titled]


def ways_block(runs: Sequence[tuple[str, Iterable[Outcome]]]) -> Iterator[str]:
    """How many times as fast as MXNet's imperative calls each other way is, by family and over all."""
    measured = side_modes(runs)
    keys = [*list(MODES)[1:], *(title for title, _ in runs[1:])]
    whole = [times for times in measured if {IMPERATIVE, *keys} <= times.modes.keys()]
    names = families()
    groups = {family: [times for times in whole if times.outcome.operator in names[family]] for family in names}
    yield heading([("pass", False), ("family", False), ("composites", True), *((key, True) for key in keys)])
    for pass_ in PASSES:
        for family, members in {**groups, "all": whole}.items():
            speedups = [found for times in members if set(keys) <= (found := times.speedup(pass_)).keys()]
            if speedups:
                means = (geometric_mean(found[key] for found in speedups) or 0.0 for key in keys)
                yield cells([pass_, family, str(len(speedups)), *map(factor, means)])
    yield f"\n{compile_words(runs)}\n\n"


def compile_words(runs: Iterable[tuple[str, Iterable[Outcome]]]) -> str:
    """What compiling took, both passes of a composite together, and how often calls were compiled again."""
    parts = []
    for title, outcomes in runs:
        passes = [list(outcome.passes.values()) for outcome in outcomes if outcome.status is Status.MEASURED]
        compiled = [[each for each in of_case if each.compile_us is not UNSET] for of_case in passes]
        took = sorted(sum(float(each.compile_us or 0) for each in of_case) for of_case in compiled if of_case)
        again = sum(any(each.recompiles not in (UNSET, 0) for each in of_case) for of_case in compiled)
        if took:
            words = f"{duration(median(took))} in the median and {duration(took[-1])} at most"
            parts.append(f"{title} compiles a composite in {words}, and {again} of {len(took)} again in later calls")
    return "; ".join(parts) + "." if parts else "No way compiles."


def _row(times: ModeTimes) -> list[str]:
    wall = times.wall("forward")
    return [
        times.outcome.operator,
        str(times.operators),
        *(duration(wall.get(way)) for way in (IMPERATIVE, STATIC)),
        duration(dispatch_each_us(times)),
        *(NONE if (share := saved_share(times, pass_)) is None else f"{share:.0%}" for pass_ in PASSES),
    ]


def dispatch_each_us(times: ModeTimes) -> float | None:
    """The time of the imperative calls in which no kernel ran, for each operator in the mean."""
    dispatch_us = times.without_kernel("forward").get(IMPERATIVE)
    return None if dispatch_us is None else dispatch_us / times.operators


def saved_share(times: ModeTimes, pass_: PassName) -> float | None:
    """The time that the static graph saves, as a share of the imperative time; negative if it takes more."""
    speedup = times.speedup(pass_).get(STATIC)
    return 1 - 1 / speedup if speedup else None


def summary(composites: Sequence[ModeTimes]) -> str:
    """The medians over all composites, in one sentence."""
    each = [us for times in composites if (us := dispatch_each_us(times)) is not None]
    saved = {pass_: [share for times in composites if (share := saved_share(times, pass_)) is not None]
             for pass_ in PASSES}  # fmt: skip
    shares = [f"{percent(median(sorted(values)))} of the {name} time" for name, values in saved.items() if values]
    if not each or not shares:
        return "Nothing was measured."
    dispatch = f"The dispatch of an operator takes {duration(median(sorted(each)))} in the median"
    return f"{dispatch} of {count(len(each), 'composite')}; the static graph saves {' and '.join(shares)}."


if __name__ == "__main__":
    main(sys.argv[1:])
