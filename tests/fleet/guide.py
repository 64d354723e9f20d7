"""The examples of the guide to clusters, which tests run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "cluster.md"


def module_of(function: str) -> str:
    """The Python example of the guide that has this function."""
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if f"def {function}(" in block)
    return block
