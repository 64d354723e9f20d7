"""Expressions of implementations: evaluated in a process that has the framework, and checked in a user's lines."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.util
import math
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec

from autoperf.core.case import with_lists
from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.equality.comparison import TOLERANCES
from autoperf.implementations.implementation import FRAMEWORKS, Implementation, TableLine
from autoperf.implementations.lookup import CONDITION_BUILTINS

Names: TypeAlias = Mapping[str, Any]
VOCABULARY = "autoperf.implementations.vocabulary"


@functools.cache
def names_of(framework: str) -> Names:
    """The names in expressions: the framework's modules and the helper functions of its vocabulary."""
    spelling = FRAMEWORKS[framework]
    names: dict[str, Any] = {name: importlib.import_module(module) for name, module in spelling.modules.items()}
    names |= {"xp": names[spelling.arrays], "INFINITY": math.inf}
    for module in map(importlib.import_module, vocabulary_of(framework)):
        own = (item for item in vars(module).items() if getattr(item[1], "__module__", "") == module.__name__)
        names.update(own)
    return names


def vocabulary_of(framework: str) -> tuple[str, ...]:
    """The modules whose functions are names in a framework's expressions."""
    return tuple(f"{VOCABULARY}.{name}" for name in ("parameters", "arrays", "updates", f"{framework}_names"))


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
    used = [name for name in values if name.isidentifier()]
    return ", ".join(f"{name}=_values[{name!r}]" for name in used), {**names_of(framework), "_values": values}


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


WHEN, COMPARED = "when", "compared"
SHOWN_CHARACTERS = 200
_VALUES = frozenset({"training", "outputs"})


class UserLine(msgspec.Struct, frozen=True):
    """A line of a user's file: its place, and the names that its expressions read, by framework or field."""

    line: TableLine
    source: str
    names: dict[str, tuple[str, ...]]


def checked_line(line: TableLine, source: str) -> UserLine:
    """The line as plain values. Raises RuleError for one that no framework can use."""
    try:
        plain = msgspec.convert(msgspec.to_builtins(line), TableLine)
    except (msgspec.ValidationError, TypeError) as error:
        raise RuleError(f"{source}: a value that no line may have: {error}") from error
    if not (plain.operators and plain.expressions):
        raise RuleError(f"{source}: a line needs operators, and an expression for one of {', '.join(FRAMEWORKS)}")
    for name in (*plain.expressions, *plain.undifferentiated):
        _require_known(source, "framework", name, FRAMEWORKS)
    if plain.shared.precision:
        _require_known(source, "precision", plain.shared.precision, TOLERANCES)
    return UserLine(plain, source, dict(_names(plain, source)))


def _names(line: TableLine, source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names that each framework's expressions read, and those of `when` and `compared`."""
    for framework, expression in line.expressions.items():
        names = list(free_names(expression, source))
        for text in line.implementation(framework, "").prepare.values():
            names += free_names(text, source)
        yield framework, tuple(sorted({*names} - set(line.shared.prepare)))
    for field, text in ((WHEN, line.when), (COMPARED, line.shared.compared)):
        if text:
            yield field, tuple(sorted(free_names(text, source)))


def free_names(text: str, source: str = "") -> set[str]:
    """The names that an expression reads and doesn't set itself. Raises RuleError for invalid syntax."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or "it is nested too deeply"
        shown = repr(text) if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]!r}..."
        raise RuleError(f"{source}: invalid expression {shown}: {reason}") from None
    nodes = list(ast.walk(tree))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - own


def check_names(entry: UserLine, operator: str, own: Collection[str]) -> None:
    """Raises RuleError for a name that is none of the operator's `own` inputs and parameters, nor of the framework."""
    for part, names in entry.names.items():
        known = {*own, *_VALUES, *known_names(part)}
        place = f"the {FRAMEWORKS[part].title} expression" if part in FRAMEWORKS else part
        for name in names:
            _require_known(entry.source, f"name in {place} of {operator}", name, known)


@cache
def known_names(part: str) -> frozenset[str]:
    """The names that the expressions of a framework, a condition, or the form of results may use."""
    if part == WHEN:
        return frozenset(CONDITION_BUILTINS)
    if part == COMPARED:
        return known_names("numpy") | {"result"}
    return frozenset((*FRAMEWORKS[part].modules, "xp", "INFINITY", *helpers(part), *dir(builtins)))


@cache
def helpers(framework: str) -> frozenset[str]:
    """The functions of a framework's vocabulary, read from their source: the framework needn't be installed."""
    found = map(importlib.util.find_spec, vocabulary_of(framework))
    files = (Path(each.origin) for each in found if each and each.origin)
    nodes = (node for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body)
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def _require_known(source: str, kind: str, name: str, known: Collection[str] | Mapping[str, object]) -> None:
    if name not in known:
        raise RuleError(f"{source}: {UnknownNameError(kind, name, known)}")
