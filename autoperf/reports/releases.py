"""The installed releases of MXNet, their places, and the default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from rich.text import Text

from autoperf.core.releases import InstalledRelease
from autoperf.reports.layout import hanging
from autoperf.reports.units import NONE, size

_TITLES = ("", "MXNet", "origin", "size")


def table_lines(releases: Sequence[InstalledRelease], width: int) -> Iterator[Text]:
    """A row for each release; a star marks the default."""
    if not releases:
        yield Text("no MXNet is installed; `autoperf releases install 1.9.1` brings one")
        return
    rows = [("*" if row.default else "", row.version or NONE, row.origin, size(row.bytes)) for row in releases]
    widths = [max(map(len, texts)) for texts in zip(_TITLES, *rows, strict=True)]
    for cells, library in zip((_TITLES, *rows), ("library", *(row.library for row in releases)), strict=True):
        *texts, bytes_ = cells
        head = "".join(f"{text:<{room}}  " for text, room in zip(texts, widths, strict=False))
        yield from hanging(f"{head}{bytes_:>{widths[-1]}}  ", [library], width)
    yield Text()
    yield Text("* the default: what a command takes without --mxnet")


def json_text(releases: Sequence[InstalledRelease]) -> str:
    """`{"releases": [{"version", "origin", "library", "bytes", "default"}]}`, indented."""
    return msgspec.json.format(msgspec.json.encode({"releases": releases}), indent=2).decode() + "\n"
