"""Blocks of pages that scripts write: what stands between `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from autoperf.measurement.machine_state import disturbances

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def require_quiet() -> None:
    """Ends the script on a busy machine: pages and examples have figures of a quiet one."""
    for words in disturbances():
        raise SystemExit(words)


def block_of(text: str, name: str) -> str:
    """The content of a block. Ends the script where the page has no such block."""
    match = _pattern(name).search(text)
    if not match:
        raise SystemExit(f"invalid page: expected a block '{name}'")
    return match[2]


def with_block(text: str, name: str, content: str) -> str:
    """The text of a page with another content of a block. Ends the script where the page has no such block."""
    block_of(text, name)
    stripped = content.strip("\n")
    return _pattern(name).sub(lambda match: f"{match[1]}{stripped}{match[3]}", text)


def fill(page: Path, blocks: Mapping[str, str]) -> None:
    """Writes the contents of these blocks into a page."""
    text = page.read_text(encoding="utf-8")
    for name, content in blocks.items():
        text = with_block(text, name, content)
    page.write_text(text, encoding="utf-8")


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {re.escape(name)} -->\n)(.*?)(\n<!-- /{re.escape(name)} -->)", re.DOTALL)
