"""The details of a pass: time by kernel, dispatch, and sample counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autoperf.core.clocks import CLOCKS, KERNEL
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.reports.units import count, duration, within


def details(outcome: Outcome) -> Iterator[str]:
    """A sentence for each pass: its kernels, the engine's, dispatch, and the samples of each clock."""
    for name, run in (("forward", outcome.forward), ("backward", outcome.backward)):
        if run is not None:
            yield f"{name}: {'; '.join((*_parts(run), *_samples(run)))}"


LONG_US = 1000.0
"""A dispatch from this time on is explained, if it is longer than the kernels."""


def _parts(run: Pass) -> Iterator[str]:
    if run.series(KERNEL) is not None:
        yield f"own kernels {_listed(run.kernels)}"
        if run.helpers:
            yield f"helpers {_listed(run.helpers)}"
        yield _dispatch(run)
    if run.first_us:
        yield f"first call {duration(run.first_us)}"
    if run.faults:
        yield f"{count(round(run.faults), 'page fault')} a call"


def _dispatch(run: Pass) -> str:
    """The time outside of kernels; why it is unknown, or where it may come from if it is long."""
    kernel = run.series(KERNEL)
    if run.dispatch_us is None:
        return "dispatch unknown: kernels took longer with the profiler on than the whole call with it off"
    if run.dispatch_us < LONG_US or (kernel and run.dispatch_us <= kernel.median):
        return f"dispatch {duration(run.dispatch_us)}"
    return f"dispatch {duration(run.dispatch_us)} (outside of kernels: shape inference, allocation, Python code)"


def _listed(times: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {duration(time)}" for name, time in times.items())


def _samples(run: Pass) -> Iterator[str]:
    for clock in CLOCKS:
        series = run.series(clock)
        if series is not None:
            yield f"{clock.name} {_counted(series)}"


def _counted(series: Series) -> str:
    loops = f" of {series.loops} calls" if series.loops > 1 else ""
    processes = f" in {count(len(series.processes), 'process', 'processes')}" if series.processes else ""
    return f"{within(series)} from {count(series.count, 'sample')}{loops}{processes}"
