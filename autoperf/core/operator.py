"""Operators as registered in MXNet."""

from __future__ import annotations

import enum
import re
from typing import TypeAlias

import msgspec

Scalar: TypeAlias = bool | int | float | str | None
Value: TypeAlias = Scalar | tuple[Scalar | tuple[Scalar, ...], ...]
FRONT_END_NAMESPACE = "front_end"
COMPOSITE_NAMESPACE = "composite"
"""The namespace and category of composites, graphs of several operators that stand for one."""
UNREGISTERED_NAMESPACES = frozenset({FRONT_END_NAMESPACE, COMPOSITE_NAMESPACE})
"""The namespaces of stand-ins, which aren't registered operators."""


_AXIS = re.compile(r"(axis|axes|dim)[0-9]*|.+_axis|.+_axes")


def is_axis(name: str) -> bool:
    """Whether a parameter of this name selects axes."""
    return _AXIS.fullmatch(name) is not None


class Form(enum.Enum):
    """The type of a parameter's value."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    FLOAT = "float"
    STRING = "string"
    ENUM = "enum"
    SHAPE = "shape"
    TUPLE = "tuple"
    POINTER = "pointer"
    UNTYPED = "untyped"


class ParameterType(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parsed parameter type of MXNet's grammar; `spelled` is MXNet's text."""

    form: Form
    spelled: str
    nullable: bool = False
    minimum: int | None = None
    element: Form | None = None
    choices: tuple[str, ...] = ()


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A typed parameter; `default` is MXNet's text, None where the parameter is required."""

    name: str
    type: ParameterType
    required: bool
    default: str | None = None
    description: str = ""


class TensorKind(enum.Enum):
    """How an operator takes a tensor."""

    SINGLE = "single"
    VARIADIC = "variadic"
    AUXILIARY = "auxiliary"


class TensorArgument(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tensor (or a list of them, or an auxiliary state) that an operator takes."""

    name: str
    kind: TensorKind
    description: str = ""


class Role(enum.Enum):
    """Whether users call an operator, or backward passes do."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Operator(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operator: its canonical name, every alias, and its signature in the registry's order."""

    name: str
    role: Role
    namespace: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    tensors: tuple[TensorArgument, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    variadic_count: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical name, then the aliases."""
        return (self.name, *self.aliases)

    @property
    def variadic(self) -> bool:
        """Whether it takes a list of tensors."""
        return any(tensor.kind is TensorKind.VARIADIC for tensor in self.tensors)

    @property
    def accepts_any(self) -> bool:
        """Whether it takes undeclared parameters as text: operators of extensions, and those that Python registers."""
        undeclared = not self.parameters or self.parameter("op_type") is not None
        return self.variadic and undeclared and not self.variadic_count

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters that have no default."""
        return tuple(parameter for parameter in self.parameters if parameter.required)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


class Registry(msgspec.Struct, frozen=True):
    """A library's registered operators; `front_end` and `composites` aren't registered: found by name, not counted."""

    format: int
    mxnet: str
    library: str
    operators: tuple[Operator, ...]
    front_end: tuple[Operator, ...] = ()
    composites: tuple[Operator, ...] = ()

    @property
    def names(self) -> int:
        """The number of registered names, canonical and alias."""
        return sum(len(operator.names) for operator in self.operators)

    @property
    def forward(self) -> tuple[Operator, ...]:
        """The forward operators, sorted by name."""
        return tuple(operator for operator in self.operators if operator.role is Role.FORWARD)

    def find(self, name: str) -> Operator | None:
        """The operator registered under this name, canonical or alias, or the stand-in of that name."""
        return next((operator for operator in self.selectable if name in operator.names), None)

    @property
    def selectable(self) -> tuple[Operator, ...]:
        """The operators and the stand-ins."""
        return (*self.operators, *self.unregistered)

    @property
    def unregistered(self) -> tuple[Operator, ...]:
        """The stand-ins for operators: benchmarks of the front end, and composites."""
        return (*self.front_end, *self.composites)
