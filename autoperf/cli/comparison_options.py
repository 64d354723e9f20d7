"""The options of `autoperf compare` that say how figures are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from autoperf.analysis.comparison import THRESHOLD, ComparisonOptions
from autoperf.cli.option_groups import Command, Option, grouped
from autoperf.cli.types import PERCENT_HELP, ShareType
from autoperf.core.clocks import CLOCKS, clocks_chosen
from autoperf.core.outcome import PASSES

_NAMES = ("threshold", "margin", "clock", "pass_", "allow_missing")


def comparison_options(command: Command) -> Command:
    """--threshold, --margin, --clock, --pass and --allow-missing as `options`: which figures are compared, and how."""
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
            "--margin",
            type=ShareType(),
            help=f"A known difference between runs of one build; it widens every interval. {PERCENT_HELP}",
        ),
    )


def _figure_options() -> tuple[Option, ...]:
    return (
        click.option(
            "--clock",
            type=click.Choice((*(clock.name for clock in CLOCKS), "both", "all")),
            default="both",
            show_default=True,
            help="The clock to compare; both: kernel and wall time. Two sides are measured by it, too.",
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
            help="NEW may lack cases, passes and clocks that BASELINE has, as a run of some operators does; a case "
            "that failed, crashed or timed out counts still, and one in a line that can't be read doesn't.",
        ),
    )


def _options(values: Mapping[str, Any]) -> ComparisonOptions:
    return ComparisonOptions(
        threshold=values["threshold"],
        margin=values["margin"],
        passes=tuple(name for name in PASSES if values["pass_"] in (name, "both")),
        clocks=clocks_chosen(values["clock"]),
        allow_missing=values["allow_missing"],
    )
