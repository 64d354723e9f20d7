"""Evaluates expressions of implementations, in a process that has the framework."""

from __future__ import annotations

import functools
import importlib
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias, cast

from autoperf.core.case import with_lists
from autoperf.implementations.frameworks import FRAMEWORKS
from autoperf.implementations.implementation import Implementation

Names: TypeAlias = Mapping[str, Any]
VOCABULARY = "autoperf.implementations.vocabulary"


@functools.cache
def names_of(framework: str) -> Names:
    """The names in expressions: the framework's modules and the helper functions of its vocabulary."""
    spelling = FRAMEWORKS[framework]
    names: dict[str, Any] = {name: importlib.import_module(module) for name, module in spelling.modules.items()}
    vocabularies = list(map(importlib.import_module, vocabulary_of(framework)))
    names["xp"] = names[spelling.arrays]
    names["INFINITY"] = math.inf
    return names | {
        name: value for module in vocabularies for name, value in vars(module).items() if _own(value, module)
    }


def vocabulary_of(framework: str) -> tuple[str, ...]:
    """The modules whose functions are names in a framework's expressions."""
    return tuple(f"{VOCABULARY}.{name}" for name in ("parameters", "arrays", "updates", f"{framework}_names"))


def _own(value: Any, module: ModuleType) -> bool:
    return getattr(value, "__module__", "") == module.__name__


def prepared(implementation: Implementation, framework: str, tensors: Names, parameters: Names) -> dict[str, Any]:
    """The values of an expression's names: tensors (with lists), parameters, and the prepared ones, in their order."""
    values = {**parameters, **with_lists(tensors.items())}
    for name, text in implementation.prepare.items():
        values[name] = function_of(text, framework, values)()
    return values


def function_of(text: str, framework: str, values: Names) -> Callable[..., Any]:
    """A function without arguments that evaluates an expression over these values.

    The values are its defaults, thus local variables, so that a call takes as long as one that is written by hand.
    Positional arguments replace them, in the order of `values`.
    """
    arguments, scope = _defaults(framework, values)
    return eval(f"lambda {arguments}: {text}", scope)  # type: ignore[no-any-return] # noqa: S307 - the table's or the user's


def function_of_lines(source: str, framework: str, values: Names) -> Callable[..., Any]:
    """As `function_of`, of the lines of a function's body."""
    arguments, scope = _defaults(framework, values)
    exec(f"def graph({arguments}):\n{textwrap.indent(source, '    ')}", scope)  # noqa: S102 - made of expressions
    # A function among its own global names would be freed by garbage collection alone.
    return cast("Callable[..., Any]", scope.pop("graph"))


def _defaults(framework: str, values: Names) -> tuple[str, dict[str, Any]]:
    """The arguments of a function with these values as defaults, and the names around it."""
    used = [name for name in values if name.isidentifier()]
    return ", ".join(f"{name}=_values[{name!r}]" for name in used), {**names_of(framework), "_values": values}


def updated_names(implementation: Implementation, names: Sequence[str]) -> tuple[str, ...]:
    """The inputs among `names` whose new values follow the outputs."""
    return input_names(implementation.updates, names)


def input_names(entries: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The inputs among `names` that entries stand for; `data[2::3]` stands for every third of a list."""
    found: list[str] = []
    for entry in entries:
        stem, bracket, text = entry.partition("[")
        members = [name for name in names if name.partition("[")[0] == stem]
        parts = (int(part) if part else None for part in text.rstrip("]").split(":"))
        found += members[slice(*parts)] if bracket else [entry]
    return tuple(found)


def as_compared(implementation: Implementation, results: Sequence[Any], inputs: Names, parameters: Names) -> list[Any]:
    """Results as NumPy arrays in the form in which both sides are compared."""
    if not implementation.compared:
        return list(results)
    given = {**parameters, **with_lists(inputs.items())}
    return [function_of(implementation.compared, "numpy", {**given, "result": result})() for result in results]


def results_of(value: Any) -> tuple[Any, ...]:
    """The value of an expression as a sequence of results."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)
