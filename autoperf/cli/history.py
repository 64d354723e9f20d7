"""`autoperf history`: runs over time."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from autoperf.cli import option_types
from autoperf.cli.command import Command, config_option, configuration_of
from autoperf.cli.option_types import DAY, Option, all_expanded, expanded, split_names
from autoperf.cli.options import SEVERAL, format_option
from autoperf.cli.report_options import quiet_option
from autoperf.core.errors import CaseFileError, Exit, UsageError
from autoperf.core.texts import count
from autoperf.front.output import show_report, tell

DEFAULT = "history.duckdb"
database_option: Option = click.option(
    "--history",
    "database",
    metavar="FILE",
    default=DEFAULT,
    show_default=True,
    callback=expanded,
    help="The history's file, an embedded DuckDB database.",
)
"""--history as `database`: the file of the history."""


@click.group()
def history() -> None:
    """Keep runs over time, and find the night in which an operator changed."""


@history.command(cls=Command)
@click.argument("runs", metavar="RUN.NDJSON...", nargs=-1, required=True, callback=all_expanded)
@click.option(
    "--control",
    metavar="RUN.NDJSON",
    callback=expanded,
    help="The run of a build that never changes, measured beside: it tells the machine's changes from the build's.",
)
@database_option
@quiet_option
def add(runs: tuple[Path, ...], control: Path | None, database: Path) -> None:
    """Add run files, in any order; one that is there already is left as it is, unless it has more results since.

    The file of the history is made if it is missing. Several processes may add at once: each waits for the others, and
    after a minute leaves its run in FILE.incoming, from which the next command takes it.
    """
    from autoperf.history.store import add_runs

    for notice in add_runs(database, runs, control):
        tell([notice])


@history.command(name="list", cls=Command)
@database_option
@format_option("history")
def list_(database: Path, form: str) -> None:
    """List the runs, with their builds and dates."""
    from autoperf.history.report import runs_report
    from autoperf.history.store import reading

    with reading(database, tell) as opened:
        report = runs_report(opened.runs())
    show_report("history", form, report)


@history.command(cls=Command)
@click.option(
    "--operator",
    "operators",
    metavar="NAME",
    multiple=True,
    required=True,
    callback=split_names,
    shell_complete=option_types.operators,
    help=f"Show an operator: its name in the runs or in Python (gluon.nn.Dense), or a glob. {SEVERAL}",
)
@database_option
@format_option("history")
def show(operators: tuple[str, ...], database: Path, form: str) -> None:
    """Show the figures of operators over time, with the steps in them."""
    from autoperf.front.stored_reports import show_history

    show_history(database, operators, form)


@history.command(cls=Command)
@click.option(
    "--since",
    type=DAY,
    metavar="DAY",
    help="Only changes that became certain on this day (2026-11-22), this many days ago (3d), or later.",
)
@database_option
@config_option
@format_option("history")
@click.pass_context
def changes(context: click.Context, since: dt.date | None, database: Path, form: str) -> int:
    """List what changed, and since which run. Exits with 1 if something is slower, or results changed.

    Cases that compute something else than in the run before stand first. Runs of one release are compared, on whichever
    machines, by the fingerprints of results that they keep.

    From 10 runs on, steps and drifts are found; another exact count is a finding of its run. With fewer runs, the last
    is compared with those before it, as `autoperf compare` does: it may be disturbed, and doesn't change the exit code.

    A change that autoperf.toml accepts leaves the list and starts a new level, and so do results that may differ.
    """
    from autoperf.history.report import changes_notices, changes_report
    from autoperf.history.series import changes as changes_of
    from autoperf.history.standing import accepted_steps, result_changes, without_fingerprints
    from autoperf.history.store import reading

    with reading(database, tell) as opened:
        day = since.isoformat() if since else ""
        listed, results = changes_of(opened, day), result_changes(opened, day)
        lacking = without_fingerprints(opened)
    tell(f"note: {notice}" for notice in filter(None, (*changes_notices(listed), lacking)))
    expectations = configuration_of(context).expectations
    accepted = accepted_steps(listed.found, expectations)
    different = [change for change in results if not expectations.allows(change.case.operator)]
    left = listed.without([each.change for each in accepted])
    show_report("history", form, changes_report(left, different, accepted))
    slower = any(change.ratio > 1 and change.is_finding for change in left.found)
    slower = slower or any(each.ratio > 1 for each in left.common)
    return Exit.FINDING if slower or different else Exit.FINE


@history.command(cls=Command)
@click.argument("folder", metavar="FOLDER", callback=expanded)
@click.option("--url", metavar="URL", default="", help="The address of the site, with which links in its feed begin.")
@database_option
@config_option
@quiet_option
@click.pass_context
def site(context: click.Context, folder: Path, url: str, database: Path) -> None:
    """Write a static site: the last night, regressions, a page for each operator, and a feed of new changes.

    It needs no server and no network. Files in FOLDER that aren't of a site stay as they are.
    """
    from autoperf.history.site import write_site
    from autoperf.history.store import reading

    with reading(database, tell) as opened:
        pages, answer = write_site(folder, opened, configuration_of(context).expectations, url)
    tell([f"site: {folder / 'index.html'}, {count(pages, 'page')}", *answer])


@history.command(cls=Command)
@click.argument("run", type=click.IntRange(min=1))
@database_option
@quiet_option
def remove(run: int, database: Path) -> None:
    """Remove a run, by its number in `autoperf history list`."""
    from autoperf.history.store import History

    if not database.exists():
        raise CaseFileError(f"can't read {database}: there is no such history")
    with History(database, write=True) as opened:
        opened.remove(run)
    tell([f"run {run} removed"])


@history.command(cls=Command)
@click.argument("file", metavar="FILE.PARQUET", callback=expanded)
@database_option
@quiet_option
def export(file: Path, database: Path) -> None:
    """Write all medians to a Parquet file, with the case, the run and its build."""
    from autoperf.history.store import reading, write_parquet

    if file.suffix != ".parquet":
        raise UsageError(f"invalid file {file}: expected a name that ends with .parquet")
    with reading(database, tell) as opened:
        rows = write_parquet(opened, file)
    tell([f"{file}: {count(rows, 'row')}"])
