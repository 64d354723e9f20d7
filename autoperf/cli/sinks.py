"""Who listens to a session on behalf of the command line."""

from __future__ import annotations

from autoperf.cli.output import tell
from autoperf.core.events import Event, Notice


class NoticeSink:
    """Writes notices to standard error."""

    def handle(self, event: Event) -> None:
        """A line, if it is a notice."""
        if isinstance(event, Notice):
            tell([event.text])
