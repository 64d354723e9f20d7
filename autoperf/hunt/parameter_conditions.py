"""Conditions on parameters: a value, another value than the default, or the default."""

from __future__ import annotations

from dataclasses import dataclass

from autoperf.core.operator import Value
from autoperf.hunt.features import number_of
from autoperf.hunt.point import Point, TypedCall
from autoperf.hunt.tensors import with_param, without


@dataclass(frozen=True)
class ParameterIs:
    """A parameter has this value."""

    parameter: str
    value: Value

    @property
    def words(self) -> str:
        """ "mode=3"."""
        return f"{self.parameter}={self.value}"

    def holds(self, point: Point) -> bool:
        """Whether it has the value."""
        return same_value(point.call.params.get(self.parameter), self.value)

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with the value."""
        return [(with_param(point.call, self.parameter, self.value), point.dtype)]

    def outside(self, point: Point) -> list[TypedCall]:
        """The input without the parameter."""
        return [(without(point.call, self.parameter), point.dtype)]


@dataclass(frozen=True)
class ParameterGiven:
    """A parameter has another value than its default; `value` is such a value, `default` None where there is none."""

    parameter: str
    value: Value
    default: str | None

    @property
    def words(self) -> str:
        """ "temperature other than 1", "use_length=True"."""
        if self.default in (None, "None"):
            return f"{self.parameter} is given"
        if isinstance(self.value, bool):
            return f"{self.parameter}={self.value}"
        return f"{self.parameter} other than {self.default}"

    def holds(self, point: Point) -> bool:
        """Whether it is given and isn't the default."""
        value = point.call.params.get(self.parameter)
        return value is not None and not same_value(value, self.default)

    def inside(self, point: Point) -> list[TypedCall]:
        """The input itself where it has another value, else with the known one."""
        value = point.call.params.get(self.parameter) if self.holds(point) else self.value
        return [(with_param(point.call, self.parameter, value), point.dtype)]

    def outside(self, point: Point) -> list[TypedCall]:
        """The input without the parameter."""
        return [(without(point.call, self.parameter), point.dtype)]


@dataclass(frozen=True)
class ParameterLeft:
    """A parameter has its default; `value` is another value that it takes, `default` None where there is none."""

    parameter: str
    value: Value
    default: str | None

    @property
    def words(self) -> str:
        """ "temperature is not given", "use_length=False", "eps=0.001"."""
        return f"{self.parameter} is not given" if self.default in (None, "None") else f"{self.parameter}={self._plain}"

    @property
    def _plain(self) -> str | None:
        return str(self.default in ("1", "True")) if isinstance(self.value, bool) else self.default

    def holds(self, point: Point) -> bool:
        """Whether it is the default, or isn't given."""
        value = point.call.params.get(self.parameter)
        return value is None or same_value(value, self.default)

    def inside(self, point: Point) -> list[TypedCall]:
        """The input without the parameter."""
        return [(without(point.call, self.parameter), point.dtype)]

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with the other value."""
        return [(with_param(point.call, self.parameter, self.value), point.dtype)]


def same_value(first: object, second: object) -> bool:
    """Whether two values are equal as numbers or as texts: MXNet's defaults are texts."""
    numbers = number_of(first), number_of(second)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return str(first) == str(second) or {str(first), str(second)} in ({"True", "1"}, {"False", "0"})
