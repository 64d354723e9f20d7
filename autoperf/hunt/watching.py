"""What a search tells of as it happens, for a log and for whoever watches."""

from __future__ import annotations

from typing import Protocol

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.executor.messages import Duelled, Probed, Refused


class Watcher(Protocol):
    """Takes what happens, in order."""

    def tried(self, case: Case, answer: Probed | Refused) -> None:
        """An input was tried."""

    def duelled(self, slow: Case, fast: Case, pass_: PassName, answer: Duelled | Refused) -> None:
        """Two inputs were timed in turn."""

    def suspected(self, case: Case, pass_: PassName, oracle: str, strength: float) -> None:
        """An input stands out by this factor."""

    def dropped(self, case: Case, pass_: PassName, reason: str) -> None:
        """It came to nothing."""

    def best(self, words: str) -> None:
        """This is what stands out most so far."""


class Nobody:
    """Watches nothing."""

    def tried(self, case: Case, answer: Probed | Refused) -> None:
        """Nobody hears it."""

    def duelled(self, slow: Case, fast: Case, pass_: PassName, answer: Duelled | Refused) -> None:
        """Nobody hears it."""

    def suspected(self, case: Case, pass_: PassName, oracle: str, strength: float) -> None:
        """Nobody hears it."""

    def dropped(self, case: Case, pass_: PassName, reason: str) -> None:
        """Nobody hears it."""

    def best(self, words: str) -> None:
        """Nobody hears it."""
