"""The report of `doctor`: the status, finding and advice of each check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
from rich.text import Text

from autoperf.core.health import Check, Health, worst
from autoperf.core.roofline import Roofline
from autoperf.reports.layout import hanging
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


def table_lines(report: DoctorReport, width: int) -> Iterator[Text]:
    """A row for each check, the advice below its finding, and the conclusion last."""
    checks = report.checks
    status, name = (max(map(len, texts)) for texts in ([each.value for each in Health], [each.name for each in checks]))
    for check in checks:
        head = f"{check.status.value:<{status}}  {check.name:<{name}}  "
        first, *rest = hanging(head, check.finding.split(), width)
        first.stylize(HEALTH_STYLE[check.status], 0, status)
        yield from (first, *rest)
        yield from hanging(" " * len(head), ["->", *check.advice.split()], width, "italic") if check.advice else ()
    end = worst(checks)
    yield Text()
    yield from hanging("", f"{_counts(checks)}: {_CONCLUSIONS[end]}".split(), width, HEALTH_STYLE[end])


def spell_roofline(roofline: Roofline) -> str:
    """A roofline in a line: bandwidths, peak FLOP/s by dtype, overhead of a call, and the date."""
    peaks = ", ".join(f"{rate / 1e9:.3g} GFLOP/s in {dtype}" for dtype, rate in roofline.flops.items())
    return (
        f"{roofline.bandwidth / 1e9:.3g} GB/s from memory, {roofline.cached_bandwidth / 1e9:.3g} GB/s from caches"
        f" ({size(roofline.cache_bytes)}), {peaks}, {duration(roofline.overhead_us)} a call;"
        f" measured {'on' if roofline.cached else 'now,'} {roofline.measured:%Y-%m-%d}"
    )


def json_text(report: DoctorReport) -> str:
    """`{"status": the worst, "checks": [{"name", "status", "finding", "advice"}], "roofline": null or its fields}`."""
    value = {"status": worst(report.checks), "checks": report.checks, "roofline": report.roofline}
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def _counts(checks: Sequence[Check]) -> str:
    counts = [sum(check.status is status for check in checks) for status in Health]
    return (
        f"{count(len(checks), 'check')} = {' + '.join(f'{n} {s.value}' for n, s in zip(counts, Health, strict=True))}"
    )
