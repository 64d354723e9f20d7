"""The types of the API's options, checked where a caller hands them over."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple

from autoperf.core.errors import UsageError


class OptionType(NamedTuple):
    """What a value must be, and in words what is expected."""

    holds: Callable[[Any], bool]
    expected: str


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_path(value: object) -> bool:
    return isinstance(value, str | PathLike)


def _are_texts(value: object) -> bool:
    # An iterator would be at its end after this check.
    return isinstance(value, str) or (isinstance(value, Collection) and all(isinstance(each, str) for each in value))


def _are_paths(value: object) -> bool:
    return _is_path(value) or (isinstance(value, Collection) and all(map(_is_path, value)))


COUNT = OptionType(_is_count, "a whole number")
BYTES = OptionType(_is_count, "a number of bytes, such as 4 * 2**30")
SECONDS = OptionType(_is_number, "a number of seconds")
SHARE = OptionType(_is_number, "a share, such as 0.05")
SWITCH = OptionType(lambda value: isinstance(value, bool), "True or False")
PATH = OptionType(_is_path, "a path")
TEXTS = OptionType(_are_texts, "a text, or a list of texts")
PATHS = OptionType(_are_paths, "a path, or a list of paths")


def is_empty(value: object) -> bool:
    """Whether it is a list, or the like, of nothing: that isn't the same as none given."""
    return isinstance(value, Collection) and not isinstance(value, str) and len(value) == 0


OPTION_TYPES: Mapping[str, OptionType] = {
    **dict.fromkeys(("processes", "draws", "seed", "warmup", "runs"), COUNT),
    **dict.fromkeys(("max_time", "time_budget", "timeout"), SECONDS),
    **dict.fromkeys(("precision", "threshold", "margin"), SHARE),
    **dict.fromkeys(("backward", "run_backward", "progress", "allow_missing"), SWITCH),
    **dict.fromkeys(("category", "namespace", "profile"), TEXTS),
    **dict.fromkeys(("cases", "rules"), PATHS),
    **dict.fromkeys(("output", "path"), PATH),
    "memory_limit": BYTES,
    "mxnet": OptionType(_is_path, "one release or the path of a library"),
}


def check_types(options: Mapping[str, object]) -> None:
    """Raises UsageError for a value of another type, and for an empty list; None stands for a default."""
    for name, value in options.items():
        if is_empty(value):
            raise UsageError(f"invalid {name} {value!r}: it is empty; leave it out, or give at least one")
        kind = OPTION_TYPES.get(name)
        if kind is not None and value is not None and not kind.holds(value):
            raise UsageError(f"invalid {name} {value!r}: expected {kind.expected}")
