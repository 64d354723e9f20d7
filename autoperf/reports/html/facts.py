"""What a page says of where its figures come from: labels and texts."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.provenance import provenance_lines
from autoperf.reports.units import one_line, size
from autoperf.results.environment import Environment
from autoperf.results.provenance import Provenance, provenance_of
from autoperf.results.runfile import RunHeader

Facts = tuple[tuple[str, str], ...]


def run_facts(header: object) -> Facts:
    """The provenance of a run, and the rest of its environment; empty without a header."""
    if not isinstance(header, RunHeader):
        return ()
    facts = (*_provenance_facts(provenance_of(header)), *_environment_facts(header.environment))
    return tuple((label, one_line(str(value))) for label, value in facts if value not in ("", None))


def side_fact(title: str, provenance: Provenance | None) -> str:
    """A side of a comparison, or a release: its title, and its provenance where that is known."""
    lines = provenance_lines(provenance) if provenance else ()
    return one_line("; ".join(filter(None, (title, *lines))))


def _provenance_facts(provenance: Provenance) -> Iterator[tuple[str, object]]:
    yield "MXNet", provenance.release
    yield "library", provenance.build
    yield "processor", provenance.processor
    yield "threads", provenance.threads
    yield "machine", provenance.machine
    yield "date", provenance.date
    yield "autoperf", provenance.autoperf
    yield "seed", provenance.seed
    yield "revision", provenance.revision
    yield "command", provenance.command


def _environment_facts(environment: Environment) -> Iterator[tuple[str, object]]:
    processor = environment.processor
    yield "system", f"{environment.system}, {environment.python}"
    yield "processors", f"{processor.usable} usable of {processor.logical}"
    yield "governor", ", ".join(processor.governors)
    yield "memory", size(environment.memory_total)
    yield "load", f"{environment.load[0]:.2f} at the start"
    yield "settings", ", ".join(f"{name}={value}" for name, value in environment.settings.items())
