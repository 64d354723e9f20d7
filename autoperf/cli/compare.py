"""`autoperf compare`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from autoperf.cli.arguments import reject_options
from autoperf.cli.command import Command
from autoperf.cli.comparison_options import comparison_options
from autoperf.cli.extension_option import extension_option
from autoperf.cli.format_options import file_format_option
from autoperf.cli.measuring_options import measuring_options
from autoperf.cli.option_groups import expanded, ndjson_file
from autoperf.cli.options import (
    OWN,
    RECIPE,
    SELECTION,
    cases_option,
    check_given,
    frameworks_option,
    libraries_option,
    own_options,
    recipe_options,
    report_option,
    row_selection_options,
    rules_option,
)
from autoperf.cli.report_options import FILTERS, quiet_option, view_options
from autoperf.cli.side_options import environments_option
from autoperf.core import options as table
from autoperf.core.errors import UsageError
from autoperf.core.exits import Exit
from autoperf.core.limits import SIDE_MAX_TIME

if TYPE_CHECKING:
    from autoperf.analysis.comparison import ComparisonOptions
    from autoperf.cases.build import Recipe
    from autoperf.cases.handwritten import OwnInputs
    from autoperf.executor.settings import Settings
    from autoperf.pipeline.selection import Selection
    from autoperf.reports.columns import View
    from autoperf.reports.comparison import ComparisonReport
    from autoperf.reports.formats import Kind

WITHOUT_NOTICES = ("junit", "csv")
# Pairs of processes that measure each case in turn, and the seconds that all turns of a side may take.
PROCESSES = 5
# Options for measuring two sides, which do not apply to run files.
_OTHERS = ("libraries", "frameworks", "environments", "counterparts", "cases", "rules", "keep")
EXPECTED = (
    "compare takes two run files, BASELINE.NDJSON NEW.NDJSON, or two sides to measure: --mxnet A --mxnet B, "
    "--env A:NAME=VALUE, or --front-ends nd,np --operator NAME"
)
MEASURING = (
    *(name for name in (*SELECTION, *RECIPE) if name not in FILTERS),
    *OWN,
    *(option.target for option in table.SETTINGS),
    *_OTHERS,
)


class _Shown(NamedTuple):
    """The form of a comparison, or the file that it is written to."""

    form: str
    view: View
    output: Path | None
    only_changed: bool


def _show(report: ComparisonReport, form: str, output: Path | None) -> None:
    """Prints or writes the comparison; notices go to standard error if the format has no place for them."""
    from autoperf.cli.output import put, show_report, tell, write_report
    from autoperf.reports.comparison import sentence
    from autoperf.reports.groups import grouped_comparison

    comparison = report.comparison
    tell(f"note: {notice}" for notice in (comparison.notices if output or form in WITHOUT_NOTICES else ()))
    kind: Kind = "groups" if report.view.group_by else "comparison"
    shown = grouped_comparison(report) if report.view.group_by else report
    if output:
        write_report(output, kind, form, shown)
        put(f"{sentence(comparison)}\n")
    else:
        show_report(kind, form, shown)


def _check_view(form: str, view: View) -> None:
    """Raises UsageError for a view that the format has no place for, UnknownNameError for an unknown column."""
    from autoperf.cli.output import check_groups_view, check_view
    from autoperf.reports.comparison import known_columns, provenance_of_sides
    from autoperf.reports.groups import comparison_group_columns

    if view.group_by:
        check_groups_view(form, view, (*comparison_group_columns(view.group_by), *provenance_of_sides(None, None)))
    else:
        check_view("comparison", form, view, known_columns())


def _two_files(_context: click.Context, _parameter: click.Parameter, value: tuple[str, str] | None) -> object:
    """The two run files of --aa. Raises UsageError for one that doesn't exist."""
    for path in map(Path, value or ()):
        if not path.is_file():
            raise UsageError(f"invalid --aa {path}: expected an existing file")
    return tuple(map(Path, value)) if value else None


@click.command(cls=Command)
@click.argument("base", metavar="[BASELINE.NDJSON", required=False, callback=expanded)
@click.argument("new", metavar="NEW.NDJSON]", required=False, callback=expanded)
@libraries_option
@frameworks_option
@environments_option
@click.option(
    "--front-ends",
    "counterparts",
    metavar="A,B",
    callback=lambda _context, _parameter, value: tuple(name.strip() for name in value.split(",")) if value else (),
    help="Two of nd, np, npx, sym: measure the functions of --operator NAME in both in turn, over the same inputs.",
)
@row_selection_options
@recipe_options
@own_options
@measuring_options(defaults={"processes": PROCESSES, "max_time": f"{SIDE_MAX_TIME:g}s"})
@cases_option
@rules_option
@extension_option
@comparison_options
@click.option(
    "--aa",
    nargs=2,
    metavar="FILE FILE",
    callback=_two_files,
    help="Two runs of one build, from which the noise between runs is estimated.",
)
@click.option("--only-changed", is_flag=True, help="List only figures that are faster or slower; count the rest.")
@file_format_option("comparison", "output")
@view_options
@quiet_option
@report_option("output", "Write the comparison to this file, and print one line with the totals")
@click.option(
    "--run-file",
    "keep",
    metavar="FILE",
    callback=ndjson_file,
    help="Write the run files of the two sides to FILE-A and FILE-B.",
)
@click.pass_context
def compare(
    context: click.Context,
    base: Path | None,
    new: Path | None,
    libraries: tuple[str, ...],
    frameworks: tuple[str, ...],
    environments: tuple[dict[str, str], dict[str, str]],
    counterparts: tuple[str, ...],
    selection: Selection,
    recipe: Recipe,
    own: OwnInputs,
    settings: Settings,
    cases: tuple[Path, ...],
    rules: tuple[Path, ...],
    options: ComparisonOptions,
    aa: tuple[Path, Path] | None,
    only_changed: bool,
    form: str,
    view: View,
    output: Path | None,
    keep: Path | None,
) -> int:
    """Compare two run files case by case, or two builds or environments measured in turn.

    Each figure is faster, slower, the same or undecided. Exits with 1 if any figure is slower, or if NEW lacks what
    BASELINE measured (a case is absent, skipped, failed, crashed or timed out, or has no time of a pass); with 2 if
    there is nothing to compare; else with 0.

    \b
    autoperf compare base.ndjson new.ndjson
    autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 --category broadcast
    autoperf compare --env A:OMP_NUM_THREADS=1 --env B:OMP_NUM_THREADS=2 --operator dot
    autoperf compare --front-ends nd,np --operator add
    """
    from autoperf.cli.output import check_report
    from autoperf.pipeline.run_request import RunRequest

    code: int = Exit.FINE
    _check_view(form, view)
    if output:
        check_report(output)
    if base or new:
        reject_options(context, MEASURING, "the option does not apply to run files", "the files")
        view = _narrowed(view, selection, recipe)
    elif libraries or any(environments) or counterparts or len(frameworks) > 1:
        from autoperf.cli.compare_sides import measure_sides

        check_given(context, selection, own, cases)
        request = RunRequest(selection, recipe, settings, cases, keep, libraries, rules, environments, own=own)
        request = replace(request, namespaces=counterparts, frameworks=frameworks)
        base, new, code = measure_sides(request, options)
        if code == Exit.INTERRUPTED:
            return code
    if not (base and new):
        raise UsageError(EXPECTED)
    return _compare_files((base, new), options, aa, _Shown(form, view, output, only_changed)) or code


def _narrowed(view: View, selection: Selection, recipe: Recipe) -> View:
    """The view with the rows that the selection and the recipe's profiles name."""
    from autoperf.reports.row_filter import RowFilter

    profiles = tuple(sorted(recipe.profiles or ()))
    return replace(view, rows=RowFilter(selection.operators, selection.categories, profiles))


def _compare_files(
    files: tuple[Path, Path], options: ComparisonOptions, aa: tuple[Path, Path] | None, shown: _Shown
) -> int:
    """Compares and shows two run files. Returns the exit code."""
    from autoperf.cli.output import tolerating_closed_pipe
    from autoperf.pipeline.file_comparison import compare_files
    from autoperf.reports.comparison import ComparisonReport

    comparison = compare_files(*files, options, aa, shown.view.rows)
    with tolerating_closed_pipe():
        _show(ComparisonReport(comparison, shown.only_changed, shown.view), shown.form, shown.output)
    return Exit.FINDING if comparison.fails else Exit.FINE
