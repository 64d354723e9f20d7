"""A sink that keeps what happened."""

from __future__ import annotations

from autoperf.core.events import Event


class Recording:
    """Its events, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def handle(self, event: Event) -> None:
        self.events.append(event)
