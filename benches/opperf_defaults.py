"""Runs opperf's default inputs through autoperf's Python API, and lists what was measured and what was not.

    python benches/opperf_defaults.py                              # MXNet 1.9.1 and 2.0.0b1
    python benches/opperf_defaults.py --mxnet 1.9.1 --operator dot

All calls of a release are measured in one session, each once by each clock: it shows that the inputs are accepted and
run. Figures for a comparison need more runs and more processes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import opperf_inputs

from autoperf.api.arguments import CallOptions, handwritten_call
from autoperf.api.measurement import FunctionCall, MeasuringRequest
from autoperf.cases.build import Recipe
from autoperf.core.errors import AutoperfError
from autoperf.core.outcome import Status
from autoperf.executor.settings import Settings
from autoperf.pipeline.own_cases import own_groups
from autoperf.pipeline.release import Release, open_release
from autoperf.pipeline.selection import Selection
from autoperf.pipeline.sides import label_sides
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END

RELEASES = ("1.9.1", "2.0.0b1")
QUICK = Settings(warmup=0, runs=1, processes=1, timeout=300)
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
        options = CallOptions(DTYPES, None, label)
        try:
            written = handwritten_call(Names(release.registry, FRONT_END), call.function, call.arguments, options)
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


def unmeasured(calls: Calls, release: str) -> Iterator[tuple[str, str]]:
    """The label and the reason of each call that has no figure."""
    yield from calls.refused.items()
    if not calls.accepted:
        return
    request = MeasuringRequest(Selection(), Recipe(dtypes=DTYPES), QUICK, release, progress=False)
    for outcome in request.measure_calls(list(calls.accepted.values())):
        if outcome.status is not Status.MEASURED:
            yield outcome.profile, f"{outcome.status.value}: {outcome.reason}"


def print_release(release: str, chosen: list[str]) -> None:
    """Prints a line for each call that was not measured, and the totals."""
    begun, counts = time.monotonic(), Counter[str]()
    with open_release(release) as opened:
        calls = planned(opened, chosen)
    for label, reason in unmeasured(calls, release):
        counts["refused" if label in calls.refused else "broken"] += 1
        print(f"{release} {label}: {reason}", flush=True)
    print(
        f"MXNet {release}: {calls.operators} operators, {len(calls.accepted) - counts['broken']} calls measured, "
        f"{counts['refused']} refused, {counts['broken']} without a figure, in {time.monotonic() - begun:.0f} s",
        flush=True,
    )


def main() -> None:
    """Runs the calls of each release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet", action="append", help="a release; may be repeated")
    parser.add_argument("--operator", action="append", help="an operator; may be repeated")
    options = parser.parse_args()
    for release in options.mxnet or RELEASES:
        print_release(release, options.operator or [])


if __name__ == "__main__":
    main()
