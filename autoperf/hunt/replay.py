"""Answers a search that is made again out of the log of the first time, until it asks for something else."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from autoperf.core.case import Case
from autoperf.core.outcome import PassName, Status
from autoperf.executor.messages import CaseFailure, PairedTimes, QuickTimes
from autoperf.hunt.timings import TimingSource
from autoperf.results import huntlog

Logged = huntlog.TriedLine | huntlog.PairLine


class Replay:
    """Asks `asker` once the log's answers of one operator are used up, or the search has left the path that they took.

    A search goes by its seed and by the answers, so with the same ones it comes to the same findings.
    """

    def __init__(self, asker: TimingSource, logged: Iterable[Logged]) -> None:
        self.replaying = False
        self._asker = asker
        self._left = deque(logged)

    def probe(self, case: Case, *, backward: bool, count: int, seconds: float) -> QuickTimes | CaseFailure:
        """What the log says of the case, or what it takes now."""
        known = self._next()
        if isinstance(known, huntlog.TriedLine) and known.case == case:
            return _refused(known) or QuickTimes(known.forward_us, known.backward_us)
        self._leave()
        return self._asker.probe(case, backward=backward, count=count, seconds=seconds)

    def duel(
        self, first: Case, second: Case, pass_: PassName, *, rounds: int, seconds: float, seed: int = 0
    ) -> PairedTimes | CaseFailure:
        """What the log says of both cases, or what they take now."""
        known = self._next()
        if isinstance(known, huntlog.PairLine) and (known.first, known.second, known.pass_) == (
            first,
            second,
            pass_,
        ):
            return _refused(known) or PairedTimes(known.first_us, known.second_us)
        self._leave()
        return self._asker.duel(first, second, pass_, rounds=rounds, seconds=seconds, seed=seed)

    def renew(self) -> None:
        """The next question that the log doesn't answer goes to a fresh process."""
        self._asker.renew()

    def _next(self) -> Logged | None:
        self.replaying = bool(self._left)
        return self._left.popleft() if self._left else None

    def _leave(self) -> None:
        self.replaying = False
        self._left.clear()


def _refused(known: Logged) -> CaseFailure | None:
    return CaseFailure(Status.FAILED, known.refused) if known.refused else None
