"""The provenance of a run: what a report states about where its figures come from."""

from __future__ import annotations

import shlex
from pathlib import PurePath

import msgspec

from autoperf.results.runfile import RunHeader


class Provenance(msgspec.Struct, frozen=True):
    """Where the figures of a run come from, in plain values.

    `release` is MXNet's version, `build` the path of its library, `revision` the git revision of the folder in which
    autoperf ran. `threads` are MXNet's, None if unknown. `date` is UTC in ISO 8601. `autoperf` is its version.
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


def provenance_of(header: RunHeader) -> Provenance:
    """The provenance in the header of a run file."""
    environment = header.environment
    threads = environment.mxnet.get("threads")
    return Provenance(
        release=header.mxnet,
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
