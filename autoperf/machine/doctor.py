"""Checks of this machine for benchmarking, each with advice; their report, and the listings of what is installed."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import psutil
from rich.text import Text

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.core.coverage import Check, Health, worst
from autoperf.core.errors import AutoperfError, UsageError
from autoperf.core.machine import Roofline
from autoperf.core.releases import (
    NUMPY_ADVICE,
    InstalledFramework,
    InstalledRelease,
    check_numpy,
    check_python,
    imports_package,
    spell,
)
from autoperf.core.texts import count
from autoperf.counts.valgrind import find_valgrind
from autoperf.measurement import machine_state
from autoperf.measurement.placement import usable_processors
from autoperf.measurement.probe import Probe
from autoperf.processes.counters import INSTRUCTIONS, Unavailable, unavailable
from autoperf.registry.client import RegistryClient
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, duration, size
from autoperf.runs.runfile import PROCESSORS, governors

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


LOW_MEMORY = 2**31
# The seconds for which the speed of the machine is watched.
GLANCE_SECONDS, CALIBRATION_SECONDS = 0.1, 1.0
FAR_FROM_REFERENCE = 0.25
OK, WARNING, PROBLEM = Health.OK, Health.WARNING, Health.PROBLEM


def examine(hint: str | None = None) -> Iterator[Check]:
    """All checks, in the order in which a benchmark would meet the problems."""
    processors = len(usable_processors()) or os.cpu_count() or 1
    version, problem = sys.version_info[:3], ""
    try:
        check_python(version)
    except UsageError as error:
        problem = str(error)
    yield Check("Python", PROBLEM if problem else OK, spell(version), problem)
    has_package = False
    # Without a library, which another check reports, there is none.
    with contextlib.suppress(AutoperfError):
        has_package = backend_of(MXNET).has_package(backend_of(MXNET).find(hint))
    yield numpy_check(importlib.metadata.version("numpy"), package=has_package)
    yield mxnet_check(hint)
    yield threads_check(os.environ, processors)
    found = governors(PROCESSORS)
    # Another one than `performance` lets the clock change between samples.
    advice = "" if found in ((), ("performance",)) else "run `sudo cpupower frequency-set --governor performance`"
    shown = ", ".join(found) or "not visible on this machine"
    yield Check("frequency governor", WARNING if advice else OK, shown, advice)
    yield machine_state.load_check(machine_state.present_load(), processors)
    free = psutil.virtual_memory().available
    advice = "close other programs; large cases will be skipped" if free < LOW_MEMORY else ""
    yield Check("memory", WARNING if advice else OK, f"{free / 2**30:.1f} GiB available", advice)
    try:
        by_valgrind = f"{find_valgrind().name} counts instructions, by --counters instructions"
    except UsageError as error:
        by_valgrind = f"instructions can't be counted here: {error}"
    yield counters_check(unavailable(INSTRUCTIONS), by_valgrind)


def checked_roofline(
    hint: str | None = None, *, anew: bool = False, tell: Callable[[Iterable[str]], None]
) -> tuple[Check, Roofline | None]:
    """The roofline, cached or measured, of which `tell` gets a notice; None if it can't be, as the check says."""
    try:
        backend_of(MXNET).check(os.environ)
        library = backend_of(MXNET).find(hint)
        measured = None if anew else machine_state.known_roofline(library)
        if measured is None:
            tell(["measuring the roofline of this machine takes three to ten seconds"])
            measured = machine_state.roofline(library, anew=anew)
    except AutoperfError as error:
        return Check("roofline", WARNING, "can't be measured", str(error)), None
    return roofline_check(measured), measured


def roofline_check(roofline: Roofline) -> Check:
    """A roofline that was measured on a busy machine is too low."""
    finding = spell_roofline(roofline)
    if roofline.busy:
        advice = "run `autoperf doctor --calibrate` on an idle machine"
        beside = f", while other programs used {roofline.load:.1f} processors"
        return Check("roofline", WARNING, finding + beside, advice)
    return Check("roofline", OK, finding)


def speed_check(*, anew: bool = False) -> Check:
    """The current speed of the machine, relative to its reference; `anew` makes it the reference."""
    now = Probe().calibrate(CALIBRATION_SECONDS if anew else GLANCE_SECONDS)
    kept = machine_state.known_reference()
    if anew or not kept:
        machine_state.keep_reference(now)
        finding = f"the probe takes {now:.2f} us, which is the reference from now on"
        # A slower one was probably measured beside other work.
        if kept and now > (1 + FAR_FROM_REFERENCE) * kept.us:
            finding += f", and took {kept.us:.2f} us on {kept.measured[:10]}"
            return Check("speed", WARNING, finding, "run `autoperf doctor --calibrate` again on an idle machine")
        return Check("speed", OK, finding)
    speed = kept.us / now
    finding = f"{speed:.0%} of the reference of {kept.measured[:10]}"
    if abs(speed - 1) > FAR_FROM_REFERENCE:
        return Check("speed", WARNING, finding, "if it stays so, `autoperf doctor --calibrate` on an idle machine")
    return Check("speed", OK, finding)


def numpy_check(version: str, *, package: bool = False) -> Check:
    """NumPy 1.24 or newer; with MXNet's Python `package`, older than 2."""
    try:
        check_numpy(version)
    except UsageError as error:
        return Check("NumPy", PROBLEM, version, str(error))
    if package and not imports_package(version):
        advice = f"{NUMPY_ADVICE} for layers, capture, --caller python and operators in Python"
        return Check("NumPy", WARNING, f"{version}, with which MXNet's Python package can't be imported", advice)
    return Check("NumPy", OK, version)


def mxnet_check(hint: str | None) -> Check:
    """Whether libmxnet.so can be found and loaded; a missing system library is named with its package."""
    try:
        library = backend_of(MXNET).find(hint)
        with RegistryClient(backend_of(MXNET), library) as client:
            registry = client.registry()
    except AutoperfError as error:
        return Check("MXNet", PROBLEM, "can't be used", str(error))
    return Check("MXNet", OK, f"{registry.mxnet}, {registry.names} names registered, {library}")


def threads_check(environment: Mapping[str, str], processors: int) -> Check:
    """MXNet uses half of the processors unless OMP_NUM_THREADS is set."""
    given = environment.get("OMP_NUM_THREADS")
    available = count(processors, "processor")
    if given is None:
        advice = "set OMP_NUM_THREADS to choose the number, and keep it the same for runs that are compared"
        return Check("threads", OK, f"{max(1, processors // 2)} of {available}, MXNet's default", advice)
    is_count = given.isascii() and given.isdigit() and int(given) > 0
    if not is_count or int(given) > processors:
        advice = f"set OMP_NUM_THREADS to a number from 1 to {processors}"
        return Check("threads", WARNING, f"OMP_NUM_THREADS={given} on {available}", advice)
    return Check("threads", OK, f"OMP_NUM_THREADS={given} on {available}")


def counters_check(missing: Unavailable | None, by_valgrind: str) -> Check:
    """The absence of counters is no warning, since only `--counters` needs them."""
    if missing:
        return Check("counters", OK, f"{by_valgrind}; {missing.finding}", missing.advice)
    return Check("counters", OK, "the processor counts instructions, by --counters instructions")
