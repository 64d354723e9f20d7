"""Which releases are there, as a table and as JSON."""

from __future__ import annotations

import json

from autoperf.core.releases import InstalledRelease
from tests.reports.report_values import text_of

ROWS = [
    InstalledRelease("1.9.1", "installed", "/site-packages/mxnet/libmxnet.so", 2**20, False),
    InstalledRelease("", "environment", "/build/libmxnet.so", 512, True),
]


def test_a_star_marks_the_default() -> None:
    lines = text_of("releases", "table", ROWS).splitlines()
    assert lines[1].split() == ["1.9.1", "installed", "1.00", "MiB"]
    assert lines[2].split() == ["/site-packages/mxnet/libmxnet.so"]
    assert lines[3].split() == ["*", "-", "environment", "512", "B"]


def test_none_says_what_to_do() -> None:
    assert "autoperf releases install 1.9.1" in text_of("releases", "table", [])


def test_json() -> None:
    assert json.loads(text_of("releases", "json", ROWS))["releases"][1] == {
        "version": "", "origin": "environment", "library": "/build/libmxnet.so", "bytes": 512, "default": True,
    }  # fmt: skip
