"""Reads a user's rules from files, in the process of the sandbox only."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from hypothesis.errors import HypothesisException

from autoperf.core.error_places import innermost_line, innermost_place
from autoperf.core.errors import AutoperfError, RuleError
from autoperf.core.inputs import MAX_WHOLE_BYTES, check_input
from autoperf.rules.catalog import members
from autoperf.rules.gluon_layers.layer import GluonLayer
from autoperf.rules.gluon_layers.user_layers import layer_rule
from autoperf.rules.rule import Exclusion, Rule

PACKAGE = "user_rules"

Enter: TypeAlias = Callable[[Path], None]
"""Called with each file before it is run."""


def read_rules(paths: Sequence[Path], enter: Enter = lambda _file: None) -> list[Rule | Exclusion]:
    """The rules in these Python files, and in the Python files of these folders, each once.

    Raises RuleError for a path that has no rule, and for a file that fails.
    """
    entries: dict[int, Rule | Exclusion] = {}
    for number, path in enumerate(paths):
        of_path: dict[int, tuple[Rule | Exclusion, str, str]] = {}
        for source, file, module in _modules(path, f"{PACKAGE}{number or ''}", enter):
            rules = ((id(item), item) for item in members(module))
            items = dict([*rules, *_layers(path, file, module)])
            of_path |= {key: (item, source, file) for key, item in items.items() if key not in of_path}
        if not of_path:
            raise RuleError(
                f"invalid rules {path}: expected at least one rule; CONTRIBUTING.md shows how one is written"
            )
        entries |= {key: _with_file_source(*item) for key, item in of_path.items() if key not in entries}
    return list(entries.values())


def _layers(path: Path, file: str, module: ModuleType) -> Iterator[tuple[int, Rule]]:
    """The rules of the layers at the top level of a module, with the layers' identities."""
    folder = path if path.is_dir() else path.parent
    for value in vars(module).values():
        for item in value if isinstance(value, tuple | list) else (value,):
            if isinstance(item, GluonLayer):
                yield id(item), layer_rule(item, folder, file.removesuffix(":"))


def _with_file_source(item: Rule | Exclusion, source: str, file: str) -> Rule | Exclusion:
    """The rule with a source that names the file, where the module has another name."""
    if isinstance(item, Exclusion) or not item.source.startswith(source):
        return item
    return replace(item, source=file + item.source.removeprefix(source))


def _modules(path: Path, package: str, enter: Enter) -> Iterator[tuple[str, str, ModuleType]]:
    """The modules of a file or a folder, in a package of their own, so that they can import each other.

    With each module come the present and the intended prefix of the sources of its rules.
    """
    try:
        files = sorted(path.glob("*.py")) if path.is_dir() else [path] if path.suffix == ".py" else []
        if not path.exists():
            raise RuleError(f"invalid rules {path}: expected an existing Python file, or a folder of such files")
    except OSError as error:
        raise RuleError(f"{path} can't be read: {error.strerror}") from None
    if not files:
        raise RuleError(f"invalid rules {path}: expected a Python file, or a folder with Python files")
    parent = ModuleType(package)
    parent.__path__ = [str(path if path.is_dir() else path.parent)]
    sys.modules[package] = parent
    importlib.invalidate_caches()
    for number, file in enumerate(files):
        enter(file)
        # Importing a named pipe or a device would wait forever.
        check_input(file, max_bytes=MAX_WHOLE_BYTES)
        with as_rule_error(str(file), file):
            module = _import_file(package, file, number)
        yield f"{module.__name__.replace('.', '/')}.py:", f"{package}/{file.name}:", module


def _import_file(package: str, file: Path, number: int) -> ModuleType:
    """The file as a module; a name that isn't an identifier (`my.rules.py`) is replaced by a unique one."""
    if file.stem.isidentifier():
        return importlib.import_module(f"{package}.{file.stem}")
    name = f"{package}.file-{number}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RuleError(f"{file} can't be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def as_rule_error(what: str, file: Path | None = None) -> Iterator[None]:
    """Turns exceptions of user code into a RuleError with file and line.

    Exceptions of Hypothesis, which control its draws, pass unchanged, and so do those of autoperf without a line.
    """
    try:
        yield
    except RuleError as error:
        if file and (line := innermost_line(error, file)):
            raise RuleError(f"{what}, line {line}: {error}") from error
        raise
    except (AutoperfError, HypothesisException):
        raise
    except MemoryError:
        raise RuleError(f"{what}: MemoryError: it exceeds the memory limit; see --memory-limit") from None
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        where = f", line {line}" if file and (line := innermost_line(error, file)) else ""
        place = "" if file else _place(error)
        raise RuleError(f"{what}{where}: {type(error).__name__}: {error}{place}") from error


def _place(error: BaseException) -> str:
    """The innermost line of a user's file in the traceback, as a suffix; empty if there is none."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(PACKAGE)]
    files = {file for module in modules if (file := module.__dict__.get("__file__"))}
    place = innermost_place(error, files)
    return f" ({place.filename}, line {place.lineno})" if place else ""
