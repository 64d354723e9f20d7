"""Environments of other frameworks: made, tested, listed and removed, by a stand-in for venv and pip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.files import FRAMEWORKS_VARIABLE
from autoperf.machine import releases as installed_frameworks
from autoperf.machine.releases import install_framework, remove_framework
from tests.backends.test_python_framework import environment

ASKED: list[tuple[Sequence[str], str]] = []


@pytest.fixture(autouse=True)
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the environments, of which each new one says that it has version 2.13.0+cpu."""
    ASKED.clear()

    def make(folder: Path, requirements: Sequence[str], index: str) -> None:
        ASKED.append((requirements, index))
        environment(folder.parent, folder.name, {"version": "2.13.0+cpu"})

    monkeypatch.setenv(FRAMEWORKS_VARIABLE, str(tmp_path))
    monkeypatch.setattr(installed_frameworks, "make_environment", make)
    return tmp_path / "torch"


def silent(_line: str) -> None:
    """No progress."""


def test_pytorch_is_installed_without_cuda_once(made: Path) -> None:
    installed = install_framework("torch", silent)
    assert installed
    assert (installed.title, installed.version) == ("PyTorch", "2.13.0+cpu")
    assert ASKED == [(("torch==2.13.0+cpu", "msgspec", "numpy", "psutil"), "https://download.pytorch.org/whl/cpu")]
    assert (made / "2.13.0+cpu" / "bin" / "python").is_file()
    assert install_framework("torch@2.13.0", silent) is None
    assert len(ASKED) == 1


def test_a_version_is_asked_for_with_its_local_part() -> None:
    install_framework("torch@2.9.0", silent)
    assert ASKED[0][0][0] == "torch==2.9.0+cpu"


def test_an_environment_that_can_not_be_used_is_not_kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, _requirements: Sequence[str], _index: str) -> None:
        environment(folder.parent, folder.name, {"version": ""})

    monkeypatch.setattr(installed_frameworks, "make_environment", fail)
    with pytest.raises(LibraryError, match="has no PyTorch"):
        install_framework("torch", silent)
    assert [path.name for path in made.iterdir()] == [".lock-all"]


def test_a_version_is_removed_and_another_one_refused(made: Path) -> None:
    install_framework("torch", silent)
    with pytest.raises(LibraryError, match=r"torch@2\.9\.0 is not in .*; name a version that is: torch@2\.13\.0\+cpu"):
        remove_framework("torch@2.9.0", silent)
    assert remove_framework("torch@2.13.0", silent).version == "2.13.0+cpu"
    assert not (made / "2.13.0+cpu").exists()


@pytest.mark.parametrize("text", ["mxnet", "tensorflow", "torch=/usr/bin/python"])
def test_what_can_not_be_installed_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        install_framework(text, silent)
