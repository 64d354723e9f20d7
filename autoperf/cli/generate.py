"""`autoperf generate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.options import expanded, library_option, recipe_options, rules_option, selection_options

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.pipeline.generate import Prepared
    from autoperf.pipeline.selection import Selection


@click.command(cls=Command)
@selection_options
@recipe_options
@rules_option
@library_option
@click.option(
    "--output",
    required=True,
    metavar="DIR",
    callback=expanded,
    help="The folder for the suite; made if it doesn't exist.",
)
@click.option(
    "--force", is_flag=True, help="Write into a folder that isn't empty; files of the same names are replaced."
)
def generate(
    selection: Selection, recipe: Recipe, rules: tuple[Path, ...], library: str | None, output: Path, force: bool
) -> int:
    """Write one readable Python file for each operator, and cases.ndjson with all cases."""
    from autoperf.cli.output import put, tell
    from autoperf.core.exits import Exit
    from autoperf.pipeline.generate import generate as write_suite
    from autoperf.pipeline.generate import make_folder
    from autoperf.pipeline.release import open_release
    from autoperf.pipeline.selection import check_profiles, targets
    from autoperf.reports.units import count

    with open_release(library, rules) as release:
        tell(release.unknown_names())
        tell(release.name_notes(selection.operators))
        chosen = targets(release.registry, release.catalog, selection)
        check_profiles(chosen, sorted(recipe.profiles or ()))
        make_folder(output, force)
        files = cases = 0
        for one in write_suite(release, chosen, recipe, output, force):
            files += one.rendered is not None
            cases += len(one.built.cases)
            tell(f"  {one.target.operator.name}: {line}" for line in _gaps(one))
        failed = bool(release.rule_failures)
    put(f"{count(cases, 'case')} of {count(files, 'operator')} in {output}\n")
    return Exit.FINDING if failed else Exit.FINE


def _gaps(one: Prepared) -> list[str]:
    """What was asked for and isn't there, and why."""
    lines = [f"skipped, {one.target.reason}"] if one.target.reason else []
    lines += [f"{count} rejected, {reason}" for reason, count in one.built.reasons().items()]
    if one.built.missing_draws:
        lines.append(f"{one.built.missing_draws} fewer drawn than asked for")
    return lines
