"""The state of this machine: how many processors other programs use, its reference speed, and its roofline.

It is of the process that starts the others, which import only what samples need. The reference is kept in the cache
folder, so that runs at different times agree.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import math
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import psutil

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.core.case import OUT, Case, Input, canonical_json
from autoperf.core.coverage import Check, Health
from autoperf.core.errors import LibraryError
from autoperf.core.files import cache_folder
from autoperf.core.machine import DOUBLE, SINGLE, Reference, Roofline, is_busy
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, Constant, Shape, TensorSpec
from autoperf.core.texts import count
from autoperf.core.work import work_of
from autoperf.measurement.messages import CaseFailure, QuickTiming
from autoperf.measurement.placement import usable_processors
from autoperf.measurement.probe import probe_name
from autoperf.measurement.quick_timing_client import QuickTimingClient
from autoperf.measurement.sampling import ConditionsMonitor
from autoperf.measurement.settings import Settings
from autoperf.registry.client import library_key, save_cached
from autoperf.runs.runfile import processor, processor_model, settings, utc_now

GLANCE_SECONDS = 0.2


def present_load() -> float:
    """How many processors others use: the load average, which lags by minutes, or what they take now if less."""
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
    reference = Reference(probe or probe_name(), probe_us, utc_now())
    save_cached(reference_path(probe), msgspec.json.encode(reference))
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


# A matrix of this order exceeds the first-level cache, and its product takes tens of milliseconds.
ORDER = 1024


def copy_case(elements: int) -> Case:
    """A copy of a float32 vector into an existing array, which reads and writes 4 bytes per element."""
    return _case("_copy", (elements,), "float32", "data")


def product_cases(dtype: str, order: int = ORDER) -> tuple[Case, ...]:
    """Products of two square matrices into an existing one, 2 n^3 operations; in float32 by BLAS and by oneDNN."""
    square = order, order
    layer: dict[str, Value] = {"num_hidden": order, "no_bias": True}
    blas = _case("dot", square, dtype, "lhs", "rhs")
    if dtype != "float32":
        return (blas,)
    return blas, _case("FullyConnected", square, dtype, "data", "weight", params=layer)


def overhead_case() -> Case:
    """A call on one element with a new output array, which measures the overhead."""
    return _case("negative", (1,), "float32", "data", written=False)


def _case(
    operator: str,
    shape: Shape,
    dtype: str,
    *names: str,
    params: Mapping[str, Value] | None = None,
    written: bool = True,
) -> Case:
    """A call on tensors of one shape; a new output array would add the time of memory allocation."""
    ones = TensorSpec(shape, dtype, Constant(1.0))
    return Case(
        operator=operator,
        category="calibration",
        profile="calibration",
        inputs=tuple(Input(name, ones) for name in (*names, *((OUT,) if written else ()))),
        params=dict(params or {}),
        outputs=(ArrayType(shape, dtype),),
        in_place=(OUT,) if written else (),
        training=False,
    )


# To be increased whenever the measurement changes.
FORMAT = 2
LIFETIME = dt.timedelta(days=30)
BUSY_LIFETIME = dt.timedelta(hours=1)
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
# Bytes that a copy reads and writes together: far more than the caches hold if memory allows; and a size that fits in.
# Processors that report hundreds of MiB share them with other guests.
MEMORY_BYTES = 2**27
MAX_MEMORY_BYTES = 2**30
CACHES_OVER = 4
SHARE_OF_FREE_MEMORY = 8
CACHED_BYTES = 2**21
BYTES_AN_ELEMENT = 8
MAX_CALLS = 10_000
SECONDS = {"overhead": 0.15, "memory": 0.5, "cached": 0.25, SINGLE: 0.3, DOUBLE: 0.4}
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def roofline(library: Path, env: Mapping[str, str] | None = None, *, anew: bool = False) -> Roofline:
    """The machine's roofline under this library; `env` is added to the environment of the process that measures it.

    It is cached for 30 days, or an hour if the machine was busy, by the library, the processor and the settings of
    threads and libraries. Without a valid cached roofline, or if `anew`, it is measured, which takes three to ten
    seconds. Raises AutoperfError if the library can't be used.
    """
    now = dt.datetime.now(dt.timezone.utc)
    path = roofline_path(library, env or {})
    figures = None if anew else _cached(path, now)
    if figures is None:
        figures = _measured(library, Settings(env=dict(env or {})), now)
        save_cached(path, msgspec.json.encode(figures))
    return figures


def known_roofline(library: Path, env: Mapping[str, str] | None = None, framework: str = MXNET) -> Roofline | None:
    """The cached roofline, or None; nothing is measured."""
    return _cached(roofline_path(library, env or {}, framework), dt.datetime.now(dt.timezone.utc))


def roofline_path(library: Path, env: Mapping[str, str], framework: str = MXNET) -> Path:
    """The path of the cached roofline of this library, processor and environment; the file may not exist."""
    machine = processor()
    variables = settings({**os.environ, **env})
    relevant = {name: value for name, value in variables.items() if not name.startswith("AUTOPERF_")}
    identity = [FORMAT, library_key(library.resolve(), backend_of(framework)), machine.model, machine.usable, relevant]
    return cache_folder() / f"roofline-{hashlib.sha256(canonical_json(identity)).hexdigest()[:16]}.json"


def _cached(path: Path, now: dt.datetime) -> Roofline | None:
    try:
        figures = msgspec.json.decode(path.read_bytes(), type=Roofline)
        fresh = dt.timedelta(0) <= now - figures.measured <= (BUSY_LIFETIME if figures.busy else LIFETIME)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, TypeError):
        return None
    rates = (figures.bandwidth, figures.cached_bandwidth, *(figures.flops.get(each, 0.0) for each in (SINGLE, DOUBLE)))
    is_valid = all(math.isfinite(rate) and rate > 0 for rate in rates)
    return msgspec.structs.replace(figures, cached=True) if fresh and is_valid else None


def _measured(library: Path, options: Settings, now: dt.datetime) -> Roofline:
    cache = last_level_cache()
    monitor = ConditionsMonitor(children=True)
    with (
        tempfile.TemporaryDirectory(prefix="autoperf-roofline-") as scratch,
        QuickTimingClient(library, options, Path(scratch)) as client,
    ):
        overhead = _best(client, "overhead", overhead_case())
        # A copy that doesn't fit in a cache, limited by free memory.
        free = psutil.virtual_memory().available // SHARE_OF_FREE_MEMORY
        large = max(CACHED_BYTES, min(max(MEMORY_BYTES, CACHES_OVER * cache), MAX_MEMORY_BYTES, free))
        of_memory = _bandwidth(client, "memory", large, overhead)
        of_cache = _bandwidth(client, "cached", CACHED_BYTES, overhead)
        products = {each: min(_best(client, each, case) for case in product_cases(each)) for each in (SINGLE, DOUBLE)}
    return Roofline(
        bandwidth=of_memory,
        cached_bandwidth=max(of_memory, of_cache),
        cache_bytes=cache or 2 * CACHED_BYTES,
        flops={dtype: 2.0 * ORDER**3 / seconds for dtype, seconds in products.items()},
        overhead_us=overhead * 1e6,
        load=monitor.close().load,
        processors=processor().usable,
        measured=now,
    )


def _bandwidth(client: QuickTimingClient, what: str, size: int, overhead: float) -> float:
    """Bytes a second of a copy that reads and writes `size` bytes together, without the overhead of a call."""
    case = copy_case(size // BYTES_AN_ELEMENT)
    taken = _best(client, what, case)
    return work_of(case).bytes / max(taken - overhead, taken / 2)


def _best(client: QuickTimingClient, what: str, case: Case) -> float:
    times = client.time_case(QuickTiming(case, backward=False, count=MAX_CALLS, seconds=SECONDS[what]))
    if isinstance(times, CaseFailure):
        raise LibraryError(f"the machine's roofline can't be measured, {case.operator} failed: {times.reason}")
    return fastest(times.forward_us) / 1e6


def fastest(times: tuple[float, ...]) -> float:
    """The median of the lowest tenth of the times (at least one)."""
    return statistics.median(sorted(times)[: max(1, len(times) // 10)])


def last_level_cache(caches: Path = CACHES) -> int:
    """The bytes of the largest cache that the first processor sees; 0 if unknown."""
    sizes = [0]
    for file in caches.glob("index*/size"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = file.read_text(encoding="ascii").strip()
            sizes.append(int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text))
    return max(sizes)
