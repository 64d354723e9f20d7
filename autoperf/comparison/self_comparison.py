"""The false alarms of a gate on this machine, counted by comparing one build with itself, at several thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from autoperf.comparison.comparison import Comparison, Verdict
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, fact, numeric
from autoperf.reports.table import Report, Table
from autoperf.reports.units import span

THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.1)
CONFIDENCE = 0.95
RUN = 1000
"""The measurements of the run for which false alarms are told; all operators of MXNet 1.9.1 have about ten thousand."""
HONEST_RUNS = 20.0
"""A threshold is honest if one of so many runs at most has a false alarm."""
HONEST_DECIDED = 0.5
"""The share of the measurements that a honest threshold decides at least: a gate that decides nothing alarms never."""


IN_TURN, APART, COUNTS = "times, in turn", "times, runs apart", "counts"
_WAYS = {
    IN_TURN: "two builds in turn (`gate --mxnet A --mxnet B`)",
    APART: "runs at different times (`gate BASELINE`)",
    COUNTS: "counts (`--counters instructions`)",
}


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The verdicts of comparisons of one build with itself: of `measurements`, `decided` are the same and `alarms`
    changed, in either direction. `of` is IN_TURN, APART or COUNTS.
    """

    of: str
    threshold: float
    measurements: int
    decided: int
    alarms: int

    @property
    def rate(self) -> float:
        """The upper 95% limit of the share of measurements that one direction's alarm hits (Clopper and Pearson)."""
        from scipy.stats import beta  # noqa: PLC0415 - the command line starts without it

        tails = 2 * self.measurements
        return float(beta.ppf(CONFIDENCE, self.alarms + 1, tails - self.alarms)) if self.alarms < tails else 1.0

    @property
    def runs(self) -> float:
        """The number of runs of a thousand measurements in which one false alarm is expected at most.

        A second look, at other times and in other processes, has to agree: its chance is the same again.
        """
        return 1 / (RUN * self.rate**2)

    @property
    def is_honest(self) -> bool:
        """Whether a gate with this threshold decides most measurements, and hardly ever wrongly."""
        by_chance = self.runs >= HONEST_RUNS and self.decided >= HONEST_DECIDED * self.measurements
        return 0 < self.measurements == self.decided if self.of == COUNTS else by_chance


def tally(of: str, threshold: float, comparisons: Iterable[Comparison]) -> Tally:
    """The verdicts of comparisons with this threshold."""
    verdicts = [figure.verdict for comparison in comparisons for figure in comparison.cases]
    alarms = sum(verdict in (Verdict.FASTER, Verdict.SLOWER) for verdict in verdicts)
    same = verdicts.count(Verdict.SAME)
    return Tally(of=of, threshold=threshold, measurements=len(verdicts), decided=same, alarms=alarms)


@dataclass(frozen=True)
class SelfComparison:
    """The tallies of a build's comparisons with itself: `rounds` in `seconds`; `notes` say what is missing."""

    build: str
    tallies: Sequence[Tally]
    rounds: int
    seconds: float
    notes: Sequence[str] = ()

    def honest(self, of: str) -> Tally | None:
        """The smallest honest threshold of such comparisons; None without one."""
        tallies = (each for each in self.tallies if each.of == of and each.is_honest)
        return min(tallies, key=lambda each: each.threshold, default=None)


def self_comparison_reports(found: SelfComparison) -> list[Report]:
    """The honest thresholds, and a row for each threshold."""
    table = Table("", _COLUMNS, found.tallies, part=lambda row: row.of, compact=True)
    rounds = f"{found.build} against itself, {count(found.rounds, 'round')} in {span(found.seconds)}"
    failing = f"at most so many runs of {RUN:,} measurements fail without a cause"
    meaning = f"false alarms: {failing}, after a second look (95% confidence)"
    answer = []
    for of, words in _WAYS.items():
        tallies, best = [each for each in found.tallies if each.of == of], found.honest(of)
        if best:
            alarms = "no false alarm" if of == COUNTS else f"false alarms in {_runs(best)} at most"
            answer.append(f"{words}: {_percent(best.threshold)} is honest here, with {alarms}")
        elif tallies and tallies[-1].alarms:
            answer.append(f"{words}: no threshold up to {_percent(tallies[-1].threshold)} is honest here")
        elif tallies:
            answer.append(f"{words}: no false alarm in so few measurements; a longer --time-budget says more")
    return [Report(answer=tuple(answer), tables=(table,), notes=(rounds, meaning, *found.notes))]


def self_comparison_document(found: SelfComparison) -> dict[str, object]:
    """`{"build", "rounds", "seconds", "notes", "tallies": [{"of", "threshold", ..., "runs", "honest"}]}`."""
    rows = [{**msgspec.structs.asdict(each), "runs": each.runs, "honest": each.is_honest} for each in found.tallies]
    return {
        "build": found.build, "rounds": found.rounds, "seconds": found.seconds, "notes": found.notes, "tallies": rows,
    }  # fmt: skip


def _runs(each: Tally) -> str:
    if each.of == COUNTS and each.is_honest:
        return "no run"
    return f"1 of {each.runs:,.0f} runs" if each.runs >= 2 else "each run"


def _percent(share: float) -> str:
    return f"{100 * share:g}%"


def _share_decided(row: Tally) -> float:
    return row.decided / max(1, row.measurements)


_COLUMNS: tuple[Column[Tally], ...] = (
    fact("threshold", lambda row: _percent(row.threshold), place=Place.LEAD),
    numeric("decided", _share_decided, lambda row: f"{_share_decided(row):.0%}", room=10),
    numeric("changed", lambda row: row.alarms, lambda row: f"{row.alarms} of {row.measurements:,}", room=16),
    numeric("false alarms", lambda row: row.runs, _runs, room=18),
)
