"""Which releases are there, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

from rich.console import RenderableType

from autoperf.core.releases import InstalledRelease
from autoperf.reports import releases

ROWS = [
    InstalledRelease("1.9.1", "installed", "/site-packages/mxnet/libmxnet.so", 2**20, False),
    InstalledRelease("", "environment", "/build/libmxnet.so", 512, True),
]


def test_a_star_marks_the_default(rendered: Callable[[RenderableType, int], str]) -> None:
    lines = rendered(releases.table(ROWS), 100).splitlines()
    assert lines[1].split() == ["1.9.1", "installed", "1.00", "MiB", "/site-packages/mxnet/libmxnet.so"]
    assert lines[2].split() == ["*", "-", "environment", "512", "B", "/build/libmxnet.so"]


def test_none_says_what_to_do(rendered: Callable[[RenderableType, int], str]) -> None:
    assert "autoperf releases install 1.9.1" in rendered(releases.table([]), 100)


def test_json() -> None:
    assert json.loads(releases.to_json(ROWS))["releases"][1] == {
        "version": "", "origin": "environment", "library": "/build/libmxnet.so", "bytes": 512, "default": True,
    }  # fmt: skip
