"""MXNet without its library."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Mapping
from pathlib import Path

from autoperf.backends.mxnet.capi.front_end import has_front_end
from autoperf.backends.mxnet.capi.library_path import find_library
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.backends.mxnet.onednn_log import VARIABLES as LOGGED
from autoperf.backends.protocol import ChildKind, Engine, Introspection
from autoperf.backends.user_code import extensions
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.releases import check_numpy

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
        return tuple(Path(__file__).parent.glob("*.py"))

    @property
    def beside(self) -> tuple[Path, ...]:
        """The user's own operators."""
        return extensions()

    def check(self, variables: Mapping[str, str]) -> None:
        """Raises UsageError for an unsupported NumPy, and for threads with which MXNet crashes or hangs."""
        check_numpy(importlib.metadata.version("numpy"))
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
        """Names of kernels in traces need an engine without bulks; a layer's memory one that runs in order."""
        if kind == "registry":
            return UNBULKED
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
