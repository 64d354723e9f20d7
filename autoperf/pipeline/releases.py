"""Releases of MXNet side by side: pip fetches one into a folder of its own, which gets its name once it was tried."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autoperf.capi.library import find_library
from autoperf.capi.linux import die_with_parent
from autoperf.capi.releases import (
    FILE_NAME,
    INSTALLED,
    SUPPORTED,
    ReleaseFolder,
    find_release,
    find_releases,
    is_version,
    normal_version,
    release_path,
    versions_beside,
)
from autoperf.core.child_environment import child_environment
from autoperf.core.errors import AutoperfError, LibraryError, OutputError, UsageError
from autoperf.core.operator import Registry
from autoperf.core.paths import RELEASES_VARIABLE, releases_folder
from autoperf.core.releases import InstalledRelease
from autoperf.registry.client import RegistryClient

Say = Callable[[str], object]


@dataclass(frozen=True)
class Done:
    """A release that was just installed, how many names it registers, and the bytes that it takes."""

    release: ReleaseFolder
    names: int
    bytes: int


# A wheel also holds headers and Python sources, which autoperf has no use for.
_LICENCE = re.compile(r"licen[cs]e|notice|copying", re.IGNORECASE)
_COMMIT = "COMMIT_HASH"
_PIP = (
    *("install", "--no-deps", "--only-binary", ":all:", "--no-compile", "--no-input"),
    *("--disable-pip-version-check", "--progress-bar", "off"),
)


def checked(text: str) -> str:
    """A version as pip spells it. Raises UsageError for what is none."""
    if not is_version(text):
        raise UsageError(f"{text!r} is no version of MXNet; known to work are {', '.join(SUPPORTED)}")
    return normal_version(text)


def install(version: str, say: Say) -> Done | None:
    """Put a release into the releases folder; None if `--mxnet` finds it already, there or as the installed package.

    Whatever ends this early leaves nothing half made: what pip writes goes into a folder that gets its name once the
    library in it was loaded and crawled in a child. Two at once wait for one another.
    Raises LibraryError for what pip or the library says, OutputError where the folder can't be written.
    """
    if _found(version):
        return None
    with _writing(), _locked(version, say):
        if find_release(version):
            return None
        say(f"installing MXNet {version} into {release_path(version)}")
        return _fetched(version)


def remove(version: str, say: Say) -> int:
    """Take a release out of the releases folder; how many bytes that frees. Raises LibraryError if it isn't there."""
    with _writing(), _locked(version, say):
        found = find_release(version)
        if found is None:
            raise LibraryError(_not_kept(version))
        freed = size(found.folder)
        away = _beside("old", version)
        shutil.rmtree(away, ignore_errors=True)
        found.folder.rename(away)
        shutil.rmtree(away)
    return freed


def rows() -> list[InstalledRelease]:
    """Every release that `--mxnet` finds by name, the installed package first, and what the environment names."""
    default = _found(None)
    package = _found(INSTALLED)
    found = [(INSTALLED, package, _version(package))] if package else []
    found += [("releases", release.library, release.version) for release in find_releases()]
    if default and all(library != default for _, library, _ in found):
        found.append(("environment", default, _version(default)))
    return [
        InstalledRelease(version, origin, str(library), size(_home(origin, library)), library == default)
        for origin, library, version in found
    ]


def size(folder: Path) -> int:
    """The bytes of all files below a folder; what can't be seen counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _fetched(version: str) -> Done | None:
    new = _beside("new", version)
    # Left by an install that was killed: we hold the lock, so nobody works in it.
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    try:
        content = new / "content"
        _run_pip(version, content, new)
        library = content / "mxnet" / FILE_NAME
        if not library.is_file():
            raise LibraryError(
                f"the package mxnet {version} that pip installed has no {FILE_NAME}; try another release"
            )
        _prune(content)
        registry = _crawled(version, library.resolve())
        if find_release(registry.mxnet):
            return None
        content.rename(release_path(registry.mxnet))
        found = find_release(registry.mxnet)
        return Done(found, registry.names, size(found.folder)) if found else None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _crawled(version: str, library: Path) -> Registry:
    """What a child finds in the library, which so was found to load; raises LibraryError for one that is of no use."""
    try:
        with RegistryClient(library, cached=False) as client:
            return client.registry()
    except LibraryError as error:
        said = str(error).replace(str(library), FILE_NAME)
        raise LibraryError(f"MXNet {version} was fetched, but is of no use here and not kept: {said}") from error


def _run_pip(version: str, content: Path, scratch: Path) -> None:
    """pip in a child, which unpacks below `scratch` too, so that all that it leaves behind is taken away with it."""
    if importlib.util.find_spec("pip") is None:
        raise LibraryError(
            f"{sys.executable} has no pip to fetch MXNet with; run `{sys.executable} -m ensurepip`, "
            f"or unpack a wheel of mxnet yourself and give its folder: --mxnet PATH"
        )
    ended = subprocess.run(
        [sys.executable, "-m", "pip", *_PIP, "--target", str(content), f"mxnet=={version}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env=child_environment({"TMPDIR": str(scratch)}),
        preexec_fn=die_with_parent,
    )
    if ended.returncode != 0:
        raise LibraryError(pip_problem(version, ended.stdout.decode(errors="replace")))


def pip_problem(version: str, said: str) -> str:
    """What pip's output means for the user: its last error, and what to do."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    last = errors[-1] if errors else lines[-1] if lines else "it said nothing"
    if "No space left" in said:
        advice = f"make room, or set {RELEASES_VARIABLE} to a folder elsewhere"
        return f"pip can't install MXNet {version}: the disk is full; {advice}"
    if "from versions: none" in said:
        return f"pip found no release of mxnet at all ({last}); is there a network, and does pip know a package index?"
    hint = f"; known to work are {', '.join(SUPPORTED)}" if "No matching distribution" in said else ""
    return f"pip can't install MXNet {version}: {last}{hint}"


def _prune(content: Path) -> None:
    for path in list(content.iterdir()):
        if path.name != "mxnet" and not path.name.startswith("mxnet-"):
            _delete(path)
    for path in list((content / "mxnet").iterdir()):
        wanted = ".so" in path.suffixes or path.name == _COMMIT or _LICENCE.search(path.name)
        if path.is_dir() or not wanted:
            _delete(path)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


@contextmanager
def _writing() -> Iterator[None]:
    """Says which folder could not be written, and what else to try."""
    folder = releases_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise OutputError(
            f"can't write into {folder}: {error.strerror}; set {RELEASES_VARIABLE} to another folder"
        ) from error


@contextmanager
def _locked(version: str, say: Say) -> Iterator[None]:
    """Nobody else installs or removes this release meanwhile; Linux opens the lock when its holder ends, however."""
    with _beside("lock", version).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another autoperf is busy with MXNet {version}; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _beside(what: str, version: str) -> Path:
    return releases_folder() / f".{what}-{version}"


def _not_kept(version: str) -> str:
    package = _found(INSTALLED)
    if package and version in versions_beside(package):
        return f"MXNet {version} is the installed package, which is pip's to remove: `pip uninstall mxnet`"
    names = ", ".join(release.version for release in find_releases()) or "none"
    return f"MXNet {version} is not in {releases_folder()}; there: {names}"


def _found(hint: str | None) -> Path | None:
    try:
        return find_library(hint)
    except AutoperfError:
        return None


def _version(library: Path) -> str:
    return next(iter(versions_beside(library)), "")


def _home(origin: str, library: Path) -> Path:
    """The folder whose size is the release's."""
    return library.parent.parent if origin == "releases" else library.parent
