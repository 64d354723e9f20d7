"""`doctor --gate`: measures one build against itself, and counts the false alarms of a gate at several thresholds."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import COUNT_THRESHOLD, Comparison, ComparisonOptions, Verdict
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.errors import Exit, UsageError
from autoperf.core.options import SIDE_MAX_TIME
from autoperf.core.texts import count
from autoperf.counts.valgrind import find_valgrind
from autoperf.front.compare_sides import MeasuredSides, measure_sides
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.reports.columns import Column, Place, fact, numeric
from autoperf.reports.table import Report, Table
from autoperf.reports.units import span
from autoperf.runs.run_reader import RunReader

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
        from scipy.stats import beta

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


CATEGORY = "well_known"
"""A group with operators of each kind: memory, arithmetic, BLAS, oneDNN, indices."""
PROFILES = ("small", "common")
MIN_ROUNDS = 2
"""A second look needs a second round, and so do runs apart."""


def compared_with_itself(library: str, seconds: float) -> SelfComparison:
    """The false alarms of gates in `seconds`, but at least two rounds. Raises AutoperfError, KeyboardInterrupt."""
    start = time.monotonic()
    with scratch_folder() as scratch:
        recipe = Recipe(draws=0, profiles=frozenset(PROFILES))
        settings = Settings(max_time=SIDE_MAX_TIME)
        request = RunRequest(Selection(categories=(CATEGORY,)), recipe, settings, libraries=(library, library))
        counted, notes = _counted(request, scratch)
        rounds: list[MeasuredSides] = []
        begin = now = time.monotonic()
        while len(rounds) < MIN_ROUNDS or now + (now - begin) / len(rounds) <= start + seconds:
            # The seed draws the order of the turns.
            drawn, output = replace(recipe, seed=len(rounds)), scratch / f"round-{len(rounds)}.ndjson"
            rounds.append(_measured(replace(request, recipe=drawn, output=output), ComparisonOptions()))
            now = time.monotonic()
        in_turn = [(sides.base, sides.new) for sides in rounds]
        apart = [(before.base, after.new) for before, after in pairwise(rounds)]
        tallies = [
            tally(of, threshold, (compare_files(*pair, ComparisonOptions(threshold=threshold)) for pair in files))
            for of, files in ((IN_TURN, in_turn), (APART, apart))
            for threshold in THRESHOLDS
        ]
        with RunReader(rounds[0].base) as run:
            build = f"MXNet {run.header.mxnet}"
    tallies += [counted] if counted else []
    return SelfComparison(build, tallies, len(rounds), time.monotonic() - start, notes)


def _measured(request: RunRequest, options: ComparisonOptions) -> MeasuredSides:
    """The run files of both sides. Raises KeyboardInterrupt after Ctrl-C, since a part of a round says nothing."""
    sides = measure_sides(request, options)
    if sides.code == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    return sides


def _counted(request: RunRequest, scratch: Path) -> tuple[Tally | None, tuple[str, ...]]:
    """The verdicts by counts, or why there are none."""
    try:
        find_valgrind()
    except UsageError as error:
        return None, (f"counts: {error}",)
    options = ComparisonOptions(metrics=(INSTRUCTIONS,))
    settings = msgspec.structs.replace(request.settings, profiler="none", counters=(INSTRUCTIONS.name,))
    sides = _measured(replace(request, settings=settings, output=scratch / "counted.ndjson"), options)
    return tally(COUNTS, COUNT_THRESHOLD, [compare_files(sides.base, sides.new, options)]), ()
