"""Releases by name: how versions are spelled, where releases stand, and what is said of one that isn't there."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import LIBRARY_VARIABLE, find_library
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.releases import (
    FILE_NAME,
    INSTALLED,
    find_release,
    find_releases,
    is_version,
    normal_version,
    not_installed,
)
from autoperf.core.errors import LibraryError
from autoperf.core.files import CACHE_VARIABLE, RELEASES_VARIABLE, releases_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A releases folder with two releases in it, and what else may lie about there."""
    monkeypatch.setenv(RELEASES_VARIABLE, str(tmp_path))
    for version in ("1.10.0", "1.6.0"):
        (tmp_path / version / "mxnet").mkdir(parents=True)
        (tmp_path / version / "mxnet" / FILE_NAME).touch()
    (tmp_path / "1.7.0.post2").mkdir()
    (tmp_path / ".new-1.8.0").mkdir()
    (tmp_path / "notes").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("text", "version"),
    [("1.6.0", "1.6.0"), ("v1.6.0", "1.6.0"), ("2.0.0.beta1", "2.0.0b1"), ("2.0.0B1", "2.0.0b1"), ("1.8.0.post0",) * 2],
)
def test_versions_are_spelled_as_pip_does(text: str, version: str) -> None:
    assert normal_version(text) == version
    assert is_version(text)


@pytest.mark.parametrize("text", ["", "installed", "./1.6.0", "1.6.0/", "1", "1.6.0-cu112", "mxnet==1.6.0", "../1.6.0"])
def test_paths_and_words_are_no_versions(text: str) -> None:
    assert not is_version(text)


def test_releases_are_listed_oldest_first(folder: Path) -> None:
    assert [release.version for release in find_releases()] == ["1.6.0", "1.10.0"]
    assert find_release("1.7.0.post2") is None


def test_a_folder_that_is_not_there_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RELEASES_VARIABLE, str(tmp_path / "none"))
    assert list(find_releases()) == []


def test_releases_are_in_the_cache_unless_said_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RELEASES_VARIABLE)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert releases_folder() == tmp_path / "releases"
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert releases_folder() == tmp_path / "autoperf" / "releases"


def test_a_release_is_found_by_its_version(folder: Path) -> None:
    assert find_library("1.6.0") == (folder / "1.6.0" / "mxnet" / FILE_NAME).resolve()


def test_the_installed_package_is_a_release_too(folder: Path, library: Library) -> None:
    assert find_library("1.9.1") == library.path


def test_installed_is_the_package_whatever_the_environment_says(
    folder: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIBRARY_VARIABLE, "1.6.0")
    assert find_library() == find_library("1.6.0")
    assert find_library(INSTALLED) == library.path


def test_a_folder_that_is_called_as_a_release_is_given_by_a_path(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "1.8.0" / "mxnet").mkdir(parents=True)
    (folder / "1.8.0" / "mxnet" / FILE_NAME).touch()
    assert find_library("./1.8.0") == find_library("1.8.0")
    monkeypatch.setenv(RELEASES_VARIABLE, str(tmp_path / "other"))
    assert find_library("./1.8.0") == (folder / "1.8.0" / "mxnet" / FILE_NAME).resolve()
    with pytest.raises(LibraryError, match=r"MXNet 1\.8\.0 is not installed"):
        find_library("1.8.0")


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        ("1.7.0.post2", "run `autoperf releases install 1.7.0.post2`"),
        ("1.7.0", "did you mean 1.7.0.post2?"),
        (
            "0.5.0",
            "MXNet 0.5.0 is not installed, and not known; known releases are "
            "1.5.1.post0, 1.6.0, 1.7.0.post2, 1.8.0.post0, 1.9.1, 1.10.0, 2.0.0b1",
        ),
    ],
)
def test_what_is_not_there_says_what_to_do(folder: Path, version: str, detail: str) -> None:
    assert detail in str(not_installed(version))


def test_a_release_that_is_not_known_is_not_said_to_be_fetchable(folder: Path) -> None:
    assert "install 1.9.2" not in str(not_installed("1.9.2"))
    assert str(not_installed("1.10")).endswith("did you mean 1.10.0?"), "it is installed"
