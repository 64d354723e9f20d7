"""The interpreters of other frameworks: which one is meant, and what one lacks."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from autoperf.backends.lookup import FrameworkChoice, parse_framework
from autoperf.backends.python_framework import describe, find_interpreter
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.paths import FRAMEWORKS_VARIABLE


def environment(folder: Path, version: str, facts: Mapping[str, object] = {}) -> Path:
    """An environment whose interpreter says that it has this version of a framework."""
    python = folder / version / "bin" / "python"
    python.parent.mkdir(parents=True)
    said = json.dumps({"version": version, "missing": [], "python": [3, 11]} | facts)
    python.write_text(f"#!/bin/sh\necho '{said}'\n")
    python.chmod(0o755)
    return python


@pytest.fixture
def frameworks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FRAMEWORKS_VARIABLE, str(tmp_path))
    return tmp_path


def test_a_version_is_found_with_and_without_its_local_part(frameworks: Path) -> None:
    older, newer = (environment(frameworks / "torch", version) for version in ("2.9.0+cpu", "2.13.0+cpu"))
    assert find_interpreter("torch", "PyTorch", None) == newer
    assert find_interpreter("torch", "PyTorch", "2.9.0") == find_interpreter("torch", "PyTorch", "2.9.0+cpu") == older


def test_one_that_is_not_installed_is_told_with_the_command(frameworks: Path) -> None:
    with pytest.raises(
        LibraryError, match=r"PyTorch 2\.13\.0 is not installed; run `autoperf frameworks install torch@2"
    ):
        find_interpreter("torch", "PyTorch", "2.13.0")


def test_a_path_is_an_interpreter_or_the_folder_of_one(tmp_path: Path) -> None:
    python = environment(tmp_path, "env")
    assert find_interpreter("torch", "PyTorch", str(python)) == python
    assert find_interpreter("torch", "PyTorch", str(tmp_path / "env")) == python
    with pytest.raises(LibraryError, match="is no Python interpreter, nor the folder of an environment"):
        find_interpreter("torch", "PyTorch", str(tmp_path / "none"))


def test_this_python_has_numpy() -> None:
    own = Path(sys.executable)
    assert find_interpreter("numpy", "NumPy", None) == own
    assert describe(own, "numpy", "NumPy").version


def test_what_an_interpreter_lacks_is_told_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=r"has no PyTorch; run `.*python -m pip install torch`"):
        describe(environment(tmp_path, "a", {"version": ""}), "torch", "PyTorch")
    with pytest.raises(LibraryError, match=r"lacks msgspec psutil; run `.*python -m pip install msgspec psutil`"):
        describe(environment(tmp_path, "b", {"missing": ["msgspec", "psutil"]}), "torch", "PyTorch")
    with pytest.raises(LibraryError, match="is no Python that can be used"):
        describe(Path("/bin/false"), "torch", "PyTorch")


@pytest.mark.parametrize(
    ("text", "choice", "names_code"),
    [
        ("torch", FrameworkChoice("torch"), False),
        ("torch@2.13.0", FrameworkChoice("torch", "2.13.0"), False),
        ("torch=/env/bin/python", FrameworkChoice("torch", "/env/bin/python"), True),
        ("a.module:BACKEND", FrameworkChoice("a.module:BACKEND"), True),
    ],
)
def test_a_framework_is_named_by_version_or_path(text: str, choice: FrameworkChoice, names_code: bool) -> None:
    assert parse_framework(text) == choice
    assert (str(choice), choice.names_code) == (text, names_code)


@pytest.mark.parametrize("text", ["", "torch@", "torch=", "@2.13.0"])
def test_an_empty_part_of_a_framework_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME, NAME@VERSION or NAME=PATH"):
        parse_framework(text)
