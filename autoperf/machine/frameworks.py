"""Installed environments of other frameworks: each is made with venv and pip in its own folder, and tested."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autoperf.backends.lookup import backend_of, parse_framework
from autoperf.backends.python_framework import (
    NEEDED,
    PythonFramework,
    describe,
    environment_python,
    installed_versions,
    is_meant,
    is_version,
)
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.files import FRAMEWORKS_VARIABLE, frameworks_folder
from autoperf.core.releases import InstalledFramework
from autoperf.implementations.frameworks import FRAMEWORKS
from autoperf.machine.releases import ProgressCallback, locked, make_environment, size, take_away, unfinished


class FrameworkEnvironment(NamedTuple):
    """A newly made environment: the framework's name in messages, its version, and the bytes of the folder."""

    title: str
    version: str
    bytes: int


def framework_named(text: str) -> tuple[PythonFramework, str | None]:
    """The framework and the version of `torch` or `torch@2.13.0`. Raises UsageError for another text."""
    choice = parse_framework(text)
    backend = backend_of(choice.name) if choice.name in FRAMEWORKS else None
    if not isinstance(backend, PythonFramework):
        raise UsageError(
            f"invalid framework {text!r}: expected {', '.join(FRAMEWORKS)}, or one with a version: torch@2.13.0"
        )
    if choice.hint is not None and not is_version(choice.hint):
        raise UsageError(f"invalid version {choice.hint!r} of {backend.title}: expected a number such as 2.13.0")
    return backend, choice.hint


def install_framework(text: str, on_progress: ProgressCallback) -> FrameworkEnvironment | None:
    """Makes an environment with a framework in the cache folder; None if its version is there already.

    An interruption leaves no partial environment: pip writes into a hidden folder, renamed once a Python has found
    the package. Raises UsageError for an unknown framework, LibraryError for errors of pip, OutputError.
    """
    backend, version = framework_named(text)
    if version and any(is_meant(each, version) for each in installed_versions(backend.name)):
        return None
    folder = frameworks_folder() / backend.name
    with locked(folder, FRAMEWORKS_VARIABLE, "all", backend.title, on_progress), unfinished(folder / ".new") as new:
        on_progress(f"installing {backend.title} into {folder}")
        make_environment(new, (backend.required(version), *NEEDED), backend.index)
        found = describe(new / "bin" / "python", backend.name, backend.title).version
        if environment_python(backend.name, found).is_file():
            return None
        new.rename(folder / found)
        return FrameworkEnvironment(backend.title, found, size(folder / found))


def remove_framework(text: str, on_progress: ProgressCallback) -> FrameworkEnvironment:
    """Removes the environment of a version. Raises LibraryError if it isn't in the cache folder, UsageError."""
    backend, version = framework_named(text)
    folder = frameworks_folder() / backend.name
    with locked(folder, FRAMEWORKS_VARIABLE, "all", backend.title, on_progress):
        versions = installed_versions(backend.name)
        found = next((each for each in versions if version and is_meant(each, version)), None)
        if found is None:
            listed = ", ".join(f"{backend.name}@{each}" for each in versions) or "none"
            raise LibraryError(f"{text} is not in {folder}; name a version that is: {listed}")
        return FrameworkEnvironment(backend.title, found, take_away(folder / found, folder / f".old-{found}"))


def installed_frameworks() -> Iterator[InstalledFramework]:
    """Each environment in the cache folder, and each framework that this Python has."""
    for name in FRAMEWORKS:
        title = backend_of(name).title
        for version in installed_versions(name):
            folder = frameworks_folder() / name / version
            python = str(environment_python(name, version))
            yield InstalledFramework(title, version, "frameworks", python, size(folder))
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            version = describe(Path(sys.executable), name, title).version
            yield InstalledFramework(title, version, "installed", sys.executable, size(Path(spec.origin).parent))
