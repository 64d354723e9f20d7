"""Fills the README's blocks with the program's output.

    python tools/refresh.py            # all blocks; two are measurements, so use an idle machine
    python tools/refresh.py discover totals file

The block `totals` is copied from docs/coverage.md, which tools/coverage_page.py writes. The blocks `discover` and
`file` are the same on every machine, and a test compares them with the program; `run` and `hunt` are measurements.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from page_blocks import DOCS, ROOT, block_of, fill

README = ROOT / "README.md"
COVERAGE = DOCS / "coverage.md"
FILE_CASES = 1
FINDINGS = 2


def autoperf(*arguments: str) -> str:
    """The command's standard output."""
    command = [sys.executable, "-m", "autoperf", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def discover() -> str:
    """The first categories, and the totals."""
    lines = [line.rstrip() for line in autoperf("discover").splitlines()]
    head = [*lines[:6], "...", *(line for line in lines if line.startswith("sum "))]
    return "\n".join(["$ autoperf discover", *head, "...", *lines[-3:]])


def totals() -> str:
    """The table of docs/coverage.md."""
    return block_of(COVERAGE.read_text(), "totals")


def run() -> str:
    """A run of one operator, without the last lines: they name the build's path and the command."""
    lines = [line.rstrip() for line in autoperf("run", "--operator", "softmax", "--seed", "42").splitlines()]
    totals_line = next(number for number, line in enumerate(lines) if line.startswith("10 cases ="))
    return "\n".join([*lines[: totals_line + 1], "..."])


def hunt() -> str:
    """A hunt of one operator; its exit code is 1, because it has findings."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("hunt", "--operator", "softmax", "--time-budget", "30s", "--seed", "1")
        command = [sys.executable, "-m", "autoperf", *options, "--folder", f"{folder}/hunt"]
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    text = "\n".join(line.rstrip() for line in output.splitlines())
    return f"$ autoperf {' '.join(options)}\n{shortened(text)}"


def shortened(text: str) -> str:
    """The first findings, and the summary without the notes above it."""
    *entries, end = text.split("\n\n")
    summary = re.search(r"^\d+ findings?:.*", end, re.MULTILINE | re.DOTALL)
    return "\n\n".join([*entries[:FINDINGS], "...", summary[0] if summary else end])


def file() -> str:
    """The beginning and the end of a rendered file."""
    with tempfile.TemporaryDirectory() as folder:
        autoperf("generate", "--seed", "42", "--category", "convolution", "--folder", folder)
        text = (Path(folder) / "convolution" / "Convolution.py").read_text()
    head, *cases = text.split("\n\n\n")
    return "\n\n\n".join([head, *cases[:FILE_CASES], "...", cases[-1]]).rstrip()


BLOCKS = {"discover": discover, "totals": totals, "run": run, "hunt": hunt, "file": file}


def content(name: str) -> str:
    """The content of a block of the README."""
    printed = BLOCKS[name]()
    return printed if name == "totals" else f"```{'python' if name == 'file' else 'text'}\n{printed}\n```"


def main(names: list[str]) -> None:
    """Fill the named blocks, or all."""
    fill(README, {name: content(name) for name in names or list(BLOCKS)})


if __name__ == "__main__":
    main(sys.argv[1:])
