"""The provenance of a run: lines of tables, columns of CSV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from autoperf.core.releases import release_title
from autoperf.reports.columns import Column, fact
from autoperf.reports.units import count
from autoperf.results.provenance import Provenance

REVISION_DIGITS = 12
PACKAGES = ("site-packages", "dist-packages")
NAMES = tuple(field.name for field in msgspec.structs.fields(Provenance))


def provenance_lines(provenance: Provenance, *, verbose: bool = True) -> Iterator[str]:
    """Two lines: the build, machine and date, and the command.

    Only `verbose` ones have the revision of the folder, and the path of a build that release or command name already.
    """
    build = f" ({provenance.build})" if provenance.build and (verbose or not _is_named(provenance)) else ""
    threads = "" if provenance.threads is None else f", {count(provenance.threads, 'thread')}"
    yield f"{release_title(provenance.release)}{build}{threads}; {provenance.processor}; {provenance.date}"
    seed = "no seed" if provenance.seed is None else f"seed {provenance.seed}"
    folder = f", in a folder at revision {_short(provenance.revision)}" if verbose and provenance.revision else ""
    yield f"autoperf {provenance.autoperf}, {seed}{folder}: {provenance.command}"


def _is_named(provenance: Provenance) -> bool:
    """Whether the build belongs to a package or a release of this version, or the command has its path."""
    folder = PurePath(provenance.build).parent
    return folder.parent.name in (*PACKAGES, provenance.release) or str(folder) in provenance.command


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
