"""A framework that is a Python package: it computes MXNet's operators by expressions, in its own interpreter."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from autoperf.backends.environments import describe, find_interpreter
from autoperf.backends.protocol import ChildKind, Engine, Introspection
from autoperf.core.errors import LibraryError, UsageError
from autoperf.implementations.implementation import FRAMEWORKS

DEFAULT_COMPILER = "g++"
"""Inductor's, where CXX names none."""


@dataclass(frozen=True)
class PythonFramework:
    """A framework without its package, or a compiled way of one. A build is the path of an interpreter that has it.

    `name` begins with the package's name; that of a way follows after a colon. `requirement` is the one that pip
    installs by default; `index` is a further package index, whose versions end in `local`. `settings` are environment
    variables of its processes; `cache` is the one that names the folder of compiled kernels, which the processes of a
    side share. With `needs_compiler` it needs a C++ compiler.
    """

    name: str
    title: str
    requirement: str
    local: str = ""
    index: str = ""
    profiled: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    cache: str = ""
    needs_compiler: bool = False
    # The parent may have threads of its own, which don't survive a fork, and nothing is timed there.
    in_forks: Mapping[str, str] = field(default_factory=lambda: {"OMP_NUM_THREADS": "1"})

    follows = "mxnet"
    code: tuple[Path, ...] = ()
    beside: tuple[Path, ...] = ()

    @property
    def package(self) -> str:
        """The name of the package."""
        return self.name.partition(":")[0]

    def required(self, version: str | None) -> str:
        """The requirement of a version for pip; by default the one that is known to work."""
        if version is None:
            return self.requirement
        return f"{self.name}=={version}{self.local if '+' not in version else ''}"

    def check(self, variables: Mapping[str, str]) -> None:
        """Raises UsageError if it needs a C++ compiler and there is none."""
        known = {**os.environ, **variables}
        compiler = known.get("CXX") or DEFAULT_COMPILER
        if self.needs_compiler and shutil.which(compiler, path=known.get("PATH")) is None:
            raise UsageError(
                f"--framework {self.name} needs a C++ compiler, and there is no {compiler}; install g++, or name a "
                "compiler by the variable CXX"
            )

    def find(self, hint: str | None) -> Path:
        """The interpreter of a version's environment, at a path, or the default one. Raises LibraryError."""
        return find_interpreter(self.package, FRAMEWORKS[self.package], hint)

    def interpreter(self, build: Path) -> Path:
        """The build is the interpreter."""
        return build

    def version(self, build: Path) -> str:
        """The version of the package. Raises LibraryError if the interpreter can't be used."""
        return describe(build, self.package, FRAMEWORKS[self.package]).version

    def has_package(self, build: Path) -> bool:
        """It has none of MXNet's layers and front-end benchmarks."""
        return False

    def variables(self, kind: ChildKind, scratch: Path | None = None) -> Mapping[str, str]:
        """The settings of the framework."""
        return {**self.settings, self.cache: str(scratch / "kernels")} if self.cache and scratch else self.settings

    def open(self, build: Path) -> Engine:
        """Imports the package. Raises LibraryError."""
        try:
            module = importlib.import_module(f"autoperf.backends.{self.package}.{self._way or 'engine'}")
        except ImportError as error:
            raise LibraryError(f"{self.title} can't be imported by {build}: {error}") from error
        return cast("Engine", module.open_engine(build))

    @property
    def _way(self) -> str:
        return self.name.partition(":")[2]

    def introspect(self, build: Path) -> Introspection:
        """Its operators are those of MXNet. Raises LibraryError."""
        raise LibraryError(f"{self.title} has no registry of operators: its cases are MXNet's")
