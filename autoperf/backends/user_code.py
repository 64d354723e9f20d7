"""Code of the user's own: operators that every process loads, and Python files of blocks."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from autoperf.core.errors import AutoperfError, CaseFileError, UnknownNameError, UsageError, innermost_line
from autoperf.core.files import EXTENSIONS_VARIABLE, expanded_path

# The files of the option are added to the variable's, so that errors name both.
EXTENSION_SOURCES = f"--extension or {EXTENSIONS_VARIABLE}"


def extensions(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """The libraries and Python files that $AUTOPERF_EXTENSIONS names, separated by colons like the entries of $PATH."""
    paths = environment.get(EXTENSIONS_VARIABLE, "").split(os.pathsep)
    return tuple(expanded_path(name, EXTENSIONS_VARIABLE).resolve() for name in paths if name)


def with_extensions(files: Iterable[Path], environment: Mapping[str, str] = os.environ) -> str:
    """The value of $AUTOPERF_EXTENSIONS with these files added, each once."""
    return os.pathsep.join(dict.fromkeys(map(str, (*extensions(environment), *(file.resolve() for file in files)))))


def add_extensions(files: Iterable[Path]) -> None:
    """Adds files to $AUTOPERF_EXTENSIONS of this process and its children. Raises UsageError if one is no file."""
    added = tuple(files)
    for file in added:
        if not file.is_file():
            raise UsageError(f"invalid extension {str(file)!r}: expected a built library or a Python file")
        if os.pathsep in str(file):
            raise UsageError(f"invalid extension {str(file)!r}: expected a path without {os.pathsep!r}")
    if added:
        os.environ[EXTENSIONS_VARIABLE] = with_extensions(added)


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
    spec = importlib.util.spec_from_file_location(f"autoperf_network_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise CaseFileError(f"can't read {path}: expected an existing Python file")
    # Dataclasses look up the names of their annotations there.
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
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
    except SystemExit as error:
        raise CaseFileError(f"{error_place(path, error)}: SystemExit: the file ends the program") from error
    except Exception as error:
        raise CaseFileError(f"{error_place(path, error)}: {error_text(error)}") from error


def error_place(path: Path, error: BaseException) -> str:
    """The file, and the last line of it that the error passed through."""
    line = innermost_line(error, path)
    return f"{path}, line {line}" if line else str(path)
