"""What a page says of where its figures come from."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from autoperf.reports.units import count, size
from autoperf.results.runfile import RunHeader


def provenance(header: object) -> tuple[tuple[str, str], ...]:
    """Labels and texts from a run's header: release, machine, versions, settings, command. Empty without a header."""
    if not isinstance(header, RunHeader):
        return ()
    return tuple((label, str(text)) for label, text in _facts(header) if text not in ("", None))


def _facts(header: RunHeader) -> Iterator[tuple[str, object]]:
    environment, processor = header.environment, header.environment.processor
    yield "MXNet", header.mxnet
    yield "library", environment.mxnet.get("path")
    yield "processor", processor.model
    yield "processors", f"{processor.usable} usable of {processor.logical}"
    yield "governor", ", ".join(processor.governors)
    yield "memory", size(environment.memory_total)
    yield "threads", environment.mxnet.get("threads")
    yield "machine", f"{environment.machine}, {environment.system}"
    yield "started", header.started
    yield "autoperf", header.autoperf
    yield "Python", environment.python
    yield "seed", header.seed
    yield "load", f"{environment.load[0]:.2f} at the start"
    yield "settings", ", ".join(f"{name}={value}" for name, value in environment.settings.items())
    yield "revision", environment.git
    yield "command", shlex.join(header.command)


def measured_with(header: object) -> str:
    """A line that tells the runs of a reader's machines apart: release, processor, threads, start."""
    if not isinstance(header, RunHeader):
        return ""
    threads = header.environment.mxnet.get("threads")
    known = f", {count(threads, 'thread')}" if isinstance(threads, int) else ""
    return f"MXNet {header.mxnet}{known} on {header.environment.processor.model}, {header.started}"
