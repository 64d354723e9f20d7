"""Names in the texts of expressions: which ones an expression uses and sets, and the same expression over others."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from typing import Any


def used_names(texts: Iterable[str]) -> set[str]:
    """The names that expressions read or set."""
    return {node.id for text in texts for node in _walk(text) if isinstance(node, ast.Name)}


def set_names(text: str) -> set[str]:
    """The names that an expression sets itself: by `:=`, in comprehensions, and as arguments of its lambdas."""
    nodes = list(_walk(text))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in nodes if isinstance(node, ast.arg)}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """An expression with other expressions in the place of its names; a name that it sets becomes another name."""
    return ast.unparse(_Renamer(names).visit(ast.parse(text.strip(), mode="eval")))


def literal(value: Any) -> str | None:
    """The value as Python source; None for a value that isn't a number, a text, None or a tuple of these."""
    if isinstance(value, tuple) and type(value) is tuple:
        parts = [literal(part) for part in value]
        return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"
    plain = value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value))
    return repr(value) if plain else None


def _walk(text: str) -> Iterable[ast.AST]:
    return ast.walk(ast.parse(text.strip(), mode="eval"))


class _Renamer(ast.NodeTransformer):
    """Replaces names; those of keyword arguments and attributes are none."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression in the place of a name."""
        text = self._names.get(node.id)
        if text is None:
            return node
        if isinstance(node.ctx, ast.Store):
            return ast.Name(text, ast.Store())
        return ast.parse(text, mode="eval").body

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """The new name of a lambda's argument."""
        return ast.arg(self._names.get(node.arg, node.arg))
