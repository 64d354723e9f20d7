"""The provenance of a run: the origin of its measurements, as reports state it."""

from __future__ import annotations

import shlex
from pathlib import PurePath

import msgspec

from autoperf.results.environment import Machine
from autoperf.results.runfile import RunHeader


class Provenance(msgspec.Struct, frozen=True):
    """The origin of a run's measurements, in plain values.

    `release` is the version of MXNet, or another framework with its version. `build` is the path of its library,
    `revision` the git revision of the folder in which autoperf ran. `threads` are those of the framework, None if
    unknown. `date` is UTC in ISO 8601. `autoperf` is its version.
    """

    release: str
    build: str
    revision: str | None
    machine: str
    processor: str
    threads: int | None
    date: str
    autoperf: str
    seed: int | None
    command: str


def provenance_of(header: RunHeader, machine: Machine) -> Provenance:
    """The provenance of what this machine measured in the run."""
    environment = machine.environment
    threads = environment.mxnet.get("threads")
    return Provenance(
        release=header.release,
        build=str(environment.mxnet.get("library") or ""),
        revision=environment.git,
        machine=environment.machine,
        processor=environment.processor.model,
        threads=threads if isinstance(threads, int) else None,
        date=header.started,
        autoperf=header.autoperf,
        seed=header.seed,
        command=command_line(header.command),
    )


def command_line(words: tuple[str, ...]) -> str:
    """The words as a shell takes them, the program without its folder."""
    if not words:
        return ""
    program, *arguments = words
    name = PurePath(program).name
    return shlex.join(["autoperf" if name == "__main__.py" else name, *arguments])
