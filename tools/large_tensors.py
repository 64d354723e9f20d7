"""Fills docs/reference/large-tensors.md: the operator of each category that runs over more than 2**32 elements.

python tools/large_tensors.py                             # prints what each category needs; only small cases are run
python tools/large_tensors.py --run FOLDER --memory 20    # runs what fits in 20 GiB, one case after the other
python tools/large_tensors.py --page FOLDER               # fills the page's table from the run files in FOLDER

A small case says first whether an operator takes int8 or float16. `--run` runs the forward pass, and leaves out
categories of which a case ran already, so that it can be continued; `--category` names those to run. Where a case
fails, for instance since it takes more memory than its inputs and outputs, the next operator of its category is run,
three at most.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import autoperf
from autoperf.api.measurement import MeasuringRequest
from autoperf.cases.build import Recipe
from autoperf.cases.release import Release, open_release
from autoperf.cases.render import DTYPES, built_cases
from autoperf.cases.selection import Selection, targets
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, UsageError
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.settings import Settings
from autoperf.reports.layout import cells, heading
from autoperf.rules.rule import Rule
from tools.page_blocks import DOCS, fill

RELEASE = "2.0.0b1"
GIB = 2**30
MEMORY = 24
"""GiB of the machine that the page is about."""
ATTEMPTS = 3
TRIED = 5
"""The cases of a category that need least in each dtype, of whose operators a small case is tried."""
TIMEOUT = 300.0
"""Seconds for a case: filling its tensors, its trial and one call."""
QUICK = Settings(profiler="python", warmup=0, runs=1, processes=1, backward=False)
PAGE = DOCS / "reference" / "large-tensors.md"
COLUMNS = [("category", False), ("operator", False), ("inputs and outputs", True), ("result", False)]


class Candidate(NamedTuple):
    """A case with a tensor of more than 2**32 elements in a dtype, and the bytes of its inputs and outputs."""

    category: str
    case: Case
    dtype: str
    bytes: int


def candidates(release: Release, categories: Sequence[str] = ()) -> Mapping[str, list[Candidate]]:
    """The large cases of each category: those that need least first, public names before internal ones."""
    cases: dict[str, list[Candidate]] = defaultdict(list)
    for target in targets(release.registry, release.catalog, Selection(categories=tuple(categories))):
        if target.rule:
            cases[target.category] += _in_each_dtype(release, target.operator, target.rule)
    return {category: sorted(cases[category], key=_order) for category in sorted(cases)}


def _in_each_dtype(release: Release, operator: Operator, rule: Rule) -> Iterator[Candidate]:
    for dtype in dict.fromkeys((*DTYPES, rule.dtype)):
        recipe = Recipe(int64_tensor=True, dtypes=(dtype,))
        for case in built_cases(operator, rule, recipe, release.client).cases:
            yield Candidate(rule.category, case, dtype, needed_bytes(case))


def _order(candidate: Candidate) -> tuple[bool, bool, int, str]:
    name = candidate.case.operator
    return candidate.bytes > MEMORY * GIB, name.startswith("_"), candidate.bytes, name


def taken(first: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of whose operators a small case in their dtype runs."""
    ran = {(name, dtype) for dtype in {each.dtype for each in first} for name in _running(first, dtype)}
    return [candidate for candidate in first if (candidate.case.operator, candidate.dtype) in ran]


def _running(first: Sequence[Candidate], dtype: str) -> set[str]:
    """The operators of these candidates of which a small case of this dtype is measured."""
    names = tuple(dict.fromkeys(candidate.case.operator for candidate in first if candidate.dtype == dtype))
    recipe = Recipe(draws=0, dtypes=(dtype,))
    try:
        request = RunRequest(Selection(operators=names), recipe, QUICK, libraries=(RELEASE,))
        run = MeasuringRequest(request, progress=False).measure()
    except UsageError:
        # MXNet refuses the dtype for all of them.
        return set()
    return {outcome.operator for outcome in run.outcomes if outcome.status is Status.MEASURED}


def chosen(release: Release, categories: Sequence[str]) -> Mapping[str, list[Candidate]]:
    """The candidates of each category that a small case confirms; the first one unconfirmed if it confirms none."""
    if not categories:
        return {}
    every = candidates(release, categories)
    confirmed = taken([candidate for members in every.values() for candidate in _to_try(members)])
    return {
        category: [each for each in confirmed if each.category == category] or members[:1]
        for category, members in every.items()
    }


def _to_try(members: Sequence[Candidate]) -> list[Candidate]:
    """The first candidates of each dtype, in the order of all."""
    tried = Counter[str]()
    return [each for each in members if tried.update([each.dtype]) or tried[each.dtype] <= TRIED]


def run(release: Release, categories: Sequence[str], folder: Path, memory: int) -> None:
    """Runs a case of each category that fits in these GiB; what ran already is left out."""
    for category, members in chosen(release, categories or sorted(candidates(release))).items():
        fitting = [candidate for candidate in members if candidate.bytes <= memory * GIB]
        for number, candidate in enumerate(fitting[:ATTEMPTS], 1):
            if any(outcome.status is Status.MEASURED for outcome in stored(folder, category)):
                break
            file = folder / f"{category}-{number}.ndjson"
            if not file.exists():
                print_row(row_of(_run_case(candidate, file, memory)))


def _run_case(candidate: Candidate, file: Path, memory: int) -> Outcome:
    settings = Settings(
        profiler="python", warmup=0, runs=1, processes=1, backward=False, timeout=TIMEOUT, memory_limit=memory * GIB
    )
    recipe = Recipe(draws=0, dtypes=(candidate.dtype,), int64_tensor=True)
    selection = Selection(operators=(candidate.case.operator,))
    request = RunRequest(selection, recipe, settings, output=file, libraries=(RELEASE,))
    return MeasuringRequest(request, progress=False).measure().outcomes[0]


def stored(folder: Path, category: str) -> list[Outcome]:
    """The outcomes of the category's cases that were run."""
    files = sorted(folder.glob(f"{category}-[0-9].ndjson"))
    return [outcome for file in files for outcome in autoperf.load(file).outcomes]


def row(outcomes: Sequence[Outcome]) -> list[str]:
    """The row of the case that ran, else of the last one that failed."""
    ran = [outcome for outcome in outcomes if outcome.status is Status.MEASURED]
    return row_of([*outcomes, *ran][-1])


def row_of(outcome: Outcome) -> list[str]:
    """The row of a case that was run."""
    failure = f"{outcome.status.value}: {outcome.reason.partition(':')[0]}"
    result = runs(outcome) if outcome.status is Status.MEASURED else failure
    return [outcome.category, outcome.operator, gib(needed_bytes(outcome)), result]


def runs(outcome: Outcome) -> str:
    """The peak of its inputs and allocations."""
    memory = outcome.memory.forward if outcome.memory else None
    inputs = sum(item.tensor.nbytes for item in outcome.inputs)
    return f"runs, {gib(inputs + memory.peak)} at its peak" if memory else "runs"


def planned_row(candidate: Candidate) -> list[str]:
    """The row of a case that was not run."""
    result = "fits" if candidate.bytes <= MEMORY * GIB else f"needs more than {MEMORY} GiB"
    return [candidate.category, candidate.case.operator, gib(candidate.bytes), result]


def needed_bytes(case: Case | Outcome) -> int:
    """The bytes of all inputs and outputs."""
    return sum(item.tensor.nbytes for item in case.inputs) + sum(output.nbytes for output in case.outputs)


def gib(nbytes: int) -> str:
    """Bytes in GiB: `16.0 GiB`."""
    return f"{nbytes / GIB:,.1f} GiB"


def print_row(row: Iterable[str]) -> None:
    """Prints a row of the table at once."""
    sys.stdout.write(cells(row))
    sys.stdout.flush()


def main() -> None:
    """Prints the table, runs its cases, or fills the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="run what fits, and keep the run files here")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="fill the page's table from these run files")
    parser.add_argument("--memory", type=int, default=MEMORY, help="GiB that a case may take (default: 24)")
    parser.add_argument("--category", action="append", default=[], help="a category; may be repeated")
    options = parser.parse_args()
    try:
        with open_release(RELEASE) as release:
            if options.run:
                run(release, options.category, options.run, options.memory)
            else:
                write(release, options.category, options.page)
    except AutoperfError as error:
        sys.exit(str(error))


def write(release: Release, categories: Sequence[str], folder: Path | None) -> None:
    """Prints the table, or fills the page's from the run files in a folder."""
    names = categories or sorted(candidates(release))
    outcomes = {category: stored(folder, category) if folder else [] for category in names}
    planned = chosen(release, [category for category in names if not outcomes[category]])
    rows = (row(outcomes[name]) if outcomes[name] else planned_row(planned[name][0]) for name in names)
    table = [heading(COLUMNS), *map(cells, rows)]
    if folder is None:
        sys.stdout.writelines(table)
        return
    fill(PAGE, {"categories": "".join(table)})


if __name__ == "__main__":
    main()
