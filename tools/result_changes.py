"""Writes docs/results-1.9.1-2.0.0b1.md: which operators compute something else, and which result is right.

    python tools/result_changes.py FOLDER           # compares; pairs of sides that are in the folder are kept
    python tools/result_changes.py FOLDER --page    # fills the page from the folder

The releases are compared by results alone, over small, common and drawn inputs, and environments of a release over
common ones. Inputs of what differs are shrunk,
all dimensions together, and the smallest that still differs is listed. Over these, the results of both releases are
held against NumPy's and PyTorch's, by autoperf's implementations. Each difference is judged by hand besides, in
tools/reviewed_results.py.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from autoperf.cases.build import Recipe, build, flat_tensors, with_drafts
from autoperf.cases.release import Release, open_release, subject
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case
from autoperf.core.outcome import Status
from autoperf.core.texts import count
from autoperf.hunt.point import Point, PointFactory
from autoperf.reports.layout import cells, heading
from autoperf.rules.rule import Draft, Inputs
from tools.page_blocks import DOCS, fill
from tools.reviewed_results import REVIEWED
from tools.stored_run import read_run

PAGE = DOCS / "results-1.9.1-2.0.0b1.md"
BASE, NEW = RELEASES = ("1.9.1", "2.0.0b1")
FRAMEWORKS = ("numpy", "torch")
PROFILES, DRAWS, ELEMENTS = ("small", "common", "drawn"), 2, 2**14
ONE_CALL = ("--profiler", "python", "--warmup", "0", "--samples", "1", "--processes", "1")
SIZES = (1, 2, 3, 4, 6, 8)
"""The sizes of the smallest dimension of shrunk inputs; larger dimensions are one more each, in their order."""
INPUTS = ("--input-profile", ",".join(PROFILES), "--draws", str(DRAWS), "--max-elements", str(ELEMENTS))
COMMON = ("--input-profile", "common", "--draws", "0")
VARIABLES = {
    "threads": dict.fromkeys(RELEASES, ("OMP_NUM_THREADS=1", "OMP_NUM_THREADS=2")),
    "onednn": {
        BASE: ("MXNET_MKLDNN_ENABLED=1", "MXNET_MKLDNN_ENABLED=0"),
        NEW: ("MXNET_ONEDNN_ENABLED=1", "MXNET_ONEDNN_ENABLED=0"),
    },
}
"""The environments of both sides that are compared within a release, by the name of the page's block."""
COLUMNS = ["operator", "smallest input", "result", BASE, NEW, "right", "why"]
WITHIN = ["release", *COLUMNS[:3], "first", "second", *COLUMNS[-2:]]
_SHAPE = re.compile(r"\(([\d, ]+)\)")
Entry = Mapping[str, Any]
"""A case whose results differ, as `compare --format json` lists it."""


class Pair(NamedTuple):
    """Two sides that are compared: the name of their files, the options that name them, the release and its inputs."""

    name: str
    words: tuple[str, ...]
    release: str
    inputs: tuple[str, ...]

    def compare(self, folder: Path, name: str, inputs: Sequence[str]) -> Entry:
        """The comparison of these inputs as JSON, which the folder keeps."""
        return compared(folder, f"{self.name}-{name}", (*self.words, *inputs))


def pairs() -> Iterator[Pair]:
    """The releases, and both environments of each release."""
    yield Pair("releases", ("--mxnet", BASE, "--mxnet", NEW), BASE, INPUTS)
    for block, environments in VARIABLES.items():
        for release, sides in environments.items():
            words = chain.from_iterable(("--env", f"{side}:{each}") for side, each in zip("AB", sides, strict=True))
            yield Pair(f"{block}-{release}", ("--mxnet", release, *words), release, COMMON)


def compared(folder: Path, name: str, words: Sequence[str]) -> Entry:
    """A comparison of results alone. Ends the script where there is none."""
    report = folder / f"{name}.json"
    if not report.exists():
        for file in folder.glob(f"{name}-[AB].ndjson"):
            file.unlink()
        files = ("--run-file", str(folder / f"{name}.ndjson"), "--format", "json", "--report", str(report))
        errors = started(("compare", *words, "--clock", "none", "--quiet", *files))
        if not report.exists():
            raise SystemExit(f"no comparison of {' '.join(words)}:\n{errors[-2000:]}")
    read: Entry = json.loads(report.read_text())
    return read


def started(words: Sequence[str]) -> str:
    """Runs autoperf; returns its messages."""
    done = subprocess.run([sys.executable, "-m", "autoperf", *words], capture_output=True, text=True, check=False)
    return done.stderr


def measure(folder: Path, pair: Pair) -> None:
    """Compares a pair of sides, then the shrunk inputs of what differs."""
    entries = pair.compare(folder, "found", pair.inputs)["different"]
    sys.stdout.write(f"{pair.name}: {len(entries)} cases differ\n")
    if not entries:
        return
    path = folder / f"{pair.name}-shrunk-cases.ndjson"
    with open_release(pair.release) as release:
        is_any = write(path, release, chain.from_iterable(shrunk_cases(release, entries)))
    shrunk = pair.compare(folder, "shrunk", ("--cases", str(path)))["different"] if is_any else ()
    if pair.name != "releases":
        return
    chosen = {entry["case"] for entry in smallest([*entries, *shrunk]).values()}
    path = folder / "chosen-cases.ndjson"
    with open_release(pair.release) as release:
        cases = chain(differing_cases(release, entries), *shrunk_cases(release, entries))
        write(path, release, {case.id: case for case in cases if case.id in chosen}.values())
    for each in RELEASES:
        for framework in FRAMEWORKS:
            file = folder / f"{framework}-{each}.ndjson"
            if not file.exists():
                words = ("run", "--framework", framework, "--mxnet", each, "--cases", str(path), *ONE_CALL)
                started((*words, "--run-file", str(file)))


def write(path: Path, release: Release, cases: Iterable[Case]) -> int:
    """Writes a file of cases; returns their number."""
    return write_cases(path, CasesHeader(VERSION, "", release.version, 0), cases)


def differing_cases(release: Release, entries: Sequence[Entry]) -> Iterator[Case]:
    """The cases that differ, which the rules make again."""
    ids = {entry["case"] for entry in entries}
    recipe = Recipe(draws=DRAWS, profiles=frozenset(PROFILES), elements=ELEMENTS)
    for name in sorted({entry["operator"] for entry in entries}):
        found = subject(release, name)
        if found.rule:
            made = build(found.operator, found.rule, recipe, release.client).cases
            yield from (case for case in made if case.id in ids)


def shrunk_cases(release: Release, entries: Sequence[Entry]) -> Iterator[Iterator[Case]]:
    """The shrunk inputs of each case that differs, as far as inference accepts them."""
    for case in differing_cases(release, entries):
        found = subject(release, case.operator)
        assert found.rule
        factory = PointFactory(found.operator, found.rule, release.client, elements=ELEMENTS)
        whole = factory.from_case(case)
        if isinstance(whole, Point):
            made = factory.make([(shrunk(whole.call, size), whole.dtype) for size in SIZES])
            yield (point.case for point in made if point)


def shrunk(call: Inputs, size: int) -> Inputs:
    """The call with all dimensions but ones made smaller: the smallest to `size`, larger ones to one more each."""
    sizes = sorted({length for draft in flat_tensors(call).values() for length in draft.shape} - {1})
    smaller = {length: min(length, size + place) for place, length in enumerate(sizes)}

    def resized(_: str, draft: Draft) -> Draft:
        return replace(draft, shape=tuple(smaller.get(length, length) for length in draft.shape))

    return with_drafts(call, resized)


def smallest(entries: Iterable[Entry]) -> dict[tuple[str, str], Entry]:
    """The entry of fewest elements of each operator's results, by their kind: outputs, or gradients of an input."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in sorted(entries, key=lambda each: (_elements(each), len(each["inputs"]))):
        found.setdefault((entry["operator"], entry["difference"]["result"].partition(" ")[0]), entry)
    return dict(sorted(found.items()))


def _elements(entry: Entry) -> int:
    """The elements of the inputs that the text of a case names."""
    shapes = _SHAPE.findall(entry["inputs"].partition(";")[0])
    return sum(math.prod(map(int, filter(None, shape.split(",")))) for shape in shapes)


def agreement(folder: Path, release: str, framework: str) -> dict[str, str]:
    """By case, whether the framework computes a release's results: `equal`, or the difference; nothing if unknown."""
    path = folder / f"{framework}-{release}.ndjson"
    outcomes = read_run(path).outcomes if path.exists() else ()
    found = {each.case: "equal" for each in outcomes if each.status is Status.MEASURED}
    return found | {each.case: each.reason for each in outcomes if "results differ" in each.reason}


def right(folder: Path, case: str) -> str:
    """The release whose results another framework has, if it has one's alone: `2.0.0b1, by NumPy`."""
    for framework, title in zip(FRAMEWORKS, ("NumPy", "PyTorch"), strict=True):
        known = [agreement(folder, release, framework).get(case, "") for release in RELEASES]
        if all(known) and known.count("equal") == 1:
            return f"{RELEASES[known.index('equal')]}, by {title}"
    return ""


def rows(folder: Path, pair: Pair) -> Iterator[list[str]]:
    """A row for each kind of result of each operator that differs between the sides of a pair."""
    entries = pair.compare(folder, "found", pair.inputs)["different"]
    if (folder / f"{pair.name}-shrunk.json").exists():
        entries = [*entries, *pair.compare(folder, "shrunk", ())["different"]]
    for (operator, _), entry in smallest(entries).items():
        found = entry["difference"]
        reviewed = REVIEWED[pair.name.partition("-")[0]][operator]
        by_framework = right(folder, entry["case"]) if pair.name == "releases" else ""
        is_confirmed = by_framework.startswith(f"{reviewed.right},")
        result = f"{found['result']}{found.get('place', '') or ''}"
        yield [
            f"{operator}{' *' if reviewed.plain else ''}",
            entry["inputs"],
            result,
            found["base"],
            found["new"],
            by_framework if is_confirmed else reviewed.right,
            reviewed.why,
        ]


def table(folder: Path, of_block: Sequence[Pair]) -> str:
    """The numbers of cases of each pair of a block, and the rows of all."""
    is_of_releases = of_block[0].name == "releases"
    names = COLUMNS if is_of_releases else WITHIN
    found = [[*([] if is_of_releases else [pair.release]), *row] for pair in of_block for row in rows(folder, pair)]
    sums = "\n\n".join(counts(folder, pair) for pair in of_block)
    lines = [heading([(name, False) for name in names]), *map(cells, found)] if found else []
    return f"{sums}\n\n{''.join(lines)}"


def counts(folder: Path, pair: Pair) -> str:
    """`1,107 cases compute the same, 31 of 19 operators something else`."""
    read = pair.compare(folder, "found", pair.inputs)
    differing = count(len(read["different"]), "case")
    operators = len({entry["operator"] for entry in read["different"]})
    different = f"{differing} of {count(operators, 'operator')} something else" if operators else "none differs"
    name = " and ".join(RELEASES) if pair.name == "releases" else pair.release
    return f"{name}: {read['equal_results']:,} cases compute the same, {different}."


def main() -> None:
    """Compares, or fills the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--page", action="store_true", help="fill the page from the folder")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for pair in () if options.page else pairs():
        measure(options.folder, pair)
    if options.page:
        blocks = {name: [each for each in pairs() if each.name.startswith(name)] for name in ("releases", *VARIABLES)}
        fill(PAGE, {name: table(options.folder, of_block) for name, of_block in blocks.items()})


if __name__ == "__main__":
    main()
