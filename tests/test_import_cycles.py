"""No module of the package imports itself by way of others, be it at its top, in a function, or for its types alone."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import autoperf

PACKAGE = Path(autoperf.__file__).parent


def modules(folder: Path) -> dict[str, Path]:
    """The package's files by their modules' names."""
    names = {path: path.relative_to(folder.parent).with_suffix("").parts for path in folder.rglob("*.py")}
    return {".".join(parts).removesuffix(".__init__"): path for path, parts in names.items()}


def imported(path: Path) -> set[str]:
    """Every name that an import statement of this file may mean, wherever it stands: TYPE_CHECKING is no exception."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def cycle(folder: Path) -> list[str]:
    """Modules that import each other in a circle; empty if there are none."""
    known = modules(folder)
    graph = {name: (imported(path) & known.keys()) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        names: list[str] = error.args[1]
        return names
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert len(modules(PACKAGE)) > 100
    assert cycle(PACKAGE) == []


@pytest.mark.parametrize(
    "deferred", ["def f():\n    import toy.b", "if TYPE_CHECKING:\n    from toy.b import x", "from toy import b"]
)
def test_a_cycle_is_seen_wherever_the_import_stands(tmp_path: Path, deferred: str) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "a.py").write_text(deferred, encoding="utf-8")
    (folder / "b.py").write_text("from toy.a import f\n", encoding="utf-8")
    assert set(cycle(folder)) == {"toy.a", "toy.b"}
