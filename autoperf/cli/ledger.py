"""`autoperf discover --check` and `--write-ledger`: coverage held against what it was, and written down."""

from __future__ import annotations

import shlex
from pathlib import Path

from autoperf.cli.output import put, show_report
from autoperf.core.errors import UsageError
from autoperf.pipeline import ledger
from autoperf.pipeline.release import Release
from autoperf.reports.formats import names
from autoperf.reports.ledger import LedgerReport
from autoperf.reports.units import count

FINDING = 1


def refuse_parts(selects: bool, check: Path | None, write: Path | None, form: str, releases: int) -> None:
    """Raises UsageError where a ledger was asked for together with what makes no sense beside it."""
    option = "--check" if check else "--write-ledger"
    if check and write:
        raise UsageError("--check and --write-ledger exclude each other: check first, then write")
    if selects:
        raise UsageError(
            f"{option} is about every operator of the release: leave out the options that select some, and --dtypes"
        )
    if releases > 1:
        raise UsageError(f"{option} is about one release: give one --mxnet")
    if write and form != "table":
        raise UsageError("--write-ledger prints no report: leave out --format")
    if check and form not in names("ledger"):
        raise UsageError(f"--check reports as {' or '.join(names('ledger'))}, not as {form}")


def check_ledger(release: Release, path: Path, form: str, options: list[str]) -> int:
    """Show what has changed since the ledger was written; the exit code."""
    found = ledger.check(release, path)
    refresh = shlex.join(["autoperf", "discover", *options, "--write-ledger", str(path)])
    show_report("ledger", form, LedgerReport(found, str(path), refresh))
    return 0 if found.passed else FINDING


def write_ledger(release: Release, path: Path) -> None:
    """Write the ledger of a release, and say so."""
    taken = ledger.take(release)
    ledger.write_ledger(path, taken)
    put(f"{count(len(taken.operators), 'operator')} of MXNet {taken.mxnet} in {path}\n")
