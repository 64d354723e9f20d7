"""Compares the results of two frameworks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2, "bfloat16": 3e-2}


def compare_results(
    expected: Sequence[NDArray[Any]], actual: Sequence[NDArray[Any]], dtypes: Sequence[str], *, random: bool
) -> str:
    """Empty, or the first difference in words: of a shape, a dtype, or the largest error, where it is, both values."""
    if len(expected) != len(actual):
        return f"{len(actual)} results instead of {len(expected)}"
    for number, (wanted, got, dtype) in enumerate(zip(expected, actual, dtypes, strict=True)):
        difference = _difference(wanted, got, dtype, random=random)
        if difference:
            return f"result {number}: {difference}"
    return ""


def _difference(wanted: NDArray[Any], got: NDArray[Any], dtype: str, *, random: bool) -> str:
    if wanted.shape != got.shape:
        return f"shape {got.shape} instead of {wanted.shape}"
    if wanted.dtype != got.dtype:
        return f"dtype {got.dtype} instead of {wanted.dtype}"
    if random or not wanted.size:
        return ""
    tolerance = _TOLERANCES.get(dtype, 0.0)
    first, second = np.asarray(wanted, "float64"), np.asarray(got, "float64")
    with np.errstate(invalid="ignore"):
        errors = np.abs(first - second)
        close = (first == second) | (np.isnan(first) & np.isnan(second)) | (errors <= tolerance * (1 + np.abs(first)))
    if close.all():
        return ""
    worst = np.unravel_index(np.argmax(np.where(close, -1.0, np.nan_to_num(errors, nan=np.inf))), wanted.shape)
    place = ", ".join(map(str, worst))
    return f"the largest error is {errors[worst]:.3g} at ({place}): {second[worst]:.9g} instead of {first[worst]:.9g}"
