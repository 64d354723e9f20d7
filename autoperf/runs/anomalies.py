"""Anomalies of a run: impossible times, cases far from the roofline, and dtypes many times slower than float32."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from autoperf.core.machine import SINGLE, dtype_of
from autoperf.core.outcome import PASSES, VIEW, Outcome, Pass, PassName
from autoperf.core.work import Work

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

Kind: TypeAlias = Literal["impossible", "roofline", "dtype"]


class Anomaly(msgspec.Struct, frozen=True, kw_only=True):
    """A pass of a case that takes `factor` times as long as the roofline, or the same case in float32.

    An impossible one takes less time than the roofline, by this factor.
    """

    kind: Kind
    case: str
    operator: str
    profile: str
    pass_: PassName = msgspec.field(name="pass")
    dtype: str
    factor: float


def anomalies(outcomes: Sequence[Outcome]) -> list[Anomaly]:
    """Impossible times, anomalies by dtype, then by the roofline, the largest first.

    Each operator (and dtype) has the largest of each kind alone.

    A pass that is slow for its dtype is no second anomaly.
    """
    slow = list(_slow_dtypes(outcomes))
    explained = {(entry.case, entry.pass_) for entry in slow}
    far = (entry for entry in _far_from_roofline(outcomes) if (entry.case, entry.pass_) not in explained)
    return [*_largest(_impossible(outcomes)), *_largest(slow), *_largest(far)]


def _largest(entries: Iterable[Anomaly]) -> list[Anomaly]:
    largest: dict[tuple[str, str], Anomaly] = {}
    for entry in entries:
        key = (entry.operator, entry.dtype if entry.kind == "dtype" else "")
        if key not in largest or entry.factor > largest[key].factor:
            largest[key] = entry
    return sorted(largest.values(), key=lambda entry: (-entry.factor, entry.case))


def _impossible(outcomes: Iterable[Outcome]) -> Iterator[Anomaly]:
    """Each pass that takes less time than its results need; a view needs none."""
    for outcome, name, run, median in _medians(outcomes):
        share = (run.throughput.roofline or 0.0) * _needed(outcome.work_of_pass(name)) if run.throughput else 0.0
        is_view = any(note.endswith(VIEW) for note in run.notes)
        if share > IMPOSSIBLE and share * median >= MIN_ROOFLINE_US and not is_view:
            yield _anomaly(outcome, "impossible", name, share)


def _needed(work: Work | None) -> float:
    """The share of the counted work that the results need: what only moves data may read as much as it writes."""
    if work is None or not work.bytes or work.flops:
        return 1.0
    return min(1.0, 2 * work.bytes_out / work.bytes)


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
    params = sorted((name, repr(value)) for name, value in outcome.params.items() if name not in _DTYPE_PARAMETERS)
    return hash((outcome.operator, outcome.mode, name, shapes, tuple(params)))


def _dtype(outcome: Outcome) -> str:
    return dtype_of(outcome.inputs, outcome.outputs)


def _anomaly(outcome: Outcome, kind: Kind, name: PassName, factor: float) -> Anomaly:
    return Anomaly(
        kind=kind, case=outcome.case, operator=outcome.operator, profile=outcome.profile, pass_=name,
        dtype=_dtype(outcome), factor=factor,
    )  # fmt: skip
