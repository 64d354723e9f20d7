"""Checks of lines that a user wrote: syntax, frameworks, and the names in the expressions."""

from __future__ import annotations

import ast
import builtins
import importlib.util
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.equality.comparison import TOLERANCES
from autoperf.implementations.expressions import vocabulary_of
from autoperf.implementations.frameworks import FRAMEWORKS
from autoperf.implementations.implementation import TableLine
from autoperf.implementations.lookup import CONDITION_BUILTINS

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
    return frozenset(name for module in vocabulary_of(framework) for name in _functions(module))


def _functions(module: str) -> Iterator[str]:
    found = importlib.util.find_spec(module)
    if found and found.origin:
        tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
        yield from (node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def _require_known(source: str, kind: str, name: str, known: Collection[str] | Mapping[str, object]) -> None:
    if name not in known:
        raise RuleError(f"{source}: {UnknownNameError(kind, name, known)}")
