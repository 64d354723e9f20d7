"""What every child process of autoperf's is started with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import autoperf


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Ours and `extra`, with this very package on the path, and nothing from wherever the child starts."""
    home = str(Path(autoperf.__file__).resolve().parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    ours = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "ignore"}
    return {**os.environ, **extra, **ours}
