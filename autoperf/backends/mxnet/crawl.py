"""Crawls a library's operator registry, by symbols of one operator, and reads its argument types."""

from __future__ import annotations

import ctypes as c
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from autoperf.backends.mxnet.capi.library import Library, text_of
from autoperf.backends.mxnet.capi.symbol import NODE, Symbol, graph_symbol
from autoperf.core.errors import EngineError, RegistryError
from autoperf.core.operator import (
    Form,
    Operator,
    Parameter,
    ParameterType,
    Registry,
    Role,
    TensorArgument,
    TensorKind,
    Value,
)
from autoperf.registry.calls import InferenceCall
from autoperf.registry.client import FORMAT
from autoperf.registry.names import namespace_of

_WHOLE = re.compile(r"(?P<type>.*?)(?:, ?required|, ?optional, ?default=(?P<default>.*))?", re.DOTALL)
_ENUM = re.compile(r"\{(?:None|'[^']*')(?:, (?:None|'[^']*'))*\}")
_CHOICE = re.compile(r"'([^']*)'|(None)")
_TUPLE = re.compile(r"tuple of <(.*)>")
_NON_NEGATIVE = " (non-negative)"
_OR_NONE = " or None"

_TENSORS = {
    "NDArray-or-Symbol": TensorKind.SINGLE,
    "NDArray": TensorKind.SINGLE,
    "NDArray-or-Symbol[]": TensorKind.VARIADIC,
    "NDArray[]": TensorKind.VARIADIC,
    "Symbol or Symbol[]": TensorKind.VARIADIC,
}
_FORMS = {
    "": Form.UNTYPED,
    "int": Form.INTEGER,
    "long": Form.INTEGER,
    "float": Form.FLOAT,
    "double": Form.FLOAT,
    "real_t": Form.FLOAT,
    "boolean": Form.BOOLEAN,
    "string": Form.STRING,
    "ptr": Form.POINTER,
    "Symbol": Form.POINTER,  # a subgraph
    "Shape": Form.SHAPE,
    "Shape(tuple)": Form.SHAPE,
}


class Argument(NamedTuple):
    """An argument's type or tensor kind, and its default in MXNet's text, None if required."""

    type: ParameterType | TensorKind
    required: bool
    default: str | None


def parse_type(text: str, operator: str, argument: str) -> Argument:
    """Parse a type of the registry. Raises RegistryError that names operator and argument for an unknown type."""
    whole = _WHOLE.fullmatch(text.strip())
    spelled, default = (whole["type"], whole["default"]) if whole else (text, None)
    if spelled in _TENSORS:
        return Argument(_TENSORS[spelled], required=True, default=None)
    parsed = _parameter(spelled)
    if parsed is None:
        raise RegistryError(
            f"operator {operator}: the type {text!r} of its argument {argument!r} is not in the known grammar"
        )
    # Without "required" or "optional" it is required.
    if default is None:
        return Argument(parsed, required=True, default=None)
    # Some defaults are quoted: default='1' is 1.
    default = default[1:-1] if len(default) >= 2 and default[0] == default[-1] == "'" else default
    # A default of None makes a type nullable even without "or None".
    if default == "None" and parsed.form not in (Form.STRING, Form.ENUM) and not parsed.nullable:
        parsed = _parameter(spelled, nullable=True) or parsed
    return Argument(parsed, required=False, default=default)


def _parameter(spelled: str, nullable: bool = False) -> ParameterType | None:
    """The type for MXNet's text, or None if unknown."""
    if _ENUM.fullmatch(spelled):
        items = _CHOICE.findall(spelled)
        choices = tuple(quoted for quoted, none in items if not none)
        return ParameterType(Form.ENUM, spelled, nullable=len(choices) < len(items), choices=choices)
    rest = spelled.removesuffix(_OR_NONE)
    nullable = nullable or rest != spelled
    bare = rest.removesuffix(_NON_NEGATIVE)
    minimum = 0 if bare != rest else None
    tuple_match = _TUPLE.fullmatch(bare)
    form = Form.TUPLE if tuple_match else _FORMS.get(bare)
    element = _FORMS.get(tuple_match[1]) if tuple_match else None
    if form is None or (tuple_match and element is None):
        return None
    return ParameterType(form, spelled, nullable=nullable, minimum=minimum, element=element)


_PREFIX = f"{NODE}_"
_MEMBER = re.compile(r"(.+)\[(\d+)\]")


class NodeReader(NamedTuple):
    """A composed operator and the variables of its `inputs`; the others are in the order of MXNet's results."""

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
        names = list[str]()
        members = sorted(filter(None, map(_MEMBER.fullmatch, given)), key=lambda match: int(match[2]))
        for tensor in tensors:
            is_list = tensor.kind is TensorKind.VARIADIC
            names += [match[0] for match in members if match[1] == tensor.name] if is_list else [tensor.name]
        return _by_position(symbol, names)
    if symbol.output_count() == 0:
        raise OutputlessError([tensor.name for tensor in tensors])
    try:
        symbol.compose(NODE)
    except EngineError as error:
        # MXNet doesn't create variables for operators with unnamed inputs.
        if "Not enough argument" not in str(error):
            raise
        return _by_position(Symbol.atomic(library, handle, params), [tensor.name for tensor in tensors])
    return _node(symbol, _names(symbol.list_inputs(), tensors))


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
    name_text, description, key, returns = (c.c_char_p() for _ in range(4))
    size = c.c_uint32()
    arguments, types, texts = (c.POINTER(c.c_char_p)() for _ in range(3))
    results = (name_text, description, size, arguments, types, texts, key, returns)
    library.call("GetAtomicSymbolInfo", handle, *(c.byref(result) for result in results))
    name = text_of(name_text.value)
    tensors, parameters = list[TensorArgument](), list[Parameter]()
    for number in range(size.value):
        argument, text = text_of(arguments[number]), text_of(texts[number]).strip()
        parsed = parse_type(text_of(types[number]), name, argument)
        if isinstance(parsed.type, TensorKind):
            tensors.append(TensorArgument(argument, parsed.type, text))
        else:
            parameters.append(Parameter(argument, parsed.type, parsed.required, parsed.default, text))
    return Operator(
        name=name,
        role=Role.BACKWARD if "_backward" in name else Role.FORWARD,
        namespace=namespace_of(name),
        aliases=tuple(sorted(set(names) - {name})),
        description=text_of(description.value).strip(),
        tensors=_with_auxiliary(library, handle, tensors, parameters),
        parameters=tuple(parameters),
        variadic_count=_variadic_count(library, handle, text_of(key.value), tensors, parameters),
    )


def trivial_params(parameters: Sequence[Parameter]) -> dict[str, Value]:
    """A value for each required parameter, enough to list the operator's inputs."""
    needed = {each.name: each.type for each in parameters if each.required and each.type.form is not Form.POINTER}
    return {name: kind.choices[0] if kind.choices else _TRIVIAL[kind.form] for name, kind in needed.items()}


def _with_auxiliary(
    library: Library, handle: int, tensors: Sequence[TensorArgument], parameters: Sequence[Parameter]
) -> tuple[TensorArgument, ...]:
    """The tensors, those marked that the operator updates; those that the signature omits come last."""
    auxiliary: list[str] = []
    # Some operators without tensors in the signature crash MXNet, and have no auxiliary states.
    if tensors and not any(tensor.kind is TensorKind.VARIADIC for tensor in tensors):
        # MXNet may reject trivial parameters.
        with suppress(EngineError):
            node = make_node(library, handle, tensors, trivial_params(parameters))
            auxiliary = [name for name, variable in node.inputs.items() if variable in node.auxiliary]
    descriptions = {tensor.name: tensor.description for tensor in tensors}
    others = [tensor for tensor in tensors if tensor.name not in auxiliary]
    marked = [TensorArgument(name, TensorKind.AUXILIARY, descriptions.get(name, "")) for name in auxiliary]
    order = {name: index for index, name in enumerate(descriptions)}
    return tuple(sorted([*others, *marked], key=lambda tensor: order.get(tensor.name, len(order))))


def _variadic_count(
    library: Library, handle: int, key: str, tensors: Sequence[TensorArgument], parameters: Sequence[Parameter]
) -> str:
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
