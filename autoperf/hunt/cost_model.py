"""The cost model of an operator: time as a non-negative combination of measures of work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
from scipy.optimize import nnls

from autoperf.core.finding import Fit
from autoperf.hunt.point import Point

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

MIN_INPUTS = 16
ROUNDS = 12
# Weight of times above the model; times below it have weight 1 - ABOVE, since the model estimates attainable times.
ABOVE = 0.3
HUBER = 0.3
POOR = 1.6


class Model(msgspec.Struct, frozen=True):
    """Weights of `features` in microseconds, and their fit."""

    weights: tuple[float, ...]
    fit: Fit

    def expected_us(self, point: Point) -> float:
        """The predicted time in microseconds."""
        return float(np.dot(features(point), self.weights))

    def excess(self, point: Point, actual_us: float) -> float:
        """The ratio of the actual time to the predicted one."""
        return actual_us / max(self.expected_us(point), 1e-3)


def features(point: Point) -> Array:
    """1 (overhead), bytes, elements, operations, and elements times log2 of the last and of the longest axis.

    The logarithms model sorting and trees; the axes belong to the first tensor.
    """
    work = point.work
    shape = point.case.inputs[0].tensor.shape if point.case.inputs else ()
    last = np.log2(1 + (shape[-1] if shape else 1))
    longest = np.log2(1 + max(shape, default=1))
    bytes_ = work.bytes_in + work.bytes_out
    return np.array([1.0, bytes_, work.elements, work.flops, work.elements * last, work.elements * longest])


def fit_model(points: Sequence[Point], times_us: Sequence[float]) -> Model | None:
    """The model of these times in microseconds; None for fewer than MIN_INPUTS.

    Non-negative least squares (Lawson and Hanson 1974) on relative errors, reweighted: beyond 30% an error counts by
    its size and no longer by its square (Huber 1964), and a time above the model counts less than one below it, as in
    expectile regression (Newey and Powell 1987).
    """
    if len(points) < MIN_INPUTS:
        return None
    design = np.array([features(point) for point in points])
    times = np.maximum(np.asarray(times_us, dtype="float64"), 1e-3)
    relative = design / times[:, None]
    scale = np.maximum(relative.max(0), 1e-30)
    weights = np.ones(len(times))
    solution = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        solution = nnls(relative / scale * root[:, None], root)[0] / scale
        error = 1 - relative @ solution
        weights = np.where(error > 0, ABOVE, 1 - ABOVE) * np.minimum(1.0, HUBER / np.maximum(np.abs(error), 1e-9))
    factors = np.abs(np.log(times / np.maximum(design @ solution, 1e-3)))
    typical = float(np.exp(np.median(factors)))
    return Model(tuple(float(weight) for weight in solution), Fit(typical, len(times), typical > POOR))
