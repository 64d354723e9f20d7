"""The final output and the exit code of `autoperf hunt`."""

from __future__ import annotations

from collections.abc import Sized
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autoperf.cli.output import show_report, tell, tolerating_closed_pipe
from autoperf.core.exits import Exit
from autoperf.core.inputs import read_input
from autoperf.reports.hunt import HuntReport
from autoperf.results.huntfile import JSON, read_hunt

if TYPE_CHECKING:
    from autoperf.pipeline.hunt_session import FinishedHunt
    from autoperf.pipeline.stored_code import StoredSources


def show_finished_hunt(hunt: FinishedHunt, sources: StoredSources, form: str) -> int:
    """Shows the findings. Returns the exit code."""
    # Here alone: a report of a stored hunt needs no session.
    from autoperf.pipeline.stored_code import resume_command

    folder = hunt.folder
    document = partial(folder.json, complete=hunt.complete)
    with tolerating_closed_pipe():
        show_report("hunt", form, HuntReport(folder.findings, folder.searched, document))
    if not hunt.complete:
        tell([f"interrupted; resume with `{resume_command('hunt', folder.folder, sources)}`"])
    tell(hunt.rule_failures)
    return _exit_code([*folder.findings, *hunt.rule_failures]) if hunt.complete else Exit.INTERRUPTED


def show_folder(folder: Path, form: str) -> int:
    """Shows the findings of a complete hunt. Returns the exit code that it ended with."""
    report = stored_hunt(folder)
    with tolerating_closed_pipe():
        show_report("hunt", form, report)
    return _exit_code(report.findings)


def stored_hunt(path: Path) -> HuntReport:
    """The report of the hunt in this folder or log; reports lines that can't be read. Raises CaseFileError."""
    hunt = read_hunt(path)
    tell(f"{text}; the line is left out" for text in hunt.unreadable)
    return HuntReport(hunt.findings, hunt.searched, partial(_document, path) if path.is_dir() else hunt.json)


def _document(folder: Path) -> str:
    return read_input(folder / JSON).decode(errors="replace")


def _exit_code(findings: Sized) -> int:
    return Exit.FINDING if findings else Exit.FINE
