"""A case: one operator with concrete tensors and parameters, and the id that names it for ever."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import Any

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.graph import COMPILED, ExecutionMode, Graph, check_graph
from autoperf.core.names import NAME, is_name
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, TensorSpec, wrong_share


class Input(msgspec.Struct, frozen=True):
    """A tensor under the name that the operator gives it; members of a list are `name[0]`, `name[1]`, ..."""

    name: str
    tensor: TensorSpec


OUT = "out"
"""The input that is none of the operator's, but an array that it writes, as in MXNet's own `out=`."""
FILE = "filename"
"""The input that is none of the operator's, but what is in the file that its parameter of this name wants."""
NON_ARGUMENTS = frozenset({OUT, FILE})


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs in the operator's order, parameters, and the outputs that inference promises.

    `in_place` names the inputs that the operator writes (passed as its outputs), for operators that
    update state; `training` runs it in training mode. `graphs` are what a loop, a branch or a fused operator holds, by
    name and in the operator's order; `way` says how it is run, where that is no plain call. Two cases with the same
    operator, inputs, parameters and mode have the same id, whatever the profile that they were made for.
    """

    operator: str
    category: str
    profile: str
    inputs: tuple[Input, ...]
    params: dict[str, Value] = {}
    outputs: tuple[ArrayType, ...] = ()
    in_place: tuple[str, ...] = ()
    training: bool = True
    graphs: dict[str, Graph] = {}
    way: ExecutionMode = "call"

    @property
    def arguments(self) -> tuple[Input, ...]:
        """The inputs that the operator takes: all but `out` and a file."""
        return tuple(item for item in self.inputs if item.name not in NON_ARGUMENTS)

    @property
    def id(self) -> str:
        """`operator/` and eight hexadecimal digits of the digest of its canonical JSON."""
        return f"{self.operator}/{self.digest[:8]}"

    @property
    def digest(self) -> str:
        """SHA-256 over the operator, inputs, parameters and mode, in canonical JSON."""
        return hashlib.sha256(canonical_json(self.identity())).hexdigest()

    def identity(self) -> dict[str, Any]:
        """What makes this case itself, as plain values."""
        return {
            "operator": self.operator,
            "inputs": [{"name": item.name, "tensor": _identity(item.tensor)} for item in self.inputs],
            "params": msgspec.to_builtins(self.params),
            "in_place": list(self.in_place),
            "training": self.training,
            **({"graphs": msgspec.to_builtins(self.graphs)} if self.graphs else {}),
            **({"way": self.way} if self.way != "call" else {}),
        }

    @property
    def input_bytes(self) -> int:
        """The bytes of all inputs."""
        return sum(item.tensor.nbytes for item in self.inputs)

    @property
    def output_bytes(self) -> int:
        """The bytes of all outputs, as inferred."""
        return sum(output.nbytes for output in self.outputs)


_INPUT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[\d+\])?")


def check_case(case: Case) -> Case:
    """The case, if it can be stored, rendered and run. Raises CaseFileError that names the part that is wrong.

    Names go into file names and Python source, so they may be nothing but names.
    """
    for what, name in (("operator", case.operator), ("category", case.category)):
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise CaseFileError(f"the {what} {name!r} is no name")
    stems = _stems(case)
    for name in case.params:
        if not is_name(name) or name in stems:
            raise CaseFileError(f"the parameter {name!r} has no name that MXNet could take, or that of an input")
    _check_graphs(case, stems)
    _check_written(case, stems)
    for item in case.inputs:
        if any(type(size) is not int or size < 0 for size in item.tensor.shape):
            raise CaseFileError(f"the input {item.name} has the shape {item.tensor.shape}, which no tensor has")
        wrong = wrong_share(item.tensor.density, item.tensor.content)
        if wrong:
            raise CaseFileError(f"the input {item.name} has {wrong}")
    try:
        return msgspec.json.decode(msgspec.json.encode(case), type=Case)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CaseFileError(f"a value can't be stored: {error}") from error


def _check_written(case: Case, stems: set[str]) -> None:
    if (OUT in stems) != (OUT in case.in_place):
        raise CaseFileError(
            f"an input called {OUT} is one that the operator writes: name it in in_place, and only then"
        )
    for name in case.in_place:
        if not any(item.name == name for item in case.inputs):
            raise CaseFileError(f"in_place names {name!r}, which is no input of this case")


def _check_graphs(case: Case, stems: set[str]) -> None:
    for name, graph in case.graphs.items():
        if not is_name(name) or name in stems or name in case.params:
            raise CaseFileError(f"the graph {name!r} has no name, or that of an input or parameter")
        check_graph(graph)
    if case.graphs and case.way in ("call", "executor"):
        raise CaseFileError(f"a case with graphs can't be run the way {case.way!r}; it is 'graph' or 'compiled'")
    if case.way in COMPILED and len(case.graphs) != 1:
        raise CaseFileError(f"a case that is run the way {case.way!r} holds one graph, not {len(case.graphs)}")


def _stems(case: Case) -> set[str]:
    """The names of the inputs, those of lists once."""
    seen: set[str] = set()
    stems: dict[str, bool] = {}
    members: Counter[str] = Counter()
    for item in case.inputs:
        found = _INPUT.fullmatch(item.name) if isinstance(item.name, str) else None
        if found is None or not is_name(found[1]) or item.name in seen:
            raise CaseFileError(f"the input {item.name!r} has no name that an operator could give, or that of another")
        if stems.setdefault(found[1], found[2] is not None) != (found[2] is not None):
            raise CaseFileError(f"the input {found[1]!r} is both a tensor and a list of tensors")
        if found[2] is not None:
            if found[2] != f"[{members[found[1]]}]":
                raise CaseFileError(f"the input {item.name!r} comes where {found[1]}[{members[found[1]]}] belongs")
            members[found[1]] += 1
        seen.add(item.name)
    return set(stems)


def _identity(tensor: TensorSpec) -> dict[str, Any]:
    """The tensor as plain values: numbers of the declared types, and storage only where it is not the plain one.

    So what is added to TensorSpec later, with a default, leaves the ids of older cases as they are.
    """
    content = msgspec.convert(msgspec.to_builtins(tensor.content), type(tensor.content))
    plain = {"shape": list(tensor.shape), "dtype": tensor.dtype, "content": msgspec.to_builtins(content)}
    if tensor.storage == "default":
        return plain
    return {**plain, "storage": tensor.storage, "density": float(tensor.density)}


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces, so that equal values have equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
