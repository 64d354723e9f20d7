"""`autoperf compare`, and its options: which measurements are compared, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autoperf.cli import options as shared
from autoperf.cli.command import Command, config_option, configuration_of, reject_options, set_names
from autoperf.cli.option_types import SHARE, Option, expanded, grouped
from autoperf.cli.option_types import Command as Command_
from autoperf.cli.report_options import FILTERS, quiet_option, shown_options
from autoperf.comparison.comparison import COUNT_THRESHOLD, THRESHOLD, Comparison, ComparisonOptions, Gate
from autoperf.core import options as table
from autoperf.core.clocks import CLOCKS, DEFAULT_METRICS, INSTRUCTIONS, counters_named
from autoperf.core.errors import Exit, UsageError
from autoperf.core.options import SIDE_MAX_TIME
from autoperf.core.outcome import PASSES
from autoperf.front import output
from autoperf.reports.columns import RowFilter
from autoperf.reports.formats import Kind

if TYPE_CHECKING:
    from autoperf.comparison.report import ComparisonReport
    from autoperf.front.stored_reports import Shown
    from autoperf.measurement.run_request import RunRequest


_NAMES = (
    "threshold", "count_threshold", "margin", "clock", "counters", "pass_", "allow_missing", "allow_different",
    "time_different", "counts_first",
)  # fmt: skip
_OPTIONS: tuple[Option, ...] = (
    shared.option_of(table.Option("threshold", table.Kind.SHARE, "The smallest change that is reported.", THRESHOLD)),
    click.option(
        "--count-threshold",
        type=SHARE,
        default=f"{COUNT_THRESHOLD:.1%}",
        show_default=True,
        help="The smallest change of exact counts of instructions that is reported.",
    ),
    shared.option_of(
        table.Option(
            "margin", table.Kind.SHARE, "A known difference between runs of one build; it widens every interval."
        )
    ),
    click.option(
        "--clock",
        type=click.Choice((*(clock.name for clock in CLOCKS), "both", "all", "none")),
        default="both",
        show_default=True,
        help="The clock to compare; both: kernel and wall time; none: results alone, or counters too. Two sides "
        "are measured by it, too.",
    ),
    shared.option_of(
        table.COUNTERS, help="Compare the counts of these events of the processor too. Two sides are counted, too."
    ),
    click.option(
        "--pass",
        "pass_",
        type=click.Choice((*PASSES, "both")),
        default="both",
        show_default=True,
        help="The pass to compare.",
    ),
    click.option(
        "--allow-missing",
        is_flag=True,
        help="NEW may lack cases, passes and metrics that BASELINE has, as a run of some operators does; a case "
        "that failed, crashed or timed out counts still, and one in a line that can't be read doesn't.",
    ),
    click.option(
        "--counts-first",
        is_flag=True,
        help="Count the instructions of each case on both sides before it is timed, by valgrind; a case whose "
        "kernels execute identical code isn't timed.",
    ),
    click.option(
        "--time-different",
        is_flag=True,
        help="Time cases whose results differ between two sides, too; they fail the gate all the same.",
    ),
    click.option(
        "--allow-different",
        metavar="NAME[=REASON]",
        multiple=True,
        help="The results of this operator (or glob) may differ: its cases are timed and judged as others, and the "
        "report lists the differences with the reason. Can be repeated.",
    ),
)
# Pairs of processes that measure each case in turn, and the seconds that all turns of a side may take.
PROCESSES = 5
# Options for measuring two sides, which do not apply to run files.
_OTHERS = (
    "libraries", "frameworks", "environments", "counterparts", "cases", "rules", "output", "cluster", "time_different",
    "counts_first",
)  # fmt: skip
EXPECTED = (
    "nothing to compare: give two run files, BASELINE.NDJSON NEW.NDJSON, or two sides to measure: --mxnet A --mxnet B, "
    "--env A:NAME=VALUE, --frameworks mxnet,torch, or --front-ends nd,np --operator NAME"
)
MEASURING = (
    *(name for name in (*shared.SELECTION, *shared.RECIPE) if name not in FILTERS),
    *shared.OWN,
    *(option.target for option in table.SETTINGS),
    *_OTHERS,
)


def _options(values: Mapping[str, Any]) -> ComparisonOptions:
    """The options that say which figures are compared, and how. Raises UsageError."""
    stated = configuration_of(click.get_current_context())
    counts_first = (INSTRUCTIONS.name,) if values["counts_first"] else ()
    counters = tuple(dict.fromkeys((*values["counters"], *counts_first)))
    table.COUNTERS.check(counters)
    clock = values["clock"]
    clocks = DEFAULT_METRICS if clock == "both" else tuple(each for each in CLOCKS if clock in (each.name, "all"))
    named = (text.partition("=") for text in values["allow_different"])
    reasons = {name.strip(): reason.strip() for name, _, reason in named}
    if "" in reasons:
        raise UsageError("invalid --allow-different: expected the name of an operator, or NAME=REASON")
    same = ("threshold", "count_threshold", "margin", "allow_missing", "time_different", "counts_first")
    return ComparisonOptions(
        **{name: values[name] for name in same},
        passes=tuple(name for name in PASSES if values["pass_"] in (name, "both")),
        metrics=(*clocks, *counters_named(counters)),
        allow_different={**reasons, **stated.expectations.reasons},
        expectations=stated.expectations,
    )


def _show(report: ComparisonReport, form: str, file: Path | None) -> None:
    """Prints or writes the comparison; notices go to standard error if the format has no place for them."""
    from autoperf.comparison.documents import answer
    from autoperf.comparison.groups import grouped_comparison

    comparison = report.comparison
    output.tell(f"note: {notice}" for notice in (comparison.notices if file or form in ("junit", "csv") else ()))
    kind: Kind = "groups" if report.view.group_by else "comparison"
    shown = grouped_comparison(report) if report.view.group_by else report
    with output.report_in(file, answer(comparison)):
        output.show_report(kind, form, shown)


def _check_shown(shown: Shown) -> None:
    """Raises UsageError or UnknownNameError for an invalid view, OutputError for a file that can't be written."""
    from autoperf.comparison.groups import comparison_group_columns, group_of_sides
    from autoperf.comparison.report import known_columns, provenance_of_sides

    group = group_of_sides(shown.view)
    if group:
        known = (*comparison_group_columns(group), *provenance_of_sides(None, None))
        output.check_groups_view(shown.form, shown.view, known)
    else:
        output.check_view("comparison", shown.form, shown.view, known_columns())
    if shown.file:
        output.check_report(shown.file)


def _two_files(_context: click.Context, _parameter: click.Parameter, value: tuple[str, str] | None) -> object:
    for path in map(Path, value or ()):
        if not path.is_file():
            raise UsageError(f"invalid --aa {path}: expected an existing file")
    return tuple(map(Path, value)) if value else None


def comparing(command: Command_) -> Command_:
    """The arguments and options of a command that compares two runs, or measures and compares two sides, as `given`."""
    options = (
        click.argument("base", metavar="[BASELINE.NDJSON", required=False, callback=expanded),
        click.argument("new", metavar="NEW.NDJSON]", required=False, callback=expanded),
        shared.request_options(
            shared.measuring_options(defaults={"processes": PROCESSES, "max_time": f"{SIDE_MAX_TIME:g}s"}),
            help="Write the run files of the two sides to FILE-A and FILE-B.",
        ),
        shared.environments_option,
        click.option(
            "--front-ends",
            "counterparts",
            metavar="A,B",
            callback=lambda _context, _parameter, value: tuple(map(str.strip, value.split(","))) if value else (),
            help="Two of nd, np, npx, sym: measure the functions of --operator NAME in both in turn, over the same "
            "inputs.",
        ),
        lambda command: grouped(command, "options", _NAMES, _options, _OPTIONS),
        config_option,
        click.option(
            "--aa",
            nargs=2,
            metavar="FILE FILE",
            callback=_two_files,
            help="Two runs of one build, from which the noise between runs is estimated.",
        ),
        shared.cluster_option,
    )
    members = ("base", "new", "request", "environments", "counterparts", "options", "aa", "cluster")
    return grouped(command, "given", members, _given, options)


def _given(values: Mapping[str, Any]) -> Given:
    request = replace(values["request"], environments=values["environments"], namespaces=values["counterparts"])
    return Given((values["base"], values["new"]), request, values["options"], values["aa"], values["cluster"])


@dataclass(frozen=True)
class Given:
    """Two run files (None: not given), or the request that measures both sides; how they are compared."""

    files: tuple[Path | None, Path | None]
    request: RunRequest
    options: ComparisonOptions
    aa: tuple[Path, Path] | None
    cluster: str | None

    @property
    def rows(self) -> RowFilter:
        """The rows of two run files that are selected; all of two sides that are measured."""
        if not any(self.files):
            return RowFilter()
        selection, profiles = self.request.selection, tuple(sorted(self.request.recipe.profiles or ()))
        return RowFilter(selection.operators, selection.categories, profiles)


@click.command(cls=Command)
@comparing
@click.option(
    "--confirm",
    is_flag=True,
    help="Measure what is slower again by itself; only what is slower again fails. Of two files, the builds have to be "
    "there.",
)
@click.option(
    "--only-changed",
    is_flag=True,
    help="List only figures that are faster or slower, or seem slower while the gate doesn't pass; count the rest.",
)
@shown_options("comparison")
@click.option(
    "--networks",
    metavar="FOLDER",
    callback=expanded,
    help="What the changes give the networks in this file or folder of captured files; two sides measure their calls.",
)
@quiet_option
@click.pass_context
def compare(
    context: click.Context, given: Given, confirm: bool, only_changed: bool, networks: Path | None, shown: Shown
) -> int:
    """Compare two run files case by case, or two builds or environments measured in turn.

    Each figure is faster, slower, the same or undecided. A case whose outputs or gradients differ is not timed, and
    stands first. Exits with 1 if any differs or is slower, or if NEW lacks a case or time that BASELINE has (absent,
    skipped, failed, crashed or timed out); with 2 if nothing can be compared; with 3 if that is inconclusive, since too
    much is undecided; else with 0.

    \b
    autoperf compare base.ndjson new.ndjson
    autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 --category broadcast
    autoperf compare --env A:OMP_NUM_THREADS=1 --env B:OMP_NUM_THREADS=2 --operator dot
    autoperf compare --front-ends nd,np --operator add
    autoperf compare --frameworks mxnet,torch --operator softmax --input data=128x30522
    """
    from autoperf.comparison.groups import captured_calls, captured_files, with_networks
    from autoperf.comparison.report import ComparisonReport

    _check_shown(shown)
    shown = replace(shown, view=replace(shown.view, rows=given.rows))
    given = replace(given, request=replace(given.request, reports=shown.files))
    # Before anything is measured: a mistake ends the command at once.
    calls = captured_calls(networks) if networks else []
    if networks and not any(given.files) and not given.request.cases:
        given = replace(given, request=replace(given.request, cases=captured_files(networks)))
    comparison, code = compared_sides(context, given, confirm=confirm)
    if comparison is not None:
        report = ComparisonReport(with_networks(comparison, calls), only_changed, shown.view)
        with output.tolerating_closed_pipe():
            _show(report, shown.form, shown.file)
    return code


def compared_sides(context: click.Context, given: Given, *, confirm: bool) -> tuple[Comparison | None, int]:
    """Two files, or two sides measured now, compared (None after Ctrl-C), with the exit code. Raises UsageError."""
    from autoperf.comparison.compare import compare_files

    (base, new), request, options = given.files, given.request, given.options
    code: int = Exit.FINE
    if base or new:
        reject_options(context, MEASURING, "the option does not apply to run files", "the files")
    else:
        from autoperf.front.compare_sides import measure_sides

        shared.check_given(context, request.selection, request.own, request.cases)
        options = _between_frameworks(context, options, request.frameworks)
        if not (request.libraries or any(request.environments) or request.namespaces or len(request.frameworks) > 1):
            raise UsageError(EXPECTED)
        base, new, code = measure_sides(request, options, given.cluster)
        if code == Exit.INTERRUPTED:
            return None, code
    if not (base and new):
        raise UsageError(EXPECTED)
    comparison = compare_files(base, new, options, given.aa, given.rows)
    if confirm:
        measured = None if any(given.files) else request
        comparison = _confirmed(comparison, options, new, measured, given.cluster)
    return comparison, exit_code(comparison, code)


def _confirmed(
    comparison: Comparison, options: ComparisonOptions, new: Path, request: RunRequest | None, cluster: str | None
) -> Comparison:
    """The comparison after what is slower was measured again; `request` measured both sides, unless they are files."""
    from autoperf.front.compare_sides import again_from_files, again_in_turn, confirmed, slower_times

    if not slower_times(comparison):
        return comparison
    again = again_in_turn(request, options, cluster) if request else again_from_files(comparison, new, options)
    if again is None:
        front_ends = "functions of two front ends are measured once"
        builds = "the builds of both runs aren't there, or have changed since"
        output.tell([f"not confirmed: {front_ends if request else builds}"])
        return comparison
    return confirmed(comparison, options, again)


def exit_code(comparison: Comparison, code: int = Exit.FINE) -> int:
    """The exit code of a gate, after a measurement that ended with `code`."""
    found = {Gate.FAILS: Exit.FINDING, Gate.INCONCLUSIVE: Exit.INCONCLUSIVE}.get(comparison.gate, Exit.FINE)
    return code if found == Exit.INCONCLUSIVE and code else found or code


def _between_frameworks(
    context: click.Context, options: ComparisonOptions, frameworks: tuple[str, ...]
) -> ComparisonOptions:
    """The options with clocks that compare like with like, unless the user chose one; the other may lack operators."""
    import msgspec

    from autoperf.backends.lookup import has_several
    from autoperf.front.compare_sides import fair_metrics

    if not has_several(frameworks):
        return options
    if "clock" not in set_names(context):
        counters = tuple(metric for metric in options.metrics if not metric.is_time)
        options = msgspec.structs.replace(options, metrics=(*fair_metrics(frameworks), *counters))
    return msgspec.structs.replace(options, allow_missing=True)
