"""Compares the work of two inputs."""

from __future__ import annotations

from autoperf.core.work import Work
from autoperf.hunt.point import Point

# A neighbour has at most so many times the elements of the point, or so many: larger ones take long.
MAX_GROWTH, MIN_LARGE = 8, 2**16


def is_beside(neighbour: Point, point: Point) -> bool:
    """Whether a point after a step is another one that doesn't ask for many times as much."""
    most = max(MIN_LARGE, MAX_GROWTH * point.work.elements)
    return neighbour.key != point.key and neighbour.work.elements <= most


def min_work_share(slow: Work, fast: Work) -> float:
    """The minimum share over bytes, bytes written, elements and operations.

    Bytes written count separately, since an operator may read only a part of its input, as `pick` does.
    """
    pairs = (
        (fast.bytes, slow.bytes),
        (fast.bytes_out, slow.bytes_out),
        (fast.elements, slow.elements),
        (fast.flops, slow.flops),
    )
    return min((1.0, *(fast_amount / slow_amount for fast_amount, slow_amount in pairs if slow_amount > 0)))
