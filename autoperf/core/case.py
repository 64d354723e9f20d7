"""A case: one operator with concrete tensors and parameters, and its stable id."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.graph import OWN_GRAPH, ExecutionMode, Graph, check_graph, check_hybridize, mode_of
from autoperf.core.operator import COMPOSITE_NAMESPACE, Value
from autoperf.core.tensors import ArrayType, Shape, TensorSpec, tensor_problem
from autoperf.core.texts import IDENTIFIER, NAME, is_name

T = TypeVar("T")


class Input(msgspec.Struct, frozen=True):
    """A tensor by its argument's name (`name[0]`, ... in a list); `own_content`: not the rule's, nor part of the id."""

    name: str
    tensor: TensorSpec
    own_content: Literal[True] | msgspec.UnsetType = msgspec.UNSET


def with_lists(arrays: Iterable[tuple[str, T]]) -> dict[str, T | list[T]]:
    """Arguments by name, with the members of a list, `data[0]`, `data[1]`, ..., under its name."""
    arguments: dict[str, Any] = {}
    for name, array in arrays:
        stem, bracket, _ = name.partition("[")
        if bracket:
            arguments.setdefault(stem, []).append(array)
        else:
            arguments[stem] = array
    return arguments


Calls: TypeAlias = dict[str, Annotated[int, msgspec.Meta(ge=1)]]
"""How often each network makes a call in one pass, by the network's name."""
OUT = "out"
"""Not an argument of the operator: the array that it writes, as MXNet's `out=`."""
FILE = "filename"
"""Not an argument of the operator: the content of the file that its parameter of this name reads."""
NON_ARGUMENTS = frozenset({OUT, FILE})


class Counterpart(msgspec.Struct, frozen=True):
    """The call that a case is compared with: its digest draws both contents; its inputs' names are by the own ones."""

    digest: str
    names: dict[str, str]


class Upstream(msgspec.Struct, frozen=True):
    """The calls of a network that make inputs of a case, which so get the layout and the values of the network.

    The outputs of the graph are the inputs of these `names`, in order; `inputs` are the graph's variables. The rest of
    the network, its weights and results, is stood for by `other_bytes`, which are read between two calls.
    """

    names: tuple[str, ...]
    graph: Graph
    inputs: tuple[Input, ...]
    other_bytes: Annotated[int, msgspec.Meta(ge=0, le=2**30)] = 0


class Case(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Inputs in the operator's order, parameters, and the inferred outputs.

    `in_place` names the inputs that the operator writes (passed as its outputs), for operators that update state;
    `training` runs it in training mode. `graphs` are the subgraphs of a loop, a branch or a fused operator, by name
    and in the operator's order; `way` is the execution mode. `calls` is set for a case that was captured from
    networks, with `network_calls`, how many calls each of them makes in all, and `upstream`, if other calls make
    its inputs; `counterpart` for one that is compared with another function's call. Two cases with the same
    operator, inputs, parameters and mode have the same id, in every profile and network, after whatever calls.
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
    calls: Calls | msgspec.UnsetType = msgspec.UNSET
    network_calls: Calls | msgspec.UnsetType = msgspec.UNSET
    counterpart: Counterpart | msgspec.UnsetType = msgspec.UNSET
    upstream: Upstream | msgspec.UnsetType = msgspec.UNSET

    @property
    def seed(self) -> str:
        """The digest by which its contents and head gradients are drawn: its counterpart's, if it has one."""
        return self.counterpart.digest if self.counterpart else self.digest

    @property
    def has_backward(self) -> bool:
        """Whether its backward pass is measured: a network or a composite in inference mode has none."""
        return self.training or not (self.calls or self.category == COMPOSITE_NAMESPACE)

    @property
    def mode(self) -> str:
        """The case's mode among several in which its input runs side by side: `static`; empty for a single mode."""
        return mode_of(self.category, self.profile, self.params)

    @property
    def arguments(self) -> tuple[Input, ...]:
        """The operator's arguments: all inputs except `out` and a file."""
        return tuple(item for item in self.inputs if item.name not in NON_ARGUMENTS)

    @property
    def id(self) -> str:
        """`operator/` and the first eight hexadecimal digits of the digest."""
        return f"{self.operator}/{self.digest[:8]}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the operator, inputs, parameters and mode, in canonical JSON; computed once."""
        return hashlib.sha256(canonical_json(self.identity())).hexdigest()

    def identity(self) -> dict[str, Any]:
        """The fields that the digest covers, as plain values."""
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

    def has(self, name: str) -> bool:
        """Whether the case has an input of this name."""
        return any(item.name == name for item in self.inputs)

    def tensor(self, name: str) -> TensorSpec:
        """The input of this name; raises StopIteration if the case has none."""
        return next(item.tensor for item in self.inputs if item.name == name)

    def shape(self, name: str) -> Shape:
        """The shape of an input."""
        return self.tensor(name).shape

    def elements(self, name: str) -> int:
        """The number of elements of an input."""
        return self.tensor(name).type.elements

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean parameter, also as a number or text; false by default."""
        return self.params.get(name, default) in (True, "True", "true", "1")

    def number(self, name: str, default: int = 1) -> int:
        """An integer parameter, `default` if the case has none."""
        value = self.params.get(name)
        return default if value is None else int(str(value))

    def numbers(self, name: str) -> tuple[int, ...]:
        """A parameter of one or more integers; empty if the case has none."""
        value = self.params.get(name)
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        return tuple(int(str(item)) for item in values)


_INPUT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[\d+\])?")


def check_case(case: Case) -> Case:
    """The case, if it can be stored, rendered and run; its names go into Python source. Raises CaseFileError."""
    for what, name in (("operator", case.operator), ("category", case.category)):
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise CaseFileError(f"invalid {what} {name!r}: expected {IDENTIFIER}")
    stems = _stems(case)
    for name in case.params:
        if not is_name(name) or name in stems:
            raise CaseFileError(f"invalid parameter {name!r}: expected an identifier that no input has")
    if case.way == "layer":
        check_hybridize(case.params)
    _check_references(case, stems)
    _check_upstream(case)
    for item in (*case.inputs, *(case.upstream.inputs if case.upstream else ())):
        if any(type(size) is not int or size < 0 for size in item.tensor.shape):
            raise CaseFileError(f"input {item.name}: invalid shape {item.tensor.shape}: expected sizes of 0 or more")
        if problem := tensor_problem(item.tensor.density, item.tensor.content):
            raise CaseFileError(f"input {item.name}: {problem}")
    try:
        # In messages, integers have at most 64 bits.
        msgspec.msgpack.encode(case)
        return msgspec.json.decode(msgspec.json.encode(case), type=Case)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CaseFileError(f"a value can't be stored: {error}") from error


def _check_references(case: Case, stems: set[str]) -> None:
    for name, graph in case.graphs.items():
        if not is_name(name) or name in stems or name in case.params:
            raise CaseFileError(f"invalid graph {name!r}: expected an identifier that no input or parameter has")
        check_graph(graph)
    if case.graphs and case.way in ("call", "executor"):
        raise CaseFileError(f"invalid way {case.way!r}: expected 'graph' or 'compiled' for a case with graphs")
    if case.way in OWN_GRAPH and len(case.graphs) != 1:
        raise CaseFileError(f"invalid graphs: expected one for the way {case.way!r}, not {len(case.graphs)}")
    if (OUT in stems) != (OUT in case.in_place):
        raise CaseFileError(f"the input {OUT!r} and its entry in in_place need each other: give both, or neither")
    for name in case.in_place:
        if not case.has(name):
            raise CaseFileError(f"invalid in_place {name!r}: expected an input of this case")


def _check_upstream(case: Case) -> None:
    if not case.upstream:
        return
    names, graph = case.upstream.names, case.upstream.graph
    check_graph(graph)
    is_matched = len(set(names)) == len(graph.outputs) and {*names} <= {item.name for item in case.inputs}
    if case.way != "call" or not is_matched:
        raise CaseFileError(f"invalid upstream: expected an output of its graph for each of a call's inputs {names}")
    if tuple(item.name for item in case.upstream.inputs) != graph.inputs:
        raise CaseFileError(f"invalid upstream: expected a tensor for each of its variables, {', '.join(graph.inputs)}")


def _stems(case: Case) -> set[str]:
    """The argument names; a list counts once."""
    seen: set[str] = set()
    stems: dict[str, bool] = {}
    members: Counter[str] = Counter()
    for item in case.inputs:
        match = _INPUT.fullmatch(item.name) if isinstance(item.name, str) else None
        if match is None or not is_name(match[1]) or item.name in seen:
            raise CaseFileError(f"invalid input {item.name!r}: expected a unique argument name")
        if stems.setdefault(match[1], match[2] is not None) != (match[2] is not None):
            raise CaseFileError(f"invalid input {match[1]!r}: expected a tensor or a list of tensors, not both")
        if match[2] is not None:
            if match[2] != f"[{members[match[1]]}]":
                raise CaseFileError(f"invalid input {item.name!r}: expected {match[1]}[{members[match[1]]}]")
            members[match[1]] += 1
        seen.add(item.name)
    return set(stems)


def _identity(tensor: TensorSpec) -> dict[str, Any]:
    """The tensor as plain values: numbers of the declared types, and storage only if it is not the default.

    Fields that TensorSpec gains later, with a default, don't change the ids of older cases.
    """
    content = msgspec.convert(msgspec.to_builtins(tensor.content), type(tensor.content))
    plain = {"shape": list(tensor.shape), "dtype": tensor.dtype, "content": _without_tail(msgspec.to_builtins(content))}
    if tensor.storage == "default":
        return plain
    return {**plain, "storage": tensor.storage, "density": float(tensor.density)}


def _without_tail(content: dict[str, Any]) -> dict[str, Any]:
    """A content as plain values; boxes that end with their coordinates are as before they could have more columns."""
    plain = {name: value for name, value in content.items() if name != "tail" or value}
    return {**plain, "content": _without_tail(plain["content"])} if "content" in plain else plain


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces: equal values have equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
