"""`--list-categories`: prints the categories by which operators are selected, and ends the command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def list_categories_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--list-categories, which prints the categories and ends."""
    return click.option(
        "--list-categories",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_categories,
        help="List the categories and opperf's groups, and exit.",
    )(command)


def _list_categories(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Prints the categories and opperf's groups, and ends the command."""
    if not value:
        return
    from autoperf.rules.categories import CATEGORIES
    from autoperf.rules.groups import GROUPS

    formatter = context.make_formatter()
    with formatter.section("Categories"):
        formatter.write_dl(list(CATEGORIES.items()))
    with formatter.section("Groups of opperf"):
        formatter.write_text(", ".join(sorted(GROUPS)))
    click.echo(formatter.getvalue().rstrip())
    context.exit()
