"""Fills the examples of docs/reference/tables.md with the program's output for the stored runs of the tests.

python tools/examples.py
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

from tools.page_blocks import DOCS, ROOT

PAGE = DOCS / "reference" / "tables.md"
STORED = ROOT / "tests" / "data" / "stored"
_BLOCK = re.compile(r"```text\n\$ (autoperf [^\n]*)\n?(.*?)\n?```", re.DOTALL)


def examples(text: str) -> dict[str, str]:
    """The output of each command in the page's blocks."""
    return dict(_BLOCK.findall(text))


def printed(command: str) -> str:
    """What the command prints, without spaces at the ends of lines."""
    words = [sys.executable, "-m", *shlex.split(command)]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=STORED, env=environment)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())


def filled(text: str) -> str:
    """The page with the output of its commands."""
    return _BLOCK.sub(lambda block: f"```text\n$ {block[1]}\n{printed(block[1])}\n```", text)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
