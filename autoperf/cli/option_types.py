"""Types of option values (dtypes, sizes, durations, percentages), and the completion of names in a shell."""

from __future__ import annotations

import datetime as dt
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from autoperf.core.errors import AutoperfError
from autoperf.core.files import check_ndjson_suffix
from autoperf.core.machine import parse_processors
from autoperf.core.options import MAX_BYTES, MAX_SECONDS, seconds_of, share_of
from autoperf.core.tensors import distinct_dtypes

PERCENT_HELP = "In percent: 5% or 5; below 1 with the sign, as 0.5%."
"""The spelling of an option of a SHARE."""
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
Command: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Command], Command]


class TextType(click.ParamType):  # type: ignore[type-arg]
    """Values that a function reads from a text; its ValueError is the message, and defaults may be values already."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of the text. Raises click.BadParameter, and the function's own errors."""
        try:
            return self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip())
    unit = _UNITS.get(match[2].upper()) if match else None
    size = float(match[1]) * unit if match and unit else 0.0
    if not 1 <= size <= MAX_BYTES:
        raise ValueError(f"invalid size {text!r}: expected a number of bytes, such as 500MB or 4GiB")
    return int(size)


def _duration(text: str) -> float:
    seconds = seconds_of(text)
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"invalid duration {text!r}: expected 90s, 10m, 1h30m or 200ms")
    return seconds


def _day(text: str) -> dt.date:
    match = re.fullmatch(r"(\d{1,5})d", text.strip(), re.ASCII)
    if match:
        return dt.datetime.now(dt.timezone.utc).date() - dt.timedelta(days=int(match[1]))
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"invalid day {text!r}: expected a date, such as 2026-11-22, or days, such as 3d") from None


def _batches(text: str) -> tuple[int, ...]:
    texts = text.split(",")
    sizes = [int(each) for each in texts if re.fullmatch(r"\s*\d{1,6}\s*", each, re.ASCII)]
    if len(sizes) != len(texts) or len(set(sizes)) != len(sizes) or not all(sizes):
        raise ValueError(f"invalid batch sizes {text!r}: expected numbers from 1 to 999,999, each once, such as 1,32")
    return tuple(sizes)


DTYPES = TextType("dtypes", lambda text: distinct_dtypes([name.strip() for name in text.split(",")]))
"""Dtypes of MXNet, with commas; the error for an unknown one suggests the nearest names."""
SIZE = TextType("size", _size)
"""A number of bytes with an optional unit: 500MB, 4GiB."""
DURATION = TextType("duration", _duration)
"""Seconds, as 90s, 10m, 1h30m, 200ms; a number without a unit is in seconds."""
DAY = TextType("day", _day)
"""A day in UTC, such as 2026-11-22, or a number of days ago, such as 3d."""
PROCESSORS = TextType("processors", parse_processors)
"""Processors as Linux lists them (1, 2-3, 0,2), or `any`, which gives none."""
BATCHES = TextType("batches", _batches)
"""Batch sizes, with commas: 1,32."""
SHARE = TextType("percent", share_of)
"""A share in percent: 5% or 5; below 1 the sign is required, since 0.05 may mean 5% or 0.05%."""


class FiniteRange(click.FloatRange):
    """A finite number within bounds; `nan` is rejected, which no comparison with a bound would do."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Raises click.BadParameter unless it is finite and within the bounds."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"invalid number {value!r}: expected a number in the range {self._describe_range()}", param, ctx)
        return number


def split_names(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The names of all values; `exp,log` are two, and `[a,b]*` is one glob. Raises click.BadParameter."""
    names = tuple(name.strip() for value in values for name in ([value] if "[" in value else value.split(",")))
    if not all(names):
        raise click.BadParameter("invalid list: expected a name, got an empty string")
    return names


def expanded(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Path | None:
    """The path with `~` expanded; None stays None. Raises click.BadParameter."""
    if value is None:
        return None
    if not value:
        raise click.BadParameter("invalid path: expected a path, got an empty string")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise click.BadParameter(f"{value}: {error}") from error


def ndjson_file(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """The path of a file that will be NDJSON, with `~` expanded. Raises UsageError for the suffix of another format."""
    path = expanded(context, parameter, value)
    if path:
        reports = any("--report" in each.opts for each in context.command.params)
        check_ndjson_suffix(path, parameter.opts[0], "; a report goes to --report" if reports else "")
    return path


def all_expanded(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Each of the paths with `~` expanded. Raises click.BadParameter."""
    return tuple(path for value in values if (path := expanded(context, parameter, value)))


def grouped(
    command: Command,
    group: str,
    names: tuple[str, ...],
    build: Callable[[Mapping[str, Any]], object],
    options: tuple[Option, ...],
) -> Command:
    """The command with these options, whose values are passed as one argument."""

    @functools.wraps(command)
    def with_group(*args: Any, **values: Any) -> Any:
        members = {name: values.pop(name) for name in names}
        return command(*args, **values, **{group: build(members)})

    decorated: Command = with_group
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def operators(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The names and aliases of the operators of the release that was typed, else of the default one."""
    from autoperf.backends.lookup import MXNET, backend_of
    from autoperf.registry.client import RegistryClient

    given = context.params.get("libraries") or context.params.get("library")
    library = given[0] if isinstance(given, tuple) else given
    try:
        with RegistryClient(backend_of(MXNET), backend_of(MXNET).find(library)) as client:
            registry = client.registry()
    except (AutoperfError, OSError):
        return []
    return _in_list(typed, (name for operator in registry.forward for name in operator.names))


def categories(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """autoperf's categories with their descriptions, then opperf's groups."""
    from autoperf.rules.categories import CATEGORIES, GROUPS

    return _in_list(typed, [*CATEGORIES, *GROUPS], CATEGORIES.get)


def namespaces(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The namespaces by which operators are selected."""
    from autoperf.registry.names import NAMESPACES

    return _in_list(typed, NAMESPACES)


def releases(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The installed releases; files are completed by the shell where none begins so."""
    from autoperf.machine.releases import installed_releases

    names = [release.version for release in installed_releases() if release.version.startswith(typed)]
    return [CompletionItem(name) for name in dict.fromkeys(names)] or [CompletionItem(typed, type="file")]


def _in_list(
    typed: str, names: Iterable[str], help_text: Callable[[str], str | None] = lambda _name: None
) -> list[CompletionItem]:
    """The names that begin as the last one of a list with commas, behind those before it."""
    before, comma, prefix = typed.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{name}", help=help_text(name))
        for name in dict.fromkeys(names)
        if name.startswith(prefix)
    ]
