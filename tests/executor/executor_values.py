"""Values that the executor's tests share."""

from __future__ import annotations

from pathlib import Path

from autoperf.executor.batches import Job
from autoperf.executor.settings import Settings
from autoperf.executor.suite import load

# Few iterations: these tests are about what is measured, not about how well.
QUICK = Settings(warmup=1, runs=3, processes=1, timeout=60)

HEAD = """\
import os, sys, time
from autoperf.bench import *
SUITE = Suite(operator={operator!r}, category="test")
"""


def jobs(path: Path) -> list[Job]:
    """The jobs of a file."""
    return [Job(str(path), one.function, one.case) for one in load(path).cases]


def hostile_job(folder: Path, body: str) -> Job:
    """A case whose function does something else than its id says, which only the children find out."""
    text = HEAD.format(operator="exp") + f"\n@case()\ndef hostile():\n{body}\n    return dict(data=tensor((2, 2)))\n"
    path = folder / "hostile.py"
    path.write_text(text, encoding="utf-8")
    harmless = folder / "harmless.py"
    harmless.write_text(
        HEAD.format(operator="exp") + "\n@case()\ndef hostile():\n    return dict(data=tensor((2, 2)))\n"
    )
    case = load(harmless).cases[0].case
    return Job(str(path), "hostile", case)
