"""`python FILE`: measures one rendered file."""

from __future__ import annotations

import click

from autoperf.cli.options import format_option, library_option, measuring_options, path_of


@click.command()
@measuring_options
@click.option("--output", metavar="FILE", help="Write the run file here, line by line, as NDJSON.")
@library_option
@format_option
@click.pass_obj
def file(
    path: str,
    profiler: str,
    warmup: int | None,
    runs: int | None,
    timeout: float,
    memory_limit: int | None,
    ctx: str,
    output: str | None,
    library: str | None,
    form: str,
) -> int:
    """Measure the cases of this file: forward, backward, memory."""
    from autoperf.cases.build import Recipe
    from autoperf.cli.session import Session, measured_settings
    from autoperf.pipeline.selection import Selection

    return Session(
        selection=Selection(),
        recipe=Recipe(),
        settings=measured_settings(profiler, warmup, runs, timeout, memory_limit, ctx),
        cases=path_of(path),
        output=path_of(output),
        library=library,
        form=form,
    ).run()
