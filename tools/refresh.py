"""Fills the README's blocks with the program's output.

python tools/refresh.py                # all blocks: they are measurements, so use an idle machine
python tools/refresh.py run compare
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile

from tools.page_blocks import ROOT, fill, require_quiet

README = ROOT / "README.md"
CASES = "--operator softmax --input-profile small,common,large --draws 0"
COMMANDS = {
    "run": f"autoperf run {CASES}",
    "compare": f"autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 {CASES}",
    "hunt": "autoperf hunt --operator softmax --time-budget 30s --seed 1",
}
TOTALS = re.compile(r"^[\d,]+ (?:case|measurement)s? = |^[\d,]+ findings?: ")
LINES = {"run": 6, "compare": 4, "hunt": 5}
"""How many lines of the table are shown, above the totals and the answer."""


def printed(name: str) -> list[str]:
    """The lines that a command prints on a quiet machine; its exit code may be 1, for a finding."""
    require_quiet()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", *shlex.split(COMMANDS[name])]
        if name == "hunt":
            command += ["--folder", f"{folder}/hunt"]
        environment = {"AUTOPERF_RELEASES": f"{ROOT}/.venv/releases", **os.environ, "COLUMNS": "100"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return [line.rstrip() for line in done.stdout.splitlines()]


def content(name: str, lines: list[str]) -> str:
    """The first results, the totals and the answer."""
    totals = next(number for number, line in enumerate(lines) if TOTALS.search(line))
    return "\n".join(["```text", f"$ {COMMANDS[name]}", *lines[: LINES[name]], "...", *lines[totals:], "```"])


def main(names: list[str]) -> None:
    """Fills the named blocks, or all."""
    fill(README, {name: content(name, printed(name)) for name in names or list(COMMANDS)})


if __name__ == "__main__":
    main(sys.argv[1:])
