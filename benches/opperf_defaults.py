"""Runs opperf's default inputs by `autoperf.run_performance_test`, and lists what was measured and what was not.

    python benches/opperf_defaults.py                              # MXNet 1.9.1 and 2.0.0b1
    python benches/opperf_defaults.py --mxnet 1.9.1 --operator dot

It shows that the inputs are accepted; figures for a comparison need more runs and more processes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

import opperf_inputs

import autoperf
from autoperf.core.errors import AutoperfError
from autoperf.pipeline.release import open_release

RELEASES = ("1.9.1", "2.0.0b1")
QUICK: dict[str, Any] = {"warmup": 1, "runs": 3, "processes": 1, "progress": False}


def reasons(name: str, calls: list[dict[str, Any]], release: str) -> list[str]:
    """For each call why it was not measured; empty if it was. A refused one is told by measuring each alone."""
    try:
        results = autoperf.run_performance_test(name, calls, mxnet=release, **QUICK)
    except AutoperfError as error:
        return [str(error)] if len(calls) == 1 else [reasons(name, [call], release)[0] for call in calls]
    (entries,) = results.values()
    return [f"{entry['status']}: {entry['reason']}" if "status" in entry else "" for entry in entries]


def main() -> None:
    """Prints a line for each call that was not measured, and the totals of each release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet", action="append", help="a release; may be repeated")
    parser.add_argument("--operator", action="append", help="an operator; may be repeated")
    options = parser.parse_args()
    for release in options.mxnet or RELEASES:
        print_release(release, options.operator or [])


def print_release(release: str, chosen: list[str]) -> None:
    """Runs the calls of one release."""
    begun, counts = time.monotonic(), Counter[str]()
    with open_release(release) as opened:
        operators = opperf_inputs.operators(opened.registry)
    for name, operator in operators.items():
        if chosen and name not in chosen:
            continue
        counts["operators"] += 1
        calls = opperf_inputs.calls(name, operator)
        for arguments, reason in zip(calls, reasons(name, calls, release) if calls else [], strict=True):
            counts["not measured" if reason else "measured"] += 1
            if reason:
                print(f"{release} {name} {arguments}: {reason}", flush=True)
    seconds = time.monotonic() - begun
    print(
        f"MXNet {release}: {counts['operators']} operators, {counts['measured']} calls measured, "
        f"{counts['not measured']} not measured, in {seconds:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
