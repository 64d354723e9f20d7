"""Operators that compute the like of each other: under another namespace's name, or by what rules know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from autoperf.core.errors import UserRuleError
from autoperf.core.operator import Operator, Role, Value
from autoperf.hunt.point import Point, PointFactory
from autoperf.rules.related import RELATED

_PREFIX = re.compile(r"^_?(np|npi|npx|contrib|sparse|image)?_")


@dataclass(frozen=True)
class Equivalent:
    """Another operator, and the parameters that it needs beside the shared ones."""

    maker: PointFactory
    params: Mapping[str, Value]

    @property
    def words(self) -> str:
        """ "topk(k=1)"."""
        listed = ", ".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.maker.operator.name}({listed})" if listed else self.maker.operator.name

    def like(self, point: Point) -> Point | None:
        """The operator over the same tensors, in their order; None where it doesn't take them."""
        names = [tensor.name for tensor in self.maker.operator.tensors]
        given = list(point.call.tensors.values())
        if len(given) > len(names):
            return None
        shared = {name: value for name, value in point.call.params.items() if self.maker.operator.parameter(name)}
        call = replace(
            point.call,
            tensors=dict(zip(names, given, strict=False)),
            params={**shared, **self.params},
        )
        try:
            (made,) = self.maker.make([(call, point.dtype)])
        except UserRuleError:
            # Its own search tells what is wrong with its rule.
            return None
        return made


def equivalents_of(
    operator: Operator, others: Iterable[Operator], make: Callable[[Operator], PointFactory | None]
) -> Iterator[Equivalent]:
    """The operator's kin among others: those of the same name in another namespace, and those that rules name."""
    own = _plain(operator.name)
    known = {name: params for own_name in operator.names for name, params in RELATED.get(own_name, ())}
    for other in others:
        if other.name == operator.name or other.role is not Role.FORWARD:
            continue
        named = next((params for name, params in known.items() if name in other.names), None)
        if (named is not None or _plain(other.name) == own) and (maker := make(other)):
            yield Equivalent(maker, named or {})


def _plain(name: str) -> str:
    """The name without its namespace: `_npi_mean` is `mean`."""
    return _PREFIX.sub("", name)
