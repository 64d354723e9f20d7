"""Scripts of the repository, as modules that tests call."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def load_script(*parts: str) -> ModuleType:
    """The script at this path below the repository's root."""
    path = ROOT.joinpath(*parts)
    if str(path.parent) not in sys.path:
        # Scripts import modules beside them.
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
