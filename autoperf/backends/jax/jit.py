"""JAX by jax.jit, in a process that has imported it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
from jax import monitoring

from autoperf.backends.expressions import input_of
from autoperf.backends.jax.engine import JaxCall, JaxEngine
from autoperf.backends.protocol import Array, BackwardRequest, BuildDescription, Compilations, CompileLog, Program
from autoperf.core.case import Case
from autoperf.core.outcome import PASSES
from autoperf.core.tensors import ArrayType

_COMPILATION = "/jax/core/compile/"
# The last of three steps: tracing, lowering, and XLA.
_LAST = f"{_COMPILATION}backend_compile_duration"


class XlaWatch:
    """Logs the compilations of functions that are named after a pass, until it is closed."""

    def __init__(self) -> None:
        self.log = CompileLog()
        monitoring.register_event_duration_secs_listener(self._add)

    def close(self) -> None:
        """Ends the log."""
        monitoring.unregister_event_duration_listener(self._add)

    def _add(self, event: str, seconds: float, **facts: Any) -> None:
        name = str(facts.get("fun_name", "")).removeprefix("jit(").rstrip(")")
        for pass_ in PASSES:
            if name == pass_ and event.startswith(_COMPILATION):
                self.log.add(pass_, seconds, count=int(event == _LAST))


class JittedCall(JaxCall):
    """A call by jax.jit: a program for the forward pass, and with gradients another one for the backward pass.

    The forward pass then also computes what jax.vjp keeps for the backward pass. Inputs and outputs among that aren't
    copied: the backward pass takes them as they are.
    """

    _kept: Sequence[Any] = ()

    def __init__(self, case: Case, program: Program) -> None:
        """Makes the arrays. All are arguments of the programs: XLA would compute beforehand with constants."""
        super().__init__(case, program)
        self._watch = XlaWatch()
        given = {name: value for name, value in self.scope.items() if name.isidentifier() and _is_of_arrays(value)}
        self._names, self._values = tuple(given), tuple(given.values())

        def forward(*values: Any) -> tuple[Any, ...]:
            return self._of_marked(given=dict(zip(self._names, values, strict=True)))

        self._forward = self._unrecorded = jax.jit(forward)

    @property
    def compilations(self) -> tuple[Compilations, Compilations]:
        """The compilations of both passes so far."""
        return self._watch.log.of_passes()

    def _started(self) -> Any:
        self._pending = result = self._forward(*self._values)
        return result

    def request_gradients(self, request: BackwardRequest, /) -> None:
        """Has the forward pass return what the gradients of these inputs need."""
        super().request_gradients(request)

        def forward(*values: Any) -> tuple[tuple[Any, ...], list[Any]]:
            return self._linearised(values)

        self._forward = jax.jit(forward) if self.gradients else self._unrecorded

    def _recorded(self) -> Any:
        self._pending, self._kept = self._forward(*self._values)
        return self._pending

    def _linearised(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
        """The results, and what the backward pass needs besides inputs and results; makes its program."""
        given = dict(zip(self._names, values, strict=True))
        marked = [input_of(given, name) for name in self.gradients]
        results, pull = jax.vjp(partial(self._of_marked, given=given), *marked)
        leaves, tree = jax.tree.flatten(pull)
        known = [*jax.tree.leaves(values), *results]
        at_hand = len(known)
        places: list[int] = []
        for leaf in leaves:
            place = next((number for number, array in enumerate(known) if array is leaf), len(known))
            known += [leaf] if place == len(known) else []
            places.append(place)
        self._used = sorted(set(places))

        def backward(arrays: Sequence[Any], heads: Sequence[Any]) -> Any:
            found = dict(zip(self._used, arrays, strict=True))
            seeds = list(self._seeds)
            for number, head in zip(self._flowing, heads, strict=True):
                seeds[number] = head
            return jax.tree.unflatten(tree, [found[place] for place in places])(tuple(seeds))

        self._backward = jax.jit(backward)
        return results, known[at_hand:]

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None, /) -> None:
        """Makes head gradients; those of whole numbers, which are none, are no arguments of the program."""
        super().make_heads(outputs, values)
        self._inputs = jax.tree.leaves(self._values)
        self._flowing = [number for number, seed in enumerate(self._seeds) if isinstance(seed, jax.Array)]
        self._flowing_heads = [self._seeds[number] for number in self._flowing]

    def run_backward(self, outputs: Any, /) -> None:
        """Starts the computation of the gradients."""
        known = (*self._inputs, *outputs, *self._kept)
        self._pending = self._results = self._backward([known[place] for place in self._used], self._flowing_heads)

    def free_results(self, outputs: Any, /) -> None:
        """Drops the gradients, and what they were computed from."""
        super().free_results(outputs)
        self._kept = ()

    def free(self) -> None:
        """Drops all arrays."""
        self._watch.close()
        super().free()


def _is_of_arrays(value: Any) -> bool:
    members = value if isinstance(value, list | tuple) else [value]
    return bool(members) and all(isinstance(member, jax.Array) for member in members)


class JittingEngine(JaxEngine):
    """JAX with XLA's programs for whole calls."""

    title = "jax.jit"
    call = JittedCall
    refusals = (
        jax.errors.ConcretizationTypeError,
        jax.errors.NonConcreteBooleanIndexError,
        jax.errors.TracerArrayConversionError,
    )

    @property
    def build(self) -> BuildDescription:
        """The package, and the compiler."""
        build = super().build
        compiler = "jax.jit: XLA for the CPU, without a cache of programs"
        return BuildDescription(build.version, build.library, build.features, build.threads, compiler)


ENGINE = JittingEngine
