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


def _parts(run: Pass) -> Iterator[str]:
    if run.series(KERNEL) is None:
        return
    yield f"own kernels {_listed(run.kernels)}"
    if run.helpers:
        yield f"helpers {_listed(run.helpers)}"
    if run.dispatch_us is not None:
        yield f"dispatch {duration(run.dispatch_us)}"


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
