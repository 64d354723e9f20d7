"""Runs opperf's default inputs through autoperf's Python API: what was measured, how long it took, what was not.

    python benches/opperf_defaults.py                              # MXNet 1.9.1 and 2.0.0b1
    python benches/opperf_defaults.py --mxnet 1.9.1 --operator dot
    python benches/opperf_defaults.py --mxnet 2.0.0b1 --timeout 300
    python benches/opperf_defaults.py --mxnet 1.9.1 --names                  # the operators alone, for other commands

All calls of a release are measured in one session, each once by each clock: it shows that the inputs are accepted and
run. Figures for a comparison need more runs and more processes. `--timeout` ends a call that takes longer in all: it
runs three times, the first time on one thread, forward and backward.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import opperf_inputs

from autoperf.api.arguments import handwritten_call
from autoperf.api.measurement import FunctionCall, MeasuringRequest
from autoperf.cases.build import Recipe
from autoperf.cases.release import Release, open_release
from autoperf.cases.selection import Selection
from autoperf.core.errors import AutoperfError
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.measurement.case_files import own_groups
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import label_sides
from autoperf.registry.names import Names
from autoperf.reports.units import duration
from autoperf.rules.front_end import FRONT_END

RELEASES = ("1.9.1", "2.0.0b1")
TIMEOUT = 20.0
"""Seconds for a call in all; the slowest of opperf's that 1.9.1 runs takes half of it."""
DTYPES = ("float32",)


@dataclass
class Calls:
    """The calls of a release by their labels, such as `dot 2`: those to measure, and the reasons of refused ones.

    `same` has the first label of each case: an alias makes the same call again.
    """

    operators: int = 0
    accepted: dict[str, FunctionCall] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)

    def add(self, label: str, call: FunctionCall, release: Release) -> None:
        """Adds a call, or why autoperf or MXNet's inference refuses it."""
        try:
            names = Names(release.registry, FRONT_END)
            written = handwritten_call(names, call.function, call.arguments, DTYPES, label)
            ((case,),) = (group.cases for group in own_groups(label_sides([release]), [written]))
        except AutoperfError as error:
            self.refused[label] = str(error)
            return
        first = self.same.setdefault(case.id, label)
        if first == label:
            self.accepted[label] = call


def planned(release: Release, chosen: list[str]) -> Calls:
    """The calls of the chosen operators, or of all."""
    calls = Calls()
    for name, operator in opperf_inputs.operators(release.registry).items():
        if chosen and name not in chosen:
            continue
        calls.operators += 1
        for number, arguments in enumerate(opperf_inputs.calls(name, operator), 1):
            label = f"{name} {number}"
            calls.add(label, FunctionCall(name, arguments, label), release)
    return calls


def measured(calls: Calls, release: str, timeout: float) -> list[Outcome]:
    """The outcomes of the accepted calls; each has its label as its profile."""
    if not calls.accepted:
        return []
    settings = Settings(warmup=0, runs=1, processes=1, timeout=timeout)
    run = RunRequest(Selection(), Recipe(dtypes=DTYPES), settings, libraries=(release,) if release else ())
    return list(MeasuringRequest(run, progress=False).measure(list(calls.accepted.values())))


def operator_lines(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """A line for each operator: its calls, the time of their kernels in both passes, and the time that all took."""
    by_operator = defaultdict(list)
    for outcome in outcomes:
        if outcome.status is Status.MEASURED:
            by_operator[outcome.profile.partition(" ")[0]].append(outcome)
    for name, group in by_operator.items():
        forward, backward = (sum(map(ranked, passes)) for passes in zip(*map(both_passes, group), strict=True))
        seconds = sum(outcome.seconds for outcome in group)
        times = f"forward {duration(forward):>8}, backward {duration(backward) if backward else '-':>8}"
        yield f"{name:32} {len(group):3} calls: {times}; took {seconds:.1f} s"


def both_passes(outcome: Outcome) -> tuple[Pass | None, Pass | None]:
    return outcome.forward, outcome.backward


def ranked(run: Pass | None) -> float:
    """The median of a pass in microseconds; 0 for none."""
    series = run.ranking_series() if run else None
    return series.median if series else 0.0


def print_release(release: str, chosen: list[str], timeout: float) -> None:
    """Prints a line for each operator, one for each call that was not measured, and the totals."""
    begun = time.monotonic()
    with open_release(release) as opened:
        calls = planned(opened, chosen)
    outcomes = measured(calls, release, timeout)
    broken = [outcome for outcome in outcomes if outcome.status is not Status.MEASURED]
    for line in operator_lines(outcomes):
        print(f"{release} {line}")
    for label, reason in calls.refused.items():
        print(f"{release} {label}: refused: {reason}")
    for outcome in broken:
        print(f"{release} {outcome.profile}: {outcome.status.value} after {outcome.seconds:.0f} s: {outcome.reason}")
    print(
        f"MXNet {release}: {calls.operators} operators, {len(outcomes) - len(broken)} calls measured, "
        f"{len(calls.refused)} refused, {len(broken)} without a figure, in {time.monotonic() - begun:.0f} s",
        flush=True,
    )


def main() -> None:
    """Runs the calls of each release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet", action="append", help="a release; may be repeated")
    parser.add_argument("--operator", action="append", help="an operator; may be repeated")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds for a call in all (default: 20)")
    parser.add_argument(
        "--names", action="store_true", help="run nothing: print the operators, as --operator takes them"
    )
    options = parser.parse_args()
    try:
        for release in options.mxnet or RELEASES:
            if options.names:
                with open_release(release) as opened:
                    print(",".join(sorted({each.name for each in opperf_inputs.operators(opened.registry).values()})))
                continue
            print_release(release, options.operator or [], options.timeout)
    except AutoperfError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
