"""Options of the command line by the table in `core/options.py`: their names, types, defaults and help texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from autoperf.cli import completion
from autoperf.cli.option_types import (
    PERCENT_HELP,
    DtypesType,
    DurationType,
    FiniteRange,
    Option,
    ProcessorsType,
    ShareType,
    SizeType,
    all_expanded,
    expanded,
    split_names,
)
from autoperf.core import options as table
from autoperf.core.options import Kind

SEVERAL = "May be repeated, or a list A,B."
"""The help's addition for options that select by names."""
REPEATED = "May be repeated."
_ON = "on"
_COMPLETION = {"category": completion.categories, "namespace": completion.namespaces, "mxnet": completion.releases}


class _AliasedOption(click.Option):
    """An option whose further names, from opperf, stand at the end of its help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The first name and the help with the others."""
        names, self.opts = self.opts, self.opts[:1]
        try:
            record = super().get_help_record(ctx)
        finally:
            self.opts = names
        return record and (record[0], f"{record[1]}  [opperf: {', '.join(names[1:])}]" if names[1:] else record[1])


def aliased_option(*names: str, **attributes: Any) -> Option:
    """A click option that may have further names."""
    return click.option(*names, cls=_AliasedOption, **attributes)


def option_of(option: table.Option, name: str = "", **changes: Any) -> Option:
    """The click option of an option of the table; `changes` are click's attributes that differ in a command.

    `name` is the parameter that gets its value, by default the field.
    """
    attributes = {"help": option.help, **_ATTRIBUTES[option.kind](option), **changes}
    if option.name in _COMPLETION:
        attributes["shell_complete"] = _COMPLETION[option.name]
    if isinstance(attributes["help"], str) and attributes.get("multiple"):
        several = SEVERAL if option.kind is Kind.NAMES else REPEATED
        attributes["help"] = f"{attributes['help']} {several}"
    attributes.setdefault("show_default", attributes.get("default") is not None)
    names = (option.flag, *([f"--{option.also}"] if option.also else []))
    return aliased_option(*names, name or option.target, **attributes)


def options_of(options: Iterable[table.Option], defaults: Mapping[str, Any] | None = None) -> tuple[Option, ...]:
    """The click options of these options of the table, some with another default in a command."""
    changed = defaults or {}
    return tuple(
        option_of(option, **({"default": changed[option.name]} if option.name in changed else {})) for option in options
    )


def _count(option: table.Option) -> dict[str, Any]:
    is_bounded = option.low is not None and option.high is not None
    return {
        "type": click.IntRange(min=int(option.low or 0), max=int(option.high or 0)) if is_bounded else int,
        "default": option.default,
        "metavar": "N",
    }


def _amount(
    kind: click.ParamType[Any], text: Callable[[Any], str], examples: str
) -> Callable[[table.Option], dict[str, Any]]:
    """Attributes of an amount with a unit; one without a default shows how it is written."""

    def attributes(option: table.Option) -> dict[str, Any]:
        if option.default is None:
            return {"type": kind, "help": f"{option.help} {examples}"}
        return {"type": kind, "default": text(option.default)}

    return attributes


def _share(option: table.Option) -> dict[str, Any]:
    default = None if option.default is None else f"{option.default:.0%}"
    return {"type": ShareType(), "default": default, "help": f"{option.help} {PERCENT_HELP}"}


def _switch(option: table.Option) -> dict[str, Any]:
    return {
        "type": click.Choice((_ON, "off"), case_sensitive=False),
        "default": _ON if option.default else "off",
        "callback": lambda _context, _parameter, value: value == _ON,
    }


_ATTRIBUTES: Mapping[Kind, Callable[[table.Option], dict[str, Any]]] = {
    Kind.COUNT: _count,
    Kind.SHARE: _share,
    Kind.SECONDS: _amount(DurationType(), lambda seconds: f"{seconds:g}s", "Such as 90s, 10m or 1h30m."),
    Kind.NUMBER: lambda option: {"type": FiniteRange(min=option.low, max=option.high), "default": option.default},
    Kind.BYTES: _amount(SizeType(), str, "Such as 500MB or 4GiB."),
    Kind.SWITCH: _switch,
    Kind.CHOICE: lambda option: {"type": click.Choice(option.choices), "default": option.default},
    Kind.CHOICES: lambda option: {"multiple": True, "callback": split_names, "metavar": ",".join(option.choices)},
    Kind.NAMES: lambda _option: {"multiple": True, "callback": split_names},
    Kind.DTYPES: lambda _option: {
        "type": DtypesType(),
        "metavar": "A,B,C",
        "callback": lambda _context, _parameter, value: value or (),
    },
    Kind.DEVICE: lambda option: {"default": option.default},
    Kind.PROCESSORS: lambda _option: {"type": ProcessorsType()},
    Kind.PATH: lambda _option: {"metavar": "FILE", "callback": expanded},
    Kind.PATHS: lambda _option: {"metavar": "PATH", "multiple": True, "callback": all_expanded},
    Kind.LIBRARY: lambda _option: {"metavar": "VERSION|PATH"},
    Kind.FRAMEWORK: lambda _option: {"metavar": "NAME"},
    Kind.CLUSTER: lambda _option: {"metavar": "ADDRESS"},
}
