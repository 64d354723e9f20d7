"""The installed releases of MXNet, their places, and the default."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from autoperf.core.releases import InstalledRelease
from autoperf.reports.units import NONE, size


def table(releases: Sequence[InstalledRelease]) -> RenderableType:
    """A row a release; a star marks the default."""
    if not releases:
        return Text("no MXNet is installed; `autoperf releases install 1.9.1` brings one")
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    for title, justify in (("", "left"), ("MXNet", "left"), ("origin", "left"), ("size", "right")):
        grid.add_column(title, justify="right" if justify == "right" else "left", no_wrap=True)
    grid.add_column("library", overflow="fold")
    for row in releases:
        mark = "*" if row.default else ""
        grid.add_row(mark, Text(row.version or NONE), row.origin, size(row.bytes), Text(row.library))
    return Group(grid, Text("\n* the default: what a command takes without --mxnet"))


def to_json(releases: Sequence[InstalledRelease]) -> str:
    """`{"releases": [{"version", "origin", "library", "bytes", "default"}]}`, indented."""
    return msgspec.json.format(msgspec.json.encode({"releases": releases}), indent=2).decode() + "\n"
