"""The report of `doctor`, and the listings of installed releases and frameworks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from autoperf.core.coverage import Check, Health, worst
from autoperf.core.machine import Roofline
from autoperf.core.releases import InstalledFramework, InstalledRelease
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, duration, size

HEALTH_STYLE = {Health.OK: "green", Health.WARNING: "yellow", Health.PROBLEM: "bold red"}
_CONCLUSIONS = {
    Health.OK: "this machine is ready",
    Health.WARNING: "autoperf runs here; the warnings make its figures less reliable",
    Health.PROBLEM: "autoperf can't measure here until the problems are solved",
}
_COLUMNS: tuple[Column[Check], ...] = (
    fact("status", lambda check: check.status.value),
    fact("check", lambda check: check.name),
    fact("finding", lambda check: check.finding),
    fact("advice", lambda check: check.advice),
)
_LIBRARY = " " * 4
_FRAMEWORK_COLUMNS: tuple[Column[InstalledFramework], ...] = (
    fact("framework", lambda each: f"{each.framework} {each.version}", place=Place.LEAD),
    Column("origin", "origin", lambda each: each.origin, place=Place.FIGURE, room=14),
    Column("size", "size", lambda each: each.bytes, unit="bytes", place=Place.FIGURE),
)
_RELEASE_COLUMNS: tuple[Column[InstalledRelease], ...] = (
    fact("MXNet", lambda release: release.version, place=Place.LEAD),
    Column("origin", "origin", lambda release: release.origin, place=Place.FIGURE, room=14),
    Column("size", "size", lambda release: release.bytes, unit="bytes", place=Place.FIGURE),
)


@dataclass(frozen=True)
class DoctorReport:
    """The checks of a machine, and its roofline if known."""

    checks: Sequence[Check]
    roofline: Roofline | None = None


def doctor_reports(report: DoctorReport) -> list[Report]:
    """A row for each check with the advice below its finding, and the conclusion."""
    checks = report.checks
    status, name = (max(map(len, texts)) for texts in ([each.value for each in Health], [each.name for each in checks]))

    def head(check: Check, _width: int) -> str:
        return f"{check.status.value:<{status}}  {check.name:<{name}}  "

    def advice(check: Check, width: int) -> Iterator[Text]:
        words = ["->", *check.advice.split()]
        yield from hanging(" " * len(head(check, width)), words, width, "italic") if check.advice else ()

    table = Table(
        "", _COLUMNS, checks, head=head, words=lambda check: check.finding.split(), below=advice,
        style=lambda check: HEALTH_STYLE[check.status],
    )  # fmt: skip
    counts = " + ".join(f"{sum(check.status is each for check in checks)} {each.value}" for each in Health)
    sums = f"{count(len(checks), 'check')} = {counts}: {_CONCLUSIONS[worst(checks)]}"
    return [Report(tables=(table,), sums=(sums,))]


def spell_roofline(roofline: Roofline) -> str:
    """A roofline in a line: bandwidths, peak FLOP/s by dtype, overhead of a call, and the date."""
    peaks = ", ".join(f"{rate / 1e9:.3g} GFLOP/s in {dtype}" for dtype, rate in roofline.flops.items())
    return (
        f"{roofline.bandwidth / 1e9:.3g} GB/s from memory, {roofline.cached_bandwidth / 1e9:.3g} GB/s from caches"
        f" ({size(roofline.cache_bytes)}), {peaks}, {duration(roofline.overhead_us)} a call;"
        f" measured {'on' if roofline.cached else 'now,'} {roofline.measured:%Y-%m-%d}"
    )


def doctor_document(report: DoctorReport) -> dict[str, object]:
    """`{"status": the worst, "checks": [{"name", "status", "finding", "advice"}], "roofline": null or its fields}`."""
    return {"status": worst(report.checks), "checks": report.checks, "roofline": report.roofline}


def installed_reports(releases: Sequence[InstalledRelease]) -> list[Report]:
    """A row for each release, with the path of its library below; a star marks the default."""
    if not releases:
        return [Report(answer=("no MXNet is installed; `autoperf releases install 1.9.1` brings one",))]
    table = Table(
        "", _RELEASE_COLUMNS, releases, compact=True, head=lambda release, _width: "* " if release.default else "  ",
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
