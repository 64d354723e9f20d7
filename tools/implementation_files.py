"""The files between MXNet's process and another framework's: cases of an operator, and MXNet's results of each.

They hold no contents: each process draws those from the case (`autoperf/backends/contents.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autoperf.backends.contents import materialise
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.core.tensors import Normal, TensorSpec

Array = np.ndarray[Any, Any]
KINDS = ("outputs", "updated", "gradients")


class Expected(msgspec.Struct, frozen=True):
    """MXNet's results of a case: outputs, gradients by input, and new values of the inputs that it changed.

    `error` says why there are none. Gradients that are zero everywhere are left out.
    """

    case: Case
    outputs: tuple[Array, ...] = ()
    gradients: Mapping[str, Array] = {}
    updated: Mapping[str, Array] = {}
    error: str = ""


class OperatorResults(msgspec.Struct, frozen=True):
    """An operator, its category, and MXNet's results of its cases."""

    operator: Operator
    category: str
    expected: tuple[Expected, ...]


class _Entry(msgspec.Struct, frozen=True):
    case: Case
    error: str


class _Index(msgspec.Struct, frozen=True):
    operator: Operator
    category: str
    entries: tuple[_Entry, ...]


def save(folder: Path, results: OperatorResults) -> None:
    """Writes two files, of values and of arrays."""
    arrays: dict[str, Array] = {}
    for place, item in enumerate(results.expected):
        arrays |= {f"{place}/outputs/{number}": array for number, array in enumerate(item.outputs)}
        arrays |= {f"{place}/gradients/{name}": array for name, array in item.gradients.items()}
        arrays |= {f"{place}/updated/{name}": array for name, array in item.updated.items()}
    name = results.operator.name
    entries = tuple(_Entry(item.case, item.error) for item in results.expected)
    np.savez(folder / f"{name}.npz", **arrays)
    (folder / f"{name}.json").write_bytes(msgspec.json.encode(_Index(results.operator, results.category, entries)))


def load(path: Path) -> OperatorResults:
    """Reads the results of an operator, from the path of its values."""
    index = msgspec.json.decode(path.read_bytes(), type=_Index)
    grouped: dict[int, dict[str, dict[str, Array]]] = {}
    with np.load(path.with_suffix(".npz")) as file:
        for key in file.files:
            place, kind, name = key.split("/")
            grouped.setdefault(int(place), {}).setdefault(kind, {})[name] = file[key]
    items = (_expected(entry, grouped.get(place, {})) for place, entry in enumerate(index.entries))
    return OperatorResults(index.operator, index.category, tuple(items))


def _expected(entry: _Entry, arrays: Mapping[str, Mapping[str, Array]]) -> Expected:
    outputs, updated, gradients = (dict(arrays.get(kind, {})) for kind in KINDS)
    ordered = tuple(outputs[str(number)] for number in range(len(outputs)))
    return Expected(entry.case, ordered, gradients, updated, entry.error)


def load_all(folder: Path, names: Sequence[str] = ()) -> Iterator[OperatorResults]:
    """The results of these operators, or of all."""
    for path in sorted(folder.glob("*.json")):
        if not names or path.stem in names:
            yield load(path)


def contents(case: Case) -> dict[str, Array]:
    """The arrays of the inputs by name."""
    return {item.name: materialise(item.tensor, case.digest, item.name) for item in case.inputs}


def head_gradients(case: Case, outputs: Sequence[Array]) -> list[Array]:
    """A normally distributed head gradient for each output of floating dtype, zeros for the others."""
    return [_head(case, place, output) for place, output in enumerate(outputs)]


def _head(case: Case, place: int, output: Array) -> Array:
    if output.dtype.kind != "f":
        return np.zeros(output.shape, output.dtype)
    return materialise(TensorSpec(output.shape, output.dtype.name, Normal()), case.digest, f"head[{place}]")
