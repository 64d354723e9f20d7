"""A command that rejects contradictory and repeated options, and shows its options in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import click
import cloup

from autoperf.cli.help_groups import group_options


class Command(cloup.Command):
    """A command for which a repeated option is an error; click would silently use the last value."""

    def __init__(self, name: str | None, **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self.option_groups = group_options(name, self.params)
        if self.option_groups:
            self.ungrouped_options = []

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments as click does. Raises click.UsageError for repeated options."""
        # Click's parser consumes the list, and super() parses it again.
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        _check_repeated(ctx, [parameter for parameter in order if isinstance(parameter, click.Option)])
        return super().parse_args(ctx, args)


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
