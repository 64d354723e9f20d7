"""Finds backends by name and releases by version: the only module outside a backend's folder that imports it."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from packaging.version import InvalidVersion, Version

from autoperf.backends.protocol import Backend
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.files import expanded_path, releases_folder
from autoperf.implementations.implementation import FRAMEWORKS

MXNET = "mxnet"
BACKENDS = {name: f"autoperf.backends.{name}.backend:BACKEND" for name in (MXNET, *FRAMEWORKS)}
WAYS = {
    f"{each.name}:{way}": f"autoperf.backends.{each.name}.backend:{way.upper()}"
    for each in FRAMEWORKS.values()
    for way in each.ways
}
"""Compiled ways of frameworks; each is a backend of its own."""
_PLACES = {**BACKENDS, **WAYS}
_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class FrameworkChoice(NamedTuple):
    """A framework or a way of one as the user names it: `torch`, `torch:compile@2.13.0` or `torch=PATH`.

    `hint` is its version or path.
    """

    name: str
    hint: str | None = None

    @property
    def names_code(self) -> bool:
        """Whether it imports a module of the user, or runs the user's interpreter."""
        return self.name not in _PLACES or (self.hint is not None and os.sep in self.hint)

    def __str__(self) -> str:
        """The framework as the user names it."""
        if self.hint is None:
            return self.name
        return f"{self.name}{'=' if os.sep in self.hint else '@'}{self.hint}"


def parse_framework(text: str) -> FrameworkChoice:
    """`NAME`, `NAME@VERSION` or `NAME=PATH`, which becomes absolute. Raises UsageError for an empty part."""
    match = re.fullmatch(r"([^@=]+)(?:([@=])(.+))?", text.strip())
    if match is None:
        raise UsageError(f"invalid framework {text!r}: expected NAME, NAME@VERSION or NAME=PATH")
    name, sign, hint = match.groups()
    return FrameworkChoice(name, str(expanded_path(hint, "--framework").absolute()) if sign == "=" else hint)


def parse_other_framework(text: str) -> FrameworkChoice:
    """As `parse_framework`, of one that follows MXNet. Raises UsageError."""
    choice = parse_framework(text)
    if choice.name == MXNET:
        raise UsageError(f"invalid --against {text}: expected another framework; two builds are --mxnet A --mxnet B")
    if not backend_of(choice.name).follows:
        raise UsageError(f"invalid --against {text}: expected {', '.join(FRAMEWORKS)}")
    return choice


def has_several(frameworks: Sequence[str]) -> bool:
    """Whether these choices are of different frameworks. Raises UsageError."""
    return len({parse_framework(each).name for each in frameworks}) > 1


def framework_of(name: str) -> str:
    """The framework of a way: `torch` of `torch:compile`; another name is unchanged."""
    return name.partition(":")[0] if name in WAYS else name


def backend_of(name: str) -> Backend:
    """The backend of this name, or at this `module:attribute`. Raises UsageError if there is none."""
    place = _PLACES.get(name, name)
    base, colon, way = name.partition(":")
    if place == name and colon and base in BACKENDS:
        raise UsageError(f"unknown way {way!r} of {base}: the compiled ways are {', '.join(WAYS)}")
    if not _PLACE.fullmatch(place):
        raise UsageError(f"unknown framework {name!r}: expected {', '.join(_PLACES)}")
    module, _, attribute = place.partition(":")
    try:
        return cast("Backend", getattr(importlib.import_module(module), attribute))
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the framework {name!r} can't be used: {error}") from error


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
