"""Finds libmxnet.so of a release, of the installed package, or at a path."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

from autoperf.backends.releases import (
    FILE_NAME,
    INSTALLED,
    find_release,
    find_releases,
    is_version,
    normal_version,
    not_installed,
    versions_beside,
)
from autoperf.core.errors import LibraryError

LIBRARY_VARIABLE = "AUTOPERF_MXNET"


def find_library(hint: str | None = None) -> Path:
    """The path of libmxnet.so: from `hint`, else $AUTOPERF_MXNET, else the default release.

    The default is the installed `mxnet` package, or else the only release from `autoperf releases install`.

    A hint is a release (`1.6.0`: the installed package if its version matches, else one from `autoperf releases
    install`), `installed`, the file, or a directory with it or with `mxnet/`. The package is never imported. Raises
    LibraryError with the remedy.
    """
    name = hint or os.environ.get(LIBRARY_VARIABLE)
    if not name:
        return _default_library()
    if name == INSTALLED:
        return _installed_library()
    if is_version(name):
        return _release_library(normal_version(name))
    return _library_at(name, "given" if hint else f"in {LIBRARY_VARIABLE}")


def _library_at(text: str, origin: str) -> Path:
    """The library at a path; `origin` says in messages where the path is from."""
    advice = f"name {FILE_NAME}, its folder, or a release (`autoperf releases list` shows them)"
    try:
        path = Path(text).expanduser()
        path.stat()
        library = _library_in([path])
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LibraryError(f"the path {origin}, {text!r}, has no {FILE_NAME}: {reason}; {advice}") from None
    if library is None:
        raise LibraryError(f"the path {origin}, {text!r}, has no {FILE_NAME}, nor a folder mxnet with it; {advice}")
    return library


def _default_library() -> Path:
    if _package_folders():
        return _installed_library()
    releases = list(find_releases())
    if len(releases) > 1:
        names = ", ".join(release.version for release in releases)
        raise LibraryError(
            f"which MXNet? {names} are installed side by side; name one: --mxnet {releases[-1].version}, "
            f"or set {LIBRARY_VARIABLE}"
        )
    return releases[0].library if releases else _installed_library()


def _package_folders() -> list[Path]:
    spec = importlib.util.find_spec("mxnet")
    return [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []


def _installed_library() -> Path:
    folders = _package_folders()
    if not folders:
        raise LibraryError(
            "the package mxnet is not installed for this Python; run `autoperf releases install 1.9.1` "
            "or `pip install 'mxnet>=1.9.1,<2'`, "
            f"or name your own build: --mxnet PATH, or {LIBRARY_VARIABLE}=PATH"
        )
    library = _library_in(folders)
    if library is None:
        raise LibraryError(
            f"the package mxnet in {folders[0]} has no {FILE_NAME}; reinstall with "
            "`pip install --force-reinstall --no-deps mxnet`, "
            f"or set {LIBRARY_VARIABLE} to the path of {FILE_NAME}"
        )
    return library


def _release_library(version: str) -> Path:
    with contextlib.suppress(LibraryError):
        library = _installed_library()
        if version in versions_beside(library):
            return library
    release = find_release(version)
    if release is None:
        raise not_installed(version)
    return release.library


def _library_in(paths: Sequence[Path]) -> Path | None:
    """The first library among these paths, directly or in `mxnet/`."""
    for path in paths:
        for candidate in (path, path / FILE_NAME, path / "mxnet" / FILE_NAME):
            with contextlib.suppress(OSError):
                if candidate.is_file():
                    return candidate.resolve()
    return None
