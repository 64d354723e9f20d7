"""The user's own operators, which every process loads with MXNet.

C++ libraries are MXNet's extensions (`mx.library.load`); Python files register operators (`mx.operator.register`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from autoperf.core.errors import UsageError
from autoperf.core.paths import expanded_path

EXTENSIONS_VARIABLE = "AUTOPERF_EXTENSIONS"
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


def is_python(extension: Path) -> bool:
    """Whether an extension is a Python file."""
    return extension.suffix == ".py"
