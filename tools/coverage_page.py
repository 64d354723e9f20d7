"""Writes docs/reference/coverage.md from `discover` and from full runs.

    python tools/coverage_page.py                          # totals and excluded operators; results of runs stay
    python tools/coverage_page.py RUN.NDJSON RUN.NDJSON    # the results of full runs too, one file for each release
    python tools/coverage_page.py --next PATH ...          # another location of MXNet 2.0.0b1

Ends with 1 if a run has a failure that `EXPLANATIONS` doesn't explain.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from autoperf.core.outcome import Outcome, Status
from autoperf.reports.layout import cells, escape, heading
from tools.page_blocks import DOCS, fill
from tools.stored_run import StoredRun, read_run

PAGE = DOCS / "reference" / "coverage.md"
NEXT = "2.0.0b1"
NO_BACKWARD = "no backward pass: "
NO_CASES = "none"
Report: TypeAlias = dict[str, Any]

# Explanations of failures beyond MXNet's message: (a part of the operator's name, a part of the reason, a sentence).
EXPLANATIONS: tuple[tuple[str, str, str], ...] = ()

TOTALS = (
    ("names", "registered"),
    ("operators", "canonical"),
    ("backward kernels", "backward"),
    ("forward operators", "forward"),
    ("covered", "covered"),
    ("uncovered", "uncovered"),
    ("excluded", "excluded"),
)


def discover(*options: str) -> Report:
    """The JSON document of `autoperf discover`."""
    command = [sys.executable, "-m", "autoperf", "discover", "--format", "json", *options]
    document = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return dict(document)


def totals(reports: Iterable[Report]) -> str:
    """A row for each release."""
    columns = [*TOTALS, ("with a backward pass", "")]
    text = heading([("MXNet", False), *((title, True) for title, _ in columns)])
    for report in reports:
        gradients = sum(operator["differentiable"] is True for operator in report["operators"])
        figures = [report["summary"][key] for _, key in TOTALS]
        text += cells([report["mxnet"], *(f"{figure:,}" for figure in (*figures, gradients))])
    return text


def left_out(reports: Sequence[Report]) -> str:
    """Every excluded operator, with its releases, the reason and the evidence."""
    releases: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for report in reports:
        for one in report["operators"]:
            if one["status"] != "covered":
                reason, _, evidence = one["reason"].partition(": ")
                releases[one["name"], reason, evidence].append(report["mxnet"])
    if not releases:
        return "None.\n"
    text = heading([(title, False) for title in ("operator", "MXNet", "reason", "evidence")])
    for (name, reason, evidence), where in sorted(releases.items()):
        text += cells((name, ", ".join(where), reason, evidence))
    return text


def measured(run: StoredRun, report: Report) -> str:
    """The results of a full run."""
    return "\n".join(_measured(run, report))


def unexplained(run: StoredRun) -> list[str]:
    """The operators whose failures have no explanation."""
    return sorted({outcome.operator for outcome in run.outcomes if _failed(outcome) and not explanation(outcome)})


def explanation(outcome: Outcome) -> str:
    """The explanation of a failure beyond its reason, or an empty text."""
    known = (text for name, reason, text in EXPLANATIONS if name in outcome.operator and reason in outcome.reason)
    return next(known, "")


def _failed(outcome: Outcome) -> bool:
    return outcome.status in (Status.FAILED, Status.CRASHED, Status.TIMEOUT)


def _measured(run: StoredRun, report: Report) -> Iterator[str]:
    good = [outcome for outcome in run.outcomes if outcome.status is Status.MEASURED]
    forward = {outcome.operator for outcome in good}
    backward = {outcome.operator for outcome in good if outcome.backward}
    by_status = Counter(outcome.status for outcome in run.outcomes)
    cases = " + ".join(f"{by_status[status]:,} {status.value}" for status in Status)
    seconds = run.end.seconds if run.end else sum(outcome.seconds for outcome in run.outcomes)
    every = report["summary"]["forward"]
    yield f"- {len(forward)} of {every} forward operators measured, {len(backward)} of them backward too"
    yield f"- {len(run.outcomes):,} cases = {cases}; excluded operators count as one skipped case each"
    yield f"- {seconds / 60:.0f} minutes, seed {run.header.seed}, {_machine(run)}"
    yield from _failures(run.outcomes)
    yield f"- MXNet refuses gradients in some or all cases of: {_named(_refusals(good))}"
    yield f"- no gradient arrives, though the gradient pass has one, of: {_named(_unexpected(report, good, backward))}"


def _machine(run: StoredRun) -> str:
    threads = run.machines[0].environment.mxnet.get("threads")
    return f"autoperf {run.header.autoperf}, {run.machines[0].environment.processor.model}, threads of MXNet: {threads}"


def _failures(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """A line for each operator and reason, with the number of its cases."""
    groups: Counter[tuple[str, str, str, str]] = Counter(
        (outcome.operator, outcome.status.value, outcome.reason, explanation(outcome))
        for outcome in outcomes
        if outcome.status is not Status.MEASURED and outcome.profile != NO_CASES
    )
    for (operator, status, reason, text), count in sorted(groups.items()):
        yield f"- `{operator}`, {count} {status}: {' '.join([escape(reason), text]).strip()}"


def _refusals(outcomes: Sequence[Outcome]) -> list[str]:
    every = Counter(outcome.operator for outcome in outcomes)
    refused = Counter(outcome.operator for outcome in outcomes if outcome.reason.startswith(NO_BACKWARD))
    return [f"`{operator}` ({count} of {every[operator]})" for operator, count in sorted(refused.items())]


def _unexpected(report: Report, good: Iterable[Outcome], backward: set[str]) -> list[str]:
    """Operators that were measured forward only, although `discover` reports a gradient."""
    silent = {outcome.operator for outcome in good if not outcome.reason} - backward
    differentiable = (operator["name"] for operator in report["operators"] if operator["differentiable"])
    return sorted(f"`{name}`" for name in differentiable if name in silent)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page; 1 if a failure is not explained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN.NDJSON", help="full runs")
    parser.add_argument("--next", default=NEXT, metavar="MXNET", help="where MXNet 2.0.0b1 is")
    options = parser.parse_args(arguments)
    reports = {report["mxnet"]: report for report in (discover(), discover("--mxnet", options.next))}
    blocks = {"totals": totals(reports.values()), "left out": left_out(list(reports.values()))}
    open_questions = []
    for run in map(read_run, options.runs):
        mxnet = run.header.mxnet
        blocks[f"run {mxnet}"] = measured(run, reports[mxnet])
        open_questions += [f"MXNet {mxnet}: {name} failed without an explanation\n" for name in unexplained(run)]
    fill(PAGE, blocks)
    sys.stderr.writelines(open_questions)
    return int(bool(open_questions))


if __name__ == "__main__":
    sys.exit(main())
