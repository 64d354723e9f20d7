"""Crawls a library's operator registry."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import NamedTuple

from autoperf.backends.mxnet.capi.graph_symbol import NODE
from autoperf.backends.mxnet.capi.library import Library, text_of
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.backends.mxnet.nodes import make_node
from autoperf.core.errors import EngineError
from autoperf.core.operator import (
    Form,
    Operator,
    Parameter,
    Registry,
    Role,
    TensorArgument,
    TensorKind,
    Value,
)
from autoperf.registry.cache import FORMAT
from autoperf.registry.grammar import parse_type
from autoperf.registry.namespaces import namespace_of

# Parameters that may count the members of a list if MXNet declares none; `_counts` checks it with MXNet.
_COUNTERS = ("num_args", "num_arrays", "num_outputs", "num_weights", "num_tensors")
_TEST_COUNT = 3

_TRIVIAL: dict[Form, Value] = {
    Form.BOOLEAN: False,
    Form.INTEGER: 1,
    Form.FLOAT: 1.0,
    Form.STRING: "x",
    Form.SHAPE: (1, 1),
    Form.TUPLE: (1.0,),
    Form.UNTYPED: 1,
    Form.POINTER: None,
}


class _OperatorInfo(NamedTuple):
    """A result of MXSymbolGetAtomicSymbolInfo."""

    name: str
    description: str
    arguments: tuple[tuple[str, str, str], ...]
    key: str


def crawl(library: Library) -> Registry:
    """All registered operators, sorted by name. Raises RegistryError for an unknown type."""
    names: dict[int, list[str]] = {}
    for name in library.operator_names():
        names.setdefault(library.operator(name), []).append(name)
    operators = [describe(library, handle, registered) for handle, registered in names.items()]
    operators.sort(key=lambda operator: operator.name)
    return Registry(FORMAT, library.version, str(library.path), tuple(operators))


def describe(library: Library, handle: int, names: Sequence[str] = ()) -> Operator:
    """One operator; `names` except its canonical name are its aliases."""
    info = _info(library, handle)
    tensors, parameters = _signature(info)
    return Operator(
        name=info.name,
        role=Role.BACKWARD if "_backward" in info.name else Role.FORWARD,
        namespace=namespace_of(info.name),
        aliases=tuple(sorted(set(names) - {info.name})),
        description=info.description,
        tensors=_mark_auxiliary(tensors, _auxiliary(library, handle, tensors, parameters)),
        parameters=parameters,
        variadic_count=_variadic_count(library, handle, info.key, tensors, parameters),
    )


def _info(library: Library, handle: int) -> _OperatorInfo:
    name, description, key, returns = (c.c_char_p() for _ in range(4))
    size = c.c_uint32()
    names, types, texts = (c.POINTER(c.c_char_p)() for _ in range(3))
    results = (name, description, size, names, types, texts, key, returns)
    library.call("GetAtomicSymbolInfo", handle, *(c.byref(result) for result in results))
    arguments = tuple((text_of(names[i]), text_of(types[i]), text_of(texts[i]).strip()) for i in range(size.value))
    return _OperatorInfo(text_of(name.value), text_of(description.value).strip(), arguments, text_of(key.value))


def _signature(info: _OperatorInfo) -> tuple[tuple[TensorArgument, ...], tuple[Parameter, ...]]:
    tensors, parameters = list[TensorArgument](), list[Parameter]()
    for name, text, description in info.arguments:
        parsed = parse_type(text, info.name, name)
        if isinstance(parsed.type, TensorKind):
            tensors.append(TensorArgument(name, parsed.type, description))
        else:
            parameters.append(Parameter(name, parsed.type, parsed.required, parsed.default, description))
    return tuple(tensors), tuple(parameters)


def trivial_params(parameters: Sequence[Parameter]) -> dict[str, Value]:
    """A value for each required parameter, enough to list the operator's inputs."""
    values = dict[str, Value]()
    for parameter in parameters:
        if parameter.required and parameter.type.form is not Form.POINTER:
            choices = parameter.type.choices
            values[parameter.name] = choices[0] if choices else _TRIVIAL[parameter.type.form]
    return values


def _auxiliary(
    library: Library, handle: int, tensors: Sequence[TensorArgument], parameters: Sequence[Parameter]
) -> tuple[str, ...]:
    """The inputs that the operator updates; empty if MXNet rejects trivial parameters."""
    # Some operators without tensors in the signature crash MXNet, and have no auxiliary states.
    if not tensors or any(tensor.kind is TensorKind.VARIADIC for tensor in tensors):
        return ()
    try:
        node = make_node(library, handle, tensors, trivial_params(parameters))
    except EngineError:
        return ()
    return tuple(name for name, variable in node.inputs.items() if variable in node.auxiliary)


def _mark_auxiliary(tensors: Sequence[TensorArgument], auxiliary: Sequence[str]) -> tuple[TensorArgument, ...]:
    """The tensors with the auxiliary ones marked; those that the signature omits come last."""
    descriptions = {tensor.name: tensor.description for tensor in tensors}
    others = [tensor for tensor in tensors if tensor.name not in auxiliary]
    marked = [TensorArgument(name, TensorKind.AUXILIARY, descriptions.get(name, "")) for name in auxiliary]
    order = {name: index for index, name in enumerate(descriptions)}
    return tuple(sorted([*others, *marked], key=lambda tensor: order.get(tensor.name, len(order))))


def _variadic_count(
    library: Library,
    handle: int,
    key: str,
    tensors: Sequence[TensorArgument],
    parameters: Sequence[Parameter],
) -> str:
    """The parameter that counts the operator's inputs: declared by MXNet, else verified."""
    if key or not any(tensor.kind is TensorKind.VARIADIC for tensor in tensors):
        return key
    known = {parameter.name for parameter in parameters}
    counters = (counter for counter in _COUNTERS if counter in known)
    return next((name for name in counters if _counts(library, handle, name, parameters)), "")


def _counts(library: Library, handle: int, counter: str, parameters: Sequence[Parameter]) -> bool:
    """Whether the operator takes three inputs if the parameter is three."""
    node = Symbol.atomic(library, handle, trivial_params(parameters) | {counter: _TEST_COUNT})
    if node.output_count() == 0:
        # MXNet has no symbol without outputs: only `reset_arrays` has a list and no outputs.
        return counter == "num_arrays"
    try:
        node.compose(NODE)
    except EngineError:
        return False
    return len(node.list_inputs()) == _TEST_COUNT
