"""`autoperf generate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.options import expanded, library_option, recipe_options, rules_option, selection_options

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.pipeline.selection import Selection
    from autoperf.pipeline.suite_generation import Prepared


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
    help="Write the suite to this folder; created if missing.",
)
@click.option("--force", is_flag=True, help="Write to a folder that is not empty; files of the same name are replaced.")
def generate(
    selection: Selection, recipe: Recipe, rules: tuple[Path, ...], library: str | None, output: Path, force: bool
) -> int:
    """Write one readable Python file for each operator, and cases.ndjson with all cases."""
    from autoperf.cli.output import put, tell
    from autoperf.core.exits import Exit
    from autoperf.pipeline.release import open_release
    from autoperf.pipeline.selection import check_profiles, targets
    from autoperf.pipeline.suite_generation import generate as write_suite
    from autoperf.pipeline.suite_generation import make_folder
    from autoperf.reports.units import count

    with open_release(library, rules) as release:
        tell(release.unknown_names())
        tell(release.name_notes(selection.operators))
        chosen = targets(release.registry, release.catalog, selection)
        check_profiles(chosen, sorted(recipe.profiles or ()))
        make_folder(output, force)
        files = cases = 0
        for prepared in write_suite(release, chosen, recipe, output, force):
            files += prepared.rendered is not None
            cases += len(prepared.built.cases)
            tell(f"  {prepared.target.operator.name}: {line}" for line in _missing_cases(prepared))
        failed = bool(release.rule_failures)
    put(f"{count(cases, 'case')} of {count(files, 'operator')} in {output}\n")
    return Exit.FINDING if failed else Exit.FINE


def _missing_cases(prepared: Prepared) -> list[str]:
    """A line for each group of requested cases that was not generated, with the reason."""
    lines = [f"skipped, {prepared.target.reason}"] if prepared.target.reason else []
    lines += [f"{count} rejected, {reason}" for reason, count in prepared.built.reasons().items()]
    if prepared.built.missing_draws:
        lines.append(f"{prepared.built.missing_draws} fewer drawn cases than requested")
    return lines
