"""`autoperf run`."""

from __future__ import annotations

import click

from autoperf.cli.options import (
    format_option,
    library_option,
    measuring_options,
    path_of,
    recipe_options,
    selection_options,
)


@click.command()
@selection_options
@recipe_options
@measuring_options
@click.option("--cases", "cases", metavar="FILE", help="Run these cases: cases.ndjson, or a rendered .py file.")
@click.option(
    "--output", "--output-file", "output", metavar="FILE", help="Write the run file here, line by line, as NDJSON."
)
@library_option
@format_option
def run(
    categories: tuple[str, ...],
    operators: tuple[str, ...],
    namespaces: tuple[str, ...],
    seed: int,
    samples: int,
    profiles: tuple[str, ...],
    dtype: str | None,
    elements: int,
    profiler: str,
    warmup: int | None,
    runs: int | None,
    timeout: float,
    memory_limit: int | None,
    ctx: str,
    cases: str | None,
    output: str | None,
    library: str | None,
    form: str,
) -> int:
    """Measure operators forward and backward: kernel time, wall time, memory.

    Without a selection, every operator that a rule covers. Results go to a run file the moment they exist.
    """
    from autoperf.cases.build import Recipe
    from autoperf.cli.session import Session, measured_settings
    from autoperf.pipeline.selection import Selection, check_categories

    check_categories(categories)
    session = Session(
        selection=Selection(categories, operators, namespaces),
        recipe=Recipe(seed, samples, frozenset(profiles) or None, dtype, elements),
        settings=measured_settings(profiler, warmup, runs, timeout, memory_limit, ctx),
        cases=path_of(cases),
        output=path_of(output),
        library=library,
        form=form,
    )
    return session.run()
