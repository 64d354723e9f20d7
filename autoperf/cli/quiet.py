"""`--quiet`: results and errors alone, without progress and notices."""

from __future__ import annotations

import click

from autoperf.core.events import Event

_KEY = "autoperf.quiet"


def is_quiet() -> bool:
    """Whether the running command has --quiet."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_KEY))


def remember(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """The callback of --quiet, which click calls for every command."""
    context.meta[_KEY] = value


class NoDisplay:
    """The progress display of a quiet command."""

    def handle(self, event: Event) -> None:
        """Shows nothing."""

    def __enter__(self) -> NoDisplay:
        return self

    def __exit__(self, *_exception: object) -> None:
        """There is nothing to end."""
