"""The results of a case: its outputs, the inputs that it updates, and its gradients from drawn head gradients."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from autoperf.backends.contents import drawn_heads, materialise
from autoperf.backends.passes import backward, forward
from autoperf.backends.protocol import Array, BackwardRequest, PreparedCall
from autoperf.core.tensors import ArrayType

_OUTPUT, _GRADIENT, _UPDATED = "output ", "gradient of ", "updated "


class CaseResults(NamedTuple):
    """The outputs with their types, and by name the gradients, and the inputs that it updates besides its outputs.

    bfloat16 comes as float32, sparse arrays as dense ones.
    """

    outputs: list[Array]
    types: tuple[ArrayType, ...]
    gradients: dict[str, Array]
    updated: dict[str, Array]


def results_of_case(call: PreparedCall, request: BackwardRequest | None, count: int | None = None) -> CaseResults:
    """Runs both passes once, with head gradients that all frameworks draw alike for the first `count` outputs (or all).

    Raises EngineError.
    """
    if request:
        call.request_gradients(request)
    made = forward(call)
    outputs, types = call.values(made), call.describe(made)
    inputs = {name: array for name, array in call.input_values().items() if name not in call.case.in_place}
    updated = {name: array for name, array in inputs.items() if not _is_as_drawn(call, name, array)}
    if request is None:
        return CaseResults(outputs, types, {}, updated)
    call.make_heads(types[:count], drawn_heads(types[:count], call.case.digest))
    backward(call, made)
    return CaseResults(outputs, types, call.gradient_values(), updated)


def _is_as_drawn(call: PreparedCall, name: str, array: Array) -> bool:
    """Whether an input has the contents with which it was filled."""
    tensor = next(item.tensor for item in call.case.inputs if item.name == name)
    if tensor.dtype == "bfloat16":
        return True
    return np.array_equal(array, materialise(tensor, call.case.digest, name), equal_nan=array.dtype.kind == "f")


def write_results(results: CaseResults, path: Path) -> None:
    """Writes outputs, gradients and updated inputs."""
    outputs = {f"{_OUTPUT}{number}": values for number, values in enumerate(results.outputs)}
    gradients = {f"{_GRADIENT}{name}": values for name, values in results.gradients.items()}
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
        for prefix in (_GRADIENT, _UPDATED)
    )
    return CaseResults(outputs, types, gradients, updated)
