"""Values that the executor's tests share."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from autoperf.cases.suite import load
from autoperf.measurement.batches import Job
from autoperf.measurement.settings import Settings
from tests.measurement.hostile import CODE, HOSTILE
from tests.values import case

# Few iterations: these tests are about what is measured, not about how well.
QUICK = Settings(warmup=1, runs=3, processes=1, timeout=60, framework=HOSTILE)

HEAD = """\
from autoperf.bench import *
SUITE = Suite(operator={operator!r}, category="test")
"""


def jobs(path: Path) -> list[Job]:
    """The jobs of a file."""
    return [Job(one.case) for one in load(path).cases]


def hostile_job(code: str) -> Job:
    """A case with code that the child processes run, of executors with the framework HOSTILE."""
    return Job(case("exp", 2, 2, params={CODE: dedent(code)}))
