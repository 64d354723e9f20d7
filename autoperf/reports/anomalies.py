"""Anomalies of a run in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.core.outcome import Outcome
from autoperf.core.roofline import SINGLE
from autoperf.reports.units import count, factor, one_line, percent, profile_label
from autoperf.results.anomalies import Anomaly, anomalies

TITLE = "unusually slow"
MAX_SHOWN = 5


def sentences(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A sentence for each of the largest anomalies of either kind, and how many more there are."""
    entries = anomalies(outcomes)
    for kind, option in (
        ("dtype", "--sort -forward_kernel"),
        ("roofline", "--sort forward_roofline or backward_roofline"),
    ):
        members = [entry for entry in entries if entry.kind == kind]
        yield from map(sentence, members[:MAX_SHOWN])
        if len(members) > MAX_SHOWN:
            yield f"and {count(len(members) - MAX_SHOWN, 'more operator')}: {option}"


def sentence(anomaly: Anomaly) -> str:
    """`float16 softmax: 45.0 times slower than float32 (forward, large)`."""
    place = f"({anomaly.pass_}, {profile_label(anomaly.profile)})"
    name = one_line(anomaly.operator)
    if anomaly.kind == "dtype":
        return f"{anomaly.dtype} {name}: {factor(anomaly.factor)} times slower than {SINGLE} {place}"
    return f"{name}: at {percent(1 / anomaly.factor)} of the roofline {place}"
