"""Imports MXNet's Python package, beside any NumPy below 2."""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.core.errors import EngineError
from autoperf.core.releases import NUMPY_ADVICE, imports_package

# Names of NumPy that MXNet's package uses and that NumPy 1.24 took away.
_REMOVED = {"bool": bool, "int": int, "float": float, "object": object, "complex": complex}


def import_front_end(folder: Path | None = None) -> Any:
    """This folder's package, or the installed one, with its names back in NumPy for good. Raises EngineError."""
    for name, builtin in _REMOVED.items():
        if name not in vars(np):
            setattr(np, name, builtin)
    with warnings.catch_warnings():
        # The package is older than the Python and the NumPy that read it.
        warnings.simplefilter("ignore")
        sys.path[:0] = [str(folder.parent)] if folder else []
        try:
            return importlib.import_module(folder.name if folder else "mxnet")
        except Exception as error:
            version, where = np.__version__, f" in {folder}" if folder else ""
            advice = "" if imports_package(version) else f"; NumPy {version} is too new for it: {NUMPY_ADVICE}"
            raise EngineError(
                f"MXNet's Python package{where} can't be imported: {type(error).__name__}: {error}{advice}"
            ) from error
        finally:
            del sys.path[: 1 if folder else 0]
