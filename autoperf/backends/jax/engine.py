"""JAX in a process that has imported it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autoperf.backends.expressions import ExpressionCall, ExpressionEngine, several
from autoperf.backends.protocol import Array, BackwardRequest, BuildDescription, Invocable, Program
from autoperf.core.case import Case
from autoperf.core.tensors import ArrayType


class JaxCall(ExpressionCall):
    """An expression over arrays of JAX, with gradients by jax.vjp; JAX runs ahead, so that a pass ends in a wait."""

    names: ClassVar[Mapping[str, Any]] = {"jax": jax, "jnp": jnp, "lax": lax}
    _pending: Any = None
    _results: Any = None
    _pull: Callable[[Any], Any] | None = None

    def array(self, values: Array, dtype: str) -> Any:
        """An array on the CPU."""
        return jnp.array(values, dtype=dtype)

    def to_numpy(self, array: Any) -> Array:
        """The contents of an array; bfloat16 as float32."""
        return np.asarray(array.astype("float32") if array.dtype == jnp.bfloat16 else array)

    def dtype_of(self, array: Any) -> str:
        """The name of an array's dtype."""
        return str(array.dtype)

    def __init__(self, case: Case, program: Program) -> None:
        """Makes the arrays; waits for the results of each pass."""
        super().__init__(case, program)
        self.idle = self._wait

    def evaluated(self, arrays: Mapping[str, Any] | None = None) -> Invocable:
        """A function that starts the computation, and keeps its results for the wait."""
        call = super().evaluated(arrays)

        def started() -> Any:
            self._pending = result = call()
            return result

        return self._invocable(started)

    def _invocable(self, function: Any) -> Invocable:
        function.free = self.free_results
        return cast("Invocable", function)

    def free_results(self, _outputs: Any, /) -> None:
        """Drops the gradients, and what they were computed from."""
        self._results = self._pull = None

    def _wait(self) -> None:
        jax.block_until_ready(self._pending)
        self._pending = None

    def request_gradients(self, request: BackwardRequest, /) -> None:
        """Has the forward pass record what the gradients of these inputs need."""
        asked = [name for name in request.inputs if jnp.issubdtype(self.arrays[name].dtype, jnp.floating)]
        self._asked = request.inputs
        self.gradients = {name: self.arrays[name] for name in asked}
        code, values = self.code, tuple(self.gradients.values())

        def function(*marked: Any) -> Any:
            return eval(code, self.scope({**self.arrays, **dict(zip(asked, marked, strict=True))}))()  # noqa: S307

        def recorded() -> Any:
            self._pending, self._pull = jax.vjp(function, *values)
            return self._pending

        self.invoke = self._invocable(recorded) if asked else self.evaluated()

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None, /) -> None:
        """Makes head gradients; those of whole numbers have no type of their own."""
        super().make_heads(outputs, values)
        self.heads = [
            head if jnp.issubdtype(head.dtype, jnp.floating) else np.zeros(head.shape, jax.dtypes.float0)
            for head in self.heads
        ]

    def run_backward(self, outputs: Any, /) -> None:
        """Starts the computation of the gradients."""
        if self._pull:
            heads = type(outputs)(self.heads) if isinstance(outputs, tuple | list) else self.heads[0]
            self._pending = self._results = self._pull(heads)

    def gradient_values(self) -> dict[str, Array]:
        """The gradients, of zeros where none flows."""
        found = dict(zip(self.gradients, several(self._results), strict=True))
        return {
            name: self.to_numpy(found[name]) if name in found else np.zeros_like(self.to_numpy(self.arrays[name]))
            for name in self._asked
        }


class JaxEngine(ExpressionEngine):
    """JAX on the CPU. Its threads are those of XLA: one for each processor on which the process is placed."""

    title = "JAX"
    call = JaxCall

    @property
    def build(self) -> BuildDescription:
        """The package, and its threads, which it starts with the first array."""
        threads = os.environ.get("OMP_NUM_THREADS", "")
        count = int(threads) if threads.isdigit() else os.cpu_count()
        return BuildDescription(jax.__version__, str(Path(jax.__file__).parent), {}, count)

    def seed(self, seed: int) -> None:
        """Its random numbers have keys instead of a seed."""


def open_engine(interpreter: Path) -> JaxEngine:
    """The engine of this process."""
    return JaxEngine(interpreter)
