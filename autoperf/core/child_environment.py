"""The environment of every child process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import autoperf

CHILD_VARIABLES = ("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONUNBUFFERED", "PYTHONWARNINGS")
"""The variables that autoperf sets for every child; a user can't override them."""


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment and `extra`, with this package on the path but not the child's working folder."""
    home = str(Path(autoperf.__file__).resolve().parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    fixed = dict(zip(CHILD_VARIABLES, (path, "1", "1", "ignore"), strict=True))
    return {**os.environ, **extra, **fixed}
