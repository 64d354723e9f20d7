"""The results of a case (outputs, updated inputs, gradients from drawn head gradients), and their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from autoperf.backends.contents import drawn_heads, materialise
from autoperf.backends.passes import backward, forward, release
from autoperf.backends.protocol import Array, BackwardRequest, PreparedCall, Program
from autoperf.core.case import Case
from autoperf.core.operator import Operator, TensorKind
from autoperf.core.outcome import PassName
from autoperf.core.tensors import ArrayType
from autoperf.implementations.expressions import as_compared, input_names, updated_names
from autoperf.implementations.implementation import Implementation
from autoperf.implementations.lookup import arguments
from autoperf.implementations.results import compare_results

GRADIENT = "gradient of "
_OUTPUT, _UPDATED = "output ", "updated "
_NARROW = "bfloat16"


class CaseResults(NamedTuple):
    """The outputs with their types, and by name the gradients, and the inputs that it updates besides its outputs.

    bfloat16 comes as float32, sparse arrays as dense ones. `views` are the passes that return views.
    """

    outputs: list[Array]
    types: tuple[ArrayType, ...]
    gradients: dict[str, Array]
    updated: dict[str, Array]
    views: tuple[PassName, ...] = ()


def results_of_case(call: PreparedCall, request: BackwardRequest | None, count: int | None = None) -> CaseResults:
    """Runs both passes once, with head gradients that all frameworks draw alike for the first `count` outputs (or all).

    Raises EngineError.
    """
    if request:
        call.request_gradients(request)
    made = forward(call)
    try:
        outputs, types = call.values(made), call.describe(made)
        updated = _updated(call)
        if request:
            call.make_heads(types[:count], drawn_heads(types[:count], call.case.digest))
            backward(call, made)
        gradients = call.gradient_values() if request else {}
        return CaseResults(outputs, types, gradients, updated, call.views(made, count))
    finally:
        release(call, made)


def _updated(call: PreparedCall) -> dict[str, Array]:
    """The inputs that the call has changed besides its outputs, with their contents."""
    inputs = {name: array for name, array in call.input_values().items() if name not in call.case.in_place}
    return {name: array for name, array in inputs.items() if not _is_as_drawn(call, name, array)}


def _is_as_drawn(call: PreparedCall, name: str, array: Array) -> bool:
    """Whether an input has the contents with which it was filled."""
    tensor = next(item.tensor for item in call.case.inputs if item.name == name)
    if tensor.dtype == "bfloat16":
        return True
    return np.array_equal(array, materialise(tensor, call.case.digest, name), equal_nan=array.dtype.kind == "f")


def write_results(results: CaseResults, path: Path) -> None:
    """Writes outputs, gradients and updated inputs."""
    outputs = {f"{_OUTPUT}{number}": values for number, values in enumerate(results.outputs)}
    gradients = {f"{GRADIENT}{name}": values for name, values in results.gradients.items()}
    updated = {f"{_UPDATED}{name}": values for name, values in results.updated.items()}
    with path.open("wb") as file:
        np.savez(file, **outputs, **gradients, **updated)


def read_results(path: Path, types: tuple[ArrayType, ...]) -> CaseResults:
    """Reads the results of a case whose outputs have these types."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    outputs = [arrays[f"{_OUTPUT}{number}"] for number in range(len(types))]
    gradients, updated = (
        {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        for prefix in (GRADIENT, _UPDATED)
    )
    return CaseResults(outputs, types, gradients, updated)


def program_of(found: Implementation, operator: Operator, case: Case) -> Program:
    """The program of a case; auxiliary states have no gradients that mean anything."""
    states = (tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.AUXILIARY)
    constant = tuple(dict.fromkeys((*found.constant, *states)))
    return Program(msgspec.structs.replace(found, constant=constant), arguments(operator, case))


def common_gradients(expected: CaseResults, program: Program) -> BackwardRequest | None:
    """The gradients that both frameworks have: those expected that aren't zero everywhere; None without any."""
    if not program.implementation.differentiable:
        return None
    flowing = (name for name, gradient in expected.gradients.items() if np.any(gradient))
    inputs = meaningful(flowing, program)
    return BackwardRequest(inputs) if inputs else None


def meaningful(inputs: Iterable[str], program: Program) -> tuple[str, ...]:
    """The inputs whose gradients mean something to a program."""
    constant = set(program.implementation.constant)
    return tuple(name for name in inputs if not constant & {name, name.partition("[")[0]})


def difference(expected: CaseResults, actual: CaseResults, case: Case, program: Program) -> str:
    """The first difference of outputs, updated inputs and gradients; empty if there is none."""
    chosen = program.implementation
    inputs = {item.name: materialise(item.tensor, case.digest, item.name) for item in case.arguments}
    updated = updated_names(chosen, list(inputs))
    forgotten = set(expected.updated) - {*updated, *input_names(chosen.kept, list(inputs))}
    if forgotten and case.in_place:
        return f"it doesn't update {', '.join(sorted(forgotten))}"
    is_narrow = [_NARROW in {each.dtype for each in results.types} for results in (expected, actual)]
    if is_narrow[0] != is_narrow[1]:
        return f"output: dtype {actual.types[0].dtype}, expected {expected.types[0].dtype}"
    precision = chosen.precision or (_NARROW if is_narrow[0] else "")
    wanted = [*expected.outputs, *(expected.updated.get(name, inputs[name]) for name in updated)]
    before, now = (_compared(results, inputs, case, program) for results in (wanted, actual.outputs))
    outputs = compare_results(
        before, now, sources=list(inputs.values()), random=chosen.random, cast=chosen.cast, precision=precision
    )
    return outputs or _gradient_difference(expected, actual, case, precision)


def _gradient_difference(expected: CaseResults, actual: CaseResults, case: Case, precision: str) -> str:
    names = list(actual.gradients)
    before, now = ([results.gradients[name] for name in names] for results in (expected, actual))
    heads = drawn_heads(expected.types, case.digest) if names else ()
    return compare_results(before, now, [f"{GRADIENT}{name}" for name in names], heads, precision=precision)


def _compared(results: list[Array], inputs: Mapping[str, Array], case: Case, program: Program) -> list[Array]:
    """The results in the form in which both sides are compared."""
    if program.implementation.random:
        return results
    return as_compared(program.implementation, results, inputs, program.parameters(case))
