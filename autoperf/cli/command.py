"""A command that refuses options that say two things at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import click


class Command(click.Command):
    """As click's, but what may be given once and is given twice is an error: click would take the last in silence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What click makes of the arguments. Raises click.UsageError."""
        # Click's parser takes the list apart, and reads it again below.
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        _check_once(ctx, [one for one in order if isinstance(one, click.Option)])
        return super().parse_args(ctx, args)


def _check_once(context: click.Context, options: Iterable[click.Option]) -> None:
    by_name: dict[str, list[click.Option]] = {}
    for option in options:
        by_name.setdefault(option.name or "", []).append(option)
    for same in by_name.values():
        spelled = list(dict.fromkeys(option.opts[0] for option in same))
        if len(spelled) > 1:
            raise click.UsageError(f"{' and '.join(spelled)} exclude each other: give one of them.", context)
        option, times = Counter(same).most_common(1)[0]
        if times > 1 and not (option.multiple or option.is_flag or option.count):
            raise click.UsageError(f"{spelled[0]} may be given once only, and is given {times} times.", context)
