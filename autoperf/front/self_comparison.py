"""`doctor --gate`: measures one build against itself for some minutes, and counts the false alarms of a gate."""

from __future__ import annotations

import time
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
