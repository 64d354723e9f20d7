"""The reference speed of this machine, which is kept in the cache folder, so that runs at different times agree."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
from pathlib import Path

import msgspec

from autoperf.core.case import canonical_json
from autoperf.core.machine import Reference
from autoperf.core.paths import cache_folder
from autoperf.measurement.probe import probe_name
from autoperf.registry.cache import save
from autoperf.runs.environment import processor_model

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
