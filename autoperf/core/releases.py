"""Releases: an installed one of MXNet, and the supported versions of Python and NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from autoperf.core.errors import UsageError

MIN_PYTHON, MAX_PYTHON = (3, 10), (3, 12)
MIN_NUMPY = (1, 24)
PACKAGE_NUMPY = (2, 0)
"""The first NumPy with which MXNet's Python package can't be imported: names such as `np.PZERO` are gone."""
NUMPY_ADVICE = "run `pip install 'numpy<2'`"


def check_python(version: tuple[int, ...]) -> None:
    """Raises UsageError for a Python that MXNet's wheels don't support."""
    if not MIN_PYTHON <= tuple(version[:2]) <= MAX_PYTHON:
        raise UsageError(f"Python {spell(version[:2])} is not supported; use Python 3.10, 3.11 or 3.12")


def check_numpy(version: str) -> None:
    """Raises UsageError for an old NumPy. There is no maximum: libmxnet.so doesn't use NumPy."""
    if parts(version) < MIN_NUMPY:
        raise UsageError(f"NumPy {version} is not supported; run `pip install 'numpy>=1.24'`")


def imports_package(version: str) -> bool:
    """Whether MXNet's Python package can be imported with this NumPy; names that 1.24 removed are put back for it."""
    return parts(version) < PACKAGE_NUMPY


def parts(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def spell(version: tuple[int, ...]) -> str:
    """(3, 11) as 3.11."""
    return ".".join(map(str, version))


class InstalledRelease(msgspec.Struct, frozen=True):
    """A release in this Python (`installed`), in its folder (`releases`) or by `environment`; its size in bytes."""

    version: str
    origin: str
    library: str
    bytes: int
    default: bool


class InstalledFramework(msgspec.Struct, frozen=True):
    """An environment of another framework, in its folder (`frameworks`) or of this Python (`installed`)."""

    framework: str
    version: str
    origin: str
    interpreter: str
    bytes: int


def release_title(release: str) -> str:
    """`MXNet 1.9.1` of `1.9.1`; the release of another framework has its name already."""
    return release if " " in release else f"MXNet {release}"


def unique_labels(versions: Sequence[str]) -> list[str]:
    """A label for each of the versions, in their order; repeated ones are numbered: `1.9.1`, `1.9.1-2`."""
    labels: list[str] = []
    seen: dict[str, int] = {}
    for version in versions:
        seen[version] = number = seen.get(version, 0) + 1
        labels.append(version if number == 1 else f"{version}-{number}")
    return labels


def words_of_sides(versions: Sequence[str], environments: Sequence[Mapping[str, str]]) -> list[str]:
    """ "MXNet 1.9.1", "MXNet 1.9.1 with OMP_NUM_THREADS=2"; "A: MXNet 1.9.1" where both would be alike."""
    variables = [", ".join(f"{name}={value}" for name, value in environment.items()) for environment in environments]
    with_variables = [f" with {text}" if text else "" for text in variables or [""] * len(versions)]
    words = [f"MXNet {version}{text}" for version, text in zip(versions, with_variables, strict=True)]
    if len(set(words)) == len(words):
        return words
    return [f"{letter}: {text}" for letter, text in zip("AB", words, strict=True)]
