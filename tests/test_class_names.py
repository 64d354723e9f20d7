"""The house's names: no two classes share one, and no module is named after an activity."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "autoperf"
MODULES = sorted(PACKAGE.rglob("*.py"))
RESERVED = ("MOST_", "LEAST_")


def classes() -> dict[str, list[str]]:
    """Where each class of the package is defined, by its name without a leading underscore."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    return places


def test_no_two_classes_share_a_name() -> None:
    assert {name: places for name, places in classes().items() if len(places) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_limits_are_called_max_and_min(path: Path) -> None:
    names = {node.id for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)}
    assert not [name for name in names if name.lstrip("_").startswith(RESERVED)]
