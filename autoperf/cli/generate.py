"""`autoperf generate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli import options
from autoperf.cli.command import Command
from autoperf.cli.option_types import expanded
from autoperf.core.errors import Exit
from autoperf.core.texts import count
from autoperf.front.output import put, tell, tolerating_closed_pipe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from autoperf.cases.build import Recipe
    from autoperf.cases.handwritten import OwnInputs
    from autoperf.cases.release import Release
    from autoperf.cases.render import Prepared
    from autoperf.cases.selection import Selection
    from autoperf.measurement.case_files import OwnCases


@click.command(cls=Command)
@options.selection_options
@options.recipe_options
@options.own_options
@options.cases_option
@options.rules_option
@options.extension_option
@options.library_option
@click.option(
    "--folder",
    "output",
    required=True,
    metavar="FOLDER",
    callback=expanded,
    help="Write the suite to this folder; created if missing.",
)
@click.option("--force", is_flag=True, help="Write to a folder that is not empty; files of the same name are replaced.")
@click.pass_context
def generate(
    context: click.Context,
    selection: Selection,
    recipe: Recipe,
    own: OwnInputs,
    cases: tuple[Path, ...],
    rules: tuple[Path, ...],
    library: str | None,
    output: Path,
    force: bool,
) -> int:
    """Write one readable Python file for each operator, and cases.ndjson with all cases.

    --cases and --input write your own cases: start with short YAML, then edit the Python.

    \b
    autoperf generate --category reduction --folder suite/
    autoperf generate --operator softmax --input data=128x30522 --folder suite/
    """
    from autoperf.cases.release import open_release
    from autoperf.cases.render import generate as write_suite
    from autoperf.measurement.case_files import OwnCases

    options.check_given(context, selection, own, cases)
    wanted = OwnCases(cases, own, selection, recipe.profiles, recipe.dtypes)
    with open_release(library, rules) as release:
        tell(release.unknown_names())
        tell(release.name_notes(selection.operators))
        tell(own.notes())
        operators = written = 0
        for prepared in write_suite(release, _suite(release, wanted, recipe), recipe.seed, output, force):
            operators += prepared.rendered is not None
            written += len(prepared.built.cases)
            tell(f"  {prepared.target.operator.name}: {line}" for line in _missing_cases(prepared))
        failed = bool(release.rule_failures)
    with tolerating_closed_pipe():
        put(f"{count(written, 'case')} of {count(operators, 'operator')} in {output}\n")
    return Exit.FINDING if failed else Exit.FINE


def _suite(release: Release, wanted: OwnCases, recipe: Recipe) -> Iterable[Prepared]:
    """The user's own cases, or those of rules. Raises AutoperfError for a mistake before anything is written."""
    from autoperf.cases.render import prepared_suite
    from autoperf.cases.selection import check_profiles, targets
    from autoperf.measurement.case_files import own_suite
    from autoperf.measurement.scratch import scratch_folder

    if not wanted:
        chosen = targets(release.registry, release.catalog, wanted.selection)
        check_profiles(chosen, sorted(recipe.profiles or ()))
        return prepared_suite(release, chosen, recipe)
    notices: list[str] = []
    with scratch_folder() as scratch:
        suite = list(own_suite(release, wanted, recipe.seed, scratch, notices))
    tell(notices)
    return suite


def _missing_cases(prepared: Prepared) -> list[str]:
    """A line for each group of requested cases that was not generated, with the reason."""
    lines = [f"skipped, {prepared.target.reason}"] if prepared.target.reason else []
    lines += [f"{number} rejected, {reason}" for reason, number in prepared.built.reasons().items()]
    if prepared.built.missing_draws:
        lines.append(f"{prepared.built.missing_draws} fewer drawn cases than requested")
    return lines
