"""The provenance of a run: the origin of its measurements, as reports state it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from autoperf.results.environment import Machine, common_value
from autoperf.results.runfile import RunHeader


class Provenance(msgspec.Struct, frozen=True):
    """The origin of a run's measurements, in plain values.

    `release` is the version of MXNet, or another framework with its version. `build` is the path of its library,
    `revision` the git revision of the folder in which autoperf ran. `threads` are those of the framework. `date` is UTC
    in ISO 8601. `autoperf` is its version. A text about several machines has the values of all; `threads` is None if
    they differ or are unknown.
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


def provenance_of(header: RunHeader, machines: Sequence[Machine]) -> Provenance:
    """The provenance of what these machines measured in the run; of one outcome, give its machine alone."""
    every = [machine.environment for machine in machines]
    threads = common_value(each.mxnet.get("threads") for each in every)
    return Provenance(
        release=header.release,
        build=common_value(str(each.mxnet.get("library") or "") for each in every),
        revision=common_value(each.git for each in every if each.git) or None,
        machine=common_value(each.machine for each in every),
        processor=common_value(each.processor.model for each in every),
        threads=threads if isinstance(threads, int) else None,
        date=header.started,
        autoperf=header.autoperf,
        seed=header.seed,
        command=command_line(header.command),
    )


def command_line(words: tuple[str, ...]) -> str:
    """The words as typed in a shell, the program without its folder."""
    if not words:
        return ""
    program, *arguments = words
    name = PurePath(program).name
    return shlex.join(["autoperf" if name == "__main__.py" else name, *arguments])
