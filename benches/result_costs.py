"""What comparing results adds to a comparison of two sides, as a ratio of processor time, which load hardly changes.

    python benches/result_costs.py [--rounds 2] [--max-time 300ms] [--category broadcast]
    python benches/result_costs.py --trials SUITE/cases.ndjson    # what fingerprints add to the trial of a case

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
import time
from itertools import chain
from pathlib import Path

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.trial import OperatorTrials
from autoperf.cases.store import StoredGroups
from autoperf.cli.main import run
from autoperf.measurement import interleaved_executors
from autoperf.measurement.messages import Task
from autoperf.measurement.results_check import with_results
from autoperf.rules.open_results import open_results

LIMIT, LIMIT_MS = 0.15, 2.0


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


def trial_costs(path: Path) -> list[float]:
    """The milliseconds that fingerprints add to the trial of each case of a file, in ascending order."""
    trials = OperatorTrials(open_library(find_library()), "cpu")
    trials.prepare()
    costs = []
    for case in chain.from_iterable(StoredGroups(path)):
        result = trials.run(case, backward=case.has_backward)
        begin = time.perf_counter()
        with_results(trials.tried, Task(case, open=open_results(case)), result)
        costs.append(1000 * (time.perf_counter() - begin))
    return sorted(costs)


def main() -> int:
    """Prints the processor seconds of each round and what results add. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--max-time", default="300ms")
    parser.add_argument("--category", default="broadcast")
    options = parser.parse_args()
    if options.trials:
        costs = trial_costs(options.trials)
        mean, late = statistics.mean(costs), costs[int(0.9 * len(costs))]
        sys.stdout.write(f"{len(costs)} cases: {mean:.2f} ms in the mean, {late:.2f} ms at P90\n")
        return 0 if mean <= LIMIT_MS else 1
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
