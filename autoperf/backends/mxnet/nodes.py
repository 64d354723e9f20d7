"""Symbols of one operator with the inputs that it takes for given parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from autoperf.backends.mxnet.capi.graph_symbol import NODE, graph_symbol
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.core.errors import EngineError
from autoperf.core.operator import TensorArgument, TensorKind, Value
from autoperf.registry.calls import InferenceCall

_PREFIX = f"{NODE}_"
_MEMBER = re.compile(r"(.+)\[(\d+)\]")


class NodeReader(NamedTuple):
    """A composed operator; `inputs` maps the inputs' names, in the operator's order, to the symbol's variables.

    `arguments` and `auxiliary` are the variables in the order of MXNet's results.
    """

    symbol: Symbol
    inputs: dict[str, str]
    arguments: tuple[str, ...]
    auxiliary: tuple[str, ...]


class OutputlessError(EngineError):
    """The operator has no outputs: MXNet can't make its symbol, so nothing can be inferred."""

    def __init__(self, inputs: Sequence[str]) -> None:
        self.inputs = tuple(inputs)
        super().__init__("MXNet can't make a symbol of an operator that has no outputs")


def make_node(
    library: Library,
    handle: int,
    tensors: Sequence[TensorArgument],
    params: Mapping[str, Value],
    given: Sequence[str] = (),
) -> NodeReader:
    """Composes an operator with variables for all its inputs.

    `given` are the inputs of the call, `data[0]`, `data[1]`, ... for the members of a list. A variable that the
    signature omits keeps MXNet's name. Raises EngineError for invalid parameters, OutputlessError without outputs.
    """
    symbol = Symbol.atomic(library, handle, params)
    if any(tensor.kind is TensorKind.VARIADIC for tensor in tensors):
        return _by_position(symbol, _positional(tensors, given))
    if symbol.output_count() == 0:
        raise OutputlessError([tensor.name for tensor in tensors])
    try:
        symbol.compose(NODE)
    except EngineError as error:
        # MXNet doesn't create variables for operators with unnamed inputs.
        if "Not enough argument" not in str(error):
            raise
        return _by_position(Symbol.atomic(library, handle, params), [tensor.name for tensor in tensors])
    variables = symbol.list_inputs()
    return _node(symbol, _names(variables, tensors))


def composed_node(library: Library, call: InferenceCall, operator: str, params: Mapping[str, Value]) -> NodeReader:
    """A call in a graph, with its inputs; raises EngineError if MXNet rejects it."""
    given = tuple(call.inputs)
    symbol = graph_symbol(library, operator, given, params, call.graphs, way=call.way)
    variables = symbol.list_inputs()
    if len(variables) != len(given):
        raise EngineError(f"{operator} takes {len(variables)} inputs with these graphs, not {len(given)}")
    return _node(symbol, dict(zip(given, variables, strict=True)))


def _by_position(symbol: Symbol, names: Sequence[str]) -> NodeReader:
    if symbol.output_count() == 0:
        raise OutputlessError(names)
    symbol.compose(NODE, [Symbol.variable(symbol.library, name) for name in names])
    variables = symbol.list_inputs()
    if len(variables) != len(names):
        raise EngineError(f"expected {len(variables)} inputs with these parameters, not {len(names)}")
    return _node(symbol, {name: name for name in names})


def _node(symbol: Symbol, inputs: dict[str, str]) -> NodeReader:
    auxiliary = tuple(symbol.list_auxiliary_states())
    arguments = tuple(variable for variable in inputs.values() if variable not in auxiliary)
    return NodeReader(symbol, inputs, arguments, auxiliary)


def _positional(tensors: Sequence[TensorArgument], given: Sequence[str]) -> list[str]:
    """The inputs of an operator with a list, in order; the list's members are sorted by index."""
    names = list[str]()
    for tensor in tensors:
        if tensor.kind is TensorKind.VARIADIC:
            names.extend(sorted((name for name in given if _is_member(name, tensor.name)), key=_member_index))
        else:
            names.append(tensor.name)
    return names


def _is_member(name: str, list_name: str) -> bool:
    match = _MEMBER.fullmatch(name)
    return match is not None and match[1] == list_name


def _member_index(name: str) -> int:
    match = _MEMBER.fullmatch(name)
    return int(match[2]) if match else -1


def _names(variables: Sequence[str], tensors: Sequence[TensorArgument]) -> dict[str, str]:
    """The signature's name for each variable: the same name, else the one at the same position."""
    listed = [tensor.name for tensor in tensors]
    bare = [variable.removeprefix(_PREFIX) for variable in variables]
    names = dict[str, str]()
    for index, (variable, name) in enumerate(zip(variables, bare, strict=True)):
        if name not in listed and index < len(listed) and listed[index] not in bare:
            name = listed[index]  # noqa: PLW2901
        names[name] = variable
    return names
