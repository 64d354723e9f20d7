"""Runs implementations in each framework, forward and backward, over the contents of a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from autoperf.implementations.expressions import function_of, prepared, results_of
from autoperf.implementations.implementation import Implementation
from tools.implementation_files import Array

Results = tuple[list[Array], dict[str, Array]]


class Runner(Protocol):
    """A framework in this process."""

    def run(
        self,
        implementation: Implementation,
        inputs: Mapping[str, Array],
        parameters: Mapping[str, Any],
        gradients: Sequence[str],
        heads: Sequence[Array],
    ) -> Results:
        """The results, and the gradients of these inputs from these head gradients."""


class NumPyRunner:
    """NumPy, which has no gradients."""

    def run(
        self,
        implementation: Implementation,
        inputs: Mapping[str, Array],
        parameters: Mapping[str, Any],
        _gradients: Sequence[str],
        _heads: Sequence[Array],
    ) -> Results:
        """The results."""
        values = prepared(implementation, "numpy", {name: array.copy() for name, array in inputs.items()}, parameters)
        with np.errstate(all="ignore"):
            results = results_of(function_of(implementation.expression, "numpy", values)())
        return [np.asarray(result) for result in results], {}


class TorchRunner:
    """PyTorch."""

    def __init__(self) -> None:
        import torch  # noqa: PLC0415 - only in PyTorch's process

        self._torch = torch
        torch.manual_seed(1)
        torch.set_num_threads(1)
        torch.set_warn_always(True)

    def run(
        self,
        implementation: Implementation,
        inputs: Mapping[str, Array],
        parameters: Mapping[str, Any],
        gradients: Sequence[str],
        heads: Sequence[Array],
    ) -> Results:
        """The results, and gradients by autograd; those that nothing reaches are zero."""
        torch = self._torch
        tensors = {name: torch.from_numpy(array.copy()) for name, array in inputs.items()}
        for name in gradients:
            tensors[name].requires_grad_()
        values = prepared(implementation, "torch", tensors, parameters)
        results = results_of(function_of(implementation.expression, "torch", values)())
        flowing = [pair for pair in zip(results, heads, strict=False) if gradients and pair[0].requires_grad]
        found: Sequence[Any] = [None] * len(gradients)
        if flowing:
            outputs, seeds = zip(*flowing, strict=True)
            leaves = [tensors[name] for name in gradients]
            found = torch.autograd.grad(
                outputs,
                leaves,
                [torch.from_numpy(it).reshape(out.shape) for it, out in zip(seeds, outputs, strict=True)],
                allow_unused=True,
            )
        arrays = [result.detach().resolve_conj().numpy() for result in results]
        return arrays, {name: _or_zeros(it, inputs[name]) for name, it in zip(gradients, found, strict=True)}


def _or_zeros(gradient: Any, like: Array) -> Array:
    return np.zeros_like(like) if gradient is None else np.asarray(gradient.numpy())


class JaxRunner:
    """JAX, with 64-bit types."""

    def __init__(self) -> None:
        import jax  # noqa: PLC0415 - only in JAX's process

        self._jax = jax
        jax.config.update("jax_enable_x64", True)

    def run(
        self,
        implementation: Implementation,
        inputs: Mapping[str, Array],
        parameters: Mapping[str, Any],
        gradients: Sequence[str],
        heads: Sequence[Array],
    ) -> Results:
        """The results, and gradients by its vector-Jacobian products."""
        jax = self._jax
        tensors = {name: jax.numpy.asarray(array) for name, array in inputs.items()}

        def call(*leaves: Any) -> tuple[Any, ...]:
            given = {**tensors, **dict(zip(gradients, leaves, strict=True))}
            values = prepared(implementation, "jax", given, parameters)
            return tuple(map(jax.numpy.asarray, results_of(function_of(implementation.expression, "jax", values)())))

        if not gradients:
            return [np.asarray(result) for result in call()], {}
        results, pull = jax.vjp(call, *(tensors[name] for name in gradients))
        seeds = [self._seed(result, heads, place) for place, result in enumerate(results)]
        found = dict(zip(gradients, map(np.asarray, pull(tuple(seeds))), strict=True))
        return [np.asarray(result) for result in results], found

    def _seed(self, result: Any, heads: Sequence[Array], place: int) -> Any:
        if result.dtype.kind not in "fc":
            return np.zeros(result.shape, self._jax.dtypes.float0)
        return (
            self._jax.numpy.asarray(heads[place]).reshape(result.shape)
            if place < len(heads)
            else self._jax.numpy.zeros_like(result)
        )


RUNNERS: Mapping[str, Callable[[], Runner]] = {"numpy": NumPyRunner, "torch": TorchRunner, "jax": JaxRunner}
