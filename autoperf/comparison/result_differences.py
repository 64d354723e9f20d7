"""Which cases of two runs compute different results: as their session found, or by their fingerprints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from autoperf.comparison.comparison import Different, Side
from autoperf.comparison.partners import Describe, partners
from autoperf.core.outcome import Outcome, Status
from autoperf.core.results import ResultDifference
from autoperf.equality.fingerprint import prints_difference
from autoperf.runs.run_reader import RunReader


class ResultDifferences:
    """The cases of two runs whose results differ, and the numbers of those that can't be compared.

    `compared` counts the measured cases by the sides that have fingerprints of their results: neither, base alone, new
    alone, or both. A session that measures both sides in turn has compared the results themselves.
    """

    def __init__(self, base: RunReader, new: RunReader, allowed: Mapping[str, str], describe: Describe) -> None:
        self.compared: Counter[tuple[bool, bool]] = Counter()
        self._in_turn = bool(base.header.in_turn) and base.header.in_turn == new.header.in_turn
        self._has_one_framework = base.header.framework == new.header.framework
        self._allowed, self._describe = allowed, describe
        self.found = {entry.case: entry for entry in self._found(base, new)}

    def _found(self, base: RunReader, new: RunReader) -> Iterator[Different]:
        partner = partners(base, new, self._describe)
        for position in range(len(new)):
            outcome = new.at(position, samples=False)
            if case := partner.get(outcome.case):
                yield from self._of_case(base.outcome(case, samples=False), outcome)

    def _of_case(self, base: Outcome, new: Outcome) -> Iterator[Different]:
        stored = base.difference or new.difference or None
        if stored:
            timed: Side = "base" if base.difference else "new"
            yield self._entry(new, stored, side=timed if stored.timed else "both")
            return
        is_measured = base.status is Status.MEASURED and new.status is Status.MEASURED
        if self._in_turn or not self._has_one_framework or not is_measured:
            return
        self.compared[bool(base.results), bool(new.results)] += 1
        if base.results and new.results and (found := prints_difference(base.results, new.results)):
            yield self._entry(new, found, by_fingerprint=True)

    def _entry(
        self, outcome: Outcome, found: ResultDifference, *, side: Side = "both", by_fingerprint: bool = False
    ) -> Different:
        return Different(
            case=outcome.case,
            operator=outcome.operator,
            category=outcome.category,
            profile=outcome.profile,
            inputs=self._describe(outcome),
            difference=found,
            by_fingerprint=by_fingerprint,
            side=side,
            allowed=allowed_reason(self._allowed, outcome.operator),
        )


def allowed_reason(allowed: Mapping[str, str], operator: str) -> str | None:
    """The reason for which the results of an operator may differ; None if they may not."""
    return next((reason for pattern, reason in allowed.items() if fnmatchcase(operator, pattern)), None)
