"""The options of `autoperf compare`: which measurements are compared, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from autoperf.cli.configured import configuration_of
from autoperf.cli.option_types import PERCENT_HELP, Command, Option, ShareType, grouped
from autoperf.cli.table_options import option_of
from autoperf.comparison.comparison import COUNT_THRESHOLD, THRESHOLD, ComparisonOptions
from autoperf.core import options as table
from autoperf.core.clocks import CLOCKS, DEFAULT_METRICS, INSTRUCTIONS, Metric, counters_named
from autoperf.core.errors import UsageError
from autoperf.core.outcome import PASSES

_NAMES = (
    "threshold",
    "count_threshold",
    "margin",
    "clock",
    "counters",
    "pass_",
    "allow_missing",
    "allow_different",
    "time_different",
    "counts_first",
)


def comparison_options(command: Command) -> Command:
    """The options that say which figures are compared, and how, as `options`."""
    return grouped(command, "options", _NAMES, _options, (*_change_options(), *_figure_options()))


def _change_options() -> tuple[Option, ...]:
    return (
        click.option(
            "--threshold",
            type=ShareType(),
            default=f"{THRESHOLD:.0%}",
            show_default=True,
            help=f"The smallest change that is reported. {PERCENT_HELP}",
        ),
        click.option(
            "--count-threshold",
            type=ShareType(),
            default=f"{COUNT_THRESHOLD:.1%}",
            show_default=True,
            help="The smallest change of exact counts of instructions that is reported.",
        ),
        click.option(
            "--margin",
            type=ShareType(),
            help=f"A known difference between runs of one build; it widens every interval. {PERCENT_HELP}",
        ),
    )


def _figure_options() -> tuple[Option, ...]:
    return (
        click.option(
            "--clock",
            type=click.Choice((*(clock.name for clock in CLOCKS), "both", "all", "none")),
            default="both",
            show_default=True,
            help="The clock to compare; both: kernel and wall time; none: results alone, or counters too. Two sides "
            "are measured by it, too.",
        ),
        option_of(
            table.COUNTERS, help="Compare the counts of these events of the processor too. Two sides are counted, too."
        ),
        click.option(
            "--pass",
            "pass_",
            type=click.Choice((*PASSES, "both")),
            default="both",
            show_default=True,
            help="The pass to compare.",
        ),
        click.option(
            "--allow-missing",
            is_flag=True,
            help="NEW may lack cases, passes and metrics that BASELINE has, as a run of some operators does; a case "
            "that failed, crashed or timed out counts still, and one in a line that can't be read doesn't.",
        ),
        click.option(
            "--counts-first",
            is_flag=True,
            help="Count the instructions of each case on both sides before it is timed, by valgrind; a case whose "
            "kernels execute identical code isn't timed.",
        ),
        click.option(
            "--time-different",
            is_flag=True,
            help="Time cases whose results differ between two sides, too; they fail the gate all the same.",
        ),
        click.option(
            "--allow-different",
            metavar="NAME[=REASON]",
            multiple=True,
            help="The results of this operator (or glob) may differ: its cases are timed and judged as others, and the "
            "report lists the differences with the reason. Can be repeated.",
        ),
    )


def _metrics(clock: str, counters: tuple[str, ...]) -> tuple[Metric, ...]:
    """The clocks of this choice and these counters. Raises UsageError for an unknown counter."""
    table.COUNTERS.check(counters)
    clocks = DEFAULT_METRICS if clock == "both" else tuple(each for each in CLOCKS if clock in (each.name, "all"))
    return (*clocks, *counters_named(counters))


def _allowed(texts: Iterable[str]) -> dict[str, str]:
    """The reasons by operator. Raises UsageError for a text without a name."""
    parts = {name.strip(): reason.strip() for name, _, reason in (text.partition("=") for text in texts)}
    if "" in parts:
        raise UsageError("invalid --allow-different: expected the name of an operator, or NAME=REASON")
    return parts


def _options(values: Mapping[str, Any]) -> ComparisonOptions:
    stated = configuration_of(click.get_current_context())
    counts_first = (INSTRUCTIONS.name,) if values["counts_first"] else ()
    counters = tuple(dict.fromkeys((*values["counters"], *counts_first)))
    return ComparisonOptions(
        threshold=values["threshold"],
        count_threshold=values["count_threshold"],
        margin=values["margin"],
        passes=tuple(name for name in PASSES if values["pass_"] in (name, "both")),
        metrics=_metrics(values["clock"], counters),
        allow_missing=values["allow_missing"],
        time_different=values["time_different"],
        counts_first=values["counts_first"],
        allow_different={**_allowed(values["allow_different"]), **stated.expectations.reasons},
        expectations=stated.expectations,
    )
