"""Reads mutated case files, run files and hunt logs in this process; any exception but AutoperfError is a finding.

    python benches/mutants.py --cases suite/cases.ndjson --run run.ndjson --log hunt/log.ndjson --count 2000 --seed 1

Each mutant is read as the commands read it: a case file is checked and rendered, a run file is shown as a table, JSON,
CSV and Markdown, taken up, and compared with itself. Prints each finding with its seed and number; exits with 1 if
there is one.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from mutation import mutants

from autoperf.cases.render import Origin, render
from autoperf.cases.store import StoredGroups
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.comparison.figures import baseline_lines
from autoperf.core.errors import AutoperfError
from autoperf.reports.formats import load, names
from autoperf.runs.huntlog import open_for_resume as open_hunt
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.runs.run_writer import open_for_resume
from autoperf.summary.runs import RunReport

ORIGIN = Origin("1.9.1", 0, "a case file", "stored")
WIDTH = 100


def read_cases(path: Path) -> None:
    """As `run --cases` reads it."""
    groups = StoredGroups(path)
    for number in range(len(groups)):
        compile(render(groups[number], ORIGIN).text, "mutant", "exec")


def read_run(path: Path) -> None:
    """As `report`, `compare` and `run --resume` read it."""
    with RunReader(path) as run:
        stored = LazyOutcomes(run)
        for form in names("run"):
            for _ in load("run", form).pieces(RunReport(run.header, stored, run.end, machines=run.machines), WIDTH):
                pass
        for _ in baseline_lines(run, stored):
            pass
    open_for_resume(path).file.close()
    compare_files(path, path, ComparisonOptions())


def read_log(path: Path) -> None:
    """As `hunt --resume` reads it."""
    resumed = open_hunt(path)
    with resumed.file:
        list(resumed.events())


READERS: dict[str, Callable[[Path], None]] = {"cases": read_cases, "run": read_run, "log": read_log}


def findings(kind: str, data: bytes, seed: int, count: int, folder: Path) -> list[str]:
    """A traceback for each mutant at which the reader raised anything but AutoperfError."""
    tracebacks = []
    path = folder / f"{kind}.ndjson"
    for number, mutant in enumerate(mutants(data, seed, count)):
        path.write_bytes(mutant)
        try:
            READERS[kind](path)
        except AutoperfError:
            continue
        except Exception:  # noqa: BLE001 - these are the findings
            tracebacks.append(f"{kind}, seed {seed}, mutant {number}:\n{traceback.format_exc(limit=-4)}")
    return tracebacks


def main() -> int:
    """The number of mutants and every finding on stdout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind in READERS:
        parser.add_argument(f"--{kind}", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        lists = [
            findings(kind, options[kind].read_bytes(), options["seed"], options["count"], Path(folder))
            for kind in READERS
            if options[kind]
        ]
    tracebacks = list(itertools.chain.from_iterable(lists))
    print(*tracebacks, f"{len(lists) * options['count']} mutants, {len(tracebacks)} findings", sep="\n")
    return 1 if tracebacks else 0


if __name__ == "__main__":
    raise SystemExit(main())
