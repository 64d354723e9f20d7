"""`autoperf discover`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from autoperf.cli.options import format_option, library_option, selection_options

if TYPE_CHECKING:
    from autoperf.pipeline.selection import Selection


@click.command()
@selection_options
@click.option("--covered", "status", flag_value="covered", help="Only operators that a rule covers.")
@click.option("--uncovered", "status", flag_value="uncovered", help="Only operators that no rule covers.")
@click.option("--excluded", "status", flag_value="excluded", help="Only operators that can't be measured here.")
@library_option
@format_option
def discover(selection: Selection, status: str | None, library: str | None, form: str) -> None:
    """Which operators MXNet registers, which are covered and by which rule, and which are not and why."""
    from autoperf.cli.output import show_coverage
    from autoperf.core.coverage import Coverage
    from autoperf.pipeline.discover import report
    from autoperf.pipeline.gradients import read_gradients
    from autoperf.pipeline.release import open_release
    from autoperf.pipeline.selection import Selection, targets

    with open_release(library) as release:
        every = targets(release.registry, release.catalog, Selection())
        chosen = targets(release.registry, release.catalog, selection)
        found = report(release.registry, every, chosen, read_gradients(release, chosen))
    show_coverage(found, form, Coverage(status) if status else None, detailed=selection != Selection() or bool(status))
