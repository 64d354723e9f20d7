"""The runner of a fleet: it orders batches, sends them to the machines of a Dask cluster, and yields their answers."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.backends.user_code import extensions
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.events import FleetMeasured, Notice, Sink
from autoperf.core.files import cache_folder
from autoperf.core.outcome import Status
from autoperf.core.work import work_of
from autoperf.fleet import messages
from autoperf.fleet.clusters import opened_cluster
from autoperf.fleet.fleet import Answered, DaskFleet, Fleet, Lost, Result, agreement_batch, allowed_failures
from autoperf.measurement import batches
from autoperf.measurement.run_request import RunPlan, RunRequest
from autoperf.measurement.run_session import RunSession
from autoperf.runs.runfile import Machine

FIXED_SECONDS = 0.7
"""About what a small case takes."""
CALLS = 300.0
"""About as many calls are made of a case that doesn't end by its time."""
BYTES_A_SECOND, OPERATIONS_A_SECOND = 5e9, 2e10
"""A slow machine: only the order of the estimates counts."""
PARTS_A_MACHINE = 2
"""The last batches are divided, so that about as many parts are left for each machine."""
WAIT_SECONDS = 0.5
AHEAD = 4000
"""At most as many pieces wait for a machine; further batches are made later, so that memory stays flat."""


def estimated_seconds(job: batches.Job, earlier: Mapping[str, float]) -> float:
    """How long a case takes: as in `earlier` (by ids), else by its work. Only the order and ratios are used."""
    if job.seconds is not None:
        return job.seconds
    work = work_of(job.case)
    by_work = FIXED_SECONDS + CALLS * (work.bytes / BYTES_A_SECOND + work.flops / OPERATIONS_A_SECOND)
    return earlier.get(job.case.id) or by_work


class _CaseSeconds(msgspec.Struct):
    """The part of a run file's line that tells how long a case took."""

    case: str = ""
    seconds: float = 0.0


def earlier_seconds(folder: Path) -> dict[str, float]:
    """The seconds of each case in the newest run file of a folder; empty without one that can be read."""
    decoder = msgspec.json.Decoder(_CaseSeconds)
    try:
        newest = max(folder.glob("*.ndjson"), key=lambda file: file.stat().st_mtime)
        with newest.open("rb") as lines:
            decoded = [decoder.decode(line) for line in lines]
    except (OSError, ValueError):
        return {}
    return {line.case: line.seconds for line in decoded if line.case}


def operator_seconds(earlier: Mapping[str, float]) -> dict[str, float]:
    """The seconds of each operator, the sum over its cases, whose ids begin with its name."""
    found: dict[str, float] = defaultdict(float)
    for case, seconds in earlier.items():
        found[case.rpartition("/")[0]] += seconds
    return found


class Placed(NamedTuple):
    """A case on a side that runs it, with its position among the side's cases."""

    side: int
    position: int
    item: batches.Job | batches.TriedCase

    @property
    def job(self) -> batches.Job:
        """The job, also of a case that a worker has begun."""
        return self.item if isinstance(self.item, batches.Job) else self.item.job


class PieceCase(NamedTuple):
    """A case on its sides, which one machine measures, and the estimate of its seconds."""

    placed: tuple[Placed, ...]
    seconds: float


@dataclass(frozen=True)
class Piece:
    """A part of a batch for one machine; `home` is the worker that began it, `losses` how many were lost over it."""

    batch: batches.BatchRequest
    cases: tuple[PieceCase, ...]
    home: str | None = None
    losses: int = 0

    @property
    def total(self) -> float:
        """The estimated seconds of all cases."""
        return sum(case.seconds for case in self.cases)

    @property
    def request(self) -> batches.BatchRequest:
        """The request of these cases alone."""
        sides = tuple(tuple(placed.item for placed in side) for side in self._sides)
        if not any(self.batch.started):
            return msgspec.structs.replace(self.batch, jobs=sides)
        if self.home is not None:
            return msgspec.structs.replace(self.batch, started=sides)
        jobs = tuple(tuple(placed.job for placed in side) for side in self._sides)
        return msgspec.structs.replace(self.batch, jobs=jobs, started=())

    @property
    def _sides(self) -> list[list[Placed]]:
        placed = [each for case in self.cases for each in case.placed]
        return [[each for each in placed if each.side == side] for side in range(len(self.batch.jobs))]

    def answer(self, answer: batches.BatchAnswer) -> batches.BatchAnswer:
        """A machine's answer to the request, with the positions that the whole batch has."""
        sides = self._sides
        cases = (
            msgspec.structs.replace(each, position=sides[each.side][each.position].position) for each in answer.cases
        )
        return msgspec.structs.replace(answer, cases=tuple(cases))

    def part(self, first: int, end: int | None = None) -> Piece:
        """The cases from the first to before the end."""
        return replace(self, cases=self.cases[first:end])

    def lost(self, losses: int) -> Piece:
        """The piece for any machine, after the loss of so many workers: its cases begin again."""
        return replace(self, home=None, losses=self.losses + losses)

    def singles(self) -> Iterator[Piece]:
        """Each case as a piece of its own, which has lost no worker yet."""
        return (replace(self, cases=(case,), losses=0) for case in self.cases)

    def given_up(self, reason: str) -> batches.BatchAnswer:
        """The answer if the cases can't be measured: each crashed, for this reason."""
        cases = tuple(
            batches.CaseAnswer(
                placed.side, placed.position, batches.outcome(placed.job.case, Status.CRASHED, 0.0, reason=reason)
            )
            for case in self.cases
            for placed in case.placed
        )
        return batches.BatchAnswer(self.batch.number, (), cases, 0.0)


class Backlog:
    """The pieces that wait for a machine."""

    def __init__(self, earlier: Mapping[str, float]) -> None:
        """`earlier` has the seconds of cases in an earlier run, by their ids."""
        self._earlier = earlier
        self._homes: dict[tuple[int, str], str] = {}
        self._waiting: list[tuple[float, int, Piece]] = []
        self._settled: dict[str, deque[Piece]] = defaultdict(deque)
        self._added = 0
        self._seconds = 0.0

    def __bool__(self) -> bool:
        return bool(self._waiting) or any(self._settled.values())

    @property
    def waiting(self) -> int:
        """The number of pieces that any machine may take."""
        return len(self._waiting)

    def add_batch(self, batch: batches.BatchRequest) -> None:
        """Adds a batch, in cases that may be measured apart; those that a worker has begun wait for that one."""
        listed: Sequence[Sequence[batches.Job | batches.TriedCase]] = (
            batch.started if any(batch.started) else batch.jobs
        )
        # Those at one position in turn, else each with its sides.
        together: dict[object, list[Placed]] = defaultdict(list)
        for side, items in enumerate(listed):
            for position, item in enumerate(items):
                placed = Placed(side, position, item)
                together[placed.job.case.id if batch.in_turn is None else position].append(placed)
        groups: dict[str | None, list[PieceCase]] = defaultdict(list)
        for members in together.values():
            home = self._homes.get(_key(members[0])) if any(batch.started) else None
            seconds = sum(estimated_seconds(each.job, self._earlier) for each in members)
            groups[home].append(PieceCase(tuple(members), seconds))
        for home, cases in groups.items():
            self.add(Piece(batch, tuple(cases), home))

    def add(self, piece: Piece) -> None:
        """Adds a piece, perhaps once more."""
        if piece.home is not None:
            self._settled[piece.home].append(piece)
            return
        self._added += 1
        self._seconds += piece.total
        heapq.heappush(self._waiting, (-piece.total, self._added, piece))

    def begun(self, piece: Piece, home: str) -> None:
        """Remembers the worker that has begun the cases of a piece, which a later visit continues."""
        self._homes.update({_key(placed): home for case in piece.cases for placed in case.placed})

    def release(self, machines: Container[str]) -> None:
        """Lets any machine take the cases of workers that aren't among these, from their beginning."""
        for home in [home for home in self._settled if home not in machines]:
            for piece in self._settled.pop(home):
                self.add(piece.lost(0))

    def take(self, address: str, machines: int, *, last: bool) -> Piece | None:
        """Takes a piece that this machine began, else the longest; of the `last` ones a part that keeps all busy."""
        if self._settled[address]:
            return self._settled[address].popleft()
        if not self._waiting:
            return None
        share = self._seconds / (machines * PARTS_A_MACHINE)
        piece = heapq.heappop(self._waiting)[2]
        self._seconds = max(0.0, self._seconds - piece.total)
        end = len(piece.cases)
        if last:
            # As many of the first cases as take about the share, but at least one.
            totals = itertools.accumulate(case.seconds for case in piece.cases)
            end = max(1, sum(total <= share for total in totals))
        if end < len(piece.cases):
            self.add(piece.part(end))
        return piece.part(0, end)


def _key(placed: Placed) -> tuple[int, str]:
    return placed.side, placed.job.case.id


class ClusterRunner:
    """Runs batches on all machines of a fleet, the longest first; `ahead` is how many batches are made beforehand."""

    def __init__(
        self,
        fleet: Fleet[Piece | None],
        machines: tuple[Machine, ...],
        sink: Sink,
        earlier: Mapping[str, float],
        *,
        ahead: int = AHEAD,
        limit: int = 3,
    ) -> None:
        """`limit` is how many workers a piece may lose before it is divided, `earlier` has cases' seconds by ids."""
        self.machines = machines
        self._fleet, self._sink = fleet, sink
        self._ahead, self._limit = ahead, limit
        self._backlog = Backlog(earlier)
        self._finished: Counter[str] = Counter()

    @property
    def parallel(self) -> int:
        """The number of machines that measure at the same time."""
        return max(1, len(self._fleet.machines))

    def check_calls(self, jobs: Sequence[Sequence[batches.Job]]) -> None:
        """Tries the calls of each side before any is timed. Raises EngineError for one that the framework refuses.

        A call that ends its worker is no refusal: measured again, it becomes an outcome.
        """
        if not any(jobs):
            return
        request = messages.CallsMessage(tuple(map(tuple, jobs)))
        result: Result[Piece | None] | None = None
        while result is None or (isinstance(result, Lost) and not result.losses):
            while not self._fleet.idle:
                self._fleet.wait(WAIT_SECONDS)
            self._fleet.submit(self._fleet.idle[0], request, None)
            while (result := self._fleet.wait(WAIT_SECONDS)) is None:
                pass
        answer = result.reply.answer if isinstance(result, Answered) else None
        if isinstance(answer, messages.CallsTried) and answer.refused:
            raise EngineError(answer.refused)

    def run(self, next_batch: batches.NextBatch) -> Iterator[batches.BatchAnswer]:
        """The answers as they come; batches are made while machines measure."""
        is_last = False
        while True:
            waiting = self._backlog.waiting
            may_ask = not is_last and (waiting < self._ahead or (not waiting and bool(self._fleet.idle)))
            if may_ask:
                batch = next_batch()
                is_last = batch is None
                if batch is not None:
                    self._backlog.add_batch(batch)
            machines = self._fleet.machines
            self._backlog.release(machines)
            for address in self._fleet.idle:
                # A full backlog is a sample of what follows: a piece that is longer than it keeps all busy is divided.
                is_sample = self._backlog.waiting >= self._ahead
                piece = self._backlog.take(address, len(machines), last=is_last or is_sample)
                if piece is not None:
                    self._fleet.submit(address, piece.request, piece)
            if is_last and not self._fleet.in_flight and not self._backlog:
                return
            for answer in self._answers(self._fleet.wait(0.0 if may_ask else WAIT_SECONDS)):
                yield answer
                # A batch that depended on it may be there now.
                is_last = False

    def _answers(self, result: Result[Piece | None] | None) -> Iterator[batches.BatchAnswer]:
        match result:
            case Answered(
                work=Piece() as piece, reply=messages.Reply(answer=messages.BatchDone(answers=answers)) as reply
            ):
                if piece.batch.until is not None:
                    self._backlog.begun(piece, reply.address)
                name = f"{reply.host}:{reply.address.rpartition(':')[2]}"
                for answer in answers:
                    self._finished[name] += len(answer.cases)
                    self._sink.handle(FleetMeasured(len(self._fleet.machines), dict(self._finished)))
                    yield piece.answer(answer)
            case Answered(work=Piece() as piece, reply=reply):
                yield from self._lost(piece, f"{reply.host} gave another answer", 1)
            case Lost(work=Piece() as piece, reason=reason, losses=losses):
                yield from self._lost(piece, reason, losses)

    def _lost(self, piece: Piece, reason: str, losses: int) -> Iterator[batches.BatchAnswer]:
        """Measures a piece again, case by case once its limit is reached; then a single case has crashed."""
        again = piece.lost(losses)
        if again.losses <= self._limit:
            if losses:
                self._sink.handle(Notice(f"{piece.batch.operator} is measured again: {reason}"))
            self._backlog.add(again)
        elif len(piece.cases) > 1:
            self._sink.handle(Notice(f"{piece.batch.operator} is measured again, case by case: {reason}"))
            for single in again.singles():
                self._backlog.add(single)
        else:
            yield again.given_up(f"given up after {self._limit + 1} workers: {reason}")


def on_cluster(session: RunSession, place: str) -> RunSession:
    """The session with the machines of the cluster that `--cluster` names; the newest run file tells what is long.

    It raises ClusterError where it runs, if the cluster can't be used.
    """
    earlier = earlier_seconds(cache_folder() / "runs")

    @contextmanager
    def opened(
        request: RunRequest, plan: RunPlan, _scratch: Path, sink: Sink, stop: ComparisonOptions | None
    ) -> Iterator[batches.BatchRunner]:
        if request.settings.keep_dumps:
            raise UsageError("--keep-dumps keeps the files of this machine: leave it out, or --cluster")
        # Counts don't depend on a machine's speed.
        greeting = messages.Greeting(agreement_batch(len(plan.sides)) if request.settings.takes_times else None)
        settings = [request.settings_of(number, side.release.layers) for number, side in enumerate(plan.sides)]
        wanted = messages.Session(
            sides=tuple(starmap(messages.wanted_side, zip(plan.sides, settings, request.builds, strict=True))),
            dtypes=request.recipe.dtypes,
            int64_tensor=request.recipe.int64_tensor,
            stop=stop,
            files=messages.shipped([*extensions(), *messages.layer_files(settings)]),
            extensions=tuple(map(str, extensions())),
        )
        with (
            opened_cluster(place) as client,
            closing(DaskFleet[Piece | None](client, place, wanted, greeting, sink)) as fleet,
        ):
            # A time budget is shared at the moment when a case begins.
            ahead = 0 if request.settings.time_budget is not None else AHEAD
            machines = fleet.first().machines
            yield ClusterRunner(fleet, machines, sink, earlier, ahead=ahead, limit=allowed_failures())

    return replace(session, open_runner=opened, is_local=False, seconds=operator_seconds(earlier))
