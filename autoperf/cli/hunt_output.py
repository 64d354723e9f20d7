"""What `autoperf hunt` says at its end, and the exit code that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from autoperf.cli.output import notices, put, show
from autoperf.cli.run_output import FINDING, INTERRUPTED
from autoperf.core.finding import Finding, Searched
from autoperf.pipeline.hunt_session import FinishedHunt
from autoperf.reports import hunt as report
from autoperf.results.huntfile import JSON, read_folder


def show_finished_hunt(hunt: FinishedHunt, form: str) -> int:
    """Shows what was found, and where it is; the exit code."""
    folder = hunt.folder
    if form == "json":
        put(folder.json(complete=hunt.complete))
    else:
        _show(folder.findings, folder.searched, form)
    if not hunt.complete:
        notices().write(f"interrupted; go on with `autoperf hunt --resume {folder.folder}`\n")
    notices().write(f"results: {folder.folder}\n")
    if not hunt.complete:
        return INTERRUPTED
    return FINDING if folder.findings else 0


def show_folder(folder: Path, form: str) -> int:
    """Shows what a hunt that is over has found; the exit code that it ended with."""
    hunted = read_folder(folder)
    if form == "json":
        put((folder / JSON).read_text(encoding="utf-8"))
    else:
        _show(hunted.findings, hunted.searched, form)
    return FINDING if hunted.findings else 0


def _show(findings: Mapping[str, Finding], searched: Sequence[Searched], form: str) -> None:
    if form == "md":
        put(report.to_markdown(findings, searched))
    else:
        show(report.table(findings, searched))
