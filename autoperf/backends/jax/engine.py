"""JAX in a process that has imported it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autoperf.backends.expressions import ExpressionCall, ExpressionEngine
from autoperf.backends.protocol import Array, BackwardRequest, BuildDescription, Invocable, Program
from autoperf.core.case import Case
from autoperf.core.tensors import ArrayType
from autoperf.implementations.expressions import results_of


class JaxCall(ExpressionCall):
    """An expression over arrays of JAX, with gradients by jax.vjp; JAX runs ahead, so that a pass ends in a wait."""

    framework = "jax"
    _pending: Any = None
    _pull: Callable[[Any], Any] | None = None

    def array(self, values: Array, dtype: str) -> Any:
        """An array on the CPU."""
        return jnp.array(values, dtype=dtype)

    def to_numpy(self, array: Any) -> Array:
        """The contents of an array; bfloat16 as float32."""
        plain = jnp.asarray(array)
        return np.asarray(plain.astype("float32") if plain.dtype == jnp.bfloat16 else plain)

    def shares_memory(self, array: Any, other: Any) -> bool:
        """Whether both have one buffer: arrays can't be written, so JAX may return its input."""
        if not (isinstance(array, jax.Array) and isinstance(other, jax.Array) and array.size):
            return False
        return bool(array.unsafe_buffer_pointer() == other.unsafe_buffer_pointer())

    def dtype_of(self, array: Any) -> str:
        """The name of an array's dtype."""
        return str(jnp.asarray(array).dtype)

    def __init__(self, case: Case, program: Program) -> None:
        super().__init__(case, program)
        self.idle = self._wait
        self.invoke = self.invocable(self._started)

    def _started(self) -> Any:
        self._pending = result = self.function()
        return result

    def invocable(self, function: Any) -> Invocable:
        """A function of its own, which may be that of a method."""

        def invoke() -> Any:
            return function()

        return super().invocable(invoke)

    def free_results(self, _outputs: Any, /) -> None:
        """Drops the gradients, and what they were computed from."""
        super().free_results(_outputs)
        self._pull = None

    def _wait(self) -> None:
        jax.block_until_ready(self._pending)
        self._pending = None

    def request_gradients(self, request: BackwardRequest, /) -> None:
        """Has the forward pass record what the gradients of these inputs need."""
        self.ask_for(request.inputs)
        names, function = tuple(self.gradients), self.function

        # Python makes a method anew each time that it is named, and JAX knows functions by identity: with the work of
        # `_of_marked`, that makes a traced call 7% longer than one that is written by hand.
        def marked(*arrays: Any) -> tuple[Any, ...]:
            return tuple(map(_as_array, results_of(function(**dict(zip(names, arrays, strict=True))))))

        self._differentiated = self._of_marked if any("[" in name for name in names) else marked
        self.invoke = self.invocable(self._recorded if self.gradients else self._started)

    def _recorded(self) -> Any:
        self._pending, self._pull = jax.vjp(self._differentiated, *self.gradients.values())
        return self._pending

    def _of_marked(self, *marked: Any, given: Mapping[str, Any] = {}) -> tuple[Any, ...]:
        """The results as a function of the marked inputs; `given` are other values of names than the call's own."""
        values = dict(given)
        for name, array in zip(self.gradients, marked, strict=True):
            stem, bracket, number = name.partition("[")
            if bracket:
                values[stem] = members = [*values.get(stem, self.scope[stem])]
                members[int(number.rstrip("]"))] = array
            else:
                values[name] = array
        return tuple(map(_as_array, results_of(self.function(**values))))

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None, /) -> None:
        """Makes head gradients, of zeros for inputs that the program updates; whole numbers have none."""
        super().make_heads(outputs, values)
        made = self._of_marked(*self.gradients.values())
        self._seeds = tuple(self._seed(result, number) for number, result in enumerate(made))

    def _seed(self, result: Any, number: int) -> Any:
        if not jnp.issubdtype(result.dtype, jnp.floating):
            return np.zeros(result.shape, jax.dtypes.float0)
        return self.heads[number].reshape(result.shape) if number < len(self.heads) else jnp.zeros_like(result)

    def run_backward(self, outputs: Any, /) -> None:
        """Starts the computation of the gradients."""
        if self._pull:
            self._pending = self._results = self._pull(self._seeds)


def _as_array(result: Any) -> Any:
    """An array of a number; an array stays as it is, since a conversion that is traced takes longer than most calls."""
    return result if isinstance(result, jax.Array) else jnp.asarray(result)


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
        """Does nothing: JAX's random numbers have keys instead of a seed."""


ENGINE = JaxEngine
