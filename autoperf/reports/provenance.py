"""The provenance of a run in reports: lines for a person, columns for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from rich.text import Text

from autoperf.reports.columns import Column, fact
from autoperf.reports.layout import hanging
from autoperf.reports.units import count
from autoperf.results.provenance import Provenance

REVISION_DIGITS = 12
NAMES = tuple(field.name for field in msgspec.structs.fields(Provenance))


def provenance_lines(provenance: Provenance) -> Iterator[str]:
    """Two lines: what was measured where and when, and by which command."""
    build = f" ({provenance.build})" if provenance.build else ""
    threads = "" if provenance.threads is None else f", {count(provenance.threads, 'thread')}"
    yield f"MXNet {provenance.release}{build}{threads}; {provenance.processor}; {provenance.date}"
    seed = "no seed" if provenance.seed is None else f"seed {provenance.seed}"
    folder = f", in a folder at revision {_short(provenance.revision)}" if provenance.revision else ""
    yield f"autoperf {provenance.autoperf}, {seed}{folder}: {provenance.command}"


def _short(revision: str) -> str:
    """The first digits of a revision, and whether files were changed."""
    digits, dash, changed = revision.partition("-")
    return f"{digits[:REVISION_DIGITS]}{dash}{changed}"


def provenance_columns(provenance: Provenance | None, prefix: str = "") -> tuple[Column[Any], ...]:
    """A column for each value, the same in every row; the values are empty without a provenance."""
    return tuple(_column(provenance, name, prefix) for name in NAMES)


def _column(provenance: Provenance | None, name: str, prefix: str) -> Column[Any]:
    value = getattr(provenance, name, None)
    return fact(f"{prefix}{name}", lambda _row: value)


def provenance_text(provenance: Provenance | None, width: int) -> Iterator[Text]:
    """The provenance for a terminal; nothing if it isn't known."""
    for line in provenance_lines(provenance) if provenance else ():
        yield from hanging("", line.split(), width, "dim")
