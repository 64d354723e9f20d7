"""An installed release of MXNet."""

from __future__ import annotations

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
