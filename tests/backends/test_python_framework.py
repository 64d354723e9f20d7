"""The interpreters of other frameworks: which one is meant, and what one lacks."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from autoperf.backends.lookup import FrameworkChoice, backend_of, framework_of, parse_framework
from autoperf.backends.python_framework import describe, find_interpreter
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.files import FRAMEWORKS_VARIABLE


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
    with pytest.raises(LibraryError, match=r"its answer isn't that of Python; name one with PyTorch$"):
        describe(Path("/bin/true"), "torch", "PyTorch")


def test_an_interpreter_that_hangs_is_told_without_the_code_that_asks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autoperf.processes.child_process.PATIENCE", 0.1)
    hanging = tmp_path / "python"
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o755)
    with pytest.raises(LibraryError, match=r"can be used: no answer within 0\.1 s; name one with PyTorch$"):
        describe(hanging, "torch", "PyTorch")


@pytest.mark.parametrize(
    ("text", "choice", "names_code"),
    [
        ("torch", FrameworkChoice("torch"), False),
        ("torch@2.13.0", FrameworkChoice("torch", "2.13.0"), False),
        ("torch:compile@2.13.0", FrameworkChoice("torch:compile", "2.13.0"), False),
        ("jax:jit=/env/bin/python", FrameworkChoice("jax:jit", "/env/bin/python"), True),
        ("torch=/env/bin/python", FrameworkChoice("torch", "/env/bin/python"), True),
        ("a.module:BACKEND", FrameworkChoice("a.module:BACKEND"), True),
    ],
)
def test_a_framework_is_named_by_version_or_path(text: str, choice: FrameworkChoice, names_code: bool) -> None:
    assert parse_framework(text) == choice
    assert (str(choice), choice.names_code) == (text, names_code)


def test_a_way_is_a_backend_of_its_own_with_the_interpreter_of_its_framework(frameworks: Path) -> None:
    python = environment(frameworks / "torch", "2.13.0+cpu")
    backend = backend_of("torch:compile")
    assert (backend.name, backend.title, framework_of(backend.name)) == ("torch:compile", "torch.compile", "torch")
    assert (backend.find("2.13.0"), backend.version(python)) == (python, "2.13.0+cpu")


@pytest.mark.parametrize("name", ["torch:jit", "numpy:compile", "mxnet:x", "jax:"])
def test_an_unknown_way_is_refused_with_those_that_exist(name: str) -> None:
    with pytest.raises(UsageError, match=r"^unknown way .*: the compiled ways are torch:compile, jax:jit$"):
        backend_of(name)


def test_a_way_without_its_compiler_says_so(tmp_path: Path) -> None:
    backend_of("torch").check({"PATH": str(tmp_path)})
    with pytest.raises(UsageError, match=r"--framework torch:compile needs a C\+\+ compiler, and there is no clang-0;"):
        backend_of("torch:compile").check({"PATH": str(tmp_path), "CXX": "clang-0"})


def test_the_processes_of_a_side_share_compiled_kernels_and_runs_dont(tmp_path: Path) -> None:
    backend = backend_of("torch:compile")
    assert backend.variables("worker", tmp_path)["TORCHINDUCTOR_CACHE_DIR"] == str(tmp_path / "kernels")
    assert not backend_of("torch").variables("worker", tmp_path).keys() & {"TORCHINDUCTOR_CACHE_DIR"}


@pytest.mark.parametrize("text", ["", "torch@", "torch=", "@2.13.0"])
def test_an_empty_part_of_a_framework_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME, NAME@VERSION or NAME=PATH"):
        parse_framework(text)
