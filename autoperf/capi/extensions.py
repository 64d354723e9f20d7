"""MXNet's extensions (`mx.library.load`): C++ libraries of operators that every process loads with MXNet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from autoperf.core.paths import expanded_path

EXTENSIONS_VARIABLE = "AUTOPERF_EXTENSIONS"


def extensions(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """The shared libraries that $AUTOPERF_EXTENSIONS names, separated by colons like the entries of $PATH."""
    paths = environment.get(EXTENSIONS_VARIABLE, "").split(os.pathsep)
    return tuple(expanded_path(name, EXTENSIONS_VARIABLE).resolve() for name in paths if name)
