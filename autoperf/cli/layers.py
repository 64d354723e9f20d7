"""`autoperf discover --layers`: every layer class of Gluon, covered or not and why."""

from __future__ import annotations

from collections.abc import Sequence

import click

from autoperf.cli.arguments import reject_options
from autoperf.core.exits import Exit

OPERATORS_ONLY = ("categories", "operators", "namespaces", "check", "write", "ask", "rules")


def show_layers(context: click.Context, libraries: Sequence[str], status: str | None, form: str) -> int:
    """Lists the layers of each release. Raises UsageError for options that are about operators."""
    from contextlib import ExitStack

    from autoperf.cli.output import show_report, tell
    from autoperf.core.coverage import Coverage
    from autoperf.pipeline.layer_coverage import layer_reports
    from autoperf.pipeline.release import open_release
    from autoperf.reports.layer_coverage import LayerView

    reject_options(context, OPERATORS_ONLY, "--layers lists every layer class of a release")
    with ExitStack() as stack:
        releases = [stack.enter_context(open_release(hint)) for hint in libraries or (None,)]
        reports = layer_reports(releases)
    tell(report.problem for report in reports if report.problem)
    show_report("layers", form, LayerView(reports, Coverage(status) if status else None))
    return Exit.FINE
