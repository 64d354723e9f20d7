"""The provenance of a run and the reliability of its times: warnings, the machine's speed, its roofline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from autoperf.core.machine import SINGLE, Roofline
from autoperf.core.outcome import FigureWarning, Outcome, Pass
from autoperf.core.releases import release_title
from autoperf.reports.columns import Column, fact
from autoperf.reports.units import count, factor, one_line, percent, profile_label
from autoperf.runs.anomalies import Anomaly, anomalies
from autoperf.runs.runfile import Provenance

REVISION_DIGITS = 12
PACKAGES = ("site-packages", "dist-packages")
NAMES = tuple(field.name for field in msgspec.structs.fields(Provenance))


def provenance_lines(provenance: Provenance) -> Iterator[str]:
    """Two lines: the build, machine and date, and the command with the revision of its folder."""
    build = f" ({provenance.build})" if provenance.build else ""
    threads = f", {_threads(provenance)}" if provenance.threads is not None else ""
    yield f"{release_title(provenance.release)}{build}{threads}; {provenance.processor}; {provenance.date}"
    seed = "no seed" if provenance.seed is None else f"seed {provenance.seed}"
    folder = f", in a folder at revision {short_revision(provenance.revision)}" if provenance.revision else ""
    yield f"autoperf {provenance.autoperf}, {seed}{folder}: {provenance.command}"


def origin_line(provenances: Mapping[str, Provenance | None]) -> str:
    """One line for the runs of a report by their labels: builds, threads, processor and date; what is alike once."""
    runs = {label: provenance for label, provenance in provenances.items() if provenance}
    parts = []
    for fact_of in (_build, _threads, lambda run: run.processor, _minute):
        texts = {label: fact_of(run) for label, run in runs.items()}
        alike = len(set(texts.values())) < 2
        named = (text if alike or label in text else f"{label} {text}" for label, text in texts.items())
        parts.append(", ".join(dict.fromkeys(named)))
    return "; ".join(filter(None, parts))


def _build(provenance: Provenance) -> str:
    """The release, with the path of a build that belongs to no package or release and isn't named by the command."""
    folder = PurePath(provenance.build).parent
    is_named = folder.parent.name in (*PACKAGES, provenance.release) or str(folder) in provenance.command
    return release_title(provenance.release) + (f" ({provenance.build})" if provenance.build and not is_named else "")


def _threads(provenance: Provenance) -> str:
    return "" if provenance.threads is None else count(provenance.threads, "thread")


def _minute(provenance: Provenance) -> str:
    return provenance.date[: len("2026-01-01T00:00")].replace("T", " ")


def short_revision(revision: str) -> str:
    """The first digits of a revision, and whether files were changed."""
    digits, dash, changed = revision.partition("-")
    return f"{digits[:REVISION_DIGITS]}{dash}{changed}"


def provenance_columns(provenance: Provenance | None, prefix: str = "") -> tuple[Column[Any], ...]:
    """A column for each value, the same in every row; the values are empty without a provenance."""
    return tuple(_column(provenance, name, prefix) for name in NAMES)


def _column(provenance: Provenance | None, name: str, prefix: str) -> Column[Any]:
    value = getattr(provenance, name, None)
    return fact(f"{prefix}{name}", lambda _row: value)


def load(outcomes: Iterable[Outcome]) -> str:
    """The number of cases that other processes disturbed; empty if there are none."""
    loaded = [any(map(_loaded, outcome.passes.values())) for outcome in outcomes if outcome.forward]
    share = f"{sum(loaded)} of {count(len(loaded), 'case')}"
    return f"other processes used the processor during {share}" if any(loaded) else ""


def _loaded(run: Pass) -> bool:
    return any(FigureWarning.LOAD in series.warnings for series in run.metrics.values())


_LOW, _MIDDLE, _HIGH = 0.05, 0.5, 0.95
MAX_PERCENT = 110
"""Above this percentage of the reference speed, the reference was measured in a slow moment."""


def speed_line(outcomes: Iterable[Outcome]) -> str:
    """The speed of the machine relative to its reference speed; empty without a probe."""
    percents = Counter(
        round(100 * series.speed)
        for outcome in outcomes
        for run in (outcome.forward, outcome.backward)
        for series in (run.metrics.values() if run else ())
        if series.speed
    )
    if not percents:
        return ""
    low, middle, high = (_percentile(percents, share) for share in (_LOW, _MIDDLE, _HIGH))
    line = f"times are at the reference speed of this machine, which ran at {middle}% of it ({low}% to {high}%)"
    if high <= MAX_PERCENT:
        return line
    return f"{line}: {_AGAIN}"


_AGAIN = "the reference was measured in a slow moment; `autoperf doctor --calibrate` measures it again"


def speed_advice(outcomes: Iterable[Outcome]) -> str:
    """The line of the speed if the reference should be measured again; else empty."""
    line = speed_line(outcomes)
    return line if line.endswith(_AGAIN) else ""


def roofline_line(outcomes: Iterable[Outcome], roofline: Roofline | None) -> str:
    """Advice if shares of the roofline are missing or too large; empty if they are sound, or if no work is counted."""
    throughputs = [run.throughput for outcome in outcomes if (run := outcome.forward) and run.throughput]
    if not throughputs:
        return ""
    if all(throughput.roofline is None for throughput in throughputs):
        return "the roofline of this machine wasn't known to the run: `autoperf doctor` measures it once"
    if roofline is None or not roofline.busy:
        return ""
    used = f"{min(roofline.load, roofline.processors):.1f} of {count(roofline.processors, 'processor')}"
    return (
        f"other programs used {used} while the roofline was measured, so that shares of it are too large: "
        "`autoperf doctor --calibrate` measures it again"
    )


def _percentile(counts: Counter[int], share: float) -> int:
    """The smallest value that at least this share of all values doesn't exceed."""
    left = share * counts.total()
    for value, number in sorted(counts.items()):
        left -= number
        if left <= 0:
            return value
    return max(counts)


ANOMALIES = "unusually slow"
MAX_ANOMALIES = 3
"""The most anomalies of either kind that the answer names."""


def anomaly_sentences(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A sentence for the largest anomalies of each kind, and how many more there are; impossible times first."""
    entries = anomalies(outcomes)
    for kind, title, option in (
        ("impossible", "impossibly fast", "--sort -forward_roofline"),
        ("path", "off the fast path", "--columns forward_path,backward_path"),
        ("dtype", ANOMALIES, "--sort -forward_kernel"),
        ("roofline", ANOMALIES, "--sort forward_roofline or backward_roofline"),
    ):
        members = [entry for entry in entries if entry.kind == kind]
        named = [*map(anomaly_sentence, members[:MAX_ANOMALIES])]
        if len(members) > MAX_ANOMALIES:
            named.append(f"{count(len(members) - MAX_ANOMALIES, 'more operator')}: {option}")
        if named:
            yield f"{title}: {'; '.join(named)}"


def anomaly_sentence(anomaly: Anomaly) -> str:
    """`float16 softmax takes 45.0 times as long as float32 (forward, large)`."""
    place = f"({anomaly.pass_}, {profile_label(anomaly.profile)})"
    name = one_line(anomaly.operator)
    if anomaly.kind == "impossible":
        words = f"of the time that this machine needs for its results {place}: does it compute them?"
        return f"{name} takes {percent(1 / anomaly.factor)} {words}"
    if anomaly.kind == "dtype":
        return f"{anomaly.dtype} {name} takes {factor(anomaly.factor)} times as long as {SINGLE} {place}"
    if anomaly.kind == "path":
        verb, what = ("executes", "many instructions") if anomaly.counted else ("takes", "long")
        words = f"{what} for equal work as where {anomaly.path} runs it {place}"
        return f"{anomaly.dtype} {name} {verb} {factor(anomaly.factor)} times as {words}"
    return f"{name} takes {factor(anomaly.factor)} times as long as its roofline allows {place}"
