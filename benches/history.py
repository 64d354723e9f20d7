"""A year of nightly runs in a history: how long it takes to add, query and draw, and which steps are found.

    python benches/history.py size        # 600 operators x 3 cases x 365 nights, as real run files
    python benches/history.py steps       # false steps, and planted ones, on noise as measured
    python benches/history.py drifts      # planted drifts
    python benches/history.py series FOLDER    # real series of other projects
    python benches/history.py site FOLDER # 12,388 series x 365 nights as a site: seconds, bytes, and Chromium's seconds

The noise between runs is that of an earlier measurement (the table below): the coefficient of variation over runs, by
clock and time, as a lognormal distribution with the table's median and 90th percentile. Beside it, all figures of a
night share a disturbance of 0.5%, and a figure is disturbed in one night of 200, by 15% on average.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autoperf.cli.main import run as autoperf
from autoperf.core.case import Input
from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.core.tensors import TensorSpec, Uniform
from autoperf.history.series import changes
from autoperf.history.steps import LevelStep, follow, told_once, with_cases, with_drifts
from autoperf.history.store import History
from autoperf.runs.run_reader import RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.runs.runfile import Environment, Machine, Processor, RunHeader, machine_of

# (figures, median CV, P90 of the CV) of kernel and wall time, below 50 us, to 1 ms, and above, as corrected.
KERNEL = ((96, 0.014, 0.032), (198, 0.006, 0.017), (74, 0.010, 0.020))
WALL = ((37, 0.012, 0.068), (249, 0.010, 0.022), (82, 0.012, 0.024))
CLOCKS = (KERNEL, WALL, KERNEL, WALL)
SHARED, DISTURBED, DISTURBANCE = 0.005, 0.005, 0.15
NIGHTS, OPERATORS, CASES = 365, 600, 3
P90 = 1.2816
PROFILES = ("small", "common", "large")
SITE_CASES = 3097  # Of four series each: as many as the comparison of all operators has.
WITHIN, BEFORE = (3, 5, 14), (7, 10, 14, 21, 30, 60)
DRAWS = 3
START = np.datetime64("2025-11-01T02:17:00")


def deviations(rng: np.random.Generator, cases: int) -> NDArray[np.float64]:
    """The deviation of each figure's logarithm between nights: cases x 4 (kernel and wall, forward and backward)."""
    columns = []
    for table in CLOCKS:
        weights = np.array([row[0] for row in table], dtype=float)
        kinds = rng.choice(len(table), size=cases, p=weights / weights.sum())
        middle, high = (np.array([row[at] for row in table])[kinds] for at in (1, 2))
        columns.append(middle * np.exp(np.log(high / middle) / P90 * rng.standard_normal(cases)))
    return np.stack(columns, axis=1)


def nights(rng: np.random.Generator, cases: int, count: int) -> NDArray[np.float64]:
    """Logarithms of medians: cases x 4 figures x nights."""
    noise = deviations(rng, cases)[..., None] * rng.standard_normal((cases, 4, count))
    noise += (rng.random(noise.shape) < DISTURBED) * rng.exponential(DISTURBANCE, noise.shape)
    medians: NDArray[np.float64] = noise + SHARED * rng.standard_normal(count) + rng.uniform(1, 8, size=(cases, 4, 1))
    return medians


def found(logs: NDArray[np.float64]) -> list[LevelStep]:
    """The steps and drifts of cases x 4 figures x nights; of cases too, in rows behind the figures."""
    cases, _, length = logs.shape
    followed = follow(with_cases(logs.reshape(cases * 4, length), np.repeat(np.arange(cases), 4)))
    return with_drifts(followed.steps, followed.values)


def steps(seed: int, draws: int) -> None:
    """Prints how many false steps there are, and when planted ones are found, by the nights before them."""
    rng = np.random.default_rng(seed)
    for name, length, cases in (("a year", NIGHTS, 2500), ("the first 40 nights", 40, 25_000)):
        owners = np.repeat(np.arange(cases), 4)
        false = [len(told_once(found(nights(rng, cases, length)), owners)) for _ in range(draws)]
        rate = sum(false) / (draws * cases * 4 * length) * 1000
        print(f"false ones in {draws} x {4 * cases:,} series over {name}: {' + '.join(map(str, false))}, "
              f"{rate:.1e} per 1,000 series and nights")  # fmt: skip
    print("\n| nights before | step | of cases, within 3 nights | 5 | 14 | of single figures, within 3 | 5 | 14 |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for before in BEFORE:
        for size in (0.05, 0.1):
            shares = planted(rng, np.log1p(size) * (np.arange(before + 21) >= before), before, 1500)
            print(f"| {before} | {size:.0%} | " + " | ".join(f"{share:.0%}" for share in shares) + " |")


def planted(rng: np.random.Generator, course: NDArray[np.float64], at: int, cases: int) -> list[float]:
    """The shares of cases and of their figures with this course that show it within some nights after its first.

    A third of the cases has it, so that what most have in common is not the step.
    """
    logs = nights(rng, cases, len(course))
    has_it = np.arange(cases) % 3 == 0
    logs[has_it] += rng.choice((-1, 1), size=(int(has_it.sum()), 1, 1)) * course
    delay = np.full((cases, 5), np.inf)
    for step in found(logs):
        case, column = (step.series - 4 * cases, 4) if step.series >= 4 * cases else divmod(step.series, 4)
        if step.decided >= at:
            # The third night at the new level is two after the first.
            delay[case, column] = min(delay[case, column], step.decided - at + 1)
    of_case, of_figures = delay[has_it].min(axis=1), delay[has_it, :4]
    return [float(np.mean(each <= count)) for each in (of_case, of_figures) for count in WITHIN]


def drifts(seed: int) -> None:
    """Prints when planted drifts are found, how precisely, and how often a step is called a drift."""
    rng = np.random.default_rng(seed)
    print("| a week | of cases, within 4 weeks | 6 | 8 | of single figures, within 4 | 6 | 8 | its interval holds it |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    length, at, cases = 180, 60, 600
    for weekly in (0.005, 0.01, 0.02, 0.05):
        nightly = np.log1p(weekly) / 7
        logs = nights(rng, cases, length)
        logs[::3] += nightly * np.maximum(np.arange(length) - at, 0)
        told = [each for each in found(logs) if each.evidence == "drift"]
        delay, holds = np.full((cases, 5), np.inf), []
        for drift in told:
            assert drift.nightly is not None
            case, column = (drift.series - 4 * cases, 4) if drift.series >= 4 * cases else divmod(drift.series, 4)
            delay[case, column] = min(delay[case, column], drift.decided - at)
            size = drift.after - drift.before
            holds.append(abs(drift.nightly - nightly) <= drift.reach * abs(drift.nightly / size))
        each = (delay[::3].min(axis=1), delay[::3, :4])
        shares = [float(np.mean(one <= 7 * weeks)) for one in each for weeks in (4, 6, 8)]
        print(f"| {weekly:.1%} | " + " | ".join(f"{share:.0%}" for share in (*shares, np.mean(holds))) + " |")
    for size in (0.05, 0.1, 0.3):
        logs = nights(rng, cases, 150)
        logs[::3] += np.log1p(size) * (np.arange(150) >= 75)
        kinds = [each.evidence for each in found(logs)]
        print(f"steps of {size:.0%}: {kinds.count('step')} told as steps, {kinds.count('drift')} as drifts")


def series_of_others(folder: Path) -> None:
    """Prints what is found in real series of other projects, beside what their own tests expect."""
    print("| series | values | marked, from 0 | steps found | drifts |\n|---|---:|---|---|---|")
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text())
        values = np.array(content["values"], dtype=float)
        followed = follow(np.log(values)[None])
        told: dict[str, list[str]] = {}
        for each in with_drifts(followed.steps, followed.values):
            told.setdefault(each.evidence, []).append(f"{each.first} ({np.expm1(each.after - each.before):+.1%})")
        marks = ", ".join(str(mark) for marks in content["annotations"].values() for mark in marks) or "none"
        parts = (", ".join(told.get(kind, ())) or "none" for kind in ("step", "drift"))
        print(f"| {content['name']} | {len(values):,} | {marks} | {' | '.join(parts)} |")


def origin(night: int) -> tuple[RunHeader, Machine]:
    """The header and the machine of a night's run file."""
    processor = Processor("Example processor", 2, 2, 2, ())
    environment = Environment(
        machine="nightly", system="Linux", python="3.11", processor=processor,
        load=(0.1, 0.1, 0.1), packages={"numpy": f"1.26.{night // 200}"},
        memory_total=2**34, memory_available=2**33, settings={}, git=f"{night:040x}",
        mxnet={"threads": 2, "library": "/opt/mxnet/libmxnet.so"},
    )  # fmt: skip
    header = RunHeader(
        autoperf="0.1.0", mxnet="1.9.1", seed=42, started=f"{START + np.timedelta64(night, 'D')}+00:00",
        command=("autoperf", "run", "--seed", "42"), options={},
    )  # fmt: skip
    return header, machine_of(environment)


def series(median: float) -> Series:
    """The statistics of a figure; five samples, as of five processes."""
    return Series(
        count=5, mean=median, median=median, p50=median, p90=median, p99=median, min=median, max=median, std=0.0,
        samples=(median,) * 5, processes=(1,) * 5, low=0.99 * median, high=1.01 * median,
    )  # fmt: skip


def outcomes(medians: NDArray[np.float64]) -> Iterator[Outcome]:
    """A night's outcomes; the medians are cases x 4, in microseconds."""
    for number, (kernel, wall, back_kernel, back_wall) in enumerate(medians.tolist()):
        operator, profile = f"operator_{number // CASES % OPERATORS}", PROFILES[number % CASES]
        size = 32 * 8 ** (number % CASES) + number // (CASES * OPERATORS)
        yield Outcome(
            case=f"{operator}/{number:08x}", operator=operator, category="unary", profile=profile,
            status=Status.MEASURED, inputs=(Input("data", TensorSpec((size, size), "float32", Uniform())),),
            forward=Pass(series(kernel), series(wall)), backward=Pass(series(back_kernel), series(back_wall)),
        )  # fmt: skip


def write(path: Path, night: int, medians: NDArray[np.float64]) -> None:
    """Writes a night's run file."""
    with RunWriter(path, *origin(night)) as writer:
        for outcome in outcomes(medians):
            writer.add(outcome)
        writer.finish(60.0)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Prints the wall and processor time of the block, and the peak of memory so far."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what}: {time.perf_counter() - wall:.1f} s ({time.process_time() - cpu:.1f} s of processor time), "
          f"peak {peak:.0f} MiB", flush=True)  # fmt: skip


def add(database: Path, medians: NDArray[np.float64]) -> float:
    """Adds a run file for each night; the seconds of processor time that this took."""
    file, spent = database.with_name("night.ndjson"), 0.0
    for night in range(medians.shape[-1]):
        write(file, night, medians[..., night])
        begun = time.process_time()
        with History(database, write=True) as history, RunReader(file) as run:
            history.add(run)
        spent += time.process_time() - begun
        file.unlink()
    return spent


def size(count: int) -> None:
    """Prints how long a year takes to add, to search for steps, and to show an operator of."""
    medians = np.exp(nights(np.random.default_rng(2), OPERATORS * CASES, count))
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "history.duckdb"
        spent = add(database, medians)
        results = count * OPERATORS * CASES
        print(f"{results:,} results of {count} nights added: {spent / count:.2f} s of processor time a night, "
              f"{database.stat().st_size / 2**20:.0f} MiB in the file")  # fmt: skip
        with timed("all steps of the year"), History(database) as history:
            print(f"{len(changes(history).found)} steps")
        for words in (["history", "show"], ["report", "--history"]):
            command = [*words, str(database)] if words[0] == "report" else [*words, "--history", str(database)]
            with timed(f"autoperf {' '.join(words)}, one operator"):
                autoperf([*command, "--operator", "operator_7"])


def planted_year(count: int) -> NDArray[np.float64]:
    """A year in which one case of forty has a step of 5 to 40%, at any night after the 30th."""
    rng = np.random.default_rng(3)
    medians = nights(rng, SITE_CASES, count)
    for case in rng.choice(SITE_CASES, SITE_CASES // 40, replace=False):
        medians[case, :, rng.integers(30, count) :] += rng.choice((-1, 1)) * np.log1p(rng.uniform(0.05, 0.4))
    return np.exp(medians)


def site(folder: Path, count: int) -> None:
    """Prints how long the site of a year takes to make, the bytes of its pages, and how long the largest take to open.

    A history that is in the folder is taken, which saves the time of adding a year again.
    """
    database, made = folder / "history.duckdb", folder / "site"
    if not database.exists():
        folder.mkdir(parents=True, exist_ok=True)
        add(database, planted_year(count))
    with timed("autoperf history site"):
        autoperf(["history", "site", str(made), "--history", str(database), "--config", "none"])
    pages = sorted(made.rglob("*.html"), key=lambda page: -page.stat().st_size)
    print(f"{len(pages)} pages, {sum(page.stat().st_size for page in pages) / 2**20:.0f} MiB, "
          f"the largest {pages[0].stat().st_size:,} bytes ({pages[0].name})")  # fmt: skip
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.browser import chromium  # noqa: PLC0415 - the tests' folder is not a package of autoperf

    with chromium() as browser:
        for page in (made / "index.html", *pages[:3]):
            begun = time.perf_counter()
            browser.get(page.as_uri())
            browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
            print(f"{page.name}: shown after {time.perf_counter() - begun:.2f} s")


def main() -> None:
    """Runs the part that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("size", "steps", "drifts", "series", "site"))
    parser.add_argument("folder", type=Path, nargs="?", help="of the series, or of the site and its history, both kept")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--nights", type=int, default=NIGHTS)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if options.part == "steps":
        steps(options.seed, options.draws)
    elif options.part == "drifts":
        drifts(options.seed)
    elif options.part == "series":
        series_of_others(options.folder)
    elif options.part == "site":
        site(options.folder or Path(tempfile.mkdtemp()), options.nights)
    else:
        size(options.nights)


if __name__ == "__main__":
    main()
