"""The run file: NDJSON with a header, the machines with their environments, and a line for each outcome."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import importlib.metadata
import os
import platform
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import msgspec
import psutil

from autoperf.core.case import canonical_json
from autoperf.core.errors import CaseFileError
from autoperf.core.machine import Reference, Roofline
from autoperf.core.ndjson import check_header, decode_line
from autoperf.core.outcome import FIRST, Outcome

CPU_INFO = Path("/proc/cpuinfo")
PROCESSORS = Path("/sys/devices/system/cpu")
SETTINGS = ("OMP_", "GOMP_", "KMP_", "MKL_", "MXNET_", "DNNL_", "ONEDNN_", "OPENBLAS_", "LD_PRELOAD", "AUTOPERF_")
PACKAGES = ("autoperf", "numpy", "hypothesis", "msgspec")
ABSENT = "not set"
FEATURE = "MXNet's feature "
GIT_TIMEOUT = 3.0
ID_DIGITS = 8


class Processor(msgspec.Struct, frozen=True):
    """The processor: its model, its numbers of cores, also of usable ones, and the frequency governors."""

    model: str
    physical: int | None
    logical: int | None
    usable: int
    governors: tuple[str, ...]


class Environment(msgspec.Struct, frozen=True):
    """The circumstances of a run. Memory is in bytes, `load` has the averages over 1, 5 and 15 minutes.

    `mxnet` describes the worker's library: version, path, features, threads, GPUs. `settings` has the environment
    variables that affect MXNet and its libraries. `git` is the revision of the working directory, with `-dirty` if it
    has changes; None outside a repository.
    """

    machine: str
    system: str
    python: str
    packages: dict[str, str]
    processor: Processor
    load: tuple[float, float, float]
    memory_total: int
    memory_available: int
    settings: dict[str, str]
    git: str | None
    mxnet: dict[str, Any]

    def __post_init__(self) -> None:
        """Raises ValueError for features that are not a dictionary; the rest of `mxnet` has no schema."""
        if not isinstance(self.mxnet.get("features") or {}, dict):
            raise ValueError(
                f"invalid mxnet.features {self.mxnet['features']!r}: expected a dictionary of features by name"
            )


class Machine(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="machine"):
    """A machine that measured outcomes of a run, which name its id.

    Statistics are at `reference` speed; `roofline` is unset if unknown at the start; `apart`: why its class differs.
    """

    id: str
    environment: Environment
    reference: Reference | msgspec.UnsetType = msgspec.UNSET
    roofline: Roofline | msgspec.UnsetType = msgspec.UNSET
    apart: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def hardware(self) -> tuple[str, int | None, str]:
        """The class of the machine: its processor's model and number of logical cores, or itself if it is `apart`."""
        own = self.environment.processor
        return own.model, own.logical, self.id if self.apart else ""


def machine_of(
    environment: Environment, reference: Reference | None = None, roofline: Roofline | None = None
) -> Machine:
    """The record of a machine. Its id is a digest of everything that is the same when the run is resumed."""
    mxnet = {name: value for name, value in environment.mxnet.items() if name != "probe_us"}
    changed = {"load": (0.0, 0.0, 0.0), "memory_available": 0, "git": None, "mxnet": mxnet}
    lasting = [msgspec.structs.replace(environment, **changed), reference, roofline]
    digest = hashlib.sha256(canonical_json(msgspec.to_builtins(lasting))).hexdigest()
    return Machine(
        id=digest[:ID_DIGITS],
        environment=environment,
        reference=reference or msgspec.UNSET,
        roofline=roofline or msgspec.UNSET,
    )


def facts_of(machines: Sequence[Machine]) -> dict[str, Any]:
    """The facts that may change measurements, variables too; one that differs by machine has all values as one text."""
    every = [_facts(machine.environment) for machine in machines]
    names = dict.fromkeys(name for facts in every for name in facts)
    return {name: common_value(facts.get(name, ABSENT) for facts in every) for name in names}


def common_value(values: Iterable[Any]) -> Any:
    """The value that all have, or the distinct values as one sorted text."""
    distinct = list({repr(value): value for value in values}.values())
    return distinct[0] if len(distinct) == 1 else ", ".join(sorted(map(str, distinct)))


def different_facts(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The name and both values of each fact that differs."""
    for name in dict.fromkeys((*before, *now)):
        was, current = before.get(name, ABSENT), now.get(name, ABSENT)
        if was != current:
            yield name, was, current


def _facts(environment: Environment) -> dict[str, Any]:
    mxnet, own = environment.mxnet, environment.processor
    return {
        "machine": environment.machine,
        "system": environment.system,
        "processor": own.model,
        "usable processors": own.usable,
        "memory in bytes": environment.memory_total,
        "governors": ", ".join(own.governors) or "unknown",
        "Python": environment.python,
        "NumPy": environment.packages.get("numpy"),
        "Hypothesis": environment.packages.get("hypothesis"),
        **dict(sorted(environment.settings.items())),
        **{f"MXNet's {name}": mxnet[name] for name in ("library", "threads", "gpus", "compiler") if name in mxnet},
        **{f"{FEATURE}{name}": value for name, value in sorted((mxnet.get("features") or {}).items())},
    }


def processor_model(cpu_info: Path = CPU_INFO) -> str:
    """The processor's model; "unknown" if nothing describes it."""
    with contextlib.suppress(OSError):
        for line in cpu_info.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"


def record(mxnet: Mapping[str, Any], variables: Mapping[str, str] | None = None) -> Environment:
    """The current environment; `variables` defaults to the environment variables of this process."""
    packages: dict[str, str] = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            packages[name] = importlib.metadata.version(name)
    memory = psutil.virtual_memory()
    return Environment(
        machine=platform.node(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages=packages,
        processor=processor(),
        load=psutil.getloadavg(),
        memory_total=memory.total,
        memory_available=memory.available,
        settings=settings(os.environ if variables is None else variables),
        git=revision(Path.cwd()),
        mxnet=dict(mxnet),
    )


def processor(cpu_info: Path = CPU_INFO, processors: Path = PROCESSORS) -> Processor:
    """The processor as Linux describes it; the model is "unknown" without /proc/cpuinfo."""
    return Processor(
        model=processor_model(cpu_info),
        physical=psutil.cpu_count(logical=False),
        logical=psutil.cpu_count(),
        usable=len(os.sched_getaffinity(0)),
        governors=governors(processors),
    )


def settings(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that affect MXNet, oneDNN, OpenMP and BLAS."""
    return {name: value for name, value in sorted(variables.items()) if name.startswith(SETTINGS)}


def revision(folder: Path) -> str | None:
    """The git revision of a folder, with `-dirty` if files are changed; None if there is no git or no repository."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        completed = subprocess.run(command, capture_output=True, text=True, timeout=GIT_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return completed.stdout.strip() or None if completed.returncode == 0 else None


def governors(processors: Path = PROCESSORS) -> tuple[str, ...]:
    """The frequency governors of all processors, each once; none if Linux doesn't show them."""
    found: set[str] = set()
    for file in processors.glob("cpu*/cpufreq/scaling_governor"):
        with contextlib.suppress(OSError):
            found.add(file.read_text(encoding="ascii", errors="replace").strip())
    return tuple(sorted(found))


def utc_now() -> str:
    """The current time, in UTC and ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")


VERSION = 5
METHOD_FACT = "method of measuring"


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="run"):
    """The first line: versions, and the options that repeat the run.

    `method` is the version of the measuring method; other versions may give other results. `mxnet` is the version of
    MXNet, or of another `framework`. Two files with the same `in_turn` are the two sides of an interleaved comparison.
    """

    version: int = VERSION
    method: int = FIRST
    autoperf: str
    mxnet: str
    seed: int | None
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    in_turn: str | msgspec.UnsetType = msgspec.UNSET
    framework: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def release(self) -> str:
        """The version, after the name of a framework that isn't MXNet: `1.9.1`, `NumPy 2.1`."""
        return f"{self.framework} {self.mxnet}" if self.framework else self.mxnet

    @property
    def settings(self) -> dict[str, Any]:
        """The settings among its options, whose form isn't checked here."""
        settings = self.options.get("settings")
        return settings if isinstance(settings, dict) else {}


class RunEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last line: `asked` outcomes by status, over all sessions; `complete` unless interrupted; its resumes."""

    asked: int
    measured: int = 0
    skipped: int = 0
    failed: int = 0
    crashed: int = 0
    timeout: int = 0
    seconds: float
    complete: bool = True
    resumed: int = 0


_ENTRIES: Any = Machine | Outcome | RunEnd


def value_of_side(values: tuple[str, ...], labels: Sequence[str], label: str) -> tuple[str, ...]:
    """The value of the side with this label, of one for each side or one for all; none of none."""
    if len(values) < 2:
        return values
    return tuple(value for value, other in zip(values, labels, strict=False) if other == label)


def first_line(path: Path, line: bytes) -> RunHeader:
    """The header of a run file. Raises CaseFileError for another file or version."""
    check_header(path, line, "run", VERSION, "read it with the autoperf that wrote it")
    header = decode_line(path, 1, line, RunHeader)
    try:
        dt.datetime.fromisoformat(header.started).timestamp()
    except (ValueError, OverflowError) as error:
        raise CaseFileError(
            f"{path}, line 1: invalid started {header.started!r}: expected a time such as 2026-01-31T12:00:00+00:00"
        ) from error
    return header


def entry_of(path: Path, number: int, line: bytes) -> Machine | Outcome | RunEnd:
    """A further line of a run file. Raises CaseFileError."""
    entry: Machine | Outcome | RunEnd = decode_line(path, number, line, _ENTRIES)
    return entry


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
