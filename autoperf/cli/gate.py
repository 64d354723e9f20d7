"""`autoperf gate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from autoperf.cli.command import Command, reject_options
from autoperf.cli.compare import MEASURING, Given, compared_sides, comparing, exit_code
from autoperf.cli.option_types import all_expanded
from autoperf.cli.report_options import FILTERS, quiet_option
from autoperf.comparison.comparison import Comparison
from autoperf.core.errors import Exit, UsageError
from autoperf.front.output import tell
from autoperf.reports.columns import RowFilter


@click.command(cls=Command)
@comparing
@click.option(
    "--no-confirm",
    is_flag=True,
    help="Fail by the first measurement. By default what is slower is measured again, and fails if it is slower again.",
)
@click.option(
    "--report",
    "reports",
    metavar="FILE",
    multiple=True,
    callback=all_expanded,
    help="Write the comparison to this file, too: .md, .html, .json, .csv, .xml (JUnit). May be repeated.",
)
@quiet_option
@click.pass_context
def gate(context: click.Context, given: Given, no_confirm: bool, reports: tuple[Path, ...]) -> int:
    """Let a change pass, or not: measure, compare, confirm, report.

    With BASELINE alone, what it measured is measured again, in the same way, and compared with it. Without files two
    sides are measured in turn. autoperf.toml has the cases, thresholds by operator, and accepted changes. Exits as
    `compare` does: 0 passes, 1 fails, 3 inconclusive.

    \b
    autoperf gate baseline.ndjson
    autoperf gate --mxnet base/libmxnet.so --mxnet new/libmxnet.so --counts-first
    autoperf gate base.ndjson new.ndjson --report gate.md --report gate.xml
    """
    from autoperf.front.stored_reports import check_reports, show_gate

    check_reports(reports)
    given = replace(given, request=replace(given.request, reports=reports))
    base, new = given.files
    if base and not new:
        of_new = {"libraries", "output", "cluster"}
        reject_options(context, {*MEASURING, *FILTERS} - of_new, "BASELINE has the cases and settings")
        comparison = _against(base, given, confirm=not no_confirm)
        code: int = Exit.INTERRUPTED if comparison is None else exit_code(comparison)
    else:
        comparison, code = compared_sides(context, given, confirm=not no_confirm)
    if comparison is not None:
        show_gate(comparison, reports)
    return code


def _against(base: Path, given: Given, *, confirm: bool) -> Comparison | None:
    """What the run of BASELINE measured, measured again and compared with it; None after Ctrl-C."""
    from autoperf.comparison.compare import compare_files
    from autoperf.front.compare_sides import again_alone, confirmed, request_like
    from autoperf.front.run_output import run_session, tell_interrupted
    from autoperf.measurement.resumed_run import default_output
    from autoperf.measurement.run_session import RunEndedError, RunMode

    libraries, output, reports = given.request.libraries, given.request.output, given.request.reports
    if len(libraries) > 1:
        raise UsageError(f"invalid --mxnet: BASELINE is measured again by one build, got {', '.join(libraries)}")
    request = replace(request_like(base), output=output or default_output(), reports=reports)
    request = replace(request, libraries=libraries or request.libraries, only=_selected(base, given.rows))
    try:
        run = run_session(request, RunMode(), given.cluster)
    except RunEndedError as error:
        tell_interrupted(error.run, request.sources)
        raise
    tell([f"results: {run.sides[0].path}"])
    if not run.complete:
        tell_interrupted(run, request.sources)
        return None
    comparison = compare_files(base, run.sides[0].path, given.options, given.aa, given.rows)
    return confirmed(comparison, given.options, again_alone(base, request, given.cluster)) if confirm else comparison


def _selected(base: Path, rows: RowFilter) -> frozenset[str]:
    """The cases of BASELINE that autoperf.toml selects; none stands for all. Raises UnknownNameError, UsageError."""
    from autoperf.registry.names import function_of
    from autoperf.runs.run_reader import LazyOutcomes, RunReader

    if not rows:
        return frozenset()
    with RunReader(base) as run:
        outcomes = LazyOutcomes(run, samples=False)
        kept = [outcomes[position] for position in rows.positions(outcomes)]
    if not kept:
        raise UsageError(f"[compare] of autoperf.toml selects no case of {base}, so there is nothing to measure")
    # Another release may have such a function under another name, and its cases under other ids.
    is_renamed = any(function_of(outcome.operator) != outcome.operator for outcome in kept)
    return frozenset() if is_renamed else frozenset(outcome.case for outcome in kept)
