"""A command that rejects contradictory and repeated options, and its help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click
import cloup
from click.core import ParameterSource
from cloup import OptionGroup
from cloup.formatting import ensure_is_cloup_formatter

from autoperf.core.errors import UsageError


def given_options(context: click.Context) -> Iterator[click.Parameter]:
    """The options and arguments that the command line gave, whatever their values."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and _is_chosen(context, parameter):
            yield parameter


def _is_chosen(context: click.Context, parameter: click.Parameter) -> bool:
    """Whether this option was given, of several that set one value (`--covered`, `--uncovered`)."""
    sets_value = isinstance(parameter, click.Option) and parameter.is_flag and not parameter.is_bool_flag
    return not sets_value or context.params.get(parameter.name or "") == getattr(parameter, "flag_value", None)


def reject_options(context: click.Context, names: Collection[str], reason: str, otherwise: str = "") -> None:
    """Raises UsageError, which names the options, if one of these was given where it has no effect.

    `otherwise` names an alternative that can be left out instead.
    """
    options = [parameter.opts[0] for parameter in given_options(context) if parameter.name in names]
    if options:
        raise UsageError(f"{reason}: leave out {', '.join(options)}{otherwise and f', or {otherwise}'}")


class Command(cloup.Command):
    """A command for which a repeated option is an error; click would silently use the last value.

    The help of a command with common options shows them alone; `--help-all` shows all.
    """

    def __init__(self, name: str | None, **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self.option_groups = group_options(name, self.params)
        if self.option_groups:
            self.ungrouped_options = []

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters with those of the help, as click adds `--help`."""
        return [*super().get_params(ctx), *self._help_all()]

    def get_ungrouped_options(self, ctx: click.Context) -> Sequence[click.Option]:
        """The options of no group with those of the help."""
        return [*super().get_ungrouped_options(ctx), *self._help_all()]

    def format_params(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the groups of options, or the common options alone."""
        if not self._has_common or ctx.meta.get(_ALL):
            super().format_params(ctx, formatter)
            return
        groups = (self.option_groups[0], self.get_default_option_group(ctx))
        sections = [self.make_option_group_help_section(group, ctx) for group in groups]
        ensure_is_cloup_formatter(formatter).write_many_sections(sections)

    @property
    def _has_common(self) -> bool:
        return bool(self.option_groups) and self.option_groups[0].title == COMMON

    def _help_all(self) -> Iterator[click.Option]:
        if self._has_common:
            more = sum(not option.hidden for group in self.option_groups[1:] for option in group)
            yield click.Option(
                ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all,
                help=f"Show the other {more} options too, and exit.",
            )  # fmt: skip

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments as click does. Raises click.UsageError for repeated options."""
        # Click's parser consumes the list, and super() parses it again.
        values, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[GIVEN] = {each.name for each in order if _has_value(each, values.get(each.name or ""))}
        _check_repeated(ctx, [parameter for parameter in order if isinstance(parameter, click.Option)])
        return super().parse_args(ctx, args)


GIVEN = "autoperf.given"
"""The names of the parameters that the command line gives, in `meta` of a command's context."""


def _has_value(parameter: click.Parameter, value: object) -> bool:
    """Whether a parameter that the parser met has a value; it meets arguments that aren't there, too."""
    return isinstance(parameter, click.Option) or (isinstance(value, str | tuple) and bool(value))


_ALL = "autoperf.help-all"


def _show_all(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[_ALL] = True
        click.echo(context.get_help())
        context.exit()


def _check_repeated(context: click.Context, options: Iterable[click.Option]) -> None:
    by_name: dict[str, list[click.Option]] = {}
    for option in options:
        by_name.setdefault(option.name or "", []).append(option)
    for repeated in by_name.values():
        names = list(dict.fromkeys(option.opts[0] for option in repeated))
        if len(names) > 1:
            raise click.UsageError(f"{' and '.join(names)} exclude each other: give one of them.", context)
        option, times = Counter(repeated).most_common(1)[0]
        if times > 1 and not (option.multiple or option.is_flag or option.count):
            hint = ", with commas between its values" if "," in (option.metavar or "") else ""
            raise click.UsageError(f"{names[0]} is given {times} times: expected once{hint}.", context)


COMMON = "Common options"
GROUPS: Mapping[str, tuple[str, ...]] = {
    "What to measure": (
        "--operator", "--category", "--namespace", "--front-ends", "--input-profile", "--list-categories", "--mxnet",
        "--framework", "--from", "--to", "--env", "--against", "--faster", "--extension", "--rules", "--covered",
        "--uncovered", "--excluded", "--frameworks", "--layers", "--history", "--counts",
    ),
    "Inputs": (
        "--input", "--param", "--cases", "--dtype", "--draws", "--seed", "--max-elements", "--int64-tensor", "--batch",
        "--in-turn", "--params-file", "--networks",
    ),
    "How to measure": (
        "--precision", "--max-time", "--processes", "--time-budget", "--visits", "--warmup", "--samples",
        "--profiler", "--clock", "--counters", "--count-by", "--keep-dumps", "--caller", "--backward", "--at-least",
        "--signal", "--resume", "--replay", "--test-dtypes", "--train",
    ),
    "How to compare": (
        "--threshold", "--count-threshold", "--margin", "--pass", "--allow-missing", "--allow-different",
        "--time-different", "--counts-first", "--confirm", "--no-confirm", "--aa",
    ),
    "Output": (
        "--format", "--report", "--run-file", "--cases-file", "--folder", "--output-format", "--columns", "--sort",
        "--limit", "--group-by", "--weights", "--only-changed", "--check", "--write-ledger", "--force", "--verbose",
        "--quiet", "--config",
    ),
    "Machine": ("--cluster", "--ctx", "--cpus", "--timeout", "--memory-limit"),
}  # fmt: skip
"""The options of all commands. A group shows those that a command has, in this order."""
_COMMON: Mapping[str, tuple[str, ...]] = {
    "run": (
        "--operator", "--category", "--input", "--param", "--dtype", "--cases", "--mxnet", "--time-budget",
        "--run-file", "--format",
    ),
    "compare": (
        "--mxnet", "--operator", "--category", "--input", "--dtype", "--time-budget", "--threshold", "--only-changed",
        "--format", "--report",
    ),
    "hunt": (
        "--operator", "--category", "--input", "--dtype", "--cases", "--mxnet", "--time-budget", "--at-least",
        "--folder", "--resume",
    ),
    "generate": (
        "--operator", "--category", "--input", "--param", "--dtype", "--cases", "--draws", "--seed", "--mxnet",
        "--folder",
    ),
}  # fmt: skip
MIN_OPTIONS = 12
"""A command with fewer options shows them in one list."""


def group_options(command: str | None, parameters: Sequence[click.Parameter]) -> list[OptionGroup]:
    """The groups with the options of a command; none for a command with few options."""
    options = {each.opts[0]: each for each in parameters if isinstance(each, click.Option)}
    if len(options) < MIN_OPTIONS:
        return []
    groups = []
    for title, flags in _titled(command or ""):
        group = OptionGroup(title)
        group.options = [options.pop(flag) for flag in flags if flag in options]
        groups.append(group)
    groups[-1].options = [*groups[-1].options, *options.values()]
    return [group for group in groups if group.options]


def _titled(command: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield COMMON, _COMMON.get(command, ())
    yield from GROUPS.items()
