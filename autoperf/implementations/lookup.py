"""Finds an implementation of an operator for a case: a user's, a found or a handwritten one; or why there is none."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autoperf.core.case import Case, with_lists
from autoperf.core.operator import Form, Operator, Parameter
from autoperf.implementations import operators
from autoperf.implementations.implementation import FRAMEWORKS, Implementation, TableLine

SPARSE = "its inputs are stored sparsely, which implementations over dense arrays don't do"

CATEGORIES: Mapping[str, str] = {
    "control_flow": "a loop or a branch over graphs, which the other frameworks write in Python",
    "subgraph": "it runs code of the user or of MXNet's oneDNN fusion, which exists there alone",
    "graph": "MXNet's own sampling of graphs in CSR storage",
}
OPERATORS: Mapping[str, str] = {
    "_cvimdecode": "it decodes an image file",
    "_cvimread": "it reads an image file",
    "cast_storage": "it converts to sparse storage",
    "_npx_constraint_check": "it raises an error if a condition fails, which stops a program and computes nothing",
    "_npi_share_memory": "whether two arrays of MXNet share memory",
}


def reason_of_all(operator: Operator, category: str) -> str:
    """Why no case of an operator has an implementation, in any framework; empty if some may have one."""
    return CATEGORIES.get(category, "") or OPERATORS.get(operator.name, "")


def reason_of(operator: Operator, case: Case) -> str:
    """Why an operator has no implementation for a case, in any framework; empty if it may have one."""
    if case.way != "call":
        return "it doesn't run imperatively"
    is_sparse = any(item.tensor.storage != "default" for item in case.inputs)
    return SPARSE if is_sparse else reason_of_all(operator, case.category)


FOUND = Path(__file__).parent / "found"


def implementation(
    framework: str, operator: Operator, case: Case, user: Iterable[Implementation] = ()
) -> Implementation | str:
    """The implementation for a case, or why there is none: a user's own, a found one, or by a line of the tables."""
    if own := next((entry for entry in user if entry.operator in operator.names), None):
        return own
    if reason := reason_of(operator, case):
        return reason
    types = types_of(case)
    if difference := differences(framework).get(operator.name, {}).get(types):
        return f"{FRAMEWORKS[framework].title} has other results for {types}: {difference}"
    if found := next((it for name in operator.names if (it := found_by_name(framework).get(name))), None):
        return found
    lines = [
        line for name in operator.names for line in lines_by_operator().get(name, ()) if framework in line.expressions
    ]
    return _of_lines(lines, framework, operator, case) if lines else _without_lines(framework)


def _of_lines(lines: Sequence[TableLine], framework: str, operator: Operator, case: Case) -> Implementation | str:
    """The implementation by the first line whose condition holds for a case, or the reason why none does."""
    needed = f"it needs {lines[0].when}"
    try:
        chosen = next((line for line in lines if not line.when or holds(line.when, operator, case)), None)
    except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError) as error:
        # A hunt leaves out parameters that MXNet doesn't need, and a line's condition does.
        chosen, needed = None, str(error)
    if chosen:
        return chosen.implementation(framework, operator.name)
    return f"no implementation in {FRAMEWORKS[framework].title} for these parameters or types: {needed}"


def lacking(framework: str, operator: Operator, category: str) -> str:
    """The reason why no case of an operator has an implementation in a framework; empty if some may have one."""
    if reason := reason_of_all(operator, category):
        return reason
    lines = (line for name in operator.names for line in lines_by_operator().get(name, ()))
    is_found = any(name in found_by_name(framework) for name in operator.names)
    has_lines = is_found or any(framework in line.expressions for line in lines)
    return "" if has_lines else _without_lines(framework)


def _without_lines(framework: str) -> str:
    return f"{FRAMEWORKS[framework].title} has no equivalent in a few expressions"


@functools.cache
def found_by_name(framework: str) -> Mapping[str, Implementation]:
    """The implementations that introspection found, by operator."""
    path = FOUND / f"{framework}.json"
    entries = msgspec.json.decode(path.read_bytes(), type=list[Implementation]) if path.is_file() else []
    return {entry.operator: entry for entry in entries}


@functools.cache
def differences(framework: str) -> Mapping[str, Mapping[str, str]]:
    """The first difference from MXNet's results by operator and types, such as whole numbers that are promoted."""
    path = FOUND / f"{framework}-differences.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, str]]) if path.is_file() else {}


def types_of(case: Case) -> str:
    """The dtypes of the inputs, each once, and that of the first output: `float32, int32 -> float32`."""
    given = dict.fromkeys(item.tensor.dtype for item in case.arguments)
    return f"{', '.join(given)} -> {case.outputs[0].dtype if case.outputs else ''}".lstrip()


@functools.cache
def lines_by_operator() -> Mapping[str, tuple[TableLine, ...]]:
    """The lines of all tables by operator, in the order of each table."""
    lines: dict[str, tuple[TableLine, ...]] = {}
    for info in sorted(pkgutil.iter_modules(operators.__path__), key=lambda info: info.name):
        for line in importlib.import_module(f"{operators.__name__}.{info.name}").LINES:
            for name in line.operators:
                lines[name] = (*lines.get(name, ()), line)
    return lines


def holds(condition: str, operator: Operator, case: Case) -> bool:
    """Whether a line's condition holds for a case. Inputs are `TensorSpec` values, or lists of them."""
    types = with_lists((item.name, item.tensor) for item in case.arguments)
    missing = {tensor.name: None for tensor in operator.tensors if tensor.name not in types}
    scope = {**missing, **arguments(operator, case), "training": case.training, "outputs": case.outputs, **types}
    return bool(eval(condition, {"__builtins__": CONDITION_BUILTINS}, scope))  # noqa: S307 - the table's own text


CONDITION_BUILTINS = {each.__name__: each for each in (len, all, any, set, max, min, isinstance, bool, int)}


UNDECLARED: Mapping[str, Mapping[str, Any]] = {
    "_linspace": {"endpoint": True},
    "_npi_norm": {"axis": None, "keepdims": False},
}
"""Defaults of parameters that operators read from their attributes, and don't declare."""
RENAMED: Mapping[str, Mapping[str, str]] = {
    "_npi_pad": {"constant_values": "constant_value"},
    "rmsprop_update": {"rho": "gamma1"},
    "rmspropalex_update": {"rho": "gamma1", "momentum": "gamma2"},
}
"""The names of 1.x, which expressions use, for parameters that 2.x has renamed; `is_renamed` is then true."""


def arguments(operator: Operator, case: Case) -> dict[str, Any]:
    """The parameters of a case by name, with the registry's defaults, as Python values; see RENAMED."""
    defaults = {entry.name: _typed(entry, _default(entry)) for entry in operator.parameters if not entry.required}
    defaults = {**UNDECLARED.get(operator.name, {}), **defaults}
    given = {name: _typed(operator.parameter(name), value) for name, value in case.params.items()}
    values, renamed = {**defaults, **given}, RENAMED.get(operator.name)
    if not renamed:
        return values
    is_renamed = not renamed.keys().isdisjoint(values)
    return {**{renamed.get(name, name): value for name, value in values.items()}, "is_renamed": is_renamed}


def _default(parameter: Parameter) -> Any:
    text = parameter.default
    form = parameter.type.form
    if text is None or text == "None":
        return None
    if form is Form.BOOLEAN:
        return text in ("1", "True", "true")
    if form in (Form.SHAPE, Form.TUPLE):
        kind = float if parameter.type.element is Form.FLOAT else int
        return tuple(kind(part) for part in text.strip("[]() ").split(",") if part.strip())
    if form is Form.INTEGER or (form is not Form.FLOAT and _WHOLE.fullmatch(text)):
        return int(text)
    return float(text) if form is Form.FLOAT or _NUMBER.fullmatch(text) else text


def _typed(parameter: Parameter | None, value: Any) -> Any:
    """The value of a case with the parameter's type: MXNet takes 1 for a float, a number for a tuple of one."""
    form = parameter.type.form if parameter else None
    if value is None or value == "None":
        return None
    if form is Form.FLOAT:
        # As MXNet stores it: 0.999 in single precision makes 1 - beta2 smaller by 1.3e-5 of it.
        is_double = parameter is None or parameter.type.spelled.startswith("double")
        return float(value) if is_double else float(np.float32(float(value)))
    if form is Form.BOOLEAN:
        return value in (True, 1, "1", "True", "true")
    return (value,) if form in (Form.SHAPE, Form.TUPLE) and isinstance(value, int | float) else value


_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?\d*\.?\d+(?:e[+-]?\d+)?")
