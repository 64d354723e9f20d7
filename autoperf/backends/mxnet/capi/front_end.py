"""Imports MXNet's Python front end, the package `mxnet`, into a process that has loaded its library."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.mxnet.capi.registered_operators import exception_text, registered_operators
from autoperf.core.error_places import innermost_line
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.versions import NUMPY_ADVICE, imports_package

# Names of NumPy that MXNet's package uses and that NumPy 1.24 took away.
REMOVED = {"bool": bool, "int": int, "float": float, "object": object, "complex": complex}


def has_front_end(library: Path) -> bool:
    """Whether the package `mxnet` is beside a library."""
    return (library.resolve().parent / "__init__.py").is_file()


@cache
def front_end(library: Path) -> Any:
    """The package `mxnet` beside a library, whose engine it shares. Raises EngineError if there is none."""
    folder = library.resolve().parent
    if not has_front_end(library):
        raise EngineError(f"there is no Python front end beside {library}: install the whole package mxnet")
    for name, builtin in REMOVED.items():
        if name not in vars(np):
            setattr(np, name, builtin)
    sys.path.insert(0, str(folder.parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            package = importlib.import_module(folder.name)
        except Exception as error:
            version = np.__version__
            advice = "" if imports_package(version) else f"; NumPy {version} is too new for it: {NUMPY_ADVICE}"
            raise EngineError(
                f"the front end in {folder} can't be imported: {type(error).__name__}: {error}{advice}"
            ) from error
        finally:
            sys.path.pop(0)
    registered_operators().watch(package)
    return package


def run_extension(library: Path, file: Path) -> None:
    """Runs a Python file that registers operators (`mx.operator.register`), with the front end beside the library.

    Raises UsageError if there is no front end, or if the file fails.
    """
    try:
        front_end(library)
    except EngineError as error:
        raise UsageError(f"the operators in {file} need MXNet's Python package: {error}") from None
    name = f"autoperf_extension_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"invalid extension {file}: expected a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        where = f", line {line}" if (line := innermost_line(error, file)) else ""
        raise UsageError(f"invalid extension {file}{where}: {exception_text(error)}") from error
