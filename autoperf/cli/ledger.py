"""`autoperf discover --check` and `--write-ledger`: coverage held against what it was, and written down."""

from __future__ import annotations

import shlex
from pathlib import Path

from autoperf.cli.output import put, read_or_not, show_report
from autoperf.core.errors import UsageError
from autoperf.core.exits import Exit
from autoperf.pipeline import ledger
from autoperf.pipeline.release import Release
from autoperf.reports.formats import names
from autoperf.reports.ledger import LedgerReport
from autoperf.reports.units import count


def check_form(form: str) -> None:
    """Raises UsageError for a format in which a check isn't reported."""
    if form not in names("ledger"):
        raise UsageError(f"--check reports as {' or '.join(names('ledger'))}, not as {form}")


def check_ledger(release: Release, path: Path, form: str, options: list[str]) -> int:
    """Show what has changed since the ledger was written; the exit code."""
    found = ledger.check(release, path)
    refresh = shlex.join(["autoperf", "discover", *options, "--write-ledger", str(path)])
    with read_or_not():
        show_report("ledger", form, LedgerReport(found, str(path), refresh))
    return Exit.FINE if found.passed else Exit.FINDING


def write_ledger(release: Release, path: Path) -> None:
    """Write the ledger of a release, and say so."""
    taken = ledger.take(release)
    ledger.write_ledger(path, taken)
    put(f"{count(len(taken.operators), 'operator')} of MXNet {taken.mxnet} in {path}\n")
