"""The report of `doctor`: the status, finding and advice of each check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from autoperf.core.health import Check, Health, worst
from autoperf.core.roofline import Roofline
from autoperf.reports.units import count, duration, size

HEALTH_STYLE = {Health.OK: "green", Health.WARNING: "yellow", Health.PROBLEM: "bold red"}
_CONCLUSIONS = {
    Health.OK: "this machine is ready",
    Health.WARNING: "autoperf runs here; the warnings make its figures less reliable",
    Health.PROBLEM: "autoperf can't measure here until the problems are solved",
}


@dataclass(frozen=True)
class DoctorReport:
    """The checks of a machine, and its roofline if known."""

    checks: Sequence[Check]
    roofline: Roofline | None = None


def table(checks: Sequence[Check]) -> RenderableType:
    """A row a check, the advice below its finding, and the conclusion last."""
    grid = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for check in checks:
        finding = Text(check.finding)
        if check.advice:
            finding.append(f"\n-> {check.advice}", style="italic")
        grid.add_row(Text(check.status.value, style=HEALTH_STYLE[check.status]), Text(check.name), finding)
    end = worst(checks)
    return Group(grid, Text(), Text(f"{_counts(checks)}: {_CONCLUSIONS[end]}", style=HEALTH_STYLE[end]))


def spell_roofline(roofline: Roofline) -> str:
    """A roofline in a line: bandwidths, peak FLOP/s by dtype, overhead of a call, and the date."""
    peaks = ", ".join(f"{rate / 1e9:.3g} GFLOP/s in {dtype}" for dtype, rate in roofline.flops.items())
    return (
        f"{roofline.bandwidth / 1e9:.3g} GB/s from memory, {roofline.cached_bandwidth / 1e9:.3g} GB/s from caches"
        f" ({size(roofline.cache_bytes)}), {peaks}, {duration(roofline.overhead_us)} a call;"
        f" measured {'on' if roofline.cached else 'now,'} {roofline.measured:%Y-%m-%d}"
    )


def to_json(checks: Sequence[Check], roofline: Roofline | None = None) -> str:
    """`{"status": the worst, "checks": [{"name", "status", "finding", "advice"}], "roofline": null or its fields}`."""
    value = {"status": worst(checks), "checks": checks, "roofline": roofline}
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def _counts(checks: Sequence[Check]) -> str:
    counts = [sum(check.status is status for check in checks) for status in Health]
    return (
        f"{count(len(checks), 'check')} = {' + '.join(f'{n} {s.value}' for n, s in zip(counts, Health, strict=True))}"
    )
