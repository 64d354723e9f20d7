"""All composites, collected from the modules of this package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType

from autoperf.core.errors import RuleError
from autoperf.core.graph import STATIC_FLAGS
from autoperf.core.operator import COMPOSITE_NAMESPACE, Form, Operator, Parameter, ParameterType, Registry, Role
from autoperf.rules import composites
from autoperf.rules.rule import Rule

NOT_COMPOSITES = frozenset({"catalog", "composite", "graph_builder"})
_FLAGS = tuple(Parameter(name, ParameterType(Form.BOOLEAN, "boolean"), required=False) for name in sorted(STATIC_FLAGS))


def composite_modules() -> Iterator[ModuleType]:
    """The modules of families, in the order of their names."""
    for info in sorted(pkgutil.iter_modules(composites.__path__), key=lambda info: info.name):
        if info.name not in NOT_COMPOSITES:
            yield importlib.import_module(f"{composites.__name__}.{info.name}")


def stand_ins(rules: Iterable[Rule], registry: Registry) -> Iterator[Operator]:
    """Operators that stand for the composites among these rules in selections, measurements and reports.

    Raises RuleError for a composite with the name of an operator.
    """
    registered = {name for operator in registry.operators for name in operator.names}
    names = {name: rule for rule in rules if rule.category == COMPOSITE_NAMESPACE for name in rule.names}
    for name, rule in names.items():
        if name in registered:
            raise RuleError(
                f"{rule.source}: invalid composite {name!r}: expected a name that no operator of MXNet "
                f"{registry.mxnet} has"
            )
        yield Operator(name, Role.FORWARD, COMPOSITE_NAMESPACE, parameters=_FLAGS)
