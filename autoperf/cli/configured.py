"""--config: options, thresholds and accepted changes from the repository's file, which the command line overrides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autoperf.cli.command import GIVEN
from autoperf.cli.option_types import Option, expanded
from autoperf.core import options as table
from autoperf.core.errors import CaseFileError, UnknownNameError
from autoperf.front.streams import CONFIGURED

if TYPE_CHECKING:
    from autoperf.front.configuration import Configuration, Setting

NONE = "none"
_KEY = "autoperf.configuration"
_MEASURED = (*table.SELECTION, *table.RECIPE, *table.RUN_SETTINGS, table.CASES, table.RULES, table.MXNET, table.CALLER)
MEASURING = frozenset({"operator", "input", "param", "framework", *(each.flag.lstrip("-") for each in _MEASURED)})
"""The names that `[measure]` may have, whatever the command."""
_WHAT = frozenset({"operators", "categories", "namespaces", "cases", "inputs", "params"})
"""Parameters that choose what is measured: one of them on the command line replaces all of the file's."""
_OF_OPERATORS = "operator", "input"
"""A command without the first has another second: `upgrade --input` is of a network."""
_STORED = frozenset({"base", "resume"})
"""Parameters that name what has been measured, with options of its own."""


def config_option(command: Option) -> Option:
    """--config, whose file gives defaults of the command's options, and what `configuration_of` returns."""
    return click.option(
        "--config",
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_configure,
        help="Take options, thresholds and accepted changes from this file; none: from no file. Default: the nearest "
        "autoperf.toml, or pyproject.toml with [tool.autoperf], here or above.",
    )(command)


def configuration_of(context: click.Context) -> Configuration:
    """The file's content; an empty one for a command without a file."""
    from autoperf.front.configuration import Configuration

    found = context.meta.get(_KEY)
    return found if isinstance(found, Configuration) else Configuration()


def _configure(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Reads the file, and sets the defaults of the command's options. Raises CaseFileError for an invalid one."""
    from autoperf.front.configuration import find_configuration, read_configuration
    from autoperf.front.output import tell

    if context.resilient_parsing or value == NONE:
        return
    path = expanded(context, parameter, value) or find_configuration(Path.cwd())
    if path is None:
        return
    found = read_configuration(path, dt.datetime.now(dt.timezone.utc).date())
    context.meta[_KEY] = found
    chosen = dict(_chosen(context, found))
    context.default_map = {name: setting for name, (_, setting) in chosen.items()}
    context.meta[CONFIGURED] = tuple(word for key, setting in chosen.values() for word in _words(key, setting))
    if chosen:
        tell([f"{path.name}: {', '.join(f'{key} {_text(setting)}' for key, setting in chosen.values())}"])


def _chosen(context: click.Context, found: Configuration) -> Iterator[tuple[str, tuple[str, Any]]]:
    """The parameters that the file sets, each with its key and value. Raises CaseFileError for an unknown option."""
    given: frozenset[str] = frozenset(context.meta.get(GIVEN, ()))
    known = context.command.params
    parameters = {name.lstrip("-"): each for each in known if isinstance(each, click.Option) for name in each.opts}
    replaced = _WHAT if given & _WHAT else frozenset[str]()
    is_stored = bool(given & _STORED)
    if _OF_OPERATORS[0] not in parameters:
        parameters.pop(_OF_OPERATORS[1], None)
    tables = [("measure", found.measure, True)]
    if any(each.name == "base" for each in known):
        # Another command doesn't know the options of a comparison.
        tables.append(("compare", found.compare, False))
    for title, settings, is_measured in tables:
        _check_names(found.source, title, settings, MEASURING if is_measured else frozenset(parameters))
        for key, setting in settings.items():
            parameter = parameters.get(key)
            name = parameter.name or "" if parameter else ""
            if parameter and name not in given | replaced and not (is_measured and is_stored):
                yield name, (key, _default(parameter, setting))


def _check_names(source: str, title: str, settings: Mapping[str, Setting], known: frozenset[str]) -> None:
    for key in settings:
        if key not in known:
            raise CaseFileError(f"{source}: {UnknownNameError(f'option of [{title}]', key, known)}")


def _default(parameter: click.Parameter, setting: Setting) -> object:
    """The value as the command line would give it: texts, several of them for an option that may be repeated."""
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return setting
    values = setting if isinstance(setting, list) else [setting]
    texts = [("on" if value else "off") if isinstance(value, bool) else str(value) for value in values]
    return texts if parameter.multiple else ",".join(texts)


def _words(key: str, setting: object) -> Iterator[str]:
    for value in setting if isinstance(setting, list) else [setting]:
        if value is not False:
            yield from (f"--{key}",) if value is True else (f"--{key}", str(value))


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
