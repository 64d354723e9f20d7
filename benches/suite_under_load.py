"""Does the test suite pass on a busy machine, time after time, in any order?

    python benches/suite_under_load.py FOLDER [--times 10] [--load]

Runs `make test`'s command so often, each time in another order of the modules and of their tests, beside a neighbour on
every processor, which works and rests in phases of 0.1 to 5 s (`--load`). The results of each time stay in FOLDER as
JUnit's XML; times whose file is there aren't run again, so that an interrupted series goes on. Prints a line for each
time, and the tests that failed. Exits with 1 if any did.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from neighbour import neighbour

from autoperf.measurement.placement import usable_processors


@dataclass(frozen=True)
class SuiteRun:
    """The outcome of one time: counts of tests, the names of those that failed, and the minutes."""

    tests: int
    skipped: int
    failed: tuple[str, ...]
    minutes: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="for the results")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--load", action="store_true", help="beside a neighbour on every processor")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| order | tests | skipped | failed | minutes |\n|---:|---:|---:|---:|---:|", flush=True)
    runs = []
    for order in range(1, options.times + 1):
        place = options.folder / f"{order}.xml"
        if not place.exists():
            with neighbours() if options.load else contextlib.nullcontext():
                run_suite(order, place)
        runs.append(read(place))
        print(f"| {order} | {line(runs[-1])} |", flush=True)
    for order, run in enumerate(runs, 1):
        for name in run.failed:
            print(f"\nfailed in order {order}: {name}")
    return int(any(run.failed for run in runs))


@contextlib.contextmanager
def neighbours() -> Iterator[None]:
    """A neighbour on every processor."""
    with contextlib.ExitStack() as stack:
        for cpu in usable_processors():
            stack.enter_context(neighbour("same", cpu, seed=cpu + 1))
        yield


def run_suite(order: int, place: Path) -> None:
    """Runs the suite in the order of this number. Ends the script if pytest itself fails."""
    shuffled = ["--random-order-bucket=module", f"--random-order-seed={order}"]
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-q", *shuffled]
    partial = place.with_suffix(".part")
    log = place.with_suffix(".log")
    with log.open("w") as file:
        done = subprocess.run([*command, f"--junitxml={partial}"], stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with {done.returncode}; its output is in {log}")
    partial.replace(place)


def read(place: Path) -> SuiteRun:
    """The outcome that JUnit's XML tells."""
    suite = next(ET.parse(place).getroot().iter("testsuite"))
    cases = list(suite.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    names = tuple(f"{case.get('classname')}::{case.get('name')}" for case in failed)
    return SuiteRun(len(cases), skipped, names, float(suite.get("time", 0)) / 60)


def line(run: SuiteRun) -> str:
    return f"{run.tests:,} | {run.skipped} | {len(run.failed)} | {run.minutes:.0f}"


if __name__ == "__main__":
    sys.exit(main())
