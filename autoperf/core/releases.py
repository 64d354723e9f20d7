"""A release of MXNet on this machine."""

from __future__ import annotations

import msgspec


class InstalledRelease(msgspec.Struct, frozen=True):
    """One release: `origin` is `installed` (the package of this Python), `releases` (its folder) or `environment`.

    `bytes` is what it takes on disk, `default` whether a command takes it that names none.
    """

    version: str
    origin: str
    library: str
    bytes: int
    default: bool
