"""What `autoperf hunt` says at its end, and the exit code that follows from it."""

from __future__ import annotations

from collections.abc import Sized
from functools import partial
from pathlib import Path

from autoperf.cli.output import read_or_not, show_report, tell
from autoperf.core.exits import Exit
from autoperf.core.inputs import read_input
from autoperf.pipeline.hunt_session import FinishedHunt
from autoperf.reports.hunt import HuntReport
from autoperf.results.huntfile import JSON, read_folder


def show_finished_hunt(hunt: FinishedHunt, form: str) -> int:
    """Shows what was found, and where it is; the exit code."""
    folder = hunt.folder
    document = partial(folder.json, complete=hunt.complete)
    with read_or_not():
        show_report("hunt", form, HuntReport(folder.findings, folder.searched, document))
    if not hunt.complete:
        tell([f"interrupted; go on with `autoperf hunt --resume {folder.folder}`"])
    tell([f"results: {folder.folder}", *hunt.rule_failures])
    return _exit_code([*folder.findings, *hunt.rule_failures]) if hunt.complete else Exit.INTERRUPTED


def show_folder(folder: Path, form: str) -> int:
    """Shows what a hunt that is over has found; the exit code that it ended with."""
    hunted = read_folder(folder)
    tell(f"{text}; the line is left out" for text in hunted.unreadable)
    with read_or_not():
        show_report("hunt", form, HuntReport(hunted.findings, hunted.searched, partial(_document, folder)))
    return _exit_code(hunted.findings)


def _document(folder: Path) -> str:
    return read_input(folder / JSON).decode(errors="replace")


def _exit_code(findings: Sized) -> int:
    return Exit.FINDING if findings else Exit.FINE
