"""The verdicts of a comparison while both sides are measured, a line every few seconds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from autoperf.comparison.code_changes import counted_figure, is_counted
from autoperf.comparison.compare import estimate, thresholds
from autoperf.comparison.comparison import CHANGED, ComparisonOptions, Verdict
from autoperf.comparison.figures import AS_MEASURED
from autoperf.comparison.pairs import Pair, pairs_of
from autoperf.comparison.ratios import adjusted, verdicts
from autoperf.core.events import CaseFinished, Event, Notice, Sink
from autoperf.core.outcome import Outcome, Status
from autoperf.reports.display import INTERVAL
from autoperf.reports.units import count, factor, one_line, profile_label


class InterimVerdicts:
    """A sink that judges each case once both sides have it; its notices go to another sink.

    The verdicts are of the case's own measurements: the comparison at the end knows the noise of all.
    """

    def __init__(self, options: ComparisonOptions, sink: Sink, clock: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._sink = sink
        self._clock = clock
        self._written_at = clock()
        self._base: Outcome | None = None
        self._cases = 0
        self._verdicts: Counter[Verdict] = Counter()
        self._latest = ""

    def handle(self, event: Event) -> None:
        """Judges a case whose second side has finished."""
        if not isinstance(event, CaseFinished) or event.outcome.status is not Status.MEASURED:
            return
        base, new = self._base, event.outcome
        self._base = new if event.side == 0 else None
        if event.side == 0 or base is None or base.case != new.case:
            return
        self._judge(base, new)
        if self._clock() - self._written_at >= INTERVAL:
            self._written_at = self._clock()
            counts = " + ".join(f"{self._verdicts[each]} {each.value}" for each in Verdict if self._verdicts[each])
            self._sink.handle(Notice(f"so far {count(self._cases, 'case')}: {counts}{self._latest}"))

    def _judge(self, base: Outcome, new: Outcome) -> None:
        entries = pairs_of(base, new, self._options, (AS_MEASURED, AS_MEASURED))
        pairs = [entry for entry in entries if isinstance(entry, Pair)]
        self._cases += bool(pairs)
        self._verdicts.update(counted_figure(pair, self._options).verdict for pair in pairs if is_counted(pair))
        pairs = [pair for pair in pairs if not is_counted(pair)]
        if not pairs:
            return
        found, _ = estimate(pairs, in_turn=True)
        judged = verdicts(found, adjusted(found.p), thresholds(pairs, self._options))
        self._verdicts.update(judged)
        largest = int(np.argmax(np.abs(np.log(found.ratio))))
        verdict, pair, ratio = judged[largest], pairs[largest], float(found.ratio[largest])
        if verdict in CHANGED:
            name = f"{pair.operator} {profile_label(pair.profile)} {pair.pass_} {pair.clock.name}"
            self._latest = one_line(f"; latest change: {name} {factor(max(ratio, 1 / ratio))} times {verdict.value}")
