"""NumPy in a process that has imported it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.expressions import ExpressionCall, ExpressionEngine
from autoperf.backends.protocol import Array, BuildDescription
from autoperf.core.errors import EngineError


class NumPyCall(ExpressionCall):
    """An expression over arrays of NumPy, forward only."""

    framework = "numpy"

    def array(self, values: Array, dtype: str) -> Array:
        """The values. Raises EngineError for bfloat16."""
        if dtype == "bfloat16":
            raise EngineError("NumPy has no bfloat16")
        return values

    def to_numpy(self, array: Any) -> Array:
        """The array."""
        return np.asarray(array)

    def shares_memory(self, array: Any, other: Any) -> bool:
        """Whether the memory of both overlaps."""
        return isinstance(array, np.ndarray) and isinstance(other, np.ndarray) and np.may_share_memory(array, other)

    def dtype_of(self, array: Any) -> str:
        """The name of an array's dtype."""
        return str(np.asarray(array).dtype)


class NumPyEngine(ExpressionEngine):
    """NumPy. Its ufuncs have one thread; those of its BLAS follow the variables of the environment."""

    title = "NumPy"
    call = NumPyCall

    @property
    def build(self) -> BuildDescription:
        """The package, and the number of threads of its BLAS."""
        threads = os.environ.get("OPENBLAS_NUM_THREADS", "")
        count = int(threads) if threads.isdigit() else None
        return BuildDescription(np.__version__, str(Path(np.__file__).parent), {}, count)

    def seed(self, seed: int) -> None:
        """Seeds the global generator."""
        np.random.seed(seed)


ENGINE = NumPyEngine
