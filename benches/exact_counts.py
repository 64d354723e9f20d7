"""Whether counts of instructions are exact, and see what changed and nothing else.

    python benches/exact_counts.py FOLDER [--registry] [--profiles small,common] [--load PROCESSES] [--timeout 10s]

compares MXNet with itself where operators in C++ (planted/more.cc) do a hundredth, a thousandth and no more work on one
side. With `--registry`, all operators are counted twice, the second time beside so many busy processes: the passes
whose counts differ are listed with how far, and their functions. Exits with 1 if a planted operator isn't found, or
another differs; or if fewer than 95% of the registry's passes are equal, or one differs by more than 0.05%.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planted.build import build
from planted.more_rules import MORE, SAME

from autoperf.backends.mxnet.backend import find_library

RULES = Path(__file__).parent / "planted" / "more_rules.py"
COUNTS = ("--counters", "instructions", "--count-by", "valgrind")
MIN_EQUAL, MAX_CHANGE = 0.95, 0.0005


def compare(folder: Path, *words: str, times: bool = False) -> dict[str, Any]:
    """A comparison of counts, or of times, as JSON. Ends the script if there is none."""
    report = folder / "comparison.json"
    report.unlink(missing_ok=True)
    counts = () if times else ("--clock", "none", "--counters", "instructions")
    command = [sys.executable, "-m", "autoperf", "compare", *words, *counts]
    done = subprocess.run([*command, "--format", "json", "--report", str(report)], capture_output=True, check=False)
    if not report.exists():
        raise SystemExit(f"`{' '.join(command)}` gave no report:\n{done.stderr.decode()[-2000:]}")
    read: dict[str, Any] = json.loads(report.read_text())
    return read


def planted(folder: Path) -> Iterator[str]:
    """The cases of planted operators that are told wrong."""
    extension = str(build(find_library(), RULES.with_name("more.cc")))
    words = ("--rules", str(RULES), "--extension", extension, "--operator", ",".join((*MORE, *SAME)), "--draws", "6")
    comparison = compare(folder, "--env", "A:LESS=1", "--env", "B:MORE=1", "--count-by", "valgrind", *words)
    found: dict[str, list[float]] = {}
    for figure in comparison["cases"]:
        found.setdefault(figure["operator"], []).append(figure["ratio"])
        if figure["code"]["identical"] != (figure["operator"] in SAME):
            yield f"{figure['case']} {figure['inputs']}"
    for operator in (*MORE, *SAME):
        ratios = found.get(operator, [])
        sys.stdout.write(f"{operator:20} {len(ratios)} cases, NEW / BASE {min(ratios):.6f} to {max(ratios):.6f}\n")


BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""A program that never waits, and ends with the one that has started it."""


@contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that never wait."""
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


def counted(path: Path, profiles: str, timeout: str) -> None:
    """Counts all operators, or what an earlier run has left."""
    begin = time.monotonic()
    cases = ("--input-profile", profiles, "--draws", "0", "--timeout", timeout, "--profiler", "none", *COUNTS)
    words = ("--resume", str(path)) if path.exists() else (*cases, "--run-file", str(path))
    subprocess.run([sys.executable, "-m", "autoperf", "run", *words, "--quiet"], capture_output=True, check=False)
    *_, end = map(json.loads, path.read_text().splitlines())
    sys.stdout.write(f"{path.name}: {end['measured']} of {end['asked']} cases in {time.monotonic() - begin:.0f} s\n")


def registry(folder: Path, profiles: str, processes: int, timeout: str) -> Iterator[str]:
    """The passes that differ between two runs of one build, if they are too many or differ by too much."""
    base, new = folder / "idle.ndjson", folder / "loaded.ndjson"
    counted(base, profiles, timeout)
    with load(processes):
        counted(new, profiles, timeout)
    figures = compare(folder, str(base), str(new), "--allow-missing")["cases"]
    other = [figure for figure in figures if not (figure["code"]["identical"] and figure["ratio"] == 1)]
    sys.stdout.write(f"{len(figures) - len(other)} of {len(figures)} passes are equal to the instruction\n")
    for figure in sorted(other, key=lambda each: -abs(each["ratio"] - 1)):
        functions = ", ".join(
            f"{each['name']} {each['new'] - each['base']:+,}" for each in figure["code"]["functions"][:3]
        )
        sys.stdout.write(
            f"  {figure['ratio'] - 1:+.6%} {figure['case']} {figure['pass']}: {functions or 'small functions'}\n"
        )
    far = [each for each in other if abs(each["ratio"] - 1) > MAX_CHANGE]
    yield from (
        f"{each['case']} {each['pass']}" for each in (other if len(other) > (1 - MIN_EQUAL) * len(figures) else far)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all parts. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--registry", action="store_true")
    parser.add_argument("--profiles", default="small,common")
    parser.add_argument("--load", type=int, default=15)
    parser.add_argument("--timeout", default="10s")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    wrong = list(planted(options.folder))
    if options.registry:
        wrong += registry(options.folder, options.profiles, options.load, options.timeout)
    sys.stdout.write(f"{len(wrong)} told wrong: {', '.join(wrong) or 'none'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
