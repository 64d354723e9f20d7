"""`doctor --gate`: measures one build against itself for some minutes, and counts the false alarms of a gate."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import COUNT_THRESHOLD, ComparisonOptions
from autoperf.comparison.self_comparison import APART, COUNTS, IN_TURN, THRESHOLDS, SelfComparison, Tally, tally
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.errors import Exit, UsageError
from autoperf.core.options import SIDE_MAX_TIME
from autoperf.counts.valgrind import find_valgrind
from autoperf.front.compare_sides import MeasuredSides, measure_sides
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.runs.run_reader import RunReader

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
        begin = time.monotonic()
        while len(rounds) < MIN_ROUNDS or _has_time(begin, len(rounds), start + seconds):
            rounds.append(_measured(_numbered(request, scratch, len(rounds)), ComparisonOptions()))
        tallies = [*_tallies(rounds), *([counted] if counted else [])]
        with RunReader(rounds[0].base) as run:
            build = f"MXNet {run.header.mxnet}"
    return SelfComparison(build, tallies, len(rounds), time.monotonic() - start, notes)


def _numbered(request: RunRequest, scratch: Path, number: int) -> RunRequest:
    """The request of a round, whose seed is its own: the seed draws the order of the turns."""
    recipe = replace(request.recipe, seed=number)
    return replace(request, recipe=recipe, output=scratch / f"round-{number}.ndjson")


def _measured(request: RunRequest, options: ComparisonOptions) -> MeasuredSides:
    """The run files of both sides. Raises KeyboardInterrupt after Ctrl-C, since a part of a round says nothing."""
    sides = measure_sides(request, options)
    if sides.code == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    return sides


def _has_time(begin: float, rounds: int, end: float) -> bool:
    now = time.monotonic()
    return now + (now - begin) / rounds <= end


def _tallies(rounds: Sequence[MeasuredSides]) -> Iterator[Tally]:
    """The verdicts between both sides of each round, and between each round's first side and the next one's second."""
    in_turn = [(sides.base, sides.new) for sides in rounds]
    apart = [(before.base, after.new) for before, after in pairwise(rounds)]
    for of, files in ((IN_TURN, in_turn), (APART, apart)):
        for threshold in THRESHOLDS:
            options = ComparisonOptions(threshold=threshold)
            yield tally(of, threshold, (compare_files(*pair, options) for pair in files))


def _counted(request: RunRequest, scratch: Path) -> tuple[Tally | None, tuple[str, ...]]:
    """The verdicts by counts, or why there are none."""
    try:
        find_valgrind()
    except UsageError as error:
        return None, (f"counts: {error}",)
    options = ComparisonOptions(metrics=(INSTRUCTIONS,))
    settings = msgspec.structs.replace(request.settings, profiler="none", counters=(INSTRUCTIONS.name,))
    counting = replace(request, settings=settings, output=scratch / "counted.ndjson")
    sides = _measured(counting, options)
    return tally(COUNTS, COUNT_THRESHOLD, [compare_files(sides.base, sides.new, options)]), ()
