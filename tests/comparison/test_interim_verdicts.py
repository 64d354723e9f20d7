"""A comparison that is being measured says what it has found so far."""

from __future__ import annotations

import msgspec
import numpy as np

from autoperf.comparison.comparison import ComparisonOptions
from autoperf.comparison.deciding import InterimVerdicts
from autoperf.core.events import CaseFinished, Notice
from autoperf.core.outcome import Outcome, Status
from autoperf.reports.progress import INTERVAL
from tests.values import Recording, outcome, passed, series


def side(number: int, us: float) -> Outcome:
    """A case of five processes with thirty turns each, which differ by 1%."""
    samples = us * np.exp(np.random.default_rng(number).normal(0, 0.01, (5, 30)))
    return outcome(number, passed(wall=msgspec.structs.replace(series(*samples.tolist()), turns=((1,) * 30,) * 5)))


def test_verdicts_so_far_are_told_every_few_seconds() -> None:
    recording, times = Recording(), iter(np.arange(0.0, 1e3, 0.3 * INTERVAL))
    interim = InterimVerdicts(ComparisonOptions(), recording, clock=lambda: float(next(times)))
    for number, factor in enumerate((1.0, 2.0, 1.0, 1.0, 1.0)):
        interim.handle(CaseFinished(0, side(number, 100.0)))
        if number != 2:
            interim.handle(CaseFinished(1, side(number, 100.0 * factor)))
        else:
            interim.handle(CaseFinished(1, outcome(2, status=Status.CRASHED)))
    (notice,) = recording.events
    assert isinstance(notice, Notice)
    counts = "so far 4 cases: 1 slower + 3 same"
    assert notice.text == f"{counts}; latest change: exp common forward wall 2.00 times slower"
