"""ARCHITECTURE.md names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import autoperf

PACKAGE = Path(autoperf.__file__).parent
PAGE = PACKAGE.parent / "ARCHITECTURE.md"


def test_each_module_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"\b(?:autoperf/)?([a-z_]+/[a-z_/]+\.py)\b", PAGE.read_text(encoding="utf-8")))
    assert len(named) > 40
    assert {name for name in named if not (PACKAGE / name).is_file()} == set()
