"""`autoperf generate`."""

from __future__ import annotations

import click

from autoperf.cli.options import folder, library_option, recipe_options, selection_options


@click.command()
@selection_options
@recipe_options
@library_option
@click.option("--output", required=True, metavar="DIR", help="The folder for the suite; made if it doesn't exist.")
def generate(
    categories: tuple[str, ...],
    operators: tuple[str, ...],
    namespaces: tuple[str, ...],
    seed: int,
    samples: int,
    profiles: tuple[str, ...],
    dtype: str | None,
    elements: int,
    library: str | None,
    output: str,
) -> None:
    """Write one readable Python file for each operator, and cases.ndjson with all cases."""
    from autoperf.cases.build import Recipe
    from autoperf.pipeline.generate import generate as write_suite
    from autoperf.pipeline.generate import make_folder
    from autoperf.pipeline.release import open_release
    from autoperf.pipeline.selection import Selection, check_categories, check_profiles, targets

    check_categories(categories)
    make_folder(folder(output))
    recipe = Recipe(seed, samples, frozenset(profiles) or None, dtype, elements)
    with open_release(library) as release:
        chosen = targets(release.registry, release.catalog, Selection(categories, operators, namespaces))
        check_profiles(chosen, profiles)
        made = list(write_suite(release, chosen, recipe, folder(output)))
    _summarise(made, output)


def _summarise(made: list, output: str) -> None:  # type: ignore[type-arg]
    files = sum(one.rendered is not None for one in made)
    cases = sum(len(one.built.cases) for one in made)
    click.echo(f"{cases} cases of {files} operators in {output}")
    for one in made:
        if one.target.reason:
            click.echo(f"  {one.target.operator.name}: skipped, {one.target.reason}", err=True)
        for reason, count in one.built.reasons().items():
            click.echo(f"  {one.target.operator.name}: {count} rejected, {reason}", err=True)
        if one.built.short:
            click.echo(f"  {one.target.operator.name}: {one.built.short} fewer drawn than asked for", err=True)
