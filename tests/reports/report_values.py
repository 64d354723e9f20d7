"""Reports of outcomes, as each format shows them."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console

from autoperf.core.outcome import Outcome
from autoperf.reports.columns import View
from autoperf.reports.formats import Kind, load
from autoperf.reports.runs import RunReport


def report(
    outcomes: Sequence[Outcome], asked: int | None = None, *, columns: tuple[str, ...] = (), sort: str = ""
) -> RunReport:
    """A run as a format is handed it."""
    return RunReport({}, tuple(outcomes), None, asked, View(columns, sort))


def text_of(kind: Kind, form: str, given: object, width: int = 100) -> str:
    """What a format makes of a report on a terminal of that width, without colour."""
    file = io.StringIO()
    console = Console(width=width, file=file, color_system=None, force_terminal=False)
    for piece in load(kind, form).pieces(given, width):
        console.print(
            piece,
            end="" if isinstance(piece, str) else "\n",
            soft_wrap=isinstance(piece, str),
            markup=False,
            highlight=False,
        )
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def run_text(
    outcomes: Sequence[Outcome], width: int = 100, asked: int | None = None, form: str = "table", **view: object
) -> str:
    """A run in a format."""
    return text_of("run", form, report(outcomes, asked, **view), width)  # type: ignore[arg-type]
