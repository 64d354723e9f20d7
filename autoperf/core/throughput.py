"""The rates of a case: bytes and operations a second, and its share of the machine's roofline."""

from __future__ import annotations

import msgspec

from autoperf.core.case import Input
from autoperf.core.roofline import SINGLE, Roofline
from autoperf.core.tensors import ArrayType
from autoperf.core.work import Work


class Throughput(msgspec.Struct, frozen=True):
    """The counted work of a pass over its median time, in 10^9 bytes and in 10^9 operations a second.

    `gflop_per_s` is None for a pass that only moves data. `roofline` is the least time of the work by the machine's
    roofline over the median time, 1 for a pass at the roofline; None if the roofline isn't known.
    """

    gb_per_s: float
    gflop_per_s: float | None
    roofline: float | None = None


def throughput_of(work: Work, median_us: float, roofline: Roofline | None, dtype: str = SINGLE) -> Throughput | None:
    """The throughput of this work in a time of `median_us` microseconds; None for a time of 0."""
    if median_us <= 0:
        return None
    seconds = median_us / 1e6
    share = roofline.min_seconds(work, dtype) / seconds if roofline else None
    return Throughput(work.bytes / seconds / 1e9, work.flops / seconds / 1e9 if work.flops else None, share)


def dtype_of(inputs: tuple[Input, ...], outputs: tuple[ArrayType, ...]) -> str:
    """The dtype of the largest input or output, in which a case is assumed to compute; float32 without any."""
    arrays = [*(item.tensor.type for item in inputs), *outputs]
    largest = max(arrays, key=lambda array: array.elements, default=None)
    return largest.dtype if largest else SINGLE
