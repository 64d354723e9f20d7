"""An installed release of MXNet."""

from __future__ import annotations

from collections.abc import Sequence

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


def unique_labels(versions: Sequence[str]) -> list[str]:
    """A label for each of the versions, in their order; repeated ones are numbered: `1.9.1`, `1.9.1-2`."""
    labels: list[str] = []
    seen: dict[str, int] = {}
    for version in versions:
        seen[version] = number = seen.get(version, 0) + 1
        labels.append(version if number == 1 else f"{version}-{number}")
    return labels
