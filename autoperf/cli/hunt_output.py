"""The final output and the exit code of `autoperf hunt`."""

from __future__ import annotations

from collections.abc import Sized
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autoperf.cli.output import show_report, tell, tolerating_closed_pipe
from autoperf.core.exits import Exit
from autoperf.reports.hunt import HuntReport
from autoperf.results.huntfile import Hunted, read_hunt

if TYPE_CHECKING:
    from autoperf.pipeline.hunt_session import FinishedHunt
    from autoperf.pipeline.stored_code import StoredSources


def show_finished_hunt(hunt: FinishedHunt, sources: StoredSources, form: str, weights: Path | None) -> int:
    """Shows the findings, ranked by the calls in the file `weights` if there is one. Returns the exit code."""
    # Here alone: a report of a stored hunt needs no session.
    from autoperf.pipeline.stored_code import resume_command

    folder = hunt.folder
    report = _report(folder.hunted(complete=hunt.complete), weights)
    with tolerating_closed_pipe():
        show_report("hunt", form, report)
    if not hunt.complete:
        tell([f"interrupted; resume with `{resume_command('hunt', folder.folder, sources)}`"])
    tell(hunt.rule_failures)
    return _exit_code([*folder.findings, *hunt.rule_failures]) if hunt.complete else Exit.INTERRUPTED


def show_folder(folder: Path, form: str, weights: Path | None) -> int:
    """Shows the findings of a complete hunt. Returns the exit code that it ended with."""
    report = stored_hunt(folder, weights)
    with tolerating_closed_pipe():
        show_report("hunt", form, report)
    return _exit_code(report.findings)


def stored_hunt(path: Path, weights: Path | None = None) -> HuntReport:
    """The report of the hunt in this folder or log; reports lines that can't be read. Raises CaseFileError."""
    hunt = read_hunt(path)
    tell(f"{text}; the line is left out" for text in hunt.unreadable)
    return _report(hunt, weights)


def _report(hunt: Hunted, weights: Path | None) -> HuntReport:
    """The report of a hunt. Raises CaseFileError and UsageError for `weights` without counted calls."""
    from autoperf.hunt.registry_causes import ranking
    from autoperf.pipeline.hunt_inputs import weighted_calls

    ranked = ranking(hunt.findings, weighted_calls(weights) if weights else None)
    return HuntReport(hunt.findings, hunt.searched, partial(hunt.json, ranked), ranked)


def _exit_code(findings: Sized) -> int:
    return Exit.FINDING if findings else Exit.FINE
