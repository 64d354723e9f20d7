"""Releases of MXNet: their version names, and those installed in the releases folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from autoperf.core.errors import LibraryError
from autoperf.core.files import releases_folder

FILE_NAME = "libmxnet.so"
# The value of `--mxnet` for the `mxnet` package of this Python.
INSTALLED = "installed"
# The releases that autoperf is tested with.
SUPPORTED = ("1.5.1.post0", "1.6.0", "1.7.0.post2", "1.8.0.post0", "1.9.1", "2.0.0b1")

_VERSION = re.compile(r"\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?")


@dataclass(frozen=True)
class ReleaseFolder:
    """A release in the releases folder: its version as pip spells it, its folder, and its library."""

    version: str
    folder: Path
    library: Path


def normal_version(text: str) -> str:
    """A version as pip spells it: `2.0.0.beta1` and `2.0.0beta1` are `2.0.0b1`; any other text as it is."""
    try:
        return str(Version(text))
    except InvalidVersion:
        return text


def is_version(text: str) -> bool:
    """Whether the text is a version and not a path (write such a folder as `./1.6.0`)."""
    return _VERSION.fullmatch(normal_version(text)) is not None


def release_path(version: str) -> Path:
    """The folder of a release, installed or not."""
    return releases_folder() / version


def find_release(version: str) -> ReleaseFolder | None:
    """The release of this version in the releases folder, or None."""
    folder = release_path(version)
    library = folder / "mxnet" / FILE_NAME
    return ReleaseFolder(version, folder, library.resolve()) if library.is_file() else None


def find_releases() -> Iterator[ReleaseFolder]:
    """Every release in the releases folder, oldest first; none if the folder doesn't exist."""
    try:
        names = [path.name for path in releases_folder().iterdir()]
    except OSError:
        return
    for name in sorted(filter(is_version, names), key=Version):
        release = find_release(name)
        if release:
            yield release


def versions_beside(library: Path) -> list[str]:
    """The versions in the package metadata beside a library's folder; none without a package."""
    infos = sorted(library.parent.parent.glob("mxnet*.dist-info"))
    return [info.name.removesuffix(".dist-info").rpartition("-")[2] for info in infos]


def not_installed(version: str) -> LibraryError:
    """The error for a release that isn't installed, with the remedy; only known releases are said to be fetchable."""
    installed = [release.version for release in find_releases()]
    known = sorted({*SUPPORTED, *installed}, key=Version)
    if version in known:
        return LibraryError(f"MXNet {version} is not installed; run `autoperf releases install {version}`")
    similar = next((other for other in known if other.startswith(f"{version}.")), "")
    if similar in installed:
        return LibraryError(f"MXNet {version} is not installed; did you mean {similar}?")
    if similar:
        advice = f"did you mean {similar}? `autoperf releases install {similar}` fetches it"
        return LibraryError(f"MXNet {version} is not installed; {advice}")
    fetched = f"`autoperf releases install {SUPPORTED[-2]}` fetches a release"
    return LibraryError(
        f"MXNet {version} is not installed, and not known; known releases are {', '.join(known)}; {fetched}"
    )
