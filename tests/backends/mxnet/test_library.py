"""Finding, opening and asking libmxnet.so, and importing MXNet's Python package."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from autoperf.backends.mxnet.backend import LIBRARY_VARIABLE, find_library
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.library import Library, loading_problem, open_library, package_version
from autoperf.backends.releases import FILE_NAME
from autoperf.core.errors import EngineError, LibraryError
from autoperf.core.files import RELEASES_VARIABLE


def test_the_installed_package_is_found_without_importing_it(library: Library) -> None:
    assert library.path.name == FILE_NAME
    assert "mxnet" not in sys.modules


def test_a_hint_may_be_the_file_or_a_directory_above_it(library: Library) -> None:
    for place in (library.path, library.path.parent, library.path.parent.parent):
        assert find_library(str(place)) == library.path


def test_the_variable_is_used(library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"")
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path))
    assert find_library() == (tmp_path / FILE_NAME).resolve()
    assert find_library(str(library.path)) == library.path


def test_a_place_without_the_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever names a wrong path isn't told to install anything anew."""
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "none"))
    for hint, words in (
        (
            str(tmp_path),
            rf"given, '{tmp_path}', has no libmxnet\.so, nor a.*autoperf releases list",
        ),
        (
            str(tmp_path / "x"),
            r"given, '.*x', has no libmxnet\.so: No such file or directory; name libmxnet\.so",
        ),
        (None, r"the path in AUTOPERF_MXNET, '.*none', has no libmxnet\.so: No such file or directory"),
        ("~nobody-here/mxnet", "the path given, '~nobody-here/mxnet', has .*home"),
        ("a\0b", "null"),
    ):
        with pytest.raises(LibraryError, match=words) as caught:
            find_library(hint)
        assert "reinstall" not in str(caught.value)


def test_a_broken_package_is_to_be_installed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").touch()
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(LibraryError, match=rf"the package mxnet in {tmp_path}.* has no libmxnet\.so; reinstall"):
        find_library()


@pytest.fixture
def without_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python without the package `mxnet`, and its releases folder."""
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    monkeypatch.setenv(RELEASES_VARIABLE, str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    return tmp_path


def _keep(folder: Path, version: str) -> Path:
    library = folder / version / "mxnet" / FILE_NAME
    library.parent.mkdir(parents=True)
    library.touch()
    return library


@pytest.mark.parametrize("hint", [None, "installed"])
def test_a_missing_package_says_what_to_install(hint: str | None, without_package: Path) -> None:
    what = r"not installed.*`autoperf releases install 1\.9\.1` or `pip install 'mxnet>=1\.9\.1,<2'`.*--mxnet PATH"
    with pytest.raises(LibraryError, match=what):
        find_library(hint)


def test_without_the_package_the_only_release_is_the_default(without_package: Path) -> None:
    library = _keep(without_package, "1.9.1")
    assert find_library() == library
    with pytest.raises(LibraryError, match="package mxnet is not installed"):
        find_library("installed")


def test_of_several_releases_one_is_to_be_named(without_package: Path) -> None:
    _keep(without_package, "2.0.0b1")
    _keep(without_package, "1.9.1")
    with pytest.raises(
        LibraryError, match=r"1\.9\.1, 2\.0\.0b1 are installed side by side; name one: --mxnet 2\.0\.0b1"
    ):
        find_library()


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / FILE_NAME
    broken.write_bytes(b"not ELF")
    with pytest.raises(LibraryError, match="can't be loaded"):
        open_library(broken)


@pytest.mark.parametrize(
    ("missing", "advice"),
    [
        ("libgomp.so.1", "apt-get install libgomp1"),
        ("libquadmath.so.0", "apt-get install libquadmath0"),
        ("libcudart.so.11.0", "CUDA build"),
        ("libsomething.so.2", "which is not installed"),
    ],
)
def test_a_missing_system_library_names_the_package(missing: str, advice: str) -> None:
    message = f"{missing}: cannot open shared object file: No such file or directory"
    assert advice in loading_problem(message, Path("/somewhere/libmxnet.so"))


def test_a_library_for_which_the_memory_limit_is_too_low_names_the_limit() -> None:
    problem = loading_problem("libmxnet.so: failed to map segment from shared object", Path("/somewhere/libmxnet.so"))
    assert problem.endswith("raise --memory-limit, or the limit of address space (`ulimit -v`)")


def test_the_release_is_known(library: Library) -> None:
    assert library.version == "1.9.1"
    assert library.number == 10901


@pytest.mark.parametrize(
    ("directory", "text", "expected"),
    [
        ("mxnet-2.0.0b1.dist-info", "", "2.0.0b1"),
        ("mxnet-1.9.1.dist-info", '__version__ = "2.0.0beta1"', "2.0.0b1"),
        ("other", '__version__ = "1.9.1"', "2.0.0"),
        ("other", "", "2.0.0"),
    ],
)
def test_a_prerelease_is_read_from_the_package(tmp_path: Path, directory: str, text: str, expected: str) -> None:
    (tmp_path / directory).mkdir()
    (tmp_path / "mxnet").mkdir()
    if text:
        (tmp_path / "mxnet" / "libinfo.py").write_text(text)
    assert package_version(tmp_path / "mxnet" / FILE_NAME, 20000) == expected


def test_features_and_names(library: Library) -> None:
    features = library.features()
    assert features["CUDA"] is False
    assert features["CPU_SSE"] is True
    assert len(library.operator_names()) == 1167


def test_aliases_share_a_handle(library: Library) -> None:
    assert library.operator("elemwise_add") == library.operator("_plus")


def test_an_unregistered_name_is_an_error(library: Library) -> None:
    with pytest.raises(EngineError, match="nope is not registered"):
        library.operator("nope")


def test_np_shape_is_set_and_given_back(library: Library) -> None:
    before = library.set_np_shape(1)
    assert (before, library.np_shape()) == (0, 1)
    assert library.set_np_shape(before) == 1


@pytest.fixture
def lone_library(tmp_path: Path) -> Path:
    """A library beside a package that can't be imported."""
    folder = tmp_path / "autoperf_broken_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AttributeError('no such dtype')\n")
    return folder / "libmxnet.so"


def test_a_package_that_fails_is_told_with_its_error(lone_library: Path) -> None:
    with pytest.raises(EngineError, match=r"can't be imported: AttributeError: no such dtype$"):
        front_end(lone_library)


def test_a_numpy_that_is_too_new_is_told(lone_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "__version__", "2.1.0")
    with pytest.raises(EngineError, match=r"dtype; NumPy 2\.1\.0 is too new for it: run `pip install 'numpy<2'`$"):
        front_end(lone_library)
