"""What `autoperf compare` finds of a slowdown that was planted in a run file, and what it falsely judges.

    python benches/planted_slowdown.py RUN.NDJSON [OTHER.NDJSON] [--slower 1.10] [--seed 1] [--baseline-file]

RUN and OTHER are two runs of the same build. Without OTHER, the processes of RUN are dealt to two sides at random, so
it needs several of them for each side. (Drawing them with replacement won't do: a process that comes twice looks like
two that agree.) First both sides are compared as they are, an A/A comparison. Then, in a random half of the cases,
every sample of the second side is multiplied, and they are compared again. All goes through run files and the command's
own code. With `--baseline-file`, the first side is what `report --format baseline` keeps of it. Exits with 1 if an A/A
comparison judges more than 1% of the cases, if fewer than 95% of the slowed cases with figures of 50 us or more are
found, or if more than 5% of all verdicts are wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import CHANGED, THRESHOLD, ComparedFigure, Comparison, ComparisonOptions, Verdict
from autoperf.comparison.figures import baseline_lines
from autoperf.comparison.report import sentence
from autoperf.core.machine import Probes
from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.runs.run_reader import RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.stats.statistics import summarise

LONG_US = 50.0
MIN_FOUND, MAX_FALSE, MAX_WRONG = 0.95, 0.01, 0.05
MIN_PROCESSES = 2
HALF = 0.5


Deal = Callable[[int], NDArray[np.int64]]
"""Which of so many processes a copy keeps."""


def everything(count: int) -> NDArray[np.int64]:
    return np.arange(count)


def kept(series: Series | None, deal: Deal, factor: float) -> Series | None:
    """The series with the processes that were dealt to this side, times the factor; turns stay where all stay."""
    if series is None:
        return None
    counts = series.processes or (len(series.samples),)
    ends = np.cumsum(counts)[:-1]
    dealt = deal(len(counts))

    def chosen(values: Sequence[float]) -> list[float]:
        parts = np.split(np.asarray(values), ends)
        return [value for index in dealt for value in parts[index].tolist()]

    samples = (np.asarray(chosen(series.samples)) * factor).tolist()
    processes = [counts[index] for index in dealt]
    made = summarise(samples, series.loops)
    turns = series.turns if deal is everything else msgspec.UNSET
    probes = Probes(tuple(chosen(series.probes.before)), tuple(chosen(series.probes.after))) if series.probes else None
    return msgspec.structs.replace(
        made, processes=tuple(processes), turns=turns, probes=probes or msgspec.UNSET, slope=series.slope
    )


def changed(outcome: Outcome, deal: Deal, factor: float) -> Outcome:
    """The outcome with every figure changed alike."""

    def passed(run: Pass | None) -> Pass | None:
        if run is None:
            return None
        kernel, wall = (kept(series, deal, factor) for series in (run.kernel_us, run.wall_us))
        return msgspec.structs.replace(run, kernel_us=kernel, wall_us=wall)

    return msgspec.structs.replace(outcome, forward=passed(outcome.forward), backward=passed(outcome.backward))


def halves(rng: np.random.Generator) -> tuple[Deal, Deal]:
    """Two sides that share no process; the same processes of every figure of a case."""
    ranks = rng.random(256)

    def order(count: int) -> NDArray[np.int64]:
        return np.argsort(ranks[:count])

    return lambda count: order(count)[: count // 2], lambda count: order(count)[count // 2 :]


def copy(source: Path, target: Path, change: Callable[[Outcome], Outcome]) -> Path:
    """Another run file, with what was measured changed."""
    with RunReader(source) as run, RunWriter(target, run.header, run.machines[0]) as writer:
        for outcome in run:
            writer.add(change(outcome) if outcome.status is Status.MEASURED else outcome)
        writer.finish(0.0)
    return target


def sides(run: Path, other: Path | None, folder: Path, seed: int) -> tuple[Path, Path]:
    """Two files of the same thing."""
    if other:
        return run, other
    with RunReader(run) as reader:
        series = next(outcome.forward.wall_us for outcome in reader if outcome.forward and outcome.forward.wall_us)
    if len(series.processes) < MIN_PROCESSES:
        raise SystemExit(f"{run} has too few processes to deal them to two sides: name another run of the same build")
    dealt: dict[str, tuple[Deal, Deal]] = {}
    rng = np.random.default_rng(seed)

    def side(number: int) -> Path:
        def change(outcome: Outcome) -> Outcome:
            deal = dealt.setdefault(outcome.case, halves(rng))
            return changed(outcome, deal[number], 1.0)

        return copy(run, folder / f"side-{number}.ndjson", change)

    return side(0), side(1)


def plant(source: Path, target: Path, factor: float, seed: int) -> set[str]:
    """Writes the copy; the ids of the cases that are slower in it."""
    rng = np.random.default_rng(seed)
    chosen: set[str] = set()

    def change(outcome: Outcome) -> Outcome:
        if rng.random() >= HALF:
            return outcome
        chosen.add(outcome.case)
        return changed(outcome, everything, factor)

    copy(source, target, change)
    return chosen


def baseline_file(source: Path, target: Path) -> Path:
    """What `report --format baseline` writes of a run."""
    with RunReader(source) as run:
        target.write_text("".join(baseline_lines(run, run)), encoding="utf-8")
    return target


def print_share(what: str, hits: list[bool]) -> float:
    """Prints a share, and returns it (of nothing: NaN)."""
    share = float(np.mean(hits)) if hits else float("nan")
    print(f"{what:<58}{sum(hits):>6} of {len(hits):<6}{100 * share:6.1f}%")
    return share


def long_enough(figure: ComparedFigure) -> bool:
    return figure.base_us >= LONG_US


def by_case(figures: list[ComparedFigure], hit: set[Verdict]) -> list[bool]:
    """For each case, whether any of these figures has one of these verdicts."""
    cases: dict[str, bool] = {}
    for figure in figures:
        cases[figure.case] = cases.get(figure.case, False) or figure.verdict in hit
    return list(cases.values())


def report(comparison: Comparison, chosen: set[str]) -> bool:
    """Prints what was found of what was planted; whether it is good enough."""
    planted = [figure for figure in comparison.cases if figure.case in chosen and long_enough(figure)]
    kernel = [figure for figure in planted if figure.clock == "kernel"]
    changed_figures = [figure for figure in comparison.cases if figure.verdict in CHANGED]
    wrong = [figure.case not in chosen or figure.verdict is Verdict.FASTER for figure in changed_figures]
    print_share(
        "slowed figures of 50 us or more that are found", [figure.verdict is Verdict.SLOWER for figure in planted]
    )
    print_share("... of them by kernel time", [figure.verdict is Verdict.SLOWER for figure in kernel])
    hits = print_share("slowed cases with such figures of which one is found", by_case(planted, {Verdict.SLOWER}))
    mistaken = print_share("verdicts that are wrong", wrong)
    return hits >= MIN_FOUND and not mistaken > MAX_WRONG


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--slower", type=float, default=1.10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threshold", type=float, default=THRESHOLD, help="of the comparison (default: 0.05)")
    parser.add_argument("--baseline-file", action="store_true", help="compare with a baseline file of the first side")
    options = parser.parse_args()
    judged_by = ComparisonOptions(threshold=options.threshold)
    with tempfile.TemporaryDirectory() as name:
        base, new = sides(options.run, options.other, Path(name), options.seed)
        if options.baseline_file:
            base = baseline_file(base, Path(name) / "baseline.ndjson")
        alike = compare_files(base, new, judged_by)
        for notice in alike.notices:
            print(f"note: {notice}")
        print(f"A/A: {sentence(alike)}")
        false = print_share("A/A: cases of which a figure is judged", by_case(list(alike.cases), set(CHANGED)))
        slow = Path(name) / "planted.ndjson"
        chosen = plant(new, slow, options.slower, options.seed)
        good = report(compare_files(base, slow, judged_by), chosen)
    return 0 if good and false <= MAX_FALSE else 1


if __name__ == "__main__":
    raise SystemExit(main())
