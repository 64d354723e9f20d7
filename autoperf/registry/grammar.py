"""The grammar of argument types in the registry, such as "int or None, optional, default='1'"."""

from __future__ import annotations

import re
from typing import NamedTuple

from autoperf.core.errors import RegistryError
from autoperf.core.operator import Form, ParameterType, TensorKind

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
    "Symbol": Form.POINTER,
    "Shape": Form.SHAPE,
    "Shape(tuple)": Form.SHAPE,
}


class Argument(NamedTuple):
    """An argument's type or tensor kind, and its default in MXNet's text, None if required."""

    type: ParameterType | TensorKind
    required: bool
    default: str | None


def parse_type(text: str, operator: str, argument: str) -> Argument:
    """Parse a type of the registry.

    A type without "required" or "optional" is required. A subgraph ("Symbol") is a pointer.
    A default of None makes a type nullable even without "or None".
    Raises RegistryError that names operator and argument for an unknown type.
    """
    whole = _WHOLE.fullmatch(text.strip())
    spelled, default = (whole["type"], whole["default"]) if whole else (text, None)
    if spelled in _TENSORS:
        return Argument(_TENSORS[spelled], required=True, default=None)
    parsed = _parameter(spelled)
    if parsed is None:
        raise RegistryError(
            f"operator {operator}: the type {text!r} of its argument {argument!r} is not in the known grammar"
        )
    if default is None:
        return Argument(parsed, required=True, default=None)
    default = _unquoted(default)
    if default == "None" and parsed.form not in (Form.STRING, Form.ENUM) and not parsed.nullable:
        parsed = _parameter(spelled, nullable=True) or parsed
    return Argument(parsed, required=False, default=default)


def _parameter(spelled: str, nullable: bool = False) -> ParameterType | None:
    """The type for MXNet's text, or None if unknown."""
    if _ENUM.fullmatch(spelled):
        return _enum(spelled)
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


def _enum(spelled: str) -> ParameterType:
    items = _CHOICE.findall(spelled)
    choices = tuple(quoted for quoted, none in items if not none)
    return ParameterType(Form.ENUM, spelled, nullable=len(choices) < len(items), choices=choices)


def _unquoted(text: str) -> str:
    """Some defaults are quoted: default='1' is 1."""
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] == "'" else text
