"""Calls of equal work: an equivalent operator on the same input, and the same call on the other side of a hunt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from autoperf.core.errors import UserRuleError
from autoperf.core.operator import Operator, Role
from autoperf.hunt.features import same_value
from autoperf.hunt.point import Point, PointFactory
from autoperf.rules.related_operators import RELATED, RelatedOperator
from autoperf.rules.rule import Draft

SAME_NAME = "the same operation in another namespace"
_PREFIX = re.compile(r"^_?(np|npi|npx|contrib|sparse|image)?_")


@dataclass(frozen=True)
class Equivalent:
    """Another operator that computes the same, with its parameters and the reason why its work is equal."""

    factory: PointFactory
    related: RelatedOperator

    @property
    def reason(self) -> str:
        """Why its work is equal."""
        return self.related.reason

    @property
    def words(self) -> str:
        """ "topk(k=1)"."""
        listed = ", ".join(f"{name}={value}" for name, value in self.related.params.items())
        return f"{self.factory.operator.name}({listed})" if listed else self.factory.operator.name

    def applied_to(self, point: Point) -> Point | None:
        """The equivalent operator on the same tensors, in order; None where it refuses them or does other work."""
        if any(not same_value(point.call.params.get(name, value), value) for name, value in self.related.where.items()):
            return None
        names = [tensor.name for tensor in self.factory.operator.tensors]
        drafts = [draft for name, draft in point.call.tensors.items() if name not in self.related.without]
        if len(drafts) > len(names):
            return None
        shared = {name: value for name, value in point.call.params.items() if self.factory.operator.parameter(name)}
        call = replace(
            point.call,
            tensors=dict(zip(names, map(_lasting, drafts), strict=False)),
            params={**self.related.defaults, **shared, **self.related.params},
        )
        try:
            (equivalent,) = self.factory.make([(call, point.dtype)])
        except UserRuleError:
            # The search of that operator reports the error in its rule.
            return None
        return equivalent


def _lasting(given: Draft | tuple[Draft, ...]) -> Draft | tuple[Draft, ...]:
    """The tensor, or those of a list, with its own content, whatever the other operator's rule states."""
    if isinstance(given, tuple):
        return tuple(replace(draft, by_rule=False) for draft in given)
    return replace(given, by_rule=False)


def equivalents_of(
    operator: Operator, others: Iterable[Operator], factory_of: Callable[[Operator], PointFactory | None]
) -> Iterator[Equivalent]:
    """The equivalents of an operator: of the same name in another namespace, or named by the rules."""
    plain = plain_name(operator.name)
    named = [related for alias in operator.names for related in RELATED.get(alias, ())]
    for other in others:
        if other.name == operator.name or other.role is not Role.FORWARD:
            continue
        related = next((related for related in named if related.name in other.names), None)
        if related is None and plain_name(other.name) == plain:
            related = RelatedOperator(other.name, SAME_NAME)
        if related and (factory := factory_of(other)):
            if related.reason == SAME_NAME and _is_random(factory) != _is_random(factory_of(operator)):
                # `_npi_gamma` draws from a distribution, and `gamma` is a function.
                continue
            yield Equivalent(factory, related)


def _is_random(factory: PointFactory | None) -> bool:
    return factory is not None and factory.rule.category == "random"


def plain_name(name: str) -> str:
    """The name without its namespace: `_npi_mean` is `mean`."""
    return _PREFIX.sub("", name)


@dataclass(frozen=True)
class OtherSide:
    """The other side of a hunt between two: it runs the same inputs, and is the contrast.

    `words` and `searched_words` name this side and the searched one for a reader. `takes_parameter` tests whether its
    operator has a parameter: MXNet ignores many unknown ones, and would compute something else.
    """

    factory: PointFactory
    takes_parameter: Callable[[str], bool]
    words: str
    searched_words: str

    def applied_to(self, point: Point) -> Point | None:
        """The same call on this side; None where this side refuses it or has other inputs."""
        if not all(map(self.takes_parameter, point.call.params)):
            return None
        try:
            (same,) = self.factory.make([(point.call, point.dtype)])
        except UserRuleError:
            # The search of the operator reports the error in its rule.
            return None
        return same if same and same.case.inputs == point.case.inputs else None
