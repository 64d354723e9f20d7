"""A check against a ledger on a terminal, and the command that refreshes the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from autoperf.reports.formats import Format
from autoperf.reports.ledger import LedgerReport, table

if TYPE_CHECKING:
    from autoperf.reports.formats import Piece


def pieces(report: LedgerReport, _: int) -> Iterator[Piece]:
    """Every change, then the command, which isn't broken into lines, since it is to be copied."""
    yield table(report.check, report.path)
    if report.check.changes:
        yield f"\nrefresh the ledger: {report.refresh}\n"


FORMAT = Format(pieces)
