"""An installed release of MXNet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec


class InstalledRelease(msgspec.Struct, frozen=True):
    """One release: `origin` is `installed` (the package of this Python), `releases` (its folder) or `environment`.

    `bytes` is its size on disk; `default` is whether commands use it without `--mxnet`.
    """

    version: str
    origin: str
    library: str
    bytes: int
    default: bool


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
