"""`autoperf discover --check` and `--write-ledger`: compares coverage with a ledger, and writes one."""

from __future__ import annotations

import shlex
from pathlib import Path

from autoperf.cli.output import put, show_report, tolerating_closed_pipe
from autoperf.core.errors import UsageError
from autoperf.core.exits import Exit
from autoperf.pipeline import ledger
from autoperf.pipeline.release import Release
from autoperf.reports.formats import names
from autoperf.reports.ledger import LedgerReport
from autoperf.reports.units import count


def check_form(form: str) -> None:
    """Raises UsageError for a format that has no report of a check."""
    if form not in names("ledger"):
        raise UsageError(f"invalid --format {form} with --check: expected {' or '.join(names('ledger'))}")


def check_ledger(release: Release, path: Path, form: str, options: list[str]) -> int:
    """Shows the changes since the ledger was written. Returns the exit code."""
    result = ledger.check(release, path)
    refresh = shlex.join(["autoperf", "discover", *options, "--write-ledger", str(path)])
    with tolerating_closed_pipe():
        show_report("ledger", form, LedgerReport(result, str(path), refresh))
    return Exit.FINE if result.passed else Exit.FINDING


def write_ledger(release: Release, path: Path) -> None:
    """Writes the ledger of a release, and prints a line that says so."""
    baseline = ledger.coverage_baseline(release)
    ledger.write_ledger(path, baseline)
    put(f"{count(len(baseline.operators), 'operator')} of MXNet {baseline.mxnet} in {path}\n")
