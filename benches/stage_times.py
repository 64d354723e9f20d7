"""Collects the stage durations that the executor publishes."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.events import CaseStagesTimed, Event


class StageTimes:
    """An event handler that keeps the seconds of each stage, one mapping for each case."""

    def __init__(self) -> None:
        self.cases: list[Mapping[str, float]] = []

    def handle(self, event: Event) -> None:
        if isinstance(event, CaseStagesTimed):
            self.cases.append(event.seconds)
