"""The types of the API's options, checked where a caller hands them over."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from numbers import Integral, Real
from os import PathLike

from autoperf.core import options as table
from autoperf.core.errors import UsageError
from autoperf.core.options import Kind, Option


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_path(value: object) -> bool:
    return isinstance(value, str | PathLike)


def _are_texts(value: object) -> bool:
    # An iterator would be at its end after this check.
    return isinstance(value, str) or (isinstance(value, Collection) and all(isinstance(each, str) for each in value))


_CHECKS: Mapping[Kind, Callable[[object], bool]] = {
    Kind.COUNT: _is_count,
    Kind.BYTES: _is_count,
    Kind.SECONDS: _is_number,
    Kind.NUMBER: _is_number,
    Kind.SHARE: _is_number,
    Kind.SWITCH: lambda value: isinstance(value, bool),
    Kind.CHOICE: lambda value: isinstance(value, str),
    Kind.CHOICES: _are_texts,
    Kind.NAMES: _are_texts,
    Kind.PATH: _is_path,
    Kind.LIBRARY: _is_path,
    Kind.FRAMEWORK: lambda value: isinstance(value, str),
    Kind.CLUSTER: lambda value: isinstance(value, str),
    Kind.PATHS: lambda value: _is_path(value) or (isinstance(value, Collection) and all(map(_is_path, value))),
    Kind.PROCESSORS: lambda value: (
        isinstance(value, str) or _is_count(value) or (isinstance(value, Collection) and all(map(_is_count, value)))
    ),
}
"""Whether a value is of a kind; dtypes and devices are checked where they are converted."""

PROGRESS = Option("progress", Kind.SWITCH, "Whether progress and notices are shown.", True)
PROCESS_OPTIONS = (table.MXNET, table.PROCESSES, PROGRESS)
"""The options of every function that measures."""
MEASURING_OPTIONS = (
    *table.SELECTION,
    *table.RECIPE,
    *table.RUN_SETTINGS,
    table.CALLER,
    table.INT64_TENSOR,
    table.CASES,
    table.RULES,
    table.EXTENSION,
    table.MXNET,
    table.FRAMEWORK,
    table.CLUSTER,
    table.RUN_FILE,
    PROGRESS,
)
"""The options of `measure`: those of `autoperf run`, and one of Python's own."""
COMPARING_OPTIONS = tuple(
    replace(option, default=table.SIDE_MAX_TIME) if option.name == "max_time" else option
    for option in MEASURING_OPTIONS
    if option not in (table.MXNET, table.FRAMEWORK)
)
"""The options of `compare_builds`: those of `measure`, without its build and framework."""
HUNTING_OPTIONS = (
    *table.SELECTION,
    table.PROFILE,
    table.SEED,
    table.DTYPE,
    replace(table.ELEMENTS, default=None),
    *table.HUNT,
    replace(table.TIMEOUT, default=20.0),
    table.MEMORY_LIMIT,
    table.CTX,
    table.COUNTERS,
    table.CASES,
    table.RULES,
    table.EXTENSION,
    table.MXNET,
    table.AGAINST,
    table.CLUSTER,
    PROGRESS,
)
"""The options of `run_hunt`: those of `autoperf hunt` for one build, or for one against another framework."""
_OTHERS = (
    Option("threshold", Kind.SHARE, ""),
    Option("margin", Kind.SHARE, ""),
    Option("run_backward", Kind.SWITCH, ""),
    Option("allow_missing", Kind.SWITCH, ""),
    Option("path", Kind.PATH, ""),
)
_FLAG = re.compile(r"--([a-z][a-z-]*)")
_BY_NAME = {
    name: option
    for option in (*MEASURING_OPTIONS, *HUNTING_OPTIONS, *_OTHERS)
    for name in (option.name, option.also)
    if name
}


def is_empty(value: object) -> bool:
    """Whether it is a list, or the like, of nothing: that isn't the same as none given."""
    return isinstance(value, Collection) and not isinstance(value, str) and len(value) == 0


def check_types(options: Mapping[str, object]) -> None:
    """Raises UsageError for a value of another type, and for an empty list; None stands for a default."""
    for name, value in options.items():
        if is_empty(value):
            raise UsageError(f"invalid {name} {value!r}: it is empty; leave it out, or give at least one")
        option = _BY_NAME.get(name)
        check = _CHECKS.get(option.kind) if option else None
        if option and check and value is not None and not check(value):
            raise UsageError(f"invalid {name} {value!r}: expected {_expected(option)}")


def _expected(option: Option) -> str:
    return " or ".join(map(repr, option.choices)) if option.choices else option.kind.value


def in_python(option: Option) -> str:
    """The text about an option in a function's documentation: its help, and its type."""
    text = _FLAG.sub(lambda flag: f"`{flag[1].replace('-', '_')}`", option.help)
    return f"{text} Expects {_expected(option)}."
