"""How much do figures differ between runs, autoperf's and those of a plain loop that does what opperf does?

    python benches/run_to_run.py > docs/run-to-run.md

Each of five repeats takes every case anew, in fresh processes on both sides: autoperf's executor as `autoperf run`
would use it (its stopping rule and its number of processes, unless `--runs` and `--processes` say otherwise), and the
loop with opperf's warm-up and runs. A figure is autoperf's median kernel time, forward or backward, and the average
that opperf would report. Where both sides have the figure in every repeat, its spread is the coefficient of variation
over the repeats (standard deviation, n - 1, by mean). The sides take the cases in blocks in turn, and which begins is
drawn. Tells the distribution of the spread by how long the kernels take.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pairs import Choice, Pair, blocks, choose, progress
from predecessor import Looped, PlainLoop

from autoperf.core.outcome import Pass
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.release import open_release

SEED = 1
SHOWN = 30
WARMUP, RUNS = 25, 100
BLOCK = 8
CLASSES = (("below 10 us", 10.0), ("10 to 100 us", 100.0), ("100 to 1000 us", 1000.0), ("1 ms and more", np.inf))

Key = tuple[str, str]
"""An operator and a pass of it."""
Figures = dict[Key, list[float]]
"""Microseconds, one figure a repeat."""


class Sides(NamedTuple):
    """The figures of both sides."""

    ours: Figures
    loop: Figures


class Spread(NamedTuple):
    """One figure: how long autoperf says that it takes, and both sides' coefficients of variation."""

    key: Key
    typical_us: float
    ours: float
    loop: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--operators", type=int, default=210)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--profile", action="append", help="dealt out in turn (default: small, common, large)")
    parser.add_argument("--most-us", type=float, default=20000.0, help="of own time a call (default: 20000)")
    parser.add_argument("--warmup", type=int, help="autoperf's warm-up (default: until times have settled)")
    parser.add_argument("--runs", type=int, help="autoperf's runs (default: until the figure is precise)")
    parser.add_argument("--processes", type=int, default=Settings().processes, help="autoperf's, a case")
    options = parser.parse_args()
    if options.repeats < 2:
        parser.error("a spread needs at least two repeats")
    settings = Settings(warmup=options.warmup, runs=options.runs, processes=options.processes)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name, open_release() as release:
        profiles = options.profile or ["small", "common", "large"]
        choice = choose(release, options.operators, profiles, Path(name), most_us=options.most_us)
        sides = Sides(defaultdict(list), defaultdict(list))
        rng = np.random.default_rng(SEED)
        for number in range(options.repeats):
            with Executor(release.library, settings, Path(name)) as executor, PlainLoop(Path(name)) as loop:
                repeat(executor, loop, choice.pairs, rng, sides)
            progress(f"repeat {number + 1} of {options.repeats}")
    report(choice, spreads(sides, options.repeats), settings, options.repeats, time.monotonic() - start)
    return 0


def repeat(executor: Executor, loop: PlainLoop, pairs: Sequence[Pair], rng: np.random.Generator, sides: Sides) -> None:
    """One figure more for each pass of each case that works."""
    for block in blocks(pairs, BLOCK):
        if rng.random() < 0.5:
            _ours(executor, block, sides.ours)
            _loop(loop, block, sides.loop)
        else:
            _loop(loop, block, sides.loop)
            _ours(executor, block, sides.ours)


def _ours(executor: Executor, block: Sequence[Pair], figures: Figures) -> None:
    for outcome in executor.run([pair.job for pair in block]):
        _add(figures, (outcome.operator, "forward"), _median(outcome.forward))
        _add(figures, (outcome.operator, "backward"), _median(outcome.backward))


def _loop(loop: PlainLoop, block: Sequence[Pair], figures: Figures) -> None:
    for pair in block:
        answer = loop.run(pair.job, pair.names, warmup=WARMUP, runs=RUNS, backward=pair.backward)
        if isinstance(answer, Looped):
            _add(figures, (pair.job.case.operator, "forward"), answer.forward_us)
            _add(figures, (pair.job.case.operator, "backward"), answer.backward_us)


def _median(run: Pass | None) -> float | None:
    return run.kernel_us.median if run and run.kernel_us else None


def _add(figures: Figures, key: Key, value: float | None) -> None:
    if value is not None:
        figures[key].append(value)


def spreads(sides: Sides, repeats: int) -> list[Spread]:
    """The figures that both sides have in every repeat, by operator."""
    complete = []
    for key, ours in sorted(sides.ours.items()):
        loop = sides.loop.get(key, [])
        if len(ours) == len(loop) == repeats and np.mean(ours) > 0 and np.mean(loop) > 0:
            complete.append(Spread(key, float(np.median(ours)), _variation(ours), _variation(loop)))
    return complete


def _variation(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1) / np.mean(values))


def report(choice: Choice, rows: Sequence[Spread], settings: Settings, repeats: int, seconds: float) -> None:
    rule = f"{settings.runs} runs" if settings.runs else f"until {settings.precision:.0%} is reached"
    operators = len({spread.key[0] for spread in rows})
    print("# Spread between runs\n")
    print("Made by `python benches/run_to_run.py`; [measurement.md](measurement.md) says how to read it.")
    print(f"{os.cpu_count()} processors, load at the end {os.getloadavg()[0]:.1f}; {repeats} repeats took")
    print(f"{seconds / 60:.0f} minutes.")
    print(f"autoperf: {settings.processes} processes, {rule}. The loop: warm-up {WARMUP}, runs {RUNS}.\n")
    print(f"{len(rows)} figures of {operators} operators have a spread on both sides; {len(choice.skipped)} operators")
    print(f"were tried and left out; {choice.unreachable} have no function in `mx.nd`, where opperf looks.\n")
    print(
        "| kernel time | figures | autoperf: median | P90 | max | the loop: median | P90 | max | autoperf's is less |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for label, chosen in _classes(rows):
        less = sum(spread.ours < spread.loop for spread in chosen)
        ours = _distribution([spread.ours for spread in chosen])
        loop = _distribution([spread.loop for spread in chosen])
        print(f"| {label} | {len(chosen)} | {ours} | {loop} | {less} |")
    print(f"\nThe {SHOWN} figures with the largest spread in autoperf:\n")
    print("| operator | pass | kernel time (us) | autoperf | the loop |\n|---|---|---:|---:|---:|")
    for row in sorted(rows, key=lambda row: -row.ours)[:SHOWN]:
        print(f"| `{row.key[0]}` | {row.key[1]} | {row.typical_us:.1f} | {row.ours:.1%} | {row.loop:.1%} |")
    print("\nLeft out:\n" if choice.skipped else "")
    for name, reason in sorted(choice.skipped.items()):
        print(f"- `{name}`: {reason}")


def _classes(rows: Sequence[Spread]) -> Iterator[tuple[str, list[Spread]]]:
    """All figures, then those of each class of kernel time."""
    yield "all", list(rows)
    least = 0.0
    for label, bound in CLASSES:
        yield label, [spread for spread in rows if least <= spread.typical_us < bound]
        least = bound


def _distribution(values: Sequence[float]) -> str:
    if not values:
        return "- | - | -"
    return " | ".join(f"{value:.1%}" for value in (*np.percentile(values, (50, 90)), max(values)))


if __name__ == "__main__":
    sys.exit(main())
