"""Runs many tiny cases, and prints the resident memory of the process that runs them, which must not grow.

    python benches/flat_memory.py --cases 10000 --every 1000

The whole of `autoperf run --cases FILE` takes place, the table at the end included. One line for every so many
outcomes: how many there are, seconds since the beginning, and the resident memory of the supervisor in MiB. Exits with
1 if it grew by more than `--limit` MiB between the first line and the last outcome, or by twice that with the table.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from autoperf import __version__
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case, Input
from autoperf.core.tensors import TensorSpec, Uniform

OPERATORS = ("exp", "sin", "cos", "tanh", "sqrt")
RUN = ("--warmup", "0", "--samples", "1", "--processes", "1", "--profiler", "python")


def cases(number: int) -> list[Case]:
    """`number` cases, each with a shape of its own."""
    made = []
    for index in range(number):
        shape = (index % 97 + 1, index // 97 % 89 + 1)
        spec = TensorSpec(shape, "float32", Uniform(0.1, 1.0 + index))
        operator = OPERATORS[index * len(OPERATORS) // number]
        made.append(Case(operator=operator, category="unary", profile="tiny", inputs=(Input("data", spec),)))
    return made


def outcomes(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(2**20), b"")) - 1


def watch(process: subprocess.Popen[bytes], file: Path, every: int) -> list[tuple[int, float, float]]:
    """Outcomes, seconds and MiB, at the first outcome, after each so many, and at last."""
    resident = psutil.Process(process.pid)
    readings: list[tuple[int, float, float]] = []
    begin, due, last = time.monotonic(), 1, 0.0
    while process.poll() is None:
        time.sleep(0.1)
        try:
            last = resident.memory_info().rss / 2**20 or last
        except psutil.Error:
            break
        number = outcomes(file)
        if number >= due:
            readings.append((number, time.monotonic() - begin, last))
            print(f"{number:>7} outcomes  {readings[-1][1]:>7.1f} s  {last:>7.1f} MiB", flush=True)
            due = (number // every + 1) * every
    readings.append((outcomes(file), time.monotonic() - begin, last))
    print(f"  at the end, with the table: {last:.1f} MiB after {readings[-1][1]:.1f} s", flush=True)
    return readings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=1_000)
    parser.add_argument("--limit", type=float, default=8.0, help="MiB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stored, file = Path(folder) / "cases.ndjson", Path(folder) / "run.ndjson"
        write_cases(stored, CasesHeader(VERSION, __version__, "any", 0), cases(options.cases))
        command = [sys.executable, "-m", "autoperf", "run", "--cases", str(stored), *RUN, "--run-file", str(file)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            readings = watch(process, file, options.every)
    measured, shown = readings[-2][2] - readings[0][2], readings[-1][2] - readings[0][2]
    print(f"grown by {measured:.1f} MiB over {readings[-1][0]} outcomes, by {shown:.1f} MiB with the table")
    return 1 if measured > options.limit or shown > 2 * options.limit or process.returncode else 0


if __name__ == "__main__":
    raise SystemExit(main())
