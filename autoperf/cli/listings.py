"""The listings of `autoperf discover`: coverage, ledgers, layers of Gluon, implementations, and formulas of counts."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from autoperf.cases.release import Release, open_release, read_gradients
from autoperf.cases.selection import Selection, targets
from autoperf.cli.command import reject_options
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.coverage import Coverage, ReleaseCoverage
from autoperf.core.errors import Exit, UsageError
from autoperf.core.options import DEFAULT_ELEMENTS
from autoperf.core.texts import count
from autoperf.coverage import coverage as ledger
from autoperf.coverage.coverage import Answers, cached_answers, try_dtypes
from autoperf.coverage.frameworks import FrameworkView, framework_coverage
from autoperf.coverage.layers import LayerView
from autoperf.coverage.report import CoverageView, LedgerReport
from autoperf.front.output import notices, put, show_report, tell
from autoperf.hunt.instructions import CodeCounter, CountedSide, check_countable, formulas_of
from autoperf.hunt.point import PointFactory
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import Side, targets_by_side, with_counterparts
from autoperf.reports.formats import Kind, names

OPERATORS_ONLY = ("categories", "operators", "namespaces", "check", "write", "ask", "counts", "rules", "frameworks")
NOT_WITH_FRAMEWORKS = ("status", "ask", "check", "write")
NOT_WITH_COUNTS = ("status", "ask", "check", "write", "frameworks")
INTERVAL = 5.0


def show_coverage(sides: Sequence[Side], selection: Selection, status: str | None, form: str, *, ask: bool) -> None:
    """Shows the selected operators; missing answers about dtypes are tested with `ask`, or for a single operator."""
    detailed = ask or selection != Selection() or bool(status)
    shows_dtypes = detailed or form != "table"
    reports, due = [], 0.0

    def tell_progress(done: int, total: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + INTERVAL
            notices().write(f"dtypes: {done} of {count(total, 'operator')} tested\n")

    for side, chosen in zip(sides, with_counterparts(sides, targets_by_side(sides, selection)), strict=True):
        release = side.release
        every = targets(release.registry, release.catalog, Selection())
        dtypes: Answers = {}
        if shows_dtypes and (ask or len(chosen) == 1):
            due = time.monotonic() + INTERVAL
            dtypes = try_dtypes(release, chosen, tell_progress)
        elif shows_dtypes:
            dtypes = cached_answers(release.library, chosen)
        gradients = read_gradients(release, chosen)
        reports.append(ReleaseCoverage(side.label, ledger.report(release, every, chosen, gradients, dtypes)))
    show_report("coverage", form, CoverageView(reports, Coverage(status) if status else None, detailed))


def check_form(form: str, kind: Kind, option: str) -> None:
    """Raises UsageError for a format that the report of this option doesn't have."""
    if form not in names(kind):
        raise UsageError(f"invalid --format {form} with {option}: expected {' or '.join(names(kind))}")


def check_ledger(release: Release, path: Path, form: str, options: list[str]) -> int:
    """Shows the changes since the ledger was written. Returns the exit code."""
    result = ledger.check(release, path)
    refresh = shlex.join(["autoperf", "discover", *options, "--write-ledger", str(path)])
    show_report("ledger", form, LedgerReport(result, str(path), refresh))
    return Exit.FINE if result.passed else Exit.FINDING


def write_ledger(release: Release, path: Path) -> None:
    """Writes the ledger of a release, and prints a line that says so."""
    baseline = ledger.coverage_baseline(release)
    ledger.write_ledger(path, baseline)
    put(f"{count(len(baseline.operators), 'operator')} of MXNet {baseline.mxnet} in {path}\n")


def show_formulas(
    context: click.Context, libraries: Sequence[str], rules: Sequence[Path], selection: Selection, form: str
) -> int:
    """Counts the selected operators of a release over a grid of lengths. Raises UsageError for other options."""
    reject_options(context, NOT_WITH_COUNTS, "--counts fits formulas to counts of the selected operators")
    check_form(form, "formulas", "--counts")
    if selection == Selection() or len(libraries) > 1:
        raise UsageError("--counts needs a selection, such as --operator softmax, and one release")
    check_countable((INSTRUCTIONS.name,), "cpu", "")
    with ExitStack() as stack:
        release = stack.enter_context(open_release(libraries[0] if libraries else None, tuple(rules)))
        chosen = targets(release.registry, release.catalog, selection)
        tell(f"{target.operator.name} isn't counted: {target.reason}" for target in chosen if not target.rule)
        scratch = stack.enter_context(scratch_folder())
        counter = CodeCounter([CountedSide(release.library, Settings())], scratch, stack)
        found = [
            formulas_of(PointFactory(each.operator, each.rule, release.client, elements=DEFAULT_ELEMENTS), counter)
            for each in chosen
            if each.rule
        ]
    show_report("formulas", form, found)
    return Exit.FINE


def show_layers(context: click.Context, libraries: Sequence[str], status: str | None, form: str) -> int:
    """Lists the layers of each release. Raises UsageError for options that are about operators."""
    reject_options(context, OPERATORS_ONLY, "--layers lists every layer class of a release")
    with ExitStack() as stack:
        releases = [stack.enter_context(open_release(hint)) for hint in libraries or (None,)]
        reports = ledger.layer_reports(releases)
    tell(report.problem for report in reports if report.problem)
    show_report("layers", form, LayerView(reports, Coverage(status) if status else None))
    return Exit.FINE


def show_implementations(sides: Sequence[Side], selection: Selection, frameworks: Sequence[str], form: str) -> None:
    """Lists the implementations of the selected operators of each release in these frameworks."""
    chosen = with_counterparts(sides, targets_by_side(sides, selection))
    reports = [
        framework_coverage(side.release, targets, frameworks) for side, targets in zip(sides, chosen, strict=True)
    ]
    show_report("implementations", form, FrameworkView(reports, selection != Selection()))
