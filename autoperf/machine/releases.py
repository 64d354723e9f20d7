"""Installed releases of MXNet and other frameworks: pip fetches each into its own folder, where it is tested."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from autoperf.backends import python_framework, releases
from autoperf.backends.lookup import MXNET, backend_of, parse_framework
from autoperf.core import files
from autoperf.core.errors import AutoperfError, LibraryError, OutputError, UsageError
from autoperf.core.releases import InstalledFramework, InstalledRelease
from autoperf.implementations.implementation import FRAMEWORKS
from autoperf.processes.forks import die_with_parent
from autoperf.registry.client import RegistryClient

_QUIET = ("--no-input", "--disable-pip-version-check", "--progress-bar", "off")
_PIP = ("install", "--no-deps", "--only-binary", ":all:", "--no-compile", *_QUIET)
ProgressCallback = Callable[[str], object]
# A wheel also holds headers and Python sources, which most of autoperf doesn't need.
_LICENCE = re.compile(r"licen[cs]e|notice|copying", re.IGNORECASE)
_COMMIT = "COMMIT_HASH"


def run_pip(version: str, content: Path, scratch: Path) -> None:
    """Runs pip in a child process; it unpacks below `scratch` too, so that its leftovers are removed with it."""
    if importlib.util.find_spec("pip") is None:
        raise LibraryError(
            f"{sys.executable} has no pip to install MXNet with; run `{sys.executable} -m ensurepip`, "
            f"or unpack a wheel of mxnet yourself and give its folder: --mxnet PATH"
        )
    command = [sys.executable, "-m", "pip", *_PIP, "--target", str(content), f"mxnet=={version}"]
    code, output = _run_to_end(command, files.child_environment({"TMPDIR": str(scratch)}))
    if code != 0:
        raise LibraryError(pip_problem(version, output.decode(errors="replace")))


def make_environment(folder: Path, requirements: Sequence[str], index: str) -> None:
    """Makes a virtual environment with packages; `index` is a further index or empty. Raises LibraryError."""
    python = folder / "bin" / "python"
    more = ("--extra-index-url", index, "--retries", "1") if index else ()
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--only-binary", ":all:", *_QUIET, *more, *requirements],
    ):
        code, output = _run_to_end(command, files.child_environment({}))
        if code != 0:
            raise LibraryError(f"can't install {requirements[0]}: {_last_error(output.decode(errors='replace'))}")


def _run_to_end(command: list[str], environment: dict[str, str]) -> tuple[int, bytes]:
    """The exit code and the output of a command. It has ended when this returns or is interrupted.

    `subprocess.run` waits a quarter of a second for what it has killed when it is interrupted, and for nothing when it
    is interrupted while it starts: pip would write into a folder that is being removed.
    """
    interrupt = {signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, interrupt)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            preexec_fn=partial(_prepare_child, interrupt),  # noqa: PLW1509 - autoperf forks from its only thread
        )
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)
            output, _ = process.communicate()
        finally:
            process.kill()
            process.wait()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)
    return process.returncode, output


def _prepare_child(interrupt: set[signal.Signals]) -> None:
    die_with_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)


def pip_problem(version: str, output: str) -> str:
    """The last error in pip's output, and what to do."""
    last = _last_error(output)
    if "No space left" in output:
        advice = f"free some space, or set {files.RELEASES_VARIABLE} to a folder elsewhere"
        return f"pip can't install MXNet {version}: the disk is full; {advice}"
    if "from versions: none" in output:
        return f"pip found no release of mxnet ({last}); check the network and pip's package index"
    hint = f"; known to work are {', '.join(releases.SUPPORTED)}" if "No matching distribution" in output else ""
    return f"pip can't install MXNet {version}: {last}{hint}"


def _last_error(output: str) -> str:
    """The last line that pip marks as an error, or else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no output"]
    return errors[-1].removeprefix("ERROR:").strip()


@dataclass(frozen=True)
class Installation:
    """A newly installed release, the number of names it registers, and its size in bytes."""

    release: releases.ReleaseFolder
    names: int
    bytes: int


def normalized_version(text: str) -> str:
    """A version as pip spells it. Raises UsageError for an invalid version."""
    if not releases.is_version(text):
        raise UsageError(
            f"invalid version {text!r}: expected a version of MXNet; known to work are {', '.join(releases.SUPPORTED)}"
        )
    return releases.normal_version(text)


def install(version: str, on_progress: ProgressCallback, *, package: bool = False) -> Installation | None:
    """Installs a release in the releases folder; None if `--mxnet` finds it already, there or as the installed package.

    With `package` its Python package is kept too, and a release without one is replaced. An interruption leaves no
    partial release: pip writes to a temporary folder, which is renamed after the library was crawled in a child
    process. Concurrent installations of one release wait for each other. Raises LibraryError for errors of pip or the
    library, OutputError if the folder can't be written.
    """
    if _suffices(_find_library(version), package):
        return None
    with locked(files.releases_folder(), files.RELEASES_VARIABLE, version, f"MXNet {version}", on_progress):
        release = releases.find_release(version)
        if _suffices(release.library if release else None, package):
            return None
        on_progress(f"installing MXNet {version} into {releases.release_path(version)}")
        return _fetch(version, package)


def _suffices(library: Path | None, package: bool) -> bool:
    return library is not None and (backend_of(MXNET).has_package(library) or not package)


def remove(version: str, on_progress: ProgressCallback) -> int:
    """Removes a release from the releases folder. Returns the bytes freed. Raises LibraryError if it is not there."""
    with locked(files.releases_folder(), files.RELEASES_VARIABLE, version, f"MXNet {version}", on_progress):
        release = releases.find_release(version)
        if release is None:
            package = _find_library(releases.INSTALLED)
            if package and version in releases.versions_beside(package):
                raise LibraryError(f"MXNet {version} is the installed package; remove it with `pip uninstall mxnet`")
            names = ", ".join(release.version for release in releases.find_releases()) or "none"
            raise LibraryError(f"MXNet {version} is not in {files.releases_folder()}; installed there: {names}")
        return take_away(release.folder, _hidden_path("old", version))


def take_away(folder: Path, hidden: Path) -> int:
    """Deletes a folder, whose place is free at once: it is renamed before. Returns its bytes."""
    freed = size(folder)
    shutil.rmtree(hidden, ignore_errors=True)
    folder.rename(hidden)
    shutil.rmtree(hidden)
    return freed


def installed_releases() -> list[InstalledRelease]:
    """Every release that `--mxnet` finds by name, the installed package first, and the default of the environment."""
    default = _find_library(None)
    package = _find_library(releases.INSTALLED)
    libraries = [(releases.INSTALLED, package, _version(package))] if package else []
    libraries += [("releases", release.library, release.version) for release in releases.find_releases()]
    if default and all(library != default for _, library, _ in libraries):
        libraries.append(("environment", default, _version(default)))
    return [
        InstalledRelease(version, origin, str(library), size(home), library == default)
        for origin, library, version in libraries
        for home in [library.parent.parent if origin == "releases" else library.parent]
    ]


def size(folder: Path) -> int:
    """The bytes of all files below a folder; unreadable files count as 0."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _fetch(version: str, package: bool) -> Installation | None:
    with unfinished(_hidden_path("new", version)) as new:
        new.mkdir()
        content = new / "content"
        run_pip(version, content, new)
        library = content / "mxnet" / releases.FILE_NAME
        if not library.is_file():
            raise LibraryError(
                f"the package mxnet {version} that pip installed has no {releases.FILE_NAME}; try another release"
            )
        if not package:
            _prune(content)
        library = library.resolve()
        try:
            with RegistryClient(backend_of(MXNET), library, cached=False) as client:
                registry = client.registry()
        except LibraryError as error:
            reason = str(error).replace(str(library), releases.FILE_NAME)
            raise LibraryError(
                f"MXNet {version} was fetched, but can't be used here and was removed: {reason}"
            ) from error
        release = releases.find_release(registry.mxnet)
        if _suffices(release.library if release else None, package):
            return None
        target, old = releases.release_path(registry.mxnet), _hidden_path("old", registry.mxnet)
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        content.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        release = releases.find_release(registry.mxnet)
        return Installation(release, registry.names, size(release.folder)) if release else None


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """A folder that isn't there yet, and that is deleted in the end unless it was renamed."""
    # A leftover of a killed installation: this process holds the lock, so it is not in use.
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prune(content: Path) -> None:
    unneeded = [path for path in content.iterdir() if path.name != "mxnet" and not path.name.startswith("mxnet-")]
    for path in (content / "mxnet").iterdir():
        is_needed = ".so" in path.suffixes or path.name == _COMMIT or _LICENCE.search(path.name)
        unneeded += [path] if path.is_dir() or not is_needed else []
    for path in unneeded:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def locked(folder: Path, variable: str, name: str, title: str, on_progress: ProgressCallback) -> Iterator[None]:
    """Makes the folder, and holds a lock in it, which ends with its holder. Raises OutputError if a write fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f".lock-{name}").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_progress(f"waiting for another autoperf process that installs or removes {title}")
                fcntl.flock(file, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise OutputError(f"can't write into {folder}: {error.strerror}; set {variable} to another folder") from error


def _hidden_path(what: str, version: str) -> Path:
    return files.releases_folder() / f".{what}-{version}"


def _find_library(hint: str | None) -> Path | None:
    try:
        return backend_of(MXNET).find(hint)
    except AutoperfError:
        return None


def _version(library: Path) -> str:
    return next(iter(releases.versions_beside(library)), "")


class FrameworkEnvironment(NamedTuple):
    """A newly made environment: the framework's name in messages, its version, and the bytes of the folder."""

    title: str
    version: str
    bytes: int


def framework_named(text: str) -> tuple[python_framework.PythonFramework, str | None]:
    """The framework and the version of `torch` or `torch@2.13.0`. Raises UsageError for another text."""
    choice = parse_framework(text)
    backend = backend_of(choice.name) if choice.name in FRAMEWORKS else None
    if not isinstance(backend, python_framework.PythonFramework):
        raise UsageError(
            f"invalid framework {text!r}: expected {', '.join(FRAMEWORKS)}, or one with a version: torch@2.13.0"
        )
    if choice.hint is not None and not python_framework.is_version(choice.hint):
        raise UsageError(f"invalid version {choice.hint!r} of {backend.title}: expected a number such as 2.13.0")
    return backend, choice.hint


def install_framework(text: str, on_progress: ProgressCallback) -> FrameworkEnvironment | None:
    """Makes an environment with a framework in the cache folder; None if its version is there. Raises AutoperfError."""
    backend, version = framework_named(text)
    if version and any(
        python_framework.is_meant(each, version) for each in python_framework.installed_versions(backend.name)
    ):
        return None
    folder = files.frameworks_folder() / backend.name
    with (
        locked(folder, files.FRAMEWORKS_VARIABLE, "all", backend.title, on_progress),
        unfinished(folder / ".new") as new,
    ):
        on_progress(f"installing {backend.title} into {folder}")
        # An interruption leaves no partial environment: it is renamed once a Python has found the package.
        make_environment(new, (backend.required(version), *python_framework.NEEDED), backend.index)
        found = python_framework.describe(new / "bin" / "python", backend.name, backend.title).version
        if python_framework.environment_python(backend.name, found).is_file():
            return None
        new.rename(folder / found)
        return FrameworkEnvironment(backend.title, found, size(folder / found))


def remove_framework(text: str, on_progress: ProgressCallback) -> FrameworkEnvironment:
    """Removes the environment of a version. Raises LibraryError if it isn't in the cache folder, UsageError."""
    backend, version = framework_named(text)
    folder = files.frameworks_folder() / backend.name
    with locked(folder, files.FRAMEWORKS_VARIABLE, "all", backend.title, on_progress):
        versions = python_framework.installed_versions(backend.name)
        found = next((each for each in versions if version and python_framework.is_meant(each, version)), None)
        if found is None:
            listed = ", ".join(f"{backend.name}@{each}" for each in versions) or "none"
            raise LibraryError(f"{text} is not in {folder}; name a version that is: {listed}")
        return FrameworkEnvironment(backend.title, found, take_away(folder / found, folder / f".old-{found}"))


def installed_frameworks() -> Iterator[InstalledFramework]:
    """Each environment in the cache folder, and each framework that this Python has."""
    for name in FRAMEWORKS:
        title = backend_of(name).title
        for version in python_framework.installed_versions(name):
            folder = files.frameworks_folder() / name / version
            python = str(python_framework.environment_python(name, version))
            yield InstalledFramework(title, version, "frameworks", python, size(folder))
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            version = python_framework.describe(Path(sys.executable), name, title).version
            yield InstalledFramework(title, version, "installed", sys.executable, size(Path(spec.origin).parent))
