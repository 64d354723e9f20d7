"""The results of a case: its outputs, and its gradients from head gradients that are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from autoperf.backends.contents import drawn_heads
from autoperf.backends.passes import backward, forward
from autoperf.backends.protocol import Array, BackwardRequest, PreparedCall
from autoperf.core.tensors import ArrayType

_OUTPUT, _GRADIENT = "output ", "gradient "


class CaseResults(NamedTuple):
    """The outputs with their types, and the gradients by input; bfloat16 as float32, sparse arrays as dense ones."""

    outputs: list[Array]
    types: tuple[ArrayType, ...]
    gradients: dict[str, Array]


def results_of(call: PreparedCall, request: BackwardRequest | None) -> CaseResults:
    """Runs both passes once, with head gradients that all frameworks draw alike. Raises EngineError."""
    if request:
        call.request_gradients(request)
    made = forward(call)
    outputs, types = call.values(made), call.describe(made)
    if request is None:
        return CaseResults(outputs, types, {})
    call.make_heads(types, drawn_heads(types, call.case.digest))
    backward(call, made)
    return CaseResults(outputs, types, call.gradient_values())


def write_results(results: CaseResults, path: Path) -> None:
    """Writes outputs and gradients."""
    outputs = {f"{_OUTPUT}{number}": values for number, values in enumerate(results.outputs)}
    gradients = {f"{_GRADIENT}{name}": values for name, values in results.gradients.items()}
    with path.open("wb") as file:
        np.savez(file, **outputs, **gradients)


def read_results(path: Path, types: tuple[ArrayType, ...]) -> CaseResults:
    """Reads the results of a case whose outputs have these types."""
    with np.load(path, allow_pickle=False) as stored:
        outputs = [stored[f"{_OUTPUT}{number}"] for number in range(len(types))]
        names = [name.removeprefix(_GRADIENT) for name in stored.files if name.startswith(_GRADIENT)]
        return CaseResults(outputs, types, {name: stored[f"{_GRADIENT}{name}"] for name in names})
