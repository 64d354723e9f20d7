"""`autoperf discover`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli import options
from autoperf.cli.command import Command, reject_options
from autoperf.cli.option_types import expanded
from autoperf.core.errors import Exit, UsageError
from autoperf.front.output import tell

if TYPE_CHECKING:
    from autoperf.cases.selection import Selection

PARTS = (*options.SELECTION, "status", "ask")


@click.command(cls=Command)
@options.selection_options
@click.option("--covered", "status", flag_value="covered", help="Only operators that a rule covers.")
@click.option("--uncovered", "status", flag_value="uncovered", help="Only operators that no rule covers.")
@click.option("--excluded", "status", flag_value="excluded", help="Only operators that can't be measured here.")
@click.option(
    "--check",
    metavar="LEDGER",
    callback=expanded,
    help="Compare with a ledger, of this release or another. Exits with 1 if an operator lost coverage or its backward "
    "pass, has one that is no longer known, is new, or is gone.",
)
@click.option(
    "--write-ledger",
    "write",
    metavar="LEDGER",
    callback=expanded,
    help="Write the coverage of every operator to this file, for --check.",
)
@click.option(
    "--test-dtypes",
    "ask",
    is_flag=True,
    help="Test which dtypes each operator accepts. Answers are cached and shown by later calls.",
)
@click.option(
    "--layers",
    "lists_layers",
    is_flag=True,
    help="List the layer classes of Gluon instead: the cases of each, or why there are none.",
)
@click.option(
    "--counts",
    is_flag=True,
    help="Count instructions under valgrind over a grid of lengths, and show them as formulas of each path.",
)
@options.rules_option
@options.extension_option
@options.implementations_option
@options.format_option("coverage")
@click.pass_context
def discover(
    context: click.Context,
    /,
    selection: Selection,
    status: str | None,
    check: Path | None,
    write: Path | None,
    ask: bool,
    lists_layers: bool,
    counts: bool,
    rules: tuple[Path, ...],
    libraries: tuple[str, ...],
    frameworks: tuple[str, ...] | None,
    form: str,
) -> int:
    """List the operators that MXNet registers: which rule covers each, or why none does.

    With several releases, list each release, then show them side by side.

    \b
    autoperf discover --operator softmax
    autoperf discover --category reduction --uncovered
    autoperf discover --operator softmax --counts
    autoperf discover --mxnet 2.0.0b1 --check ledgers/mxnet-1.9.1.json
    """
    from autoperf.cases.release import open_release
    from autoperf.cases.selection import check_categories
    from autoperf.cli import listings
    from autoperf.measurement.sides import label_sides

    check_categories(selection.categories)
    if lists_layers:
        return listings.show_layers(context, libraries, status, form)
    if counts:
        return listings.show_formulas(context, libraries, rules, selection, form)
    if frameworks:
        reject_options(context, listings.NOT_WITH_FRAMEWORKS, "--frameworks lists implementations")
    _check_ledger_options(context, check, write, libraries, form)
    with ExitStack() as stack:
        sides = label_sides([stack.enter_context(open_release(hint, rules)) for hint in libraries or (None,)])
        for side in sides:
            tell(side.release.unknown_names())
            tell(side.release.name_notes(selection.operators))
        code: int = Exit.FINE
        if check:
            words = [word for library in libraries for word in ("--mxnet", library)]
            words += (word for path in rules for word in ("--rules", str(path)))
            code = listings.check_ledger(sides[0].release, check, form, words)
        elif write:
            listings.write_ledger(sides[0].release, write)
        elif frameworks:
            listings.show_implementations(sides, selection, frameworks, form)
        else:
            listings.show_coverage(sides, selection, status, form, ask=ask)
        failures = [failure for side in sides for failure in side.release.rule_failures]
    tell(failures)
    return Exit.FINDING if failures else code


def _check_ledger_options(
    context: click.Context, check: Path | None, write: Path | None, libraries: Sequence[str], form: str
) -> None:
    """Raises UsageError for options that don't go with --check or --write-ledger, which cover a whole release."""
    from autoperf.cli import listings

    if not (check or write):
        return
    if check and write:
        raise UsageError("--check and --write-ledger exclude each other: check first, then write")
    option = "--check" if check else "--write-ledger"
    reject_options(context, PARTS, f"{option} covers every operator of a release")
    if check:
        listings.check_form(form, "ledger", "--check")
    else:
        reject_options(context, ("form",), "--write-ledger prints no report")
    if len(libraries) > 1:
        raise UsageError(f"invalid --mxnet: expected one release with {option}")
