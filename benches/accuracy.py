"""Are the figures right? A default run of each of some hundred cases, held against a plain loop.

    python benches/accuracy.py FOLDER [--cases 330] [--seed 1] [--mxnet 2.0.0b1] [--report-only]

Draws cases of all categories: operators of the registry in their small, common and large inputs, layers of Gluon, calls
of the front end, composites and whole networks. A first run with one call of each leaves out those beyond 5 us to 100
ms, and says which inputs get gradients. The others come in a drawn order and in company: each group of one to twelve is
one `autoperf run --cases` with its default options. Before or after it, as drawn, `plain_calls.py` times each case
three times, each time in a fresh process, since processes differ; the loop's time is their median. Where glibc gives
memory back after each call for good, the loop runs again with glibc told to keep it, as autoperf tells it. FOLDER keeps
the measurements: the bench goes on where it was interrupted.

Prints the ratios of reported to looped time by pass and clock, by duration, of the first case of each run, and by
whether the machine reached its reference speed during the run; how many times have a warning, and each time that is off
by more than 10%. Exits with 1 if the median ratio is further than 1% from 1, fewer than 95% of the times are within 5%,
fewer than 99% within 10%, or if one is beyond 20% without a warning.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from loop_process import LoopError, answer_of

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.cases.store import CasesHeader, StoredGroups, write_cases
from autoperf.comparison.figures import sampled_series
from autoperf.core.case import Case
from autoperf.core.clocks import DEFAULT_METRICS
from autoperf.core.outcome import PASSES, Outcome, Status
from autoperf.measurement.machine_state import known_reference
from autoperf.measurement.scratch import KEEP_MEMORY
from autoperf.reports.provenance import shown
from autoperf.runs.run_reader import RunReader

PROFILES = ("small", "common", "large")
OTHERS = {"gluon": 0.08, "front_end": 0.06, "composite": 0.06}
"""Their share of the cases; the registry's operators have the rest."""
NETWORKS = ("squeezenet1.1", "mobilenet0.25")
MIN_US, MAX_US = 5.0, 100_000.0
MAX_COMPANY = 12
LOOP_TIMEOUT = 120
LOOPS = 3
MAX_MEDIAN, WITHIN_5, WITHIN_10, FAR = 0.01, 0.95, 0.99, 0.20
DURATIONS = (("below 50 us", 50.0), ("50 us to 1 ms", 1e3), ("1 ms and more", np.inf))


class Reading(NamedTuple):
    """One time of a case: as reported and in the loops, in microseconds, and whether reports warn of it.

    `is_first` says whether its case was the first, or the only one, of its run.
    `repeated` is the first loop's time over that of the other loops, None if there is only one. `steady` says whether
    any of the run's samples were taken at reference speed; if not, all were corrected.
    """

    case: str
    which: str
    reported: float
    looped: float
    warned: bool
    is_first: bool
    steady: bool
    repeated: float | None = None

    @property
    def ratio(self) -> float:
        return self.reported / self.looped


class Bench:
    """What is in FOLDER, and the release that is measured."""

    def __init__(self, folder: Path, mxnet: str, seed: int) -> None:
        self.folder, self.mxnet, self.seed = folder, mxnet, seed
        folder.mkdir(parents=True, exist_ok=True)

    def autoperf(self, *words: str, may_fail: bool = True) -> None:
        release = ("--mxnet", self.mxnet) if self.mxnet else ()
        command = [sys.executable, "-m", "autoperf", *words, *release]
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in ((0, 1) if may_fail else (0,)):
            raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}")

    def chosen(self, count: int) -> list[Case]:
        """The drawn cases whose passes take 5 us to 100 ms, in a drawn order."""
        path = self.folder / "chosen.ndjson"
        if not path.exists():
            drawn = self._drawn(count)
            scouted = self.folder / "scouted.ndjson"
            self.write(self.folder / "drawn.ndjson", drawn)
            quick = ("--warmup", "3", "--samples", "3", "--processes", "1", "--quiet")
            self.autoperf("run", "--cases", str(self.folder / "drawn.ndjson"), *quick, "--run-file", str(scouted))
            outcomes = {outcome.case: outcome for outcome in RunReader(scouted)}
            self.write(path, [case for case in drawn if _fits(outcomes.get(case.id))])
        return [case for group in StoredGroups(path) for case in group]

    def gradients(self) -> dict[str, Outcome]:
        """The outcomes of the first run, which say what gets gradients."""
        return {outcome.case: outcome for outcome in RunReader(self.folder / "scouted.ndjson")}

    def _drawn(self, count: int) -> list[Case]:
        rng = random.Random(self.seed)
        self._generate("operators", *(word for name in PROFILES for word in ("--input-profile", name)))
        for name in OTHERS:
            self._generate(name, "--category", name)
        shares = {"operators": 1 - sum(OTHERS.values()), **OTHERS}
        drawn = [case for name, share in shares.items() for case in self._dealt(name, round(share * count), rng)]
        drawn += self._networks()
        rng.shuffle(drawn)
        return drawn

    def _generate(self, name: str, *words: str) -> None:
        if not (self.folder / name).exists():
            target = str(self.folder / name)
            self.autoperf("generate", "--draws", "0", *words, "--folder", target, may_fail=False)

    def _dealt(self, name: str, count: int, rng: random.Random) -> list[Case]:
        """So many cases, from each category in turn, of an operator once."""
        by_category: dict[str, list[Case]] = defaultdict(list)
        cases = [case for group in StoredGroups(self.folder / name / "cases.ndjson") for case in group]
        rng.shuffle(cases)
        seen: set[str] = set()
        for case in cases:
            if case.operator not in seen or name != "operators":
                seen.add(case.operator)
                by_category[case.category].append(case)
        dealt: list[Case] = []
        while len(dealt) < count and any(by_category.values()):
            dealt += [members.pop() for members in by_category.values() if members]
        return dealt[:count]

    def _networks(self) -> list[Case]:
        """The whole networks, of those that can be captured with this release."""
        found: list[Case] = []
        for name in NETWORKS:
            path = self.folder / f"{name}.ndjson"
            try:
                self.autoperf("capture", name, "--cases-file", str(path), may_fail=False)
            except SystemExit as error:
                print(f"{name} left out: {str(error)[:200]}", file=sys.stderr)
                continue
            found += [case for group in StoredGroups(path) for case in group if case.category == "network"]
        return found

    def write(self, path: Path, cases: Iterable[Case]) -> None:
        write_cases(path, CasesHeader(1, "0", self.mxnet or "1.9.1", self.seed), cases)

    def measure(self, cases: Sequence[Case]) -> None:
        """Each group by autoperf and by the loops, in a drawn order."""
        rng = random.Random(self.seed + 1)
        scouted = self.gradients()
        for number, group in enumerate(_groups(cases, rng)):
            for step in rng.sample(range(LOOPS + 1), LOOPS + 1):
                if step == LOOPS:
                    self._run(group, number)
                else:
                    self._loop(group, scouted, step)
            print(f"group {number + 1}: {len(group)} cases", file=sys.stderr)

    def _run(self, group: Sequence[Case], number: int) -> None:
        output = self.folder / "runs" / f"{number:03}.ndjson"
        if output.exists():
            return
        output.parent.mkdir(exist_ok=True)
        path, partial = output.with_suffix(".cases.ndjson"), output.with_suffix(".partial.ndjson")
        self.write(path, group)
        partial.unlink(missing_ok=True)
        self.autoperf("run", "--cases", str(path), "--quiet", "--run-file", str(partial))
        partial.rename(output)

    def _loop(self, group: Sequence[Case], scouted: dict[str, Outcome], number: int) -> None:
        for case in group:
            output = self.folder / "loops" / f"{case.id.replace('/', '-')}.{number}.json"
            if not output.exists():
                output.parent.mkdir(exist_ok=True)
                output.write_text(self._looped(case, scouted[case.id]), encoding="utf-8")

    def _looped(self, case: Case, outcome: Outcome) -> str:
        reference = known_reference()
        gradients = outcome.backward and (outcome.backward.gradients or differentiable_inputs(case) or ("all",))
        kernels = [",".join(run.kernels) if run else "" for run in (outcome.forward, outcome.backward)]
        path = self.folder / "chosen.ndjson"
        arguments = [str(path), case.id, str(reference.us if reference else 1e9), ",".join(gradients or ()), *kernels]
        command = [sys.executable, str(Path(__file__).parent / "plain_calls.py"), *arguments]
        environment = {**os.environ, **UNBULKED, **({"AUTOPERF_MXNET": self.mxnet} if self.mxnet else {})}
        plain = _answer(command, environment)
        if plain.get("settled", True):
            return json.dumps(plain)
        # glibc gives memory back after each call, for good: once more with memory kept, as autoperf has it kept.
        return json.dumps({**_answer(command, {**environment, **KEEP_MEMORY}), "unsettled": plain})

    def readings(self) -> Iterator[Reading | str]:
        """Every figure that both sides have, or why a case has none."""
        for path in sorted((self.folder / "runs").glob("[0-9][0-9][0-9].ndjson")):
            outcomes = list(RunReader(path))
            for place, outcome in enumerate(outcomes):
                loops = sorted((self.folder / "loops").glob(f"{outcome.case.replace('/', '-')}.[0-9].json"))
                looped = [json.loads(loop.read_text(encoding="utf-8")) for loop in loops]
                yield from _readings(outcome, looped, is_first=place == 0)


def _answer(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """What the loop measured, or why it failed."""
    try:
        return answer_of(command, environment, LOOP_TIMEOUT)
    except LoopError as error:
        return {"failed": error.said[-500:]}


def _fits(outcome: Outcome | None) -> bool:
    if outcome is None or outcome.status is not Status.MEASURED:
        return False
    times = [run.wall_us.median for run in (outcome.forward, outcome.backward) if run and run.wall_us]
    return min(times) >= MIN_US and max(times) <= MAX_US


def _groups(cases: Sequence[Case], rng: random.Random) -> Iterator[Sequence[Case]]:
    at = 0
    while at < len(cases):
        size = rng.randint(1, MAX_COMPANY)
        yield cases[at : at + size]
        at += size


def _readings(outcome: Outcome, loops: Sequence[dict[str, Any]], *, is_first: bool) -> Iterator[Reading | str]:
    failed = "".join(loop["failed"] for loop in loops if "failed" in loop)
    if failed or outcome.status is not Status.MEASURED:
        yield f"{outcome.case}: {outcome.status.value} {outcome.reason} {failed}".strip()
        return
    if not (usable := [loop for loop in loops if loop["calls"] and loop["settled"]]):
        was_fast = any(loop["calls"] for loop in loops)
        yield f"{outcome.case}: the loop {'did not settle' if was_fast else 'was never at reference speed'}"
        return
    for name, clock, series in sampled_series(outcome, metrics=DEFAULT_METRICS):
        times = [loop[f"{clock.name}_us"][PASSES.index(name)] for loop in usable]
        first, *others = [time for time in times if time] or [0.0]
        time = float(np.median([first, *others]))
        if time >= MIN_US:
            repeated = first / float(np.median(others)) if others else None
            which, warned, steady = f"{name} {clock.name}", bool(shown(series)), series.steady != 0
            yield Reading(outcome.case, which, series.median, time, warned, is_first, steady, repeated)


def report(readings: Sequence[Reading], reasons: Sequence[str]) -> int:
    cases = len({reading.case for reading in readings})
    print(f"{len(readings)} times of {cases} cases; {_warned(readings)}\n")
    print("| times | number | median ratio | within 5% | within 10% | within 20% |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, members in _parts(readings):
        if members:
            _print_row(name, [reading.ratio for reading in members])
    _print_row("one loop over the others", [reading.repeated for reading in readings if reading.repeated])
    far = sorted((one for one in readings if abs(one.ratio - 1) > 0.1), key=lambda one: -abs(np.log(one.ratio)))
    if far:
        print("\n| more than 10% off | figure | reported (us) | loop (us) | ratio | warning |")
        print("|---|---|---:|---:|---:|---|")
    for one in far:
        warning = "yes" if one.warned else ""
        print(f"| {one.case} | {one.which} | {one.reported:.1f} | {one.looped:.1f} | {one.ratio:.2f} | {warning} |")
    if reasons:
        print(f"\n{len(reasons)} cases without a ratio:")
        print("\n".join(f"- {reason[:160]}" for reason in reasons))
    return int(not is_accurate(readings))


def _warned(readings: Sequence[Reading]) -> str:
    unexplained = len(_unexplained(readings))
    count = sum(reading.warned for reading in readings)
    return f"{count} have a warning, {unexplained} are beyond {FAR:.0%} without one"


def _unexplained(readings: Sequence[Reading]) -> list[Reading]:
    return [one for one in readings if abs(one.ratio - 1) > FAR and not one.warned]


def _print_row(name: str, ratios: Sequence[float]) -> None:
    off = np.abs(np.array(ratios) - 1)
    shares = " | ".join(f"{np.mean(off <= bound):.1%}" for bound in (0.05, 0.1, 0.2))
    print(f"| {name} | {len(ratios)} | {np.median(ratios):.3f} | {shares} |")


def is_accurate(readings: Sequence[Reading]) -> bool:
    ratios = np.array([reading.ratio for reading in readings])
    off = np.abs(ratios - 1)
    near = np.mean(off <= 0.05) >= WITHIN_5 and np.mean(off <= 0.1) >= WITHIN_10
    return bool(abs(np.median(ratios) - 1) <= MAX_MEDIAN and near and not _unexplained(readings))


def _parts(readings: Sequence[Reading]) -> Iterator[tuple[str, list[Reading]]]:
    yield "all", list(readings)
    for which in dict.fromkeys(reading.which for reading in readings):
        yield which, [reading for reading in readings if reading.which == which]
    least = 0.0
    for name, most in DURATIONS:
        yield name, [reading for reading in readings if least <= reading.looped < most]
        least = most
    yield "first of a run", [reading for reading in readings if reading.is_first]
    yield "with samples at reference speed", [reading for reading in readings if reading.steady]
    yield "without", [reading for reading in readings if not reading.steady]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=330)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mxnet", default="")
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    bench = Bench(options.folder, options.mxnet, options.seed)
    if not options.report_only:
        bench.measure(bench.chosen(options.cases))
    found = list(bench.readings())
    readings = [entry for entry in found if isinstance(entry, Reading)]
    return report(readings, [entry for entry in found if isinstance(entry, str)])


if __name__ == "__main__":
    sys.exit(main())
