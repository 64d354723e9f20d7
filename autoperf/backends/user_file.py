"""Python files of a user's blocks, in processes that import the front end."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from autoperf.core.error_places import innermost_line
from autoperf.core.errors import AutoperfError, CaseFileError, UnknownNameError

_MODULE = "autoperf_network"

ErrorText: TypeAlias = Callable[[BaseException], str]
"""The message of an exception of the user's code, in the framework's words."""


def user_attribute(path: Path, name: str, error_text: ErrorText) -> Any:
    """A function or a class of a Python file. Raises CaseFileError, and UnknownNameError if there is none."""
    module = user_module(path, error_text)
    value = getattr(module, name, None)
    if not callable(value):
        known = [name for name, each in vars(module).items() if inspect.isfunction(each) or inspect.isclass(each)]
        raise UnknownNameError(f"function of {path}", name, known)
    return value


@cache
def user_module(path: Path, error_text: ErrorText) -> ModuleType:
    """A Python file as a module, run once. Raises CaseFileError."""
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise CaseFileError(f"can't read {path}: expected an existing Python file")
    module = importlib.util.module_from_spec(spec)
    # Modules beside the file can be imported, as by `python FILE`.
    sys.path.insert(0, str(path.parent))
    with errors_in(path, error_text):
        spec.loader.exec_module(module)
    return module


@contextmanager
def errors_in(path: Path, error_text: ErrorText) -> Iterator[None]:
    """Turns an exception of a user's file into a CaseFileError with the file and the line."""
    try:
        yield
    except AutoperfError:
        raise
    except Exception as error:
        raise CaseFileError(f"{error_place(path, error)}: {error_text(error)}") from error


def error_place(path: Path, error: BaseException) -> str:
    """The file, and the last line of it that the error passed through."""
    line = innermost_line(error, path)
    return f"{path}, line {line}" if line else str(path)
