"""MXNet without its library: where it is, and how it is chosen."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autoperf.backends.mxnet.capi.front_end import has_front_end
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.backends.mxnet.trial import VARIABLES as LOGGED
from autoperf.backends.protocol import ChildKind, Engine, Introspection
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
from autoperf.backends.user_code import extensions
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.releases import check_numpy
from autoperf.registry.names import OTHER_NAMES

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


# Otherwise fall-backs of sparse storage log a warning for each case. The trial reads it.
QUIET = {"MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
# Memory depends on how far the front end runs ahead of the engine: here each operator ends before the next begins, in
# the thread that calls it, where its instructions are counted.
SEQUENTIAL = {"MXNET_ENGINE_TYPE": "NaiveEngine"}
_THREADS = ("OMP_NUM_THREADS", "MXNET_CPU_WORKER_NTHREADS")


class MXNetBackend:
    """MXNet."""

    name = "mxnet"
    title = "MXNet"
    follows = ""
    profiled = True
    countable = True
    differentiates = True
    # OpenMP threads don't survive a fork, and nothing is timed there.
    in_forks: Mapping[str, str] = {"OMP_NUM_THREADS": "1", "MXNET_USE_OPERATOR_TUNING": "0"}

    @property
    def code(self) -> tuple[Path, ...]:
        """The modules that read operators and infer types."""
        return tuple(Path(__file__).parent.rglob("*.py"))

    @property
    def beside(self) -> tuple[Path, ...]:
        """The user's own operators."""
        return extensions()

    def check(self, variables: Mapping[str, str]) -> None:
        """Raises UsageError for an unsupported NumPy, and for threads with which MXNet crashes or hangs."""
        # Not at the top: the command line's process checks, and those that measure start sooner without it.
        from importlib.metadata import version  # noqa: PLC0415

        check_numpy(version("numpy"))
        for name in _THREADS:
            given = variables.get(name)
            if given is not None and not (given.isascii() and given.isdigit() and int(given) > 0):
                raise UsageError(f"invalid {name} {given!r}: expected a number of threads; set or unset it")

    def find(self, hint: str | None) -> Path:
        """The library of a release, of a path, or the default one. Raises LibraryError."""
        return find_library(hint)

    def interpreter(self, build: Path) -> Path:
        """This Python, which loads the library."""
        return Path(sys.executable)

    def version(self, build: Path) -> str:
        """The registry has it."""
        raise LibraryError(f"the version of {build} is known once it is loaded")

    def has_package(self, build: Path) -> bool:
        """Whether the package `mxnet` is beside a library."""
        return has_front_end(build)

    def variables(self, kind: ChildKind, scratch: Path | None = None) -> Mapping[str, str]:
        """Names of kernels in traces need an engine without bulks; a layer's memory one that runs in order.

        Operators are read by their own names, whichever ones are called in their place.
        """
        if kind == "registry":
            return {**UNBULKED, OTHER_NAMES: ""}
        engine = SEQUENTIAL if kind in ("layer_trial", "counting") else {}
        return {**UNBULKED, **(LOGGED if kind == "trial" else QUIET), **engine}

    def open(self, build: Path) -> Engine:
        """Loads a library. Raises LibraryError."""
        # Not at the top, as below: the command line's process never loads the modules that call the library.
        from autoperf.backends.mxnet.capi.library import open_library  # noqa: PLC0415
        from autoperf.backends.mxnet.engine import MXNetEngine  # noqa: PLC0415

        return MXNetEngine(open_library(build))

    def introspect(self, build: Path) -> Introspection:
        """Loads a library to read its operators. Raises LibraryError."""
        from autoperf.backends.mxnet.introspection import MXNetIntrospection  # noqa: PLC0415

        return MXNetIntrospection(build)


BACKEND = MXNetBackend()
