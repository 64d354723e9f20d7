"""How much do figures differ between runs at different times, corrected to reference speed and as measured?

    python benches/repeatability.py run FOLDER [--runs 5] [--gap 120] [--load none|same|other] [-- OPTIONS OF run]
    python benches/repeatability.py report FOLDER

`run` starts `autoperf run` so many times, `--gap` seconds apart, beside a neighbour if asked for; the run files stay in
FOLDER. `report` prints, by clock and duration, the coefficient of variation of the median over the runs: as measured,
all samples brought to reference speed by the slope that each run tells, as reported (of the samples that were taken at
reference speed, where they are enough), by a common slope as in a comparison, and that of their lower decile in place
of the median, as in a comparison too; the share of figures that are of samples at reference speed; and what each run
says about the speed of the machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from neighbour import neighbour

from autoperf.comparison.figures import LOWER_DECILE, MEDIAN, sampled_series
from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Series
from autoperf.runs.run_reader import RunReader
from autoperf.stats.correction import (
    ProbedSamples,
    at_reference,
    corrected,
    fitted_slope,
    slope_of_figure,
    speeds,
    steady_samples,
)

CATEGORIES = (
    *("activation", "broadcast", "reduction", "gemm", "nn_basic"),
    *("normalization", "pooling", "indexing", "sorting"),
)
DEFAULT = [word for name in CATEGORIES for word in ("--category", name)] + ["--draws", "0"]
CLASSES = (("below 50 us", 50.0), ("50 us to 1 ms", 1000.0), ("1 ms and more", np.inf))

Key = tuple[str, str, Clock]
"""A case, a pass and a clock."""


class Reading(NamedTuple):
    """One figure in one run, and the reference speed of the run."""

    series: Series
    reference: Reference

    def median_at(self, slope: float) -> float:
        """The median of all samples at reference speed by this slope, in microseconds."""
        series = self.series
        return float(np.median(corrected(series.samples, probes_of(series), series.processes, self.reference, slope)))

    def reported(self, slope: float, quantile: float = MEDIAN) -> float:
        """The median as it is reported, in microseconds, or another quantile of the same samples."""
        series = self.series
        used = at_reference(series.samples, probes_of(series), series.processes, self.reference, slope)
        return float(np.quantile(used.samples, quantile))

    @property
    def is_steady(self) -> bool:
        """Whether the figure is of samples that were taken at reference speed."""
        counts = self.series.processes or (len(self.series.samples),)
        return steady_samples(speeds(probes_of(self.series), counts), counts, self.reference) is not None

    @property
    def reach(self) -> float:
        """How far the 95% interval reaches beyond the median."""
        series = self.series
        if not (series.low and series.high):
            return np.inf
        return max(series.high / series.median, series.median / series.low) - 1


class Variation(NamedTuple):
    """The coefficient of variation of a figure over the runs."""

    measured: float
    by_own_slopes: float
    reported: float
    by_common_slope: float
    lower_decile: float


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    take = commands.add_parser("run")
    take.add_argument("folder", type=Path)
    take.add_argument("--runs", type=int, default=5)
    take.add_argument("--gap", type=float, default=120.0)
    take.add_argument("--load", choices=("none", "same", "other"), default="none")
    tell = commands.add_parser("report")
    tell.add_argument("folder", type=Path)
    own, given = list(arguments), []
    if "--" in own:
        place = own.index("--")
        own, given = own[:place], own[place + 1 :]
    options = parser.parse_args(own)
    if options.command == "run":
        runs(options.folder, options.runs, options.gap, options.load, given or DEFAULT)
    else:
        report(options.folder)
    return 0


def runs(folder: Path, count: int, gap: float, load: str, options: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        begin = time.monotonic()
        command = [sys.executable, "-m", "autoperf", "run", *options, "--run-file", str(folder / f"{number}.ndjson")]
        with neighbour(load, max(os.sched_getaffinity(0)), seed=number):
            ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        seconds = time.monotonic() - begin
        print(f"run {number}: {seconds:.0f} s, exit code {ended.returncode}", file=sys.stderr, flush=True)
        if number + 1 < count:
            time.sleep(max(0.0, gap - seconds))


def report(folder: Path) -> None:
    figures: dict[Key, list[Reading]] = defaultdict(list)
    speeds: list[str] = []
    paths = sorted(folder.glob("*.ndjson"))
    for path in paths:
        with RunReader(path) as run:
            readings = dict(_readings(run))
        for key, reading in readings.items():
            figures[key].append(reading)
        low, middle, high = np.percentile([reading.series.speed or 1 for reading in readings.values()], (5, 50, 95))
        speeds.append(f"{middle:.0%} ({low:.0%} to {high:.0%})")
    complete = {key: values for key, values in figures.items() if len(values) == len(paths)}
    print(f"{len(paths)} runs, {len({case for case, _, _ in complete})} cases, {len(complete)} figures")
    print(f"The speed of the machine, relative to its reference, in each run: {'; '.join(speeds)}\n")
    columns = (
        "as measured: CV (P90)",
        "by slopes",
        "reported",
        "common slope",
        "lower decile",
        "steady",
        "95% within 3%",
        "10%",
    )
    print(f"| clock | time | figures | {' | '.join(columns)} |")
    print(f"|---|---|---:|{'---:|' * len(columns)}")
    for clock in CLOCKS:
        least = 0.0
        for title, bound in CLASSES:
            chosen = [
                values
                for (_, _, key), values in complete.items()
                if key == clock and least <= np.median([value.series.uncorrected for value in values]) < bound
            ]
            least = bound
            if chosen:
                print(f"| {clock.name} | {title} | {len(chosen)} | {_row(clock, chosen)} |")


def _row(clock: Clock, chosen: Sequence[Sequence[Reading]]) -> str:
    variations = np.array([_variations(clock, values) for values in chosen])
    reach = np.array([value.reach for values in chosen for value in values])
    spreads = " | ".join(f"{np.median(each):.1%} ({np.percentile(each, 90):.1%})" for each in variations.T)
    steady = np.mean([value.is_steady for values in chosen for value in values])
    return f"{spreads} | {steady:.0%} | {np.mean(reach <= 0.03):.0%} | {np.mean(reach <= 0.1):.0%}"


def _variations(clock: Clock, values: Sequence[Reading]) -> Variation:
    builds = [ProbedSamples(value.series.samples, probes_of(value.series), value.series.processes) for value in values]
    common = fitted_slope(clock, builds).value
    own = [fitted_slope(clock, [build]).value for build in builds]
    reported = [slope_of_figure(clock, build, value.reference) for build, value in zip(builds, values, strict=True)]
    return Variation(
        _variation([value.median_at(0.0) for value in values]),
        _variation([value.median_at(slope) for value, slope in zip(values, own, strict=True)]),
        _variation([value.reported(slope) for value, slope in zip(values, reported, strict=True)]),
        _variation([value.reported(common) for value in values]),
        _variation([value.reported(common, LOWER_DECILE) for value in values]),
    )


def _readings(run: RunReader) -> Iterator[tuple[Key, Reading]]:
    reference = run.machines[0].reference
    if not reference:
        raise SystemExit(f"{run.path} has no readings of the probe")
    for outcome in run:
        for name, clock, series in sampled_series(outcome):
            if series.probes and clock.is_time:
                yield (outcome.case, name, clock), Reading(series, reference)


def probes_of(series: Series) -> Probes:
    """The readings beside the samples."""
    assert series.probes, "only such series are kept"
    return series.probes


def _variation(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1) / np.mean(values))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
