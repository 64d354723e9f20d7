"""What every child process of autoperf's is started with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import autoperf

CHILD_VARIABLES = ("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONUNBUFFERED", "PYTHONWARNINGS")
"""The variables that every child gets from us, whatever else is asked for."""


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Ours and `extra`, with this very package on the path, and nothing from wherever the child starts."""
    home = str(Path(autoperf.__file__).resolve().parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    ours = dict(zip(CHILD_VARIABLES, (path, "1", "1", "ignore"), strict=True))
    return {**os.environ, **extra, **ours}
