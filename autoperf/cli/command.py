"""A command that rejects contradictory and repeated options; its help; the repository's options, `autoperf.toml`."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click
import cloup
import msgspec
from click.core import ParameterSource
from cloup import OptionGroup
from cloup.formatting import ensure_is_cloup_formatter

from autoperf.cli.option_types import Option, expanded
from autoperf.comparison.expectations import Acceptance, Expectations, Leave, Threshold
from autoperf.core import options as table
from autoperf.core.errors import CaseFileError, UnknownNameError, UsageError
from autoperf.core.files import read_input
from autoperf.core.options import share_of
from autoperf.front.output import tell
from autoperf.front.streams import CONFIGURED

FILE = "autoperf.toml"
PROJECT = "pyproject.toml"
MAX_BYTES = 2**20
_NO_DATE = "Invalid RFC3339 encoded date"
Setting: TypeAlias = bool | int | float | str | list[int | float | str]
GIVEN = "autoperf.given"
"""The parameters that the command line gives, in `meta` of a command's context."""
_ALL = "autoperf.help-all"
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
CONFIG = "--config"
NONE = "none"
COMPARING = "compare", "gate"
"""The commands whose options `[compare]` may have: one file serves both."""
_KEY = "autoperf.configuration"
_MEASURED = (*table.SELECTION, *table.RECIPE, *table.RUN_SETTINGS, table.CASES, table.RULES, table.MXNET, table.CALLER)
MEASURING = frozenset({"operator", "input", "param", "framework", *(each.flag.lstrip("-") for each in _MEASURED)})
"""The names that `[measure]` may have, whatever the command."""
_WHAT = frozenset({"operators", "categories", "namespaces", "cases", "inputs", "params"})
"""Parameters that choose what is measured: one of them on the command line replaces all of the file's."""
_GROUPS = _WHAT, frozenset({"form", "opperf_form", "report"})
"""Parameters that one of them on the command line replaces together: what is measured, the report's format and file."""
_OF_OPERATORS = "operator", "input"
"""A command without the first has another second: `upgrade --input` is of a network."""
_STORED = frozenset({"base", "resume"})
"""Parameters that name what has been measured, with options of its own."""


class Tables(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tables of the file."""

    measure: dict[str, Setting] = {}
    compare: dict[str, Setting] = {}
    threshold: tuple[Threshold, ...] = ()
    accept: tuple[Acceptance, ...] = ()
    different: tuple[Leave, ...] = ()


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file: options of commands that measure and that compare, by their names, and expectations."""

    source: str = ""
    measure: Mapping[str, Setting] = {}
    compare: Mapping[str, Setting] = {}
    expectations: Expectations = Expectations()


def find_configuration(folder: Path) -> Path | None:
    """The nearest file: `autoperf.toml`, or `pyproject.toml` with `[tool.autoperf]`, up to the folder with `.git`."""
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            return each / FILE
        project = each / PROJECT
        if project.is_file() and re.search(r"(?m)^\s*\[+tool\.autoperf\b", _option_text(project)):
            return project
        if (each / ".git").exists():
            return None
    return None


def read_configuration(path: Path, today: dt.date) -> Configuration:
    """The content of a file on a day. Raises CaseFileError for one that can't be read, and for invalid lines."""
    try:
        document: Any = msgspec.toml.decode(_option_text(path))
    except (msgspec.DecodeError, RecursionError) as error:
        raise CaseFileError(f"{path} is no TOML: {error}") from None
    if path.name == PROJECT:
        tools = document.get("tool", {})
        document = tools.get("autoperf", {}) if isinstance(tools, dict) else {}
    try:
        tables = msgspec.convert(_with_shares(_checked(document)), Tables)
    except (UnknownNameError, ValueError) as error:
        raise CaseFileError(f"{path}: {_placed(str(error))}") from None
    expectations = Expectations(
        source=path.name, thresholds=tables.threshold, accepted=tables.accept, different=tables.different
    )
    return Configuration(
        source=str(path), measure=tables.measure, compare=tables.compare, expectations=expectations.on(today)
    )


def _option_text(path: Path) -> str:
    return read_input(path, max_bytes=MAX_BYTES).decode(errors="replace")


def _checked(document: Any) -> Mapping[str, Any]:
    """The document. Raises ValueError and UnknownNameError for another table, and for a value that no option has."""
    if not isinstance(document, dict):
        raise ValueError("invalid tool.autoperf: expected a table")
    for name in document:
        if name not in Tables.__struct_fields__:
            raise UnknownNameError("table", name, Tables.__struct_fields__)
    for title in ("measure", "compare"):
        table = document.get(title)
        for key, value in table.items() if isinstance(table, dict) else ():
            _check_setting(title, key, value)
    return document


def _check_setting(title: str, key: str, value: object) -> None:
    try:
        msgspec.convert(value, Setting)
    except msgspec.ValidationError:
        expected = "expected a number, a text, true, false, or a list of numbers or texts"
        raise ValueError(f"invalid {key} {value!r:.80} in {title}: {expected}") from None


def _with_shares(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with thresholds as shares. Raises ValueError for one that isn't a text such as `10%`."""
    lines = document.get("threshold", [])
    if not isinstance(lines, list):
        raise ValueError("invalid threshold: expected lines that begin with [[threshold]]")
    with_shares = []
    for number, line in enumerate(lines, 1):
        given = line.get("threshold") if isinstance(line, dict) else None
        if given is not None and not isinstance(given, str):
            raise ValueError(f'invalid threshold {given} in threshold {number}: expected a text, such as "10%"')
        try:
            with_shares.append(line if given is None else {**line, "threshold": share_of(given)})
        except ValueError as error:
            raise ValueError(f"{error} in threshold {number}") from None
    return {**document, "threshold": with_shares}


def _placed(message: str) -> str:
    """msgspec's message with the line in words: `- at `$.accept[0].ratio`` becomes `in accept 1, ratio`."""
    message = message.replace("`object`", "a table").replace(_NO_DATE, "Expected a date, such as 2027-03-31")

    def place(match: re.Match[str]) -> str:
        path = re.sub(r"\[(\d+)\]", lambda index: f" {int(index[1]) + 1}", match[1])
        return f" in {path.replace('.', ', ')}"

    return re.sub(r" - at `\$\.(.*?)`", place, message)


def given_options(context: click.Context) -> Iterator[click.Parameter]:
    """The options and arguments that the command line gave, whatever their values."""
    given: list[click.Parameter] = context.meta[GIVEN]
    return (parameter for parameter in context.command.params if parameter in given)


def set_names(context: click.Context) -> set[str]:
    """The names of the options that the command line or the repository's file sets."""
    sources = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
    names = (parameter.name or "" for parameter in context.command.params)
    return {name for name in names if context.get_parameter_source(name) in sources}


def reject_options(context: click.Context, names: Collection[str], reason: str, otherwise: str = "") -> None:
    """Raises UsageError for options that have no effect here; `otherwise` names what can be left out instead."""
    options = [parameter.opts[0] for parameter in given_options(context) if parameter.name in names]
    if options:
        raise UsageError(f"{reason}: leave out {', '.join(options)}{otherwise and f', or {otherwise}'}")


class Command(cloup.Command):
    """A command in which a repeated option is an error; help shows common options alone, `--help-all` all."""

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
        options = [each for each in order if isinstance(each, click.Option)]
        # The parser meets arguments that aren't there, too.
        valued = {name for name, value in values.items() if isinstance(value, str | tuple) and value}
        ctx.meta[GIVEN] = [each for each in order if isinstance(each, click.Option) or each.name in valued]
        by_name: dict[str, list[click.Option]] = {}
        for option in options:
            by_name.setdefault(option.name or "", []).append(option)
        for repeated in by_name.values():
            names = list(dict.fromkeys(option.opts[0] for option in repeated))
            if len(names) > 1:
                raise click.UsageError(f"{' and '.join(names)} exclude each other: give one of them.", ctx)
            option, times = Counter(repeated).most_common(1)[0]
            if times > 1 and not (option.multiple or option.is_flag or option.count):
                hint = ", with commas between its values" if "," in (option.metavar or "") else ""
                raise click.UsageError(f"{names[0]} is given {times} times: expected once{hint}.", ctx)
        return super().parse_args(ctx, args)


def _show_all(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[_ALL] = True
        click.echo(context.get_help())
        context.exit()


def group_options(command: str | None, parameters: Sequence[click.Parameter]) -> list[OptionGroup]:
    """The groups with the options of a command; none for a command with few options."""
    options = {each.opts[0]: each for each in parameters if isinstance(each, click.Option)}
    if len(options) < MIN_OPTIONS:
        return []
    groups = []
    for title, flags in ((COMMON, _COMMON.get(command or "", ())), *GROUPS.items()):
        group = OptionGroup(title)
        group.options = [options.pop(flag) for flag in flags if flag in options]
        groups.append(group)
    groups[-1].options = [*groups[-1].options, *options.values()]
    return [group for group in groups if group.options]


def configuration_of(context: click.Context) -> Configuration:
    """The file's content; an empty one for a command without a file."""
    found = context.meta.get(_KEY)
    return found if isinstance(found, Configuration) else Configuration()


def _configure(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Reads the file, and sets the defaults of the command's options. Raises CaseFileError for an invalid one."""
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


config_option: Option = click.option(
    CONFIG,
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_configure,
    help="Take options, thresholds and accepted changes from this file; none: from no file. Default: the nearest "
    "autoperf.toml, or pyproject.toml with [tool.autoperf], here or above.",
)
"""--config, whose file gives defaults of the command's options, and what `configuration_of` returns."""


def _chosen(context: click.Context, found: Configuration) -> Iterator[tuple[str, tuple[str, Any]]]:
    """The parameters that the file sets, each with its key and value. Raises CaseFileError for an unknown option."""
    given = frozenset(parameter.name or "" for parameter in context.meta.get(GIVEN, ()))
    parameters = options_by_name(context.command)
    replaced = frozenset(name for group in _GROUPS if given & group for name in group)
    is_stored = bool(given & _STORED)
    if _OF_OPERATORS[0] not in parameters:
        parameters.pop(_OF_OPERATORS[1], None)
    tables = [("measure", found.measure, MEASURING)]
    if any(each.name == "base" for each in context.command.params):
        # Another command doesn't know the options of a comparison, of which `[compare]` may have those of any command.
        group = context.find_root().command
        others = [group.get_command(context, name) for name in COMPARING] if isinstance(group, click.Group) else []
        known = frozenset(options_by_name(context.command, *filter(None, others)))
        tables.append(("compare", found.compare, known))
    for title, settings, known in tables:
        for key, setting in settings.items():
            if key not in known:
                raise CaseFileError(f"{found.source}: {UnknownNameError(f'option of [{title}]', key, known)}")
            parameter = parameters.get(key)
            name = parameter.name or "" if parameter else ""
            if parameter and name not in given | replaced and not (title == "measure" and is_stored):
                yield name, (key, _default(parameter, setting))


def options_by_name(*commands: click.Command) -> dict[str, click.Option]:
    """The options of commands by the names that a file gives them; --config, which names the file, isn't in one."""
    options = [each for command in commands for each in command.params if isinstance(each, click.Option)]
    return {flag.lstrip("-"): each for each in options for flag in each.opts if flag != CONFIG}


def _default(parameter: click.Parameter, setting: Setting) -> object:
    """The value as the command line would give it: texts, several of them for an option that may be repeated."""
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return setting
    values = setting if isinstance(setting, list) else [setting]
    texts = [("on" if value else "off") if isinstance(value, bool) else str(value) for value in values]
    if parameter.nargs > 1:
        return tuple(texts)
    return texts if parameter.multiple else ",".join(texts)


def _words(key: str, setting: object) -> Iterator[str]:
    if isinstance(setting, tuple):
        yield from (f"--{key}", *setting)
        return
    for value in setting if isinstance(setting, list) else [setting]:
        if value is not False:
            yield from (f"--{key}",) if value is True else (f"--{key}", str(value))


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
