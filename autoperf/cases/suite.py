"""Loads suite files: runs their Python, and calls their functions for the cases."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from autoperf.cases.suite_vocabulary import FORMAT, MARK, CaseMark, Suite, parameter_value
from autoperf.core.case import Case, Input, check_case
from autoperf.core.errors import CaseFileError, innermost_line
from autoperf.core.files import read_input
from autoperf.core.graph import Graph
from autoperf.core.operator import Value
from autoperf.core.tensors import TensorSpec


class LoadedCase(msgspec.Struct, frozen=True):
    """A case and its function; `label` is its name in the file, which an edit may have outdated."""

    function: str
    label: str
    case: Case


class LoadedSuite(msgspec.Struct, frozen=True):
    """A loaded file: its header, and its cases in order."""

    header: Suite
    cases: tuple[LoadedCase, ...]


def load(path: Path) -> LoadedSuite:
    """Loads a file of cases, whose ids are computed from their content. Raises CaseFileError with place and reason."""
    namespace: dict[str, Any] = {"__name__": "autoperf_suite", "__file__": str(path)}
    tree = _parsed(path)
    with _errors_located(path):
        exec(compile(tree, str(path), "exec"), namespace)  # noqa: S102 - a file of cases is Python by design
    header, cases = _header(path, namespace), []
    for name, function in namespace.items():
        mark = getattr(function, MARK, None)
        if isinstance(mark, CaseMark):
            with _errors_located(path, name):
                cases.append(LoadedCase(name, mark.label, _case(header, mark, function)))
    if not cases:
        raise CaseFileError(f"{path}: has no case; mark a function with @case()")
    return LoadedSuite(header, tuple(cases))


def _parsed(path: Path) -> ast.Module:
    """The file's syntax. Two functions of one name are refused: Python would drop the first silently."""
    try:
        source = read_input(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CaseFileError(f"{path}: invalid Python file: expected UTF-8 text") from None
    try:
        tree = ast.parse(source, str(path))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line else ""
        raise CaseFileError(f"{path}{where}: invalid Python file: {getattr(error, 'msg', error)}") from None
    seen: dict[str, int] = {}
    for node in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        first = seen.setdefault(node.name, node.lineno)
        if first != node.lineno:
            raise CaseFileError(f"{path}, line {node.lineno}: {node.name!r} is defined in line {first} already")
    return tree


@contextmanager
def _errors_located(path: Path, function: str = "") -> Iterator[None]:
    """Turns any exception of a file's code into a CaseFileError with its place."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # noqa: BLE001 - also an exit of the file's code
        # A finding's script exits where an import fails.
        error = raised.__context__ if isinstance(raised, SystemExit) and raised.__context__ else raised
        line = innermost_line(error, path)
        place = f"line {line}" if line else f"{function}()" if function else "at its top level"
        text = str(error) if isinstance(error, CaseFileError) else f"{type(error).__name__}: {error}"
        raise CaseFileError(f"{path}, {place}: {text}") from None


def _header(path: Path, namespace: dict[str, Any]) -> Suite:
    header = namespace.get("SUITE")
    if not isinstance(header, Suite):
        raise CaseFileError(f"{path}: has no SUITE = Suite(operator=..., category=...); is it a file of cases?")
    if header.format != FORMAT:
        raise CaseFileError(
            f"{path}: is of format {header.format}; this autoperf reads format {FORMAT}: generate the file again"
        )
    try:
        return msgspec.convert(msgspec.to_builtins(header), Suite)
    except msgspec.ValidationError as error:
        raise CaseFileError(f"{path}: invalid SUITE: {error}") from error


def _case(header: Suite, mark: CaseMark, function: Callable[[], object]) -> Case:
    try:
        msgspec.convert(msgspec.to_builtins(mark), CaseMark)
    except (msgspec.ValidationError, TypeError) as error:
        raise CaseFileError(f"invalid @case(...): {error}") from error
    arguments = function()
    if not isinstance(arguments, Mapping):
        raise CaseFileError(f"invalid result {arguments!r}: expected dict(...) of tensors and parameters")
    inputs: list[Input] = []
    params: dict[str, Value] = {}
    graphs: dict[str, Graph] = {}
    for name, value in arguments.items():
        tensors = _tensors(name, value)
        if tensors is not None:
            inputs += tensors
        elif isinstance(value, Graph):
            graphs[name] = value
        else:
            params[name] = parameter_value(name, value)
    if missing := set(mark.in_place) - {item.name for item in inputs}:
        raise CaseFileError(f"invalid in_place {sorted(missing)}: expected names of this case's inputs")
    built = Case(
        operator=header.operator,
        category=mark.category or header.category,
        profile=mark.profile,
        inputs=tuple(inputs),
        params=params,
        in_place=mark.in_place,
        training=mark.training,
        graphs=graphs,
        way=mark.way or ("graph" if graphs else "call"),
    )
    return check_case(built)


def _tensors(name: str, value: object) -> list[Input] | None:
    """The inputs under a name (a list of tensors gives `name[0]`, ...), or None if it is a parameter."""
    if isinstance(value, TensorSpec):
        return [Input(name, value)]
    if not isinstance(value, list | tuple) or not any(isinstance(item, TensorSpec) for item in value):
        return None
    if others := [item for item in value if not isinstance(item, TensorSpec)]:
        raise CaseFileError(f"invalid item {others[0]!r} of {name}: expected tensors alone")
    return [Input(f"{name}[{index}]", item) for index, item in enumerate(value)]
