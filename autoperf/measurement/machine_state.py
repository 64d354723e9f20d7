"""The state of this machine: how many processors other programs use, and its reference speed.

It is of the process that starts the others, which import only what samples need. The reference is kept in the cache
folder, so that runs at different times agree.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autoperf.core.case import canonical_json
from autoperf.core.coverage import Check, Health
from autoperf.core.machine import Reference, is_busy
from autoperf.core.paths import cache_folder
from autoperf.measurement.conditions import ConditionsMonitor
from autoperf.measurement.placement import usable_processors
from autoperf.measurement.probe import probe_name
from autoperf.registry.cache import save
from autoperf.reports.units import count
from autoperf.runs.environment import processor_model

GLANCE_SECONDS = 0.2


def present_load() -> float:
    """How many processors other programs use: the load average, or what they take at present if that is less.

    The average still counts programs that ended within the last minutes, such as pip or an earlier command.
    """
    load = os.getloadavg()[0]
    if not is_busy(load, len(usable_processors())):
        return load
    monitor = ConditionsMonitor()
    time.sleep(GLANCE_SECONDS)
    return min(load, monitor.close().load)


def load_check(load: float, processors: int) -> Check:
    """Another process on a processor that MXNet uses affects all measurements."""
    finding = f"other programs use {load:.1f} of {count(processors, 'processor')}"
    if is_busy(load, processors):
        return Check(
            "load", Health.WARNING, finding, "stop other programs (`top` lists them), or expect wide intervals"
        )
    return Check("load", Health.OK, finding)


def disturbances() -> Iterator[str]:
    """A sentence on a busy machine; nothing on an idle one."""
    check = load_check(present_load(), len(usable_processors()))
    if check.advice:
        yield f"this machine is busy: {check.finding}; {check.advice}"


TOO_SLOW = 0.93
"""A machine that takes less than this share of its reference's time shows that the reference was too slow."""


def reference_path(probe: str | None = None) -> Path:
    """The file of the reference of this processor and probe (default: this process's); it may not exist."""
    identity = [probe or probe_name(), processor_model()]
    return cache_folder() / f"reference-{hashlib.sha256(canonical_json(identity)).hexdigest()[:16]}.json"


def known_reference(probe: str | None = None) -> Reference | None:
    """The reference that is kept, or None."""
    with contextlib.suppress(OSError, ValueError, TypeError, msgspec.MsgspecError):
        reference = msgspec.json.decode(reference_path(probe).read_bytes(), type=Reference)
        return reference if reference.probe == (probe or probe_name()) else None
    return None


def keep_reference(probe_us: float, probe: str | None = None) -> Reference:
    """Keeps this time of the probe as the reference; a folder that can't be written is ignored."""
    now = dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")
    reference = Reference(probe or probe_name(), probe_us, now)
    save(reference_path(probe), msgspec.json.encode(reference))
    return reference


def reference_or(probe_us: float | None, probe: str | None = None) -> Reference | None:
    """The reference that is kept; this time of the probe becomes it if there is none, or if it was of a slower moment.

    Where nothing slows the machine down, nothing is faster than the reference: one that was taken beside other programs
    would have samples of both speeds count as taken at it.
    """
    known = known_reference(probe)
    if probe_us and (known is None or probe_us < TOO_SLOW * known.us):
        return keep_reference(probe_us, probe)
    return known
