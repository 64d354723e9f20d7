"""The executor's overhead: the time that it spends on a case without running the operator.

    python benches/overhead.py [CASES [PROCESSES]]

Runs small cases (default 500) of five operators, forward and backward, in so many processes (default 1), and prints the
median and the 90th percentile of each stage in milliseconds, over all processes together. "overhead" is a case's whole
time without the warm-up and the loops of the two clocks: the whole trial is in it. The machine should have nothing else
to do; its load is printed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from autoperf.backends.mxnet.backend import find_library
from autoperf.cases.suite import load
from autoperf.core.events import CaseStagesTimed, Event
from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor

OPERATORS = {
    "exp": "data=tensor(({n}, 16))",
    "softmax": "data=tensor(({n}, 16)), axis=-1",
    "broadcast_add": "lhs=tensor(({n}, 16)), rhs=tensor((1, 16))",
    "FullyConnected": "data=tensor(({n}, 16)), weight=tensor((8, 16)), bias=tensor((8,)), num_hidden=8",
    "topk": 'data=tensor(({n}, 16)), k=2, ret_typ="value"',
}
RUNS_OPERATOR = ("warm-up", "samples")
CASES_A_FILE = 10
LIMIT_MS = 15.0
"""With one process; each further one may add half of it."""


class StageTimes:
    """An event handler that keeps the seconds of each stage, one mapping for each case."""

    def __init__(self) -> None:
        self.cases: list[Mapping[str, float]] = []

    def handle(self, event: Event) -> None:
        if isinstance(event, CaseStagesTimed):
            self.cases.append(event.seconds)


def write_suites(folder: Path, cases: int) -> list[Path]:
    """Files as `generate` makes them, ten cases each."""
    paths = []
    for number in range(cases // CASES_A_FILE):
        operator, arguments = list(OPERATORS.items())[number % len(OPERATORS)]
        head = [
            "from autoperf.bench import Suite, case, tensor",
            f"SUITE = Suite(operator={operator!r}, category='bench')",
        ]
        for index in range(CASES_A_FILE):
            size = 4 + number * CASES_A_FILE + index
            head += ["@case()", f"def case_{index}():", f"    return dict({arguments.format(n=size)})"]
        path = folder / f"{operator}_{number}.py"
        path.write_text("\n".join(head) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def durations(cases: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Seconds of each stage by case; `overhead` is the time outside of the warm-up and the samples."""
    stages: dict[str, list[float]] = defaultdict(list)
    for seconds in cases:
        for stage, value in seconds.items():
            stages[stage].append(value)
        measuring = sum(seconds.get(stage, 0) for stage in RUNS_OPERATOR)
        stages["overhead"].append(seconds["trial"] + seconds["timing"] - measuring)
    return stages


def main(cases: int, processes: int) -> int:
    """Measure, print, and say whether the median stays within the limit."""
    times = StageTimes()
    with tempfile.TemporaryDirectory() as folder:
        suites = [load(path) for path in write_suites(Path(folder), cases)]
        jobs = [Job(entry.case) for suite in suites for entry in suite.cases]
        with Executor(find_library(), Settings(processes=processes), Path(folder), times) as executor:
            measured = sum(outcome.status is Status.MEASURED for outcome in executor.run(jobs))
    stages = durations(times.cases)
    busy = os.getloadavg()[0]
    where = f"{os.cpu_count()} processors, load {busy:.1f}"
    print(f"{measured} of {len(jobs)} cases measured in {processes} processes each; {where}")
    print("milliseconds a case:")
    print(f"{'stage':<16}{'median':>8}{'P90':>8}")
    for stage, values in stages.items():
        median, p90 = np.percentile(np.array(values) * 1e3, (50, 90))
        print(f"{stage:<16}{median:>8.2f}{p90:>8.2f}")
    return 0 if np.median(stages["overhead"]) * 1e3 <= LIMIT_MS * (1 + (processes - 1) / 2) else 1


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    raise SystemExit(main(*(*numbers, *(500, 1)[len(numbers) :])))
