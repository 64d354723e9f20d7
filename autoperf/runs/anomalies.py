"""Anomalies of a run: impossible times, slow paths, cases far from the roofline, dtypes far slower than float32."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from autoperf.core.clocks import KERNEL
from autoperf.core.machine import SINGLE, dtype_of
from autoperf.core.outcome import PASSES, VIEW, Outcome, Pass, PassName
from autoperf.core.work import is_of_library, is_own

MIN_ROOFLINE_US = 20.0
"""Minimum time by the roofline of a judged case: shorter calls mostly consist of overhead."""
FAR = 0.02
"""The share of the roofline below which a case is far from it."""
MANY = 4.0
"""The slowdown against float32 that is an anomaly; a factor of two is expected of dtypes with eight bytes."""
IMPOSSIBLE = 5.0
"""The share of the roofline above which a time is impossible.

Winograd's convolution saves up to three quarters of the operations (F(4x4, 3x3): 36 products in place of 144), and data
that the last cache level almost holds moves at up to four times the memory's bandwidth.
"""
_DTYPE_PARAMETERS = ("dtype", "out_dtype")

MORE_CODE = 2.0
"""The factor of instructions, or of time, for equal work from which a loop is slow beside a library's kernel."""
Kind: TypeAlias = Literal["impossible", "path", "roofline", "dtype"]


class Anomaly(msgspec.Struct, frozen=True, kw_only=True):
    """A pass of a case that takes `factor` times as long as the roofline, or the same case in float32.

    An impossible one takes less time than the roofline, by this factor. One off the `path`, the library that runs the
    operator for another dtype or size, executes so many times its instructions for each unit of work, or where it isn't
    `counted`, its kernels take so many times as long.
    """

    kind: Kind
    case: str
    operator: str
    profile: str
    pass_: PassName = msgspec.field(name="pass")
    dtype: str
    factor: float
    path: str = ""
    counted: bool = False


def anomalies(outcomes: Sequence[Outcome]) -> list[Anomaly]:
    """Impossible times, slow paths, anomalies by dtype, then by the roofline, the largest first.

    Each operator (and dtype) has the largest of each kind alone, and a pass only the first of these kinds.
    """
    found, explained = list(_largest(_impossible(outcomes))), set[tuple[str, PassName]]()
    for kind in (_slow_paths, _slow_dtypes, _far_from_roofline):
        entries = [entry for entry in kind(outcomes) if (entry.case, entry.pass_) not in explained]
        explained |= {(entry.case, entry.pass_) for entry in entries}
        found += _largest(entries)
    return found


def _largest(entries: Iterable[Anomaly]) -> list[Anomaly]:
    largest: dict[tuple[str, str], Anomaly] = {}
    for entry in entries:
        key = (entry.operator, entry.dtype if entry.kind == "dtype" else "")
        if key not in largest or entry.factor > largest[key].factor:
            largest[key] = entry
    return sorted(largest.values(), key=lambda entry: (-entry.factor, entry.case))


def _impossible(outcomes: Iterable[Outcome]) -> Iterator[Anomaly]:
    """Each pass that takes less time than its results need; a view needs none, and one that may be sparse little."""
    for outcome, name, run, median in _medians(outcomes):
        work = outcome.work_of_pass(name)
        # What only moves data may read as much as it writes.
        needed = 1.0 if work is None or not work.bytes or work.flops else min(1.0, 2 * work.bytes_out / work.bytes)
        share = (run.throughput.roofline or 0.0) * needed if run.throughput else 0.0
        is_view = any(note.endswith(VIEW) for note in run.notes)
        sparse = {item.tensor.shape for item in outcome.inputs if item.tensor.storage != "default"}
        is_known = sparse.isdisjoint(output.shape for output in outcome.outputs)
        if share > IMPOSSIBLE and share * median >= MIN_ROOFLINE_US and is_known and not is_view:
            yield _anomaly(outcome, "impossible", name, share)


def _slow_paths(outcomes: Sequence[Outcome]) -> Iterator[Anomaly]:
    """Each pass in MXNet's own loop, though a library runs the operator with the same parameters elsewhere.

    Passes are compared by counts of instructions or else by times of kernels, for each unit of work. Small inputs take
    longer for each, so that a time has to be longer by MIN_ROOFLINE_US too.
    """
    fastest: dict[Hashable, tuple[str, float]] = {}
    for key, _, _, run, _, per_unit in _path_costs(outcomes):
        if is_of_library(run.path) and (key not in fastest or per_unit < fastest[key][1]):
            fastest[key] = run.path, per_unit
    # Outcomes are read again instead of kept, since they would fill the memory.
    for key, outcome, name, run, amount, per_unit in _path_costs(outcomes) if fastest else ():
        path, least = fastest.get(key, ("", 0.0))
        factor = per_unit / least if least else 0.0
        is_longer = bool(run.code) or (per_unit - least) * amount >= MIN_ROOFLINE_US
        if is_own(run.path) and factor >= MORE_CODE and is_longer:
            found = _anomaly(outcome, "path", name, factor)
            yield msgspec.structs.replace(found, path=path, counted=bool(run.code))


def _path_costs(outcomes: Iterable[Outcome]) -> Iterator[tuple[Hashable, Outcome, PassName, Pass, float, float]]:
    """Passes whose path is known: the key of equal parameters, units of work, and instructions or time for each."""
    for outcome in outcomes:
        for name, run in outcome.passes.items():
            work, kernel = outcome.work_of_pass(name), run.series(KERNEL)
            # The operations of a pass, by its formula if it has one, else the elements of the results.
            amount = (work.flops if work else 0.0) or float(sum(math.prod(each.shape) for each in outcome.outputs))
            if amount and (run.code or (run.path and kernel)):
                cost = float(run.code.kernels) if run.code else kernel.median if kernel else 0.0
                key = hash((outcome.operator, outcome.mode, name, _params(outcome), bool(run.code)))
                yield key, outcome, name, run, amount, cost / amount


def _far_from_roofline(outcomes: Iterable[Outcome]) -> Iterator[Anomaly]:
    for outcome, name, run, median in _medians(outcomes):
        share = run.throughput.roofline if run.throughput else None
        if share and share < FAR and share * median >= MIN_ROOFLINE_US:
            yield _anomaly(outcome, "roofline", name, 1 / share)


def _slow_dtypes(outcomes: Sequence[Outcome]) -> Iterator[Anomaly]:
    """Each pass that is many times slower than in float32."""
    others: dict[Hashable, list[tuple[Outcome, float]]] = defaultdict(list)
    for outcome, name, _, median in _medians(outcomes):
        if _dtype(outcome) != SINGLE:
            # Without its samples, which would fill the memory.
            kept = msgspec.structs.replace(outcome, forward=None, backward=None)
            others[_key(outcome, name)].append((kept, median))
    for single, name, _, median in _medians(outcomes) if others else ():
        for outcome, slow in others.get(_key(single, name), ()) if _dtype(single) == SINGLE else ():
            if slow >= MANY * median:
                yield _anomaly(outcome, "dtype", name, slow / median)


def _medians(outcomes: Iterable[Outcome]) -> Iterator[tuple[Outcome, PassName, Pass, float]]:
    """Each measured pass with its median in microseconds."""
    for outcome in outcomes:
        for name in PASSES:
            run = outcome.passes.get(name)
            series = run.ranking_series() if run else None
            if run and series and series.median > 0:
                yield outcome, name, run, series.median


def _key(outcome: Outcome, name: PassName) -> Hashable:
    """The key that the same cases of other dtypes share; a hash, since a run may have many cases."""
    shapes = tuple((item.name, item.tensor.shape, item.tensor.storage, item.tensor.density) for item in outcome.inputs)
    return hash((outcome.operator, outcome.mode, name, shapes, _params(outcome)))


def _params(outcome: Outcome) -> Hashable:
    given = ((name, repr(value)) for name, value in outcome.params.items() if name not in _DTYPE_PARAMETERS)
    return tuple(sorted(given))


def _dtype(outcome: Outcome) -> str:
    return dtype_of(outcome.inputs, outcome.outputs)


def _anomaly(outcome: Outcome, kind: Kind, name: PassName, factor: float) -> Anomaly:
    return Anomaly(
        kind=kind, case=outcome.case, operator=outcome.operator, profile=outcome.profile, pass_=name,
        dtype=_dtype(outcome), factor=factor,
    )  # fmt: skip
