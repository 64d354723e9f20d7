"""Measures the machine's roofline by MXNet's own calls in a process of its own, and remembers it for a month."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import math
import os
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec
import psutil

from autoperf.core.case import Case, canonical_json
from autoperf.core.errors import LibraryError
from autoperf.core.paths import cache_folder
from autoperf.core.roofline import DOUBLE, SINGLE, Roofline
from autoperf.core.work import work_of
from autoperf.executor.messages import CaseFailure
from autoperf.executor.quick_timing_client import QuickTimingClient
from autoperf.executor.settings import Settings
from autoperf.registry.cache import library_key, save
from autoperf.results.environment import processor, settings
from autoperf.rules.roofline_cases import ORDER, copy_case, overhead_case, product_cases

# Changes whenever what is measured, or how, does.
FORMAT = 2
LIFETIME = dt.timedelta(days=30)
BUSY_LIFETIME = dt.timedelta(hours=1)
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
# What a copy reads and writes together: far more than caches hold, unless memory is short, and so little that any does.
MEMORY_BYTES = 2**27
CACHES_OVER = 4
SHARE_OF_FREE_MEMORY = 8
CACHED_BYTES = 2**21
BYTES_AN_ELEMENT = 8
MAX_CALLS = 10_000
SECONDS = {"overhead": 0.15, "memory": 0.5, "cached": 0.25, SINGLE: 0.3, DOUBLE: 0.4}
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def roofline(library: Path, env: Mapping[str, str] | None = None, *, anew: bool = False) -> Roofline:
    """The machine's roofline under this library; `env` is added to the environment of the process that measures it.

    It is remembered for 30 days, or an hour if the machine was busy, by the library, the processor and the settings of
    threads and libraries. What isn't there, is older or can't be read is measured, and so it is if `anew`, which takes
    about three seconds. Raises AutoperfError if the library can't be used.
    """
    now = dt.datetime.now(dt.timezone.utc)
    place = place_of(library, env or {})
    known = None if anew else _remembered(place, now)
    if known is None:
        known = _measured(library, env or {}, now)
        save(place, msgspec.json.encode(known))
    return known


def known_roofline(library: Path, env: Mapping[str, str] | None = None) -> Roofline | None:
    """The roofline if it is remembered; nothing is measured."""
    return _remembered(place_of(library, env or {}), dt.datetime.now(dt.timezone.utc))


def place_of(library: Path, env: Mapping[str, str]) -> Path:
    """Where the roofline of this library, processor and environment is remembered, whether it is there or not."""
    machine = processor()
    variables = settings({**os.environ, **env})
    relevant = {name: value for name, value in variables.items() if not name.startswith("AUTOPERF_")}
    identity = [FORMAT, library_key(library.resolve()), machine.model, machine.usable, relevant]
    return cache_folder() / f"roofline-{hashlib.sha256(canonical_json(identity)).hexdigest()[:16]}.json"


def _remembered(place: Path, now: dt.datetime) -> Roofline | None:
    try:
        found = msgspec.json.decode(place.read_bytes(), type=Roofline)
        young = dt.timedelta(0) <= now - found.measured <= (BUSY_LIFETIME if found.busy else LIFETIME)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, TypeError):
        return None
    return msgspec.structs.replace(found, cached=True) if young and _sound(found) else None


def _sound(found: Roofline) -> bool:
    """Whether these are figures that one can divide by."""
    rates = [found.bandwidth, found.cached_bandwidth, *(found.flops.get(dtype, 0.0) for dtype in (SINGLE, DOUBLE))]
    return all(math.isfinite(rate) and rate > 0 for rate in rates)


def _measured(library: Path, env: Mapping[str, str], now: dt.datetime) -> Roofline:
    load = os.getloadavg()[0]
    cache = last_level_cache()
    with (
        tempfile.TemporaryDirectory(prefix="autoperf-roofline-") as scratch,
        QuickTimingClient(library, Settings(env=dict(env)), Path(scratch)) as prober,
    ):
        overhead = _best(prober, "overhead", overhead_case())
        rates = {
            "memory": _bandwidth(prober, "memory", _large(cache), overhead),
            "cached": _bandwidth(prober, "cached", CACHED_BYTES, overhead),
        }
        products = {
            dtype: min(_best(prober, dtype, case) for case in product_cases(dtype)) for dtype in (SINGLE, DOUBLE)
        }
    return Roofline(
        bandwidth=rates["memory"],
        cached_bandwidth=max(rates.values()),
        cache_bytes=cache or 2 * CACHED_BYTES,
        flops={dtype: 2.0 * ORDER**3 / seconds for dtype, seconds in products.items()},
        overhead_us=overhead * 1e6,
        load=load,
        processors=processor().usable,
        measured=now,
    )


def _large(cache: int) -> int:
    """How many bytes lie in memory and no cache, of what is free."""
    free = psutil.virtual_memory().available
    return max(CACHED_BYTES, min(max(MEMORY_BYTES, CACHES_OVER * cache), free // SHARE_OF_FREE_MEMORY))


def _bandwidth(prober: QuickTimingClient, what: str, size: int, overhead: float) -> float:
    """Bytes a second of a copy that reads and writes `size` bytes together, without what every call costs."""
    case = copy_case(size // BYTES_AN_ELEMENT)
    taken = _best(prober, what, case)
    return work_of(case).bytes / max(taken - overhead, taken / 2)


def _best(prober: QuickTimingClient, what: str, case: Case) -> float:
    """The median of the fastest tenth of a call's times, in seconds: what is slower, something else has disturbed."""
    found = prober.probe(case, backward=False, count=MAX_CALLS, seconds=SECONDS[what])
    if isinstance(found, CaseFailure):
        raise LibraryError(f"the machine's roofline can't be measured, {case.operator} failed: {found.reason}")
    return fastest(found.forward_us) / 1e6


def fastest(times: tuple[float, ...]) -> float:
    """The median of the lowest tenth, which is one of ten to nineteen, two of twenty, and so on."""
    return statistics.median(sorted(times)[: max(1, len(times) // 10)])


def last_level_cache(caches: Path = CACHES) -> int:
    """The bytes of the largest cache that the first processor sees; 0 where Linux doesn't tell."""
    sizes = [0]
    for file in caches.glob("index*/size"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = file.read_text(encoding="ascii").strip()
            sizes.append(int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text))
    return max(sizes)
