"""What does autoperf cost beyond the operator's own time, beside a plain loop that does what opperf does?

    python benches/plain_loop.py

Both sides run the same cases on the same bytes, with the same warm-up and runs (opperf's defaults, 25 and 100), each
case warmed up, and a backward pass where autoperf finds one. autoperf's side is the executor of `autoperf run`, with
one process that takes times, as the loop is one process. The sides take a block of cases in turn, and which begins is
drawn; within a block autoperf's processes wait for each other as they do in a run. All of that is done in several
rounds, each in fresh processes, and of each case the medians are told: what else the machine does is in both.

Overhead is a case's whole wall time less the operator's own: the time of its kernels, forward and backward, in every
call that was made. On both sides that is the mean over the counted runs, times all calls, so that first calls, which
are slower, are overhead on both. Both sides make the tensors in that time. autoperf tries each case in a fork, measures
its memory, and takes `--runs` samples by each of two clocks, the loop by one; so a line of its own tells what is left
without the samples of wall time, which are a figure of their own, and the last column divides by the calls that were
made. What starting the processes takes is shown apart. Operators that take long are left out by default, since a drift
of their own time of a few percent is as much as either side's overhead.

Exits with 1 if autoperf's overhead in total, both clocks and trials included, is more than half of the loop's.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from case_cells import case_cells
from pairs import Choice, Pair, blocks, calls, choose, own_kernels, own_us, progress, wall_ms
from predecessor import Looped, PlainLoop, Unable
from stage_times import StageTimes

from autoperf.backends.mxnet.capi.profiler import FILLING
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.release import open_release

SEED = 1
WARMUP, RUNS = 25, 100
BLOCK = 8
ROUNDS = 3
MAX_RATIO = 0.5


class Parts(NamedTuple):
    """Milliseconds of a case that are no call: of the loop's, and of autoperf's."""

    loop_inputs: float
    loop_heads: float
    trial: float
    prepare: float
    trace: float


class Row(NamedTuple):
    """A case that both sides ran: autoperf's microseconds of its own a call, and the milliseconds beyond a side's own.

    They are the loop's, autoperf's, and autoperf's without the calls that it makes to take wall time; `calls` are how
    many each of these made.
    """

    outcome: Outcome
    own_us: float
    loop_ms: float
    ours_ms: float
    kernel_clock_ms: float
    calls: tuple[int, int, int]
    parts: Parts


class Result(NamedTuple):
    """The cases that both sides ran, those that one side lost, and the seconds that starting each side took."""

    rows: tuple[Row, ...]
    lost: dict[str, str]
    start_ours: float
    start_loop: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--operators", type=int, default=120)
    parser.add_argument("--profile", action="append", help="dealt out in turn (default: small, common, large)")
    parser.add_argument("--most-us", type=float, default=5000.0, help="of own time a call (default: 5000)")
    parser.add_argument("--warmup", type=int, default=WARMUP)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    settings = Settings(warmup=options.warmup, runs=options.runs, processes=1)
    profiles = options.profile or ["small", "common", "large"]
    with tempfile.TemporaryDirectory() as name, open_release() as release:
        choice = choose(release, options.operators, profiles, most_us=options.most_us)
        result = compare(release.library, choice.pairs, settings, Path(name), options.rounds)
    return report(choice, result, settings, options.rounds)


def compare(library: Path, pairs: Sequence[Pair], settings: Settings, folder: Path, rounds: int) -> Result:
    """Both sides over all pairs, in each round in fresh processes; of each case the medians over the rounds."""
    rng = np.random.default_rng(SEED)
    measured: dict[str, list[Row]] = {pair.job.case.operator: [] for pair in pairs}
    lost: dict[str, str] = {}
    starts: list[tuple[float, float]] = []
    for number in range(1, rounds + 1):
        times = StageTimes()
        begun = time.perf_counter()
        with Executor(library, settings, folder, times) as executor:
            start_ours = time.perf_counter() - begun
            with PlainLoop(folder) as loop:
                starts.append((start_ours, loop.start_seconds))
                for done, block in enumerate(blocks(pairs, BLOCK)):
                    times.cases.clear()
                    ours, theirs = _run_block(executor, loop, block, settings, loop_first=rng.random() < 0.5)
                    for (outcome, seconds), parts, looped in zip(ours, times.cases, theirs, strict=True):
                        row = _row(outcome, seconds, parts, looped, settings)
                        if isinstance(row, Row):
                            measured[outcome.operator].append(row)
                        else:
                            lost[outcome.operator] = row
                    progress(f"round {number} of {rounds}: {BLOCK * done + len(block)} of {len(pairs)}")
    rows = tuple(_medians(rows) for name, rows in measured.items() if name not in lost)
    return Result(rows, lost, *(float(np.median(side)) for side in zip(*starts, strict=True)))


def _run_block(
    executor: Executor, loop: PlainLoop, block: Sequence[Pair], settings: Settings, *, loop_first: bool
) -> tuple[list[tuple[Outcome, float]], list[Looped | Unable]]:
    """A block on both sides, one after the other."""
    theirs = run_loop(loop, block, settings) if loop_first else []
    ours = run_ours(executor, block)
    return ours, theirs or run_loop(loop, block, settings)


def _medians(rows: Sequence[Row]) -> Row:
    """A case's medians over the rounds, each figure its own."""

    def over(values: Iterable[float]) -> float:
        return float(np.median(list(values)))

    return rows[0]._replace(
        own_us=over(row.own_us for row in rows),
        loop_ms=over(row.loop_ms for row in rows),
        ours_ms=over(row.ours_ms for row in rows),
        kernel_clock_ms=over(row.kernel_clock_ms for row in rows),
        parts=Parts(*(over(values) for values in zip(*(row.parts for row in rows), strict=True))),
    )


def run_ours(executor: Executor, block: Sequence[Pair]) -> list[tuple[Outcome, float]]:
    """The outcomes, and the seconds from one to the next."""
    timed = []
    begun = time.perf_counter()
    for outcome in executor.run([pair.job for pair in block]):
        ended = time.perf_counter()
        timed.append((outcome, ended - begun))
        begun = ended
    return timed


def run_loop(loop: PlainLoop, block: Sequence[Pair], settings: Settings) -> list[Looped | Unable]:
    warmup, runs = settings.warmup or 0, settings.runs or RUNS
    return [loop.run(pair.job, pair.names, warmup=warmup, runs=runs, backward=pair.backward) for pair in block]


def _row(
    outcome: Outcome, seconds: float, stages: Mapping[str, float], looped: Looped | Unable, settings: Settings
) -> Row | str:
    kernel_us = own_us(outcome)
    if outcome.status is not Status.MEASURED or kernel_us is None or outcome.forward is None:
        return f"autoperf: {outcome.reason or 'no kernel of its own is in the trace'}"
    if isinstance(looped, Unable):
        return f"the loop: {looped.reason}"
    warmup, runs = settings.warmup or 0, settings.runs or RUNS
    looped_own = sum(looped.runs_ms.get(name, 0.0) for name in own_kernels(outcome))
    loop_ms = 1000 * looped.seconds - looped_own / runs * (warmup + runs)
    wall_calls = calls(outcome.forward.wall_us)
    other_calls = 1 + warmup + calls(outcome.forward.kernel_us)
    ours_ms = 1000 * seconds - kernel_us * (wall_calls + other_calls) / 1000
    kernel_clock_ms = 1000 * seconds - wall_ms(outcome) - kernel_us * other_calls / 1000
    made = (warmup + runs, wall_calls + other_calls, other_calls)
    parts = Parts(
        1000 * looped.input_seconds,
        looped.kernel_ms.get(FILLING, 0.0),
        *(1000 * stages.get(stage, 0.0) for stage in ("trial", "prepare", "trace")),
    )
    return Row(outcome, kernel_us, loop_ms, ours_ms, kernel_clock_ms, made, parts)


def report(choice: Choice, result: Result, settings: Settings, rounds: int) -> int:
    """Prints the page; 0 if the ratio of the totals is at most MAX_RATIO."""
    rows = sorted(result.rows, key=lambda row: row.outcome.operator)
    print("# Overhead beside a plain loop\n")
    print(f"{os.cpu_count()} processors, load at the end {os.getloadavg()[0]:.1f}; warm-up {settings.warmup}, runs")
    print(f"{settings.runs}; medians of {rounds} rounds. Starting took autoperf {result.start_ours:.2f} s, the loop")
    print(f"{result.start_loop:.2f} s.\n")
    ratio = _print_totals(rows)
    kept = "yes" if ratio <= MAX_RATIO else "**no**"
    print(f"\nAt most {MAX_RATIO} of the loop's in total: {kept}.\n")
    _print_parts(rows)
    _print_left_out(choice, result)
    print("| operator | inputs | passes | own (us a call) | the loop (ms) | autoperf (ms) | without wall | ratio |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    for row in rows:
        figures = f"{row.own_us:.1f} | {row.loop_ms:.1f} | {row.ours_ms:.1f} | {row.kernel_clock_ms:.1f}"
        print(f"| {case_cells(row.outcome)} | {figures} | {row.ours_ms / row.loop_ms:.2f} |")
    return 0 if ratio <= MAX_RATIO else 1


def _print_totals(rows: Sequence[Row]) -> float:
    """All cases, and those of each profile; the ratio of the totals of all."""
    print(
        "| beyond the operator's own time, ms a case | cases | median | P90 | total | of the loop's | us a call made |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    profiles = sorted({row.outcome.profile for row in rows})
    ratio = _print_lines("all", rows)
    for profile in profiles if len(profiles) > 1 else []:
        _print_lines(profile, [row for row in rows if row.outcome.profile == profile])
    return ratio


def _print_lines(label: str, rows: Sequence[Row]) -> float:
    sides = {
        "the plain loop": [row.loop_ms for row in rows],
        "autoperf": [row.ours_ms for row in rows],
        "autoperf without samples of wall time": [row.kernel_clock_ms for row in rows],
    }
    whole = sum(sides["the plain loop"])
    for index, (side, values) in enumerate(sides.items()):
        figures = (
            f"{np.median(values):.1f} | {np.percentile(values, 90):.1f} | {sum(values):.0f} | {sum(values) / whole:.3f}"
        )
        a_call = 1000 * sum(values) / sum(row.calls[index] for row in rows)
        print(f"| {label}: {side} | {len(rows)} | {figures} | {a_call:.0f} |")
    return sum(sides["autoperf"]) / whole


def _print_parts(rows: Sequence[Row]) -> None:
    """What of the totals isn't in the calls themselves."""
    inputs, heads, trial, prepare, trace = (sum(values) for values in zip(*(row.parts for row in rows), strict=True))
    print(
        f"Of the loop's total, {inputs:.0f} ms went into making the tensors and {heads:.0f} ms into head gradients; of"
    )
    print(f"autoperf's, {trial:.0f} ms into trials, {prepare:.0f} ms into preparing the tensors that are timed, and")
    print(f"{trace:.0f} ms into reading traces.\n")


def _print_left_out(choice: Choice, result: Result) -> None:
    left_out = {**choice.skipped, **result.lost}
    categories = {row.outcome.category for row in result.rows}
    print(
        f"{len(result.rows)} operators of {len(categories)} categories. {choice.unreachable} others have no function in"
    )
    print(f"`mx.nd`, where opperf looks; {len(left_out)} were tried and left out:\n")
    for name, reason in sorted(left_out.items()):
        print(f"- `{name}`: {reason}")
    print()


if __name__ == "__main__":
    raise SystemExit(main())
