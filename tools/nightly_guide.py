"""Follows the ten commands of docs/guides/nightly-job.md in an empty folder, and fills in what they print.

python -m tools.nightly_guide             # ten minutes of an idle machine
python -m tools.nightly_guide --keep DIR  # in this folder, which is kept
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tools.page_blocks import DOCS, block_of, require_quiet, with_block

PAGE = DOCS / "guides" / "nightly-job.md"
BLOCK = "ten commands"
MAX_LINES = 12
_STEP = re.compile(r"```text\n\$ ([^\n]*<<'EOF'\n(?:(?!EOF\n)[^\n]*\n)*EOF|[^\n]*)\n((?:(?!```)[^\n]*\n)*)```")
_CODE = re.compile(r"red, exit code (\d)")


class Step(NamedTuple):
    """A command of the guide, and the exit code that the text before it states (0 by default)."""

    command: str
    code: int


def steps(text: str) -> list[Step]:
    """The commands of the guide's block, in their order."""
    content, found, end = block_of(text, BLOCK), [], 0
    for match in _STEP.finditer(content):
        stated = _CODE.findall(content[end : match.start()])
        found.append(Step(match[1], int(stated[-1]) if stated else 0))
        end = match.end()
    return found


def printed(step: Step, folder: Path) -> str:
    """The last lines that a command prints. Ends the script where its exit code isn't the stated one."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "AUTOPERF_CACHE": str(folder / ".cache")}
    done = subprocess.run(
        ["bash", "-c", step.command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (step.code, 0):
        raise SystemExit(
            f"{step.command}\nexit code {done.returncode}, stated {step.code}:\n{done.stdout}{done.stderr}"
        )
    lines = [line.rstrip() for line in (done.stdout or done.stderr).replace(f"{folder}/", "").splitlines()]
    return "".join(f"{line}\n" for line in (["...", *lines[-MAX_LINES:]] if len(lines) > MAX_LINES else lines))


def main() -> None:
    """Follows the guide."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path)
    kept = parser.parse_args().keep
    require_quiet()
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        outputs = [printed(step, folder) for step in steps(text)]
    fresh = iter(outputs)
    content = _STEP.sub(lambda match: f"```text\n$ {match[1]}\n{next(fresh)}```", block_of(text, BLOCK))
    PAGE.write_text(with_block(text, BLOCK, content), encoding="utf-8")


if __name__ == "__main__":
    main()
