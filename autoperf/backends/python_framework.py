"""A framework that is a Python package: it computes MXNet's operators by expressions, in its own interpreter."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from autoperf.backends.environments import describe, find_interpreter
from autoperf.backends.protocol import ChildKind, Engine, Introspection
from autoperf.core.errors import LibraryError


@dataclass(frozen=True)
class PythonFramework:
    """A framework without its package. A build is the path of an interpreter that has it.

    `name` is also the package's name. `requirement` is the one that pip installs by default; `index` is a further
    package index, whose versions end in `local`. `settings` are environment variables of its processes.
    """

    name: str
    title: str
    requirement: str
    local: str = ""
    index: str = ""
    profiled: bool = False
    differentiates: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)

    follows = "mxnet"
    code: tuple[Path, ...] = ()
    beside: tuple[Path, ...] = ()
    in_forks: Mapping[str, str] = field(default_factory=dict)

    def required(self, version: str | None) -> str:
        """The requirement of a version for pip; by default the one that is known to work."""
        if version is None:
            return self.requirement
        return f"{self.name}=={version}{self.local if '+' not in version else ''}"

    def check(self, variables: Mapping[str, str]) -> None:
        """Any variables will do."""

    def find(self, hint: str | None) -> Path:
        """The interpreter of a version's environment, at a path, or the default one. Raises LibraryError."""
        return find_interpreter(self.name, self.title, hint)

    def interpreter(self, build: Path) -> Path:
        """The build is the interpreter."""
        return build

    def version(self, build: Path) -> str:
        """The version of the package. Raises LibraryError if the interpreter can't be used."""
        return describe(build, self.name, self.title).version

    def has_package(self, build: Path) -> bool:
        """It has none of MXNet's layers and front-end benchmarks."""
        return False

    def variables(self, kind: ChildKind) -> Mapping[str, str]:
        """The settings of the framework."""
        return self.settings

    def open(self, build: Path) -> Engine:
        """Imports the package. Raises LibraryError."""
        try:
            module = importlib.import_module(f"autoperf.backends.{self.name}.engine")
        except ImportError as error:
            raise LibraryError(f"{self.title} can't be imported by {build}: {error}") from error
        return cast("Engine", module.open_engine(build))

    def introspect(self, build: Path) -> Introspection:
        """Its operators are those of MXNet. Raises LibraryError."""
        raise LibraryError(f"{self.title} has no registry of operators: its cases are MXNet's")
