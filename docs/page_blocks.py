"""Blocks of pages that scripts write: what stands between `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

import re


def with_block(text: str, name: str, content: str) -> str:
    """The text of a page with another content of a block. Ends the script where the page has no such block."""
    replaced, count = re.subn(
        rf"(<!-- {re.escape(name)} -->\n).*?(\n<!-- /{re.escape(name)} -->)",
        lambda match: match[1] + content + match[2],
        text,
        flags=re.DOTALL,
    )
    if not count:
        raise SystemExit(f"invalid page: expected a block '{name}'")
    return replaced
