"""Names: no two classes share one, and limits are called MAX_ and MIN_."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

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


def test_limits_are_called_max_and_min() -> None:
    reserved = re.compile(rf"\b_?(?:{'|'.join(RESERVED)})\w*")
    names = {str(path): reserved.findall(path.read_text(encoding="utf-8")) for path in MODULES}
    assert {name: found for name, found in names.items() if found} == {}
