"""The reference speed of this machine, which is kept in the cache folder, so that runs at different times agree."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autoperf.core.atomic import write_atomic
from autoperf.core.case import canonical_json
from autoperf.core.paths import cache_folder
from autoperf.core.probe import Reference
from autoperf.executor.messages import Speeds
from autoperf.executor.probe import CacheProbe, MemoryProbe, calibrate, probe_name
from autoperf.results.environment import processor


def reference_path() -> Path:
    """The file of the reference of this processor and probe; it may not exist."""
    identity = [probe_name(), processor().model]
    return cache_folder() / f"reference-{hashlib.sha256(canonical_json(identity)).hexdigest()[:16]}.json"


def known_reference() -> Reference | None:
    """The reference that is kept, or None."""
    with contextlib.suppress(OSError, ValueError, TypeError, msgspec.MsgspecError):
        reference = msgspec.json.decode(reference_path().read_bytes(), type=Reference)
        return reference if reference.probe == probe_name() else None
    return None


def calibrated(seconds: float) -> Speeds:
    """The times of the probes at the fastest speed within about so many seconds."""
    return Speeds(calibrate(CacheProbe(), seconds / 2), calibrate(MemoryProbe(), seconds / 2))


def fastest(speeds: Sequence[Speeds]) -> Speeds:
    """The shortest time of each probe."""
    return Speeds(min(each.cache_us for each in speeds), min(each.memory_us for each in speeds))


def keep_reference(speeds: Speeds) -> Reference:
    """Keeps these times of the probes as the reference; a folder that can't be written is ignored."""
    now = dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")
    reference = Reference(probe_name(), speeds.cache_us, speeds.memory_us, now)
    with contextlib.suppress(OSError):
        path = reference_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, msgspec.json.encode(reference))
    return reference


def reference_or(speeds: Speeds | None) -> Reference | None:
    """The reference that is kept; without one, these times of the probes, if there are any, become it."""
    return known_reference() or (keep_reference(speeds) if speeds else None)
