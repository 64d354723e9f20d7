"""A framework that is a Python package: its environments, and how it computes operators in its own interpreter."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import cast

import msgspec

from autoperf.backends.protocol import ChildKind, Engine, Introspection
from autoperf.core.errors import LibraryError, ProcessError, UsageError
from autoperf.core.files import frameworks_folder
from autoperf.implementations.implementation import Framework
from autoperf.processes.child_process import output_of

DEFAULT_COMPILER = "g++"
"""Inductor's, where CXX names none."""

# The packages that a timing process imports, besides the framework.
NEEDED = ("msgspec", "numpy", "psutil")
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[\w.]+)?")
_PROBE = """
import importlib.metadata, importlib.util, json, sys
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
missing = [name for name in sys.argv[2:] if importlib.util.find_spec(name) is None]
print(json.dumps({"version": version(sys.argv[1]), "missing": missing, "python": list(sys.version_info[:2])}))
"""


class PythonEnvironment(msgspec.Struct, frozen=True):
    """An interpreter's packages: the framework's version, the lacking ones of NEEDED, and Python's version."""

    version: str
    missing: tuple[str, ...]
    python: tuple[int, int]


def is_version(text: str) -> bool:
    """Whether the text is a version and not a path."""
    return _VERSION.fullmatch(text) is not None


def installed_versions(name: str) -> list[str]:
    """The versions of a framework in the cache folder, oldest first."""
    # Not at the top: this module is imported in the interpreters of frameworks, which may lack it.
    from packaging.version import Version  # noqa: PLC0415

    versions = (path.parent.parent.name for path in (frameworks_folder() / name).glob("*/bin/python"))
    return sorted(filter(is_version, versions), key=Version)


def environment_python(name: str, version: str) -> Path:
    """The interpreter of an environment in the cache folder, installed or not."""
    return frameworks_folder() / name / version / "bin" / "python"


def find_interpreter(name: str, title: str, hint: str | None) -> Path:
    """The interpreter at a version or a path; for None the newest one, or else this Python. Raises LibraryError."""
    if hint is not None and not is_version(hint):
        path = Path(hint)
        # Symbolic links are kept: they tell an environment.
        place = path.expanduser().absolute()
        found = place / "bin" / "python" if place.is_dir() else place
        if found.is_file():
            return found
        raise LibraryError(f"{path} is no Python interpreter, nor the folder of an environment; name one with {title}")
    if versions := [each for each in installed_versions(name) if hint is None or is_meant(each, hint)]:
        return environment_python(name, versions[-1])
    own = Path(sys.executable)
    if importlib.util.find_spec(name) and (hint is None or is_meant(describe(own, name, title).version, hint)):
        return own
    wanted = f"{name}@{hint}" if hint else name
    raise LibraryError(
        f"{title}{f' {hint}' if hint else ''} is not installed; run `autoperf frameworks install {wanted}`, or name "
        f"an interpreter that has it: {name}=PATH"
    )


@cache
def describe(interpreter: Path, name: str, title: str) -> PythonEnvironment:
    """The packages of an interpreter. Raises LibraryError if the framework or a needed one is missing."""
    try:
        found = msgspec.json.decode(output_of(interpreter, _PROBE, (name, *NEEDED)), type=PythonEnvironment)
    except (ProcessError, msgspec.MsgspecError) as error:
        reason = error if isinstance(error, ProcessError) else "its answer isn't that of Python"
        raise LibraryError(f"{interpreter} is no Python that can be used: {reason}; name one with {title}") from error
    if not found.version:
        raise LibraryError(f"{interpreter} has no {title}; run `{interpreter} -m pip install {name}`")
    if found.missing:
        listed = " ".join(found.missing)
        raise LibraryError(f"{interpreter} lacks {listed}; run `{interpreter} -m pip install {listed}`")
    return found


def is_meant(version: str, hint: str) -> bool:
    """Whether a hint means a version: `2.13.0` means `2.13.0+cpu` too."""
    return hint in (version, version.partition("+")[0])


@dataclass(frozen=True)
class PythonFramework:
    """A framework without its package, or a compiled way of one. A build is the path of an interpreter that has it.

    `framework` has the package's name. `requirement` is the one that pip
    installs by default; `index` is a further package index, whose versions end in `local`. `settings` are environment
    variables of its processes; `cache` is the one that names the folder of compiled kernels, which the processes of a
    side share. With `needs_compiler` it needs a C++ compiler.
    """

    framework: Framework
    requirement: str
    way: str = ""
    local: str = ""
    index: str = ""
    profiled: bool = False
    countable: bool = False
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
        return self.framework.name

    @property
    def name(self) -> str:
        """The package's name; that of a way follows after a colon."""
        return f"{self.package}:{self.way}" if self.way else self.package

    @property
    def title(self) -> str:
        """The framework's name in messages."""
        return f"{self.package}.{self.way}" if self.way else self.framework.title

    @property
    def differentiates(self) -> bool:
        """Whether it computes gradients."""
        return self.framework.differentiates

    def required(self, version: str | None) -> str:
        """The requirement of a version for pip; by default the one that is known to work."""
        local = self.local if version and "+" not in version else ""
        return f"{self.name}=={version}{local}" if version is not None else self.requirement

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
        return find_interpreter(self.package, self.framework.title, hint)

    def interpreter(self, build: Path) -> Path:
        """The build is the interpreter."""
        return build

    def version(self, build: Path) -> str:
        """The version of the package. Raises LibraryError if the interpreter can't be used."""
        return describe(build, self.package, self.framework.title).version

    def has_package(self, build: Path) -> bool:
        """False: another framework has none of MXNet's layers and front-end benchmarks."""
        return False

    def variables(self, kind: ChildKind, scratch: Path | None = None) -> Mapping[str, str]:
        """The settings of the framework."""
        return {**self.settings, self.cache: str(scratch / "kernels")} if self.cache and scratch else self.settings

    def open(self, build: Path) -> Engine:
        """Imports the package. Raises LibraryError."""
        try:
            module = importlib.import_module(f"autoperf.backends.{self.package}.{self.way or 'engine'}")
        except ImportError as error:
            raise LibraryError(f"{self.title} can't be imported by {build}: {error}") from error
        return cast("Engine", module.ENGINE())

    def introspect(self, build: Path) -> Introspection:
        """Raises LibraryError: another framework follows MXNet's operators."""
        raise LibraryError(f"{self.title} has no registry of operators: its cases are MXNet's")
