"""MXNet's Python front end: imported after the library was loaded, and the operators that it registers."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from autoperf.backends.front_end_package import import_front_end
from autoperf.core.errors import EngineError, UnknownNameError, UsageError, innermost_line, innermost_place
from autoperf.processes.failures import LOCATION, first_sentence


def has_front_end(library: Path) -> bool:
    """Whether the package `mxnet` is beside a library."""
    return (library.resolve().parent / "__init__.py").is_file()


@cache
def front_end(library: Path) -> Any:
    """The package `mxnet` beside a library, whose engine it shares. Raises EngineError if there is none."""
    folder = library.resolve().parent
    if not has_front_end(library):
        raise EngineError(f"there is no Python front end beside {library}: install the whole package mxnet")
    package = import_front_end(folder)
    registered_operators().watch(package)
    return package


def run_extension(library: Path, file: Path) -> None:
    """Runs a Python file that registers operators. Raises UsageError if it fails, or if there is no front end."""
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


# The engine's messages for a Python operator that has failed, and for one that isn't registered.
_CALLBACK = re.compile(r"CustomOp\w*Func|kCustomOp\w+|custom[-\w]*\.cc", re.IGNORECASE)
_ABSENT = re.compile(r"Cannot find custom operator (\S+)")
_PRINTED = re.compile(r"Error in ([\w.]+): ")


class RegisteredOperators:
    """The names of the operators that this process has registered, and the cause of the last failure of one."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._files: set[str] = set()
        self._failure = ""
        self._refusal: BaseException | None = None

    def watch(self, package: Any) -> None:
        """Notes operators that the package's functions register from now on, and their exceptions."""
        module = package.operator
        register, print_text, hook = module.register, print, sys.unraisablehook

        def watched(name: str) -> Callable[[Any], Any]:
            def decorate(properties: Any) -> Any:
                self.add(name, getattr(sys.modules.get(properties.__module__), "__file__", None))
                register(name)(self._maker(name, properties))
                return properties

            return decorate

        def printed(text: str) -> None:
            self._note(sys.exc_info()[1], text)
            print_text(text)

        def unraisable(event: Any) -> None:
            if getattr(event.object, "__module__", None) == module.__name__:
                self._note(event.exc_value, "")
            hook(event)

        # The package catches exceptions and prints them; others, such as SystemExit, end in the hook.
        module.register, module.print, sys.unraisablehook = watched, printed, unraisable

    def add(self, name: str, file: str | None = None) -> None:
        """Notes a registered name, and the file that has its code."""
        self._names[name] = None
        if file:
            self._files.add(file)

    def explained(self, text: str) -> str:
        """MXNet's message, or the exception of the Python operator that caused it, on one line."""
        return self._cause(text) or first_sentence(text)

    def told(self, error: BaseException) -> str:
        """The message of an exception of Python code, with its class; MXNet's errors as `explained`."""
        return self._cause(str(error)) or exception_text(error)

    def _cause(self, text: str) -> str:
        """The cause of an engine's message about an operator in Python; empty for any other."""
        if absent := _ABSENT.search(text):
            advice = "" if self._names else "; name the file that registers it by --extension"
            return f"{UnknownNameError('op_type', absent[1], self._names)}{advice}"
        return self._failure if self._failure and _CALLBACK.search(text) else ""

    def _maker(self, name: str, properties: Callable[..., Any]) -> Callable[..., Any]:
        """Makes the properties of an operator. MXNet crashes where that raises, so they raise it when they are used."""

        def make(**params: str) -> Any:
            try:
                return properties(**params)
            except BaseException as error:  # noqa: BLE001 - SystemExit crashes MXNet too
                self._note(error, f"Error in {name}: ")
                self._refusal = error
                return _Refused(error)

        return make

    def _note(self, error: BaseException | None, printed: str) -> None:
        if error is None or error is self._refusal:
            return
        what = _PRINTED.match(printed)
        place = innermost_place(error, self._files)
        where = f" ({place.filename}, line {place.lineno})" if place else ""
        self._failure = f"{what[1] + ': ' if what else ''}{exception_text(error)}{where}"


class _Refused:
    """The properties of an operator that couldn't be made: whatever MXNet asks them fails with the reason."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error


@cache
def registered_operators() -> RegisteredOperators:
    """The operators in this process, where MXNet's package and its library share one registry."""
    return RegisteredOperators()


_NODE = re.compile(r"\bError in operator (\S+): ")
# Marks of the engine's messages, which Gluon also puts into exceptions of Python's own classes.
_OF_ENGINE = re.compile(
    rf"{LOCATION.pattern}|^Error in operator |^\s+File \"[^\"\n]*\.(?:cc|cu|cuh|h|hpp)\"", re.MULTILINE
)


def failing_node(text: str) -> str:
    """The node of a graph that an MXNet message is about; empty if it names none."""
    node = _NODE.search(text)
    return node[1] if node else ""


def exception_text(error: BaseException) -> str:
    """Class and message of an exception on one line, of one with the engine's message its first sentence."""
    text = str(error)
    if type(error).__module__.partition(".")[0] == "mxnet":
        return first_sentence(text)
    if _OF_ENGINE.search(text):
        text = first_sentence(text)
    return f"{type(error).__name__}: {' '.join(text.split())}".removesuffix(": ")
