"""How well does a fleet share a run: simulated with recorded times, and measured with workers of this machine?

    python benches/cluster.py simulate RUN.NDJSON [--machines 100,1000] [--copies 20]
    python benches/cluster.py scale [--operator exp,sin,...] [--workers 2] [--times 2] [--counts]
    python benches/cluster.py agree ONE.NDJSON FLEET.NDJSON

`simulate` has the runner of `--cluster` measure the cases of a recorded run, each as often as `--copies` says under
another operator's name, on machines that take the recorded seconds of a simulated clock. It prints the makespan by its
lower bound (the sum over the machines, or the longest batch), the outcomes that the client takes a second of real time,
and the growth of its memory from a tenth of the run to its end.

`scale` measures a selection on one worker of this machine and on several, and prints the quotient of the times from the
first outcome to the last; with `--counts` their cases are counted by valgrind and not timed, and the passes that differ
between the workers are named. `agree` compares two run files of one build, and prints the share of figures that are
judged changed, and the quotient of the times of both runs.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.case import Case
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.events import CaseFinished, NullSink
from autoperf.core.outcome import Outcome, Status
from autoperf.fleet.client import ClusterRunner, Piece
from autoperf.fleet.fleet import Answered, Result
from autoperf.fleet.messages import Answer, BatchDone, Reply, Request, SessionOpened
from autoperf.measurement.batches import Batch, BatchAnswer, BatchRequest, CaseAnswer, Job, OperatorBatches
from autoperf.measurement.resumed_run import RunFiles
from autoperf.measurement.schedules import Schedule, Visits
from autoperf.runs.run_reader import RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.runs.runfile import Machine, RunHeader

LATENCY = 0.02
"""Seconds between an answer and the next batch of a machine, as measured on the loopback."""


class SimulatedFleet:
    """Machines that take the recorded seconds of a simulated clock, and answer with the recorded outcomes."""

    def __init__(self, machines: int, record: Machine, outcomes: dict[str, Outcome]) -> None:
        self.machines = {f"tcp://node:{number}": SessionOpened((record,)) for number in range(machines)}
        self.now = 0.0
        self._idle = dict.fromkeys(self.machines)
        self._outcomes = outcomes
        self._ends: list[tuple[float, int, str, bytes, Piece | None]] = []
        self._numbers = itertools.count()

    @property
    def idle(self) -> list[str]:
        return list(self._idle)

    @property
    def in_flight(self) -> list[Piece | None]:
        return [work for *_, work in self._ends]

    def submit(self, address: str, request: Request, work: Piece | None) -> None:
        assert isinstance(request, BatchRequest)
        done = [self._outcomes[job.case.profile] for job in request.jobs[0]]
        ends = self.now + LATENCY + sum(outcome.seconds for outcome in done)
        del self._idle[address]
        heapq.heappush(self._ends, (ends, next(self._numbers), address, msgspec.msgpack.encode(request), work))

    def wait(self, seconds: float) -> Result[Piece | None] | None:
        # Batches are made while machines measure: of the recorded run that takes no time.
        if not self._ends or seconds == 0.0:
            return None
        self.now, _, address, request, work = heapq.heappop(self._ends)
        self._idle[address] = None
        batch = msgspec.msgpack.decode(request, type=BatchRequest)
        answers = BatchDone(tuple(self._answers(batch, address)))
        # As it would travel.
        reply = msgspec.msgpack.encode(Reply(address, "node", answers))
        return Answered(work, msgspec.msgpack.decode(reply, type=Reply[Answer]))

    def _answers(self, batch: BatchRequest, address: str) -> Iterator[BatchAnswer]:
        (record,) = self.machines[address].machines
        for position, job in enumerate(batch.jobs[0]):
            recorded = self._outcomes[job.case.profile]
            done = msgspec.structs.replace(recorded, case=job.case.id, operator=job.case.operator, machine=record.id)
            yield BatchAnswer(batch.number, (record,), (CaseAnswer(0, position, done),), done.seconds)


@dataclass(frozen=True)
class Simulation:
    """The makespan by its lower bound, outcomes a second, and MB of growth from a tenth of the run to its end."""

    machines: int
    cases: int
    makespan: float
    bound: float
    rate: float
    growth: float

    def row(self) -> str:
        return (
            f"| {self.machines:,} | {self.cases:,} | {self.makespan:,.1f} s | {self.makespan / self.bound:.3f} | "
            f"{self.rate:,.0f} | {self.growth:.1f} |"
        )


def simulated(
    recorded: Sequence[Outcome], header: RunHeader, record: Machine, machines: int, copies: int
) -> Simulation:
    """One simulated run; the profile of a case is the key of its recorded outcome."""
    by_key = {str(number): outcome for number, outcome in enumerate(recorded)}
    queue = sorted(
        _queue(by_key, copies), key=lambda batches: -sum(by_key[job.case.profile].seconds for job in batches[0].jobs)
    )
    jobs = [job for (batch,) in queue for job in batch.jobs]
    seconds = {job.case.id: by_key[job.case.profile].seconds for job in jobs}
    fleet = SimulatedFleet(machines, record, by_key)
    runner = ClusterRunner(fleet, (record,), NullSink(), seconds)
    with tempfile.TemporaryDirectory() as folder:
        schedule = Schedule(iter(queue), Visits(1, 1, Path(folder)))
        with RunWriter(Path(folder) / "run.ndjson", header, record) as writer:
            begin, rates = time.monotonic(), _consumed(runner, schedule, RunFiles([writer]), len(jobs))
            taken = time.monotonic() - begin
    longest = max(sum(seconds[job.case.id] for job in batch.jobs) for (batch,) in queue)
    bound = max(sum(seconds.values()) / machines, longest)
    return Simulation(machines, len(jobs), fleet.now, bound, len(jobs) / taken, (rates[1] - rates[0]) / 2**20)


def _consumed(runner: ClusterRunner, schedule: Schedule, files: RunFiles, cases: int) -> tuple[int, int]:
    """Writes all outcomes; returns the memory at a tenth of them and at the end."""

    def next_batch() -> BatchRequest | None:
        scheduled = schedule.next()
        return scheduled.request if scheduled else None

    process, early, done = psutil.Process(), 0, 0
    for answer in runner.run(next_batch):
        for measured in schedule.outcomes(answer):
            files.handle(CaseFinished(0, measured.outcome))
            done += 1
            if done == cases // 10:
                early = process.memory_info().rss
    assert done == cases, f"{done} outcomes of {cases} cases"
    return early, process.memory_info().rss


def _queue(recorded: dict[str, Outcome], copies: int) -> Iterator[OperatorBatches]:
    operators: dict[str, list[str]] = {}
    for key, outcome in recorded.items():
        operators.setdefault(outcome.operator, []).append(key)
    for copy in range(copies):
        for operator, keys in operators.items():
            name = f"{operator}_{copy}"
            jobs = tuple(Job(_case(recorded[key], name, key)) for key in keys)
            yield (Batch(name, jobs),)


def _case(outcome: Outcome, operator: str, key: str) -> Case:
    return Case(
        operator=operator,
        category=outcome.category,
        profile=key,
        inputs=outcome.inputs,
        params={**outcome.params, "key": key},
        outputs=outcome.outputs,
    )


def simulate(path: Path, machines: Sequence[int], copies: int) -> None:
    with RunReader(path) as run:
        recorded = [outcome for outcome in run if outcome.status is not Status.SKIPPED]
        header, record = run.header, run.machines[0]
    print("| machines | cases | makespan | by its lower bound | outcomes/s | growth in MB |")
    print("|---:|---:|---:|---:|---:|---:|")
    for count in machines:
        print(simulated(recorded, header, record, count, copies).row(), flush=True)


COUNTS = (
    "--counters",
    "instructions",
    "--count-by",
    "valgrind",
    "--profiler",
    "none",
    "--draws",
    "0",
    "--input-profile",
    "small",
)


def scale(operators: str, workers: int, repeats: int, words: Sequence[str]) -> None:
    """Measures one and several workers in turn."""
    times: dict[int, list[float]] = {1: [], workers: []}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            for count, taken in times.items():
                run_file = Path(folder) / f"{count}.ndjson"
                command = ["run", "--cluster", f"local:{count}", "--operator", operators, "--run-file", str(run_file)]
                command += ["--quiet", "--limit", "1", *words]
                subprocess.run([sys.executable, "-m", "autoperf", *command], check=False)
                taken.append(_seconds(run_file))
                print(f"{count} workers: {taken[-1]:.1f} s", flush=True)
            if words:
                _print_agreement(Path(folder) / "1.ndjson", Path(folder) / f"{workers}.ndjson")
    print(f"quotient: {statistics.median(times[workers]) / statistics.median(times[1]):.3f}")


def _print_agreement(one: Path, fleet: Path) -> None:
    """Prints how many counts of a fleet are those of one worker, and which aren't."""
    figures = compare_files(one, fleet, ComparisonOptions(metrics=(INSTRUCTIONS,))).cases
    other = [
        f"{each.case} {each.pass_} {each.ratio:.6f}" for each in figures if not (each.code and each.code.identical)
    ]
    print(f"{len(figures) - len(other)} of {len(figures)} passes are equal to the instruction; {', '.join(other)}")


def agree(one: Path, fleet: Path) -> None:
    comparison = compare_files(one, fleet, ComparisonOptions())
    changed = comparison.summary.faster + comparison.summary.slower
    figures = len(comparison.cases)
    print(f"{changed} of {figures} figures are judged changed: {changed / max(1, figures):.2%}; {comparison.summary}")
    first, second = map(_seconds, (one, fleet))
    print(f"the fleet took {second:.0f} s, one machine {first:.0f} s: {second / first:.3f}")


def _seconds(path: Path) -> float:
    with RunReader(path) as run:
        assert run.end, f"{path} is not complete"
        return run.end.seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    simulation = commands.add_parser("simulate")
    simulation.add_argument("run", type=Path)
    simulation.add_argument("--machines", default="100,1000")
    simulation.add_argument("--copies", type=int, default=20)
    scaling = commands.add_parser("scale")
    scaling.add_argument("--operator", default="exp,sin,cos,tan,abs,sqrt,square,log")
    scaling.add_argument("--times", type=int, default=2)
    scaling.add_argument("--workers", type=int, default=2)
    scaling.add_argument("--counts", action="store_true")
    agreement = commands.add_parser("agree")
    agreement.add_argument("one", type=Path)
    agreement.add_argument("fleet", type=Path)
    options = parser.parse_args()
    if options.command == "simulate":
        simulate(options.run, [int(count) for count in options.machines.split(",")], options.copies)
    elif options.command == "scale":
        scale(options.operator, options.workers, options.times, COUNTS if options.counts else ())
    else:
        agree(options.one, options.fleet)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
