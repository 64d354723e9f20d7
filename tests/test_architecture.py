"""The source is as ARCHITECTURE.md and its own rules say: names that exist, no cycles."""

from __future__ import annotations

import ast
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import autoperf

PACKAGE = Path(autoperf.__file__).parent
PAGE = (PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
NAMES_OF_MXNET = {"MXGradient", "Custom"}


def section(title: str) -> str:
    """The text below a heading, up to the next one."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def files(text: str) -> set[str]:
    """The modules that a text names."""
    return set(re.findall(r"\b(?:autoperf/)?([a-z_]+/[a-z_/]+\.py)\b", text))


def defines(name: str, file: str) -> bool:
    """Whether a module defines a class or a function of this name."""
    return bool(re.search(rf"^(?:class|def) {name}\b", (PACKAGE / file).read_text(encoding="utf-8"), re.MULTILINE))


def test_each_module_that_the_page_names_exists() -> None:
    assert len(files(PAGE)) > 40
    assert {name for name in files(PAGE) if not (PACKAGE / name).is_file()} == set()


def test_the_table_names_every_package() -> None:
    named = set(re.findall(r"^\| `([a-z]+)/` \|", section("Packages"), re.MULTILINE))
    assert named == {folder.parent.name for folder in PACKAGE.glob("*/__init__.py")}


@pytest.mark.parametrize(("name", "file"), re.findall(r"`([A-Za-z_]+)`\s+\(`([a-z_]+/[a-z_]+\.py)`\)", PAGE))
def test_a_module_defines_what_the_page_says_it_does(name: str, file: str) -> None:
    assert defines(name, file)


def test_each_class_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`((?:[A-Z][a-z]+)+)`", PAGE)) - NAMES_OF_MXNET
    modules = [str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")]
    assert {"RunRequest", "RunSession", "Case", "Batch", "Executor", "Outcome"} <= named
    assert {name for name in named if not any(defines(name, file) for file in modules)} == set()


def test_the_diagram_of_processes_has_every_module_that_is_started_as_a_program() -> None:
    programs = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if '\nif __name__ == "__main__":' in path.read_text(encoding="utf-8")
    }
    drawn = re.findall(r"^    (?:\|   )?\+-- (.*)", section("Processes"), re.MULTILINE)
    children = {file for line in drawn if not line.startswith("fork ") for file in files(line)}
    assert children == programs - {"__main__.py", "processes/start.py"}


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


EVERYWHERE = {"autoperf", "msgspec", "numpy", "psutil"}
"""What any package may import, beside the standard library."""


def test_every_other_library_is_for_the_packages_that_the_contract_names() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")
    contracts = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (named,) = (set(one["forbidden_modules"]) for one in contracts if one.get("source_modules") == ["autoperf"])
    libraries = {name.partition(".")[0] for path in modules(PACKAGE).values() for name in imported(path)}
    assert libraries - named - EVERYWHERE - sys.stdlib_module_names - {"__future__"} == set()


MODULES = sorted(PACKAGE.rglob("*.py"))
RESERVED = ("MOST_", "LEAST_")


def test_limits_are_called_max_and_min() -> None:
    reserved = re.compile(rf"\b_?(?:{'|'.join(RESERVED)})\w*")
    names = {str(path): reserved.findall(path.read_text(encoding="utf-8")) for path in MODULES}
    assert {name: found for name, found in names.items() if found} == {}
