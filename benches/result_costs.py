"""What comparing results adds to a comparison of two sides, as a ratio of processor time, which load hardly changes.

    python benches/result_costs.py [--rounds 2] [--max-time 300ms] [--category broadcast]

A build is compared with itself with and without results, in the order with, without, without, with. The processor time
is that of all processes. Exits with 1 if results add more than 15%.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
from pathlib import Path

from autoperf.cli.main import run
from autoperf.measurement import interleaved_executors

LIMIT = 0.15


def processor_seconds(words: list[str], *, results: bool) -> float:
    """The processor seconds of a comparison and its children, in a fork. Ends the script if there are none."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if not child:
        if not results:
            interleaved_executors.DRAWS = 0
        code = run(words)
        os._exit(0 if code in (0, 1, 3) else 2)
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"`{' '.join(words)}` failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Prints the processor seconds of each round and what results add. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--max-time", default="300ms")
    parser.add_argument("--category", default="broadcast")
    options = parser.parse_args()
    sides = ["compare", "--mxnet", "installed", "--mxnet", "installed", "--category", options.category]
    added = []
    for number in range(options.rounds):
        seconds: dict[bool, float] = {True: 0.0, False: 0.0}
        for turn, results in enumerate((True, False, False, True)):
            with tempfile.TemporaryDirectory() as folder:
                files = ["--run-file", str(Path(folder) / "run.ndjson"), "--report", str(Path(folder) / "out.json")]
                small = ["--input-profile", "small", "--draws", "0", "--max-time", options.max_time, "--quiet"]
                seconds[results] += processor_seconds([*sides, *small, *files], results=results)
                sys.stdout.write(f"round {number} turn {turn}: {seconds[results]:.1f} s {'with' * results}\n")
                sys.stdout.flush()
        added.append(seconds[True] / seconds[False] - 1)
        sys.stdout.write(f"round {number}: results add {added[-1]:+.1%}\n")
    sys.stdout.write(f"results add {statistics.median(added):+.1%} of processor time\n")
    return 0 if statistics.median(added) <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
