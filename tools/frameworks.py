"""Measures MXNet against PyTorch, NumPy and JAX over all common inputs, and writes docs/frameworks.md and its data.

    python tools/frameworks.py FOLDER                         # MXNet 1.9.1 with one thread
    python tools/frameworks.py FOLDER --mxnet 1.9.1 --mxnet 2.0.0b1 --threads 1 --threads 2
    python tools/frameworks.py FOLDER --category activation   # some categories alone
    python tools/frameworks.py FOLDER --collect               # measures nothing: what FOLDER has so far
    python tools/frameworks.py --page-only                    # the page again, from docs/frameworks.ndjson

Each comparison is of ten categories and one framework, and takes some two minutes. FOLDER keeps its two run files: what
is complete isn't measured again, so that the same command goes on where it was interrupted. The page is of everything
in FOLDER, whatever the options are, and says which categories are missing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.core.errors import AutoperfError
from autoperf.core.files import write_atomic
from autoperf.reports.units import span
from tools.framework_page import page
from tools.framework_times import OTHERS, REGISTERED, Setup, Step, collect, read_times, write_times
from tools.page_blocks import DOCS, require_quiet

PAGE, DATA = DOCS / "frameworks.md", DOCS / "frameworks.ndjson"
OPTIONS = ("--input-profile", "common", "--draws", "0", "--processes", "2", "--max-time", "60ms")
RELEASES, THREADS = ("1.9.1", "2.0.0b1"), (1, 2)
AT_ONCE = 10
"""The number of categories of a comparison."""


def steps(folder: Path, setups: Sequence[Setup], frameworks: Sequence[str], chosen: Sequence[str]) -> Iterator[Step]:
    """The comparisons of these setups and frameworks, of all categories or of the chosen ones, each alone."""
    groups = [REGISTERED[at : at + AT_ONCE] for at in range(0, len(REGISTERED), AT_ONCE)]
    named = [(f"{number}", group) for number, group in enumerate(groups)]
    for setup in setups:
        for framework in frameworks:
            for name, categories in [(name, (name,)) for name in chosen] or named:
                stem = f"{setup.mxnet}-{setup.threads}-{framework}-{name}"
                yield Step(setup, framework, categories, folder / f"{stem}.ndjson")


def every_step(folder: Path) -> list[Step]:
    """All comparisons that FOLDER may have: groups of categories, and categories that no group there covers."""
    setups = [Setup(release, threads) for release in RELEASES for threads in THREADS]
    found = list(steps(folder, setups, OTHERS, ()))
    covered = {(step.setup, step.framework, name) for step in found if step.is_complete for name in step.categories}
    alone = steps(folder, setups, OTHERS, REGISTERED)
    return found + [step for step in alone if (step.setup, step.framework, *step.categories) not in covered]


def measure(step: Step) -> None:
    """Compares MXNet with the other framework, in turn. Ends the script if that is interrupted or fails."""
    profiler = () if backend_of(step.framework).profiled else ("--profiler", "python")
    sides = f"{MXNET}@{step.setup.mxnet},{step.framework}"
    names = [word for name in step.categories for word in ("--category", name)]
    command = ["compare", "--frameworks", sides, *names, *OPTIONS, *profiler, "--run-file", str(step.path)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(step.setup.threads)}
    for path in step.files:
        path.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "autoperf", *command], check=False, env=environment, stdout=subprocess.DEVNULL
    )
    # Nothing to compare, as in a category without implementations, ends with 2, though all cases have a reason.
    if not step.is_complete:
        sys.exit(done.returncode or 1)


def write(folder: Path) -> None:
    """Writes the data and the page of what FOLDER has."""
    options = " ".join(["--frameworks mxnet,FRAMEWORK", *OPTIONS])
    write_times(DATA, collect(every_step(folder), options))
    write_page()


def write_page() -> None:
    """Writes the page of the data."""
    write_atomic(PAGE, page(read_times(DATA)))


def main(arguments: Sequence[str]) -> None:
    """Measures what is missing, and writes the data and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="where run files are kept")
    parser.add_argument("--mxnet", action="append", choices=RELEASES, help="a release (default: 1.9.1)")
    parser.add_argument("--threads", action="append", type=int, choices=THREADS, help="of all frameworks (default: 1)")
    parser.add_argument("--framework", action="append", choices=OTHERS, help="one of them (default: all)")
    parser.add_argument("--category", action="append", choices=REGISTERED, help="one alone (default: all)")
    parser.add_argument("--collect", action="store_true", help="measure nothing")
    parser.add_argument("--page-only", action="store_true", help="write the page of the data again")
    given = parser.parse_args(arguments)
    if given.page_only:
        write_page()
        return
    if given.folder is None:
        parser.error("expected a folder, or --page-only")
    setups = [
        Setup(mxnet, threads) for mxnet in given.mxnet or RELEASES[:1] for threads in given.threads or THREADS[:1]
    ]
    wanted = [] if given.collect else list(steps(given.folder, setups, given.framework or OTHERS, given.category or ()))
    try:
        _measure_all([step for step in wanted if not step.is_complete])
        write(given.folder)
    except AutoperfError as error:
        sys.exit(str(error))


def _measure_all(missing: Sequence[Step]) -> None:
    begin = time.monotonic()
    for number, step in enumerate(missing):
        step.path.parent.mkdir(parents=True, exist_ok=True)
        taken = f" after {span(time.monotonic() - begin)}" if number else ""
        require_quiet()
        sys.stderr.write(f"{number + 1} of {len(missing)}{taken}: {step.path.stem}: {', '.join(step.categories)}\n")
        measure(step)


if __name__ == "__main__":
    main(sys.argv[1:])
