"""The machine of a run: its environment, its reference speed and its roofline, which measurements depend on."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import psutil

from autoperf.core.case import canonical_json
from autoperf.core.machine import Reference, Roofline

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
