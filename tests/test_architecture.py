"""ARCHITECTURE.md names packages, files, classes and processes that exist."""

from __future__ import annotations

import re
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
    assert children == programs - {"__main__.py"}
    assert len(children) == 10
    assert "There are ten kinds of child processes" in section("Processes")
