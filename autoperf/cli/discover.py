"""`autoperf discover`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.options import expanded, format_option, library_option, rules_option, selection_options

if TYPE_CHECKING:
    from autoperf.pipeline.selection import Selection


@click.command()
@selection_options
@click.option("--covered", "status", flag_value="covered", help="Only operators that a rule covers.")
@click.option("--uncovered", "status", flag_value="uncovered", help="Only operators that no rule covers.")
@click.option("--excluded", "status", flag_value="excluded", help="Only operators that can't be measured here.")
@click.option(
    "--check",
    metavar="LEDGER",
    callback=expanded,
    help="Compare with a ledger; exits with 1 if an operator lost coverage or its backward pass, appeared or vanished.",
)
@click.option(
    "--write-ledger",
    "write",
    metavar="LEDGER",
    callback=expanded,
    help="Write where every operator stands to this file, for --check.",
)
@click.option(
    "--dtypes",
    "ask",
    is_flag=True,
    help="Try which dtypes each operator takes; answers are kept, and shown from then on.",
)
@rules_option
@library_option
@format_option
def discover(
    selection: Selection,
    status: str | None,
    check: Path | None,
    write: Path | None,
    ask: bool,
    rules: tuple[Path, ...],
    library: str | None,
    form: str,
) -> int:
    """Which operators MXNet registers, which are covered and by which rule, and which are not and why."""
    from autoperf.cli import ledger
    from autoperf.cli.dtypes import dtype_answers
    from autoperf.cli.output import show_coverage, tell
    from autoperf.core.coverage import Coverage
    from autoperf.pipeline.discover import report
    from autoperf.pipeline.gradients import read_gradients
    from autoperf.pipeline.release import open_release
    from autoperf.pipeline.selection import Selection, targets

    if check or write:
        ledger.refuse_parts(selection != Selection() or bool(status) or ask, check, write, form)
    with open_release(library, rules) as release:
        tell(release.unknown_names())
        if check:
            return ledger.check_ledger(release, check, form, _release_options(library, rules))
        if write:
            ledger.write_ledger(release, write)
            return 0
        every = targets(release.registry, release.catalog, Selection())
        chosen = targets(release.registry, release.catalog, selection)
        detailed = ask or selection != Selection() or bool(status)
        dtypes = dtype_answers(release, chosen, ask=ask) if detailed or form != "table" else {}
        found = report(release.registry, every, chosen, read_gradients(release, chosen), dtypes)
    show_coverage(found, form, Coverage(status) if status else None, detailed=detailed)
    return 0


def _release_options(library: str | None, rules: Sequence[Path]) -> list[str]:
    """The options by which this release and these rules are named again."""
    named = ["--mxnet", library] if library else []
    return [*named, *(word for path in rules for word in ("--rules", str(path)))]
