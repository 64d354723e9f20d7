"""The provenance of a run and the reliability of its times: warnings, the machine's speed, its roofline."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import msgspec

from autoperf.core.machine import SINGLE, Roofline
from autoperf.core.outcome import MIN_DIFFERENCE_US, FigureWarning, Outcome, Pass, Series
from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.reports.columns import Column, fact
from autoperf.reports.units import factor, one_line, percent, plus_minus, profile_label, reach
from autoperf.runs.anomalies import Anomaly, anomalies
from autoperf.runs.runfile import Provenance

REVISION_DIGITS = 12
MINUTE = len("2026-01-01T00:00")
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
    for fact_of in (_build, _threads, lambda run: run.processor, lambda run: run.date[:MINUTE].replace("T", " ")):
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


def short_revision(revision: str) -> str:
    """The first digits of a revision, and whether files were changed."""
    digits, dash, changed = revision.partition("-")
    return f"{digits[:REVISION_DIGITS]}{dash}{changed}"


def provenance_columns(provenance: Provenance | None, prefix: str = "") -> tuple[Column[Any], ...]:
    """A column for each value, the same in every row; the values are empty without a provenance."""

    def column(name: str) -> Column[Any]:
        value = getattr(provenance, name, None)
        return fact(f"{prefix}{name}", lambda _row: value)

    return tuple(map(column, NAMES))


def load(outcomes: Iterable[Outcome]) -> str:
    """The number of cases that other processes disturbed; empty if there are none."""
    loaded = [
        any(FigureWarning.LOAD in series.warnings for run in outcome.passes.values() for series in run.metrics.values())
        for outcome in outcomes
        if outcome.forward
    ]
    share = f"{sum(loaded)} of {count(len(loaded), 'case')}"
    return f"other processes used the processor during {share}" if any(loaded) else ""


MAX_PERCENT = 110
"""Above this percentage of the reference speed, the reference was measured in a slow moment."""


def speed_line(outcomes: Iterable[Outcome]) -> str:
    """The speed of the machine relative to its reference speed; empty without a probe."""
    percents = sorted(
        round(100 * series.speed)
        for outcome in outcomes
        for run in outcome.passes.values()
        for series in run.metrics.values()
        if series.speed
    )
    if not percents:
        return ""
    low, middle, high = (percents[math.ceil(share * len(percents)) - 1] for share in (0.05, 0.5, 0.95))
    line = f"times are at the reference speed of this machine, which ran at {middle}% of it ({low}% to {high}%)"
    return line if high <= MAX_PERCENT else f"{line}: {_AGAIN}"


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


ANOMALIES = "unusually slow"
MAX_ANOMALIES = 3


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


FAR = 0.25
"""The relative reach of the median's interval from which noise or drift gives a warning."""
APART = 0.06
"""The reach from which processes that disagree give one: then another run may be a fifth off.

Of 19 times that a plain loop put more than 20% off, 15 were of such processes; most of their intervals reached 6 to 12%
(`benches/accuracy.py`, docs/method/accuracy.md).
"""
COARSE = 0.1
"""The share of a kernel's time that a step of the clock must exceed to give a warning."""
WARNINGS = {
    FigureWarning.NOISY: ("n", "noisy", f"the interval of the median reaches beyond {FAR:.0%}"),
    FigureWarning.SHORT: ("s", "short", "too few samples for an interval"),
    FigureWarning.DISAGREE: (
        "p",
        "processes disagree",
        f"their medians differ, and the interval reaches beyond {APART:.0%}: another run's may be a fifth off; more "
        "--processes narrow it",
    ),
    FigureWarning.DRIFT: ("d", "drift", f"times rose or fell, and the interval reaches beyond {FAR:.0%}"),
    FigureWarning.RESOLUTION: (
        "r",
        "resolution",
        f"a step of the clock is more than {COARSE:.0%} of the kernel's time; more --max-time averages over more calls",
    ),
    FigureWarning.UNSETTLED: (
        "u",
        "unsettled",
        "calls still took memory that the process didn't have, which later calls may not: expect too long a time",
    ),
    FigureWarning.CROWDED: (
        "c",
        "crowded",
        "other programs had the processor in more than a quarter of the samples: expect too long a time",
    ),
    FigureWarning.RECOMPILED: (
        "j",
        "recompiled",
        "the framework compiled the call again while samples were taken: expect too long a time",
    ),
    FigureWarning.THROTTLED: ("t", "throttled", "a processor slowed itself down for heat"),
}
"""The code, name and explanation of each warning, in their order; LOAD is reported for the whole run."""
_LIMITS = {FigureWarning.NOISY: FAR, FigureWarning.DISAGREE: APART, FigureWarning.DRIFT: FAR}


def warnings(run: Pass | None) -> tuple[FigureWarning, ...]:
    """The quality flags of a pass, by any clock, that give a warning."""
    series = run.metrics.values() if run else ()
    reasons = {reason for readings in series for reason in shown(readings)}
    if reasons & {FigureWarning.DISAGREE, FigureWarning.DRIFT}:
        # They explain the wide interval.
        reasons.discard(FigureWarning.NOISY)
    return tuple(reason for reason in WARNINGS if reason in reasons)


def shown(series: Series) -> tuple[FigureWarning, ...]:
    """The quality flags of a series that give a warning."""
    return tuple(reason for reason in series.warnings if _matters(reason, series))


def _matters(reason: FigureWarning, series: Series) -> bool:
    if reason in _LIMITS:
        far = reach(series)
        least = MIN_DIFFERENCE_US if reason is FigureWarning.DISAGREE else 0.0
        return far is None or (far > _LIMITS[reason] and far * series.median > least)
    return reason is not FigureWarning.RESOLUTION or 1 / series.loops > max(COARSE * series.median, MIN_DIFFERENCE_US)


_DISTURBANCES = frozenset({
    FigureWarning.NOISY, FigureWarning.DISAGREE, FigureWarning.DRIFT, FigureWarning.CROWDED, FigureWarning.THROTTLED,
})  # fmt: skip
"""The warnings that a busy machine causes, one or another by chance."""
COMMON = 0.1
"""The share of the cases beyond which a warning is of the whole run: codes on more rows ask nobody to act."""
FEW = 3
"""So many cases are few in any run."""
MANY_RETAKEN = 0.25
"""The share of calls taken again beyond which the machine is told as the cause; idle ones reached 0.1 to 0.2."""
WORSE = 2.0
"""The least reach of a row that is worse than its run, relative to the median of the run's cases."""


@dataclass(frozen=True)
class RunWarnings:
    """The warnings of a run: the number of cases with each, and those that more than a tenth of the cases have.

    `cases` were measured, and many of them were `disturbed`, if one is `common`. A pass shows a common warning only if
    its interval reaches beyond `limit`. `retaken` is the share of all timed calls that were taken again.
    """

    cases: int
    counts: Mapping[FigureWarning, int]
    disturbed: int
    common: frozenset[FigureWarning]
    limit: float
    retaken: float = 0.0

    @property
    def words(self) -> str:
        """The warnings in a few words: `16 cases disturbed, resolution 1`; empty without any."""
        several = self.common & _DISTURBANCES
        if len(several) < 2:
            return ", ".join(_numbered(self.counts))
        return ", ".join((f"{count(self.disturbed, 'case')} disturbed", *_numbered(self.counts, several)))

    def letters(self, *runs: Pass | None) -> str:
        """The warning codes of passes, without those of the whole run: `ns`."""
        reasons = {
            reason
            for run in runs
            for reason in warnings(run)
            if reason not in self.common or (reason in _DISTURBANCES and _reach(run) > self.limit)
        }
        return "".join(code for reason, (code, _, _) in WARNINGS.items() if reason in reasons)

    def letters_of(self, outcome: Outcome) -> str:
        """The warning codes of both passes of an outcome."""
        return self.letters(*outcome.passes.values())

    def legend(self, cases: Iterable[Sequence[Outcome]]) -> Iterator[str]:
        """A sentence on the whole run, then a line for each code in use: the number of cases, and its meaning.

        A case has an outcome on each side, and counts once.
        """
        yield from self._sentences()
        shown = Counter(
            letter
            for outcomes in cases
            for letter in self.letters(*(run for outcome in outcomes for run in outcome.passes.values()))
        )
        for code, name, meaning in WARNINGS.values():
            if shown[code]:
                yield f"{code} {name} ({count(shown[code], 'case')}): {meaning}"

    def _sentences(self) -> Iterator[str]:
        if disturbances := self.common & _DISTURBANCES:
            kinds = ", ".join(_numbered(self.counts, self.counts.keys() - disturbances))
            reached, limit = plus_minus(self.limit / WORSE), plus_minus(self.limit)
            spread = (
                f": half of the cases have intervals that reach {reached} or more, and another run may differ as much; "
                f"codes mark only those beyond {limit}"
            )
            known = spread if math.isfinite(self.limit) else ""
            yield f"{self.disturbed} of {count(self.cases, 'case')} were disturbed ({kinds}){known}"
            if self.retaken > MANY_RETAKEN:
                yield (
                    f"{percent(self.retaken)} of the timed calls were taken again, since the machine changed its speed "
                    "or other programs ran, perhaps in other guests of its host: comparisons in turn (`autoperf "
                    "compare`) suffer less, counts (--counters instructions) not at all"
                )
        for reason in self.counts:
            if reason in self.common - _DISTURBANCES:
                _, name, meaning = WARNINGS[reason]
                yield f"{name} ({self.counts[reason]} of {count(self.cases, 'case')}): {meaning}"


def _numbered(counts: Mapping[FigureWarning, int], without: Iterable[FigureWarning] = ()) -> list[str]:
    return [f"{WARNINGS[reason][1]} {number}" for reason, number in counts.items() if reason not in without]


def pass_letters(*runs: Pass | None) -> str:
    """The warning codes of passes, whatever the run."""
    return RunWarnings(0, {}, 0, frozenset(), math.inf).letters(*runs)


def run_warnings(cases: Iterable[Sequence[Outcome]]) -> RunWarnings:
    """The warnings of cases with an outcome on each side; each case counts once."""
    counts: Counter[FigureWarning] = Counter()
    reaches: list[float] = []
    disturbed = again = calls = 0
    for outcomes in cases:
        runs = [run for outcome in outcomes for run in outcome.passes.values()]
        for forward in (outcome.forward for outcome in outcomes if outcome.forward):
            # All series of a case have the same number of calls that were taken again.
            again += (forward.wall_us and forward.wall_us.retaken) or 0
            # By both clocks; calls of 5 ms and more, which both time at once, count twice.
            calls += sum(series.count * series.loops for series in (forward.wall_us, forward.kernel_us) if series)
        reasons = {reason for run in runs for reason in warnings(run)}
        counts.update(reasons)
        disturbed += not reasons.isdisjoint(_DISTURBANCES)
        reaches += [max(map(_reach, runs))] if runs else []
    ordered = {reason: counts[reason] for reason in WARNINGS if counts[reason]}
    many = max(FEW, COMMON * len(reaches))
    common = {reason for reason in ordered if (disturbed if reason in _DISTURBANCES else ordered[reason]) > many}
    share = again / (again + calls) if again else 0.0
    # A tenth of the cases at most are worse than their run, or one.
    limit = math.inf
    if len(reaches) > 1:
        worst = sorted(reaches, reverse=True)[max(1, int(COMMON * len(reaches)))]
        limit = max(WORSE * statistics.median(reaches), worst)
    return RunWarnings(len(reaches), ordered, disturbed, frozenset(common), limit, share)


def _reach(run: Pass | None) -> float:
    """The farthest reach of a pass by any clock; infinite where one is unknown. Counts have none."""
    reaches = [reach(series) for metric, series in run.metrics.items() if metric.is_time] if run else []
    return max((math.inf if far is None else far for far in reaches), default=0.0)
