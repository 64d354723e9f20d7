"""The installed releases of MXNet, their places, and the default."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.core.releases import InstalledFramework, InstalledRelease
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE

_LIBRARY = " " * 4


def installed_reports(releases: Sequence[InstalledRelease]) -> list[Report]:
    """A row for each release, with the path of its library below; a star marks the default."""
    if not releases:
        return [Report(answer=("no MXNet is installed; `autoperf releases install 1.9.1` brings one",))]
    table = Table(
        "", _COLUMNS, releases, compact=True, head=lambda release, _width: "* " if release.default else "  ",
        words=lambda release: [release.version or NONE],
        below=lambda release, width: hanging(_LIBRARY, [release.library], width),
    )  # fmt: skip
    return [Report(tables=(table,), notes=("* the default: what a command takes without --mxnet",))]


def installed_document(releases: Sequence[InstalledRelease]) -> dict[str, object]:
    """`{"releases": [{"version", "origin", "library", "bytes", "default"}]}`."""
    return {"releases": releases}


def framework_reports(frameworks: Sequence[InstalledFramework]) -> list[Report]:
    """A row for each environment of another framework, with its interpreter below."""
    if not frameworks:
        return [Report(answer=("no other framework is installed; `autoperf frameworks install torch` brings one",))]
    table = Table(
        "", _FRAMEWORK_COLUMNS, frameworks, compact=True, head=lambda _framework, _width: "",
        words=lambda framework: [f"{framework.framework} {framework.version}"],
        below=lambda framework, width: hanging(_LIBRARY, [framework.interpreter], width),
    )  # fmt: skip
    return [Report(tables=(table,))]


def framework_document(frameworks: Sequence[InstalledFramework]) -> dict[str, object]:
    """`{"frameworks": [{"framework", "version", "origin", "interpreter", "bytes"}]}`."""
    return {"frameworks": frameworks}


_FRAMEWORK_COLUMNS: tuple[Column[InstalledFramework], ...] = (
    fact("framework", lambda each: f"{each.framework} {each.version}", place=Place.LEAD),
    Column("origin", "origin", lambda each: each.origin, place=Place.FIGURE, room=14),
    Column("size", "size", lambda each: each.bytes, unit="bytes", place=Place.FIGURE),
)
_COLUMNS: tuple[Column[InstalledRelease], ...] = (
    fact("MXNet", lambda release: release.version, place=Place.LEAD),
    Column("origin", "origin", lambda release: release.origin, place=Place.FIGURE, room=14),
    Column("size", "size", lambda release: release.bytes, unit="bytes", place=Place.FIGURE),
)
