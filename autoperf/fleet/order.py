"""The order of batches on several machines: the longest first, and the last ones in parts."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.outcome import Outcome, Status
from autoperf.core.work import work_of
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, StartedCase, outcome

Positions: TypeAlias = tuple[int | None, ...]
"""Where a case is on each side of a batch; None on a side that doesn't run it."""
FIXED_SECONDS = 0.7
"""About what a small case takes."""
CALLS = 300.0
"""About as many calls are made of a case that doesn't end by its time."""
BYTES_A_SECOND, OPERATIONS_A_SECOND = 5e9, 2e10
"""A slow machine: only the order of the estimates counts."""
PARTS_A_MACHINE = 2
"""The last batches are divided, so that about as many parts are left for each machine."""


class Estimates:
    """How long cases take: as in an earlier run, else by their work. Only their order and ratios are used."""

    def __init__(self, earlier: Mapping[str, float]) -> None:
        """`earlier` has the seconds of cases by their ids."""
        self._earlier = earlier

    def seconds(self, job: Job) -> float:
        """The seconds that a case takes on a machine."""
        if job.seconds is not None:
            return job.seconds
        known = self._earlier.get(job.case.id)
        return known or _by_work(job.case)


def _by_work(case: Case) -> float:
    work = work_of(case)
    return FIXED_SECONDS + CALLS * (work.bytes / BYTES_A_SECOND + work.flops / OPERATIONS_A_SECOND)


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
    found: dict[str, float] = {}
    for case, seconds in earlier.items():
        operator = case.rpartition("/")[0]
        found[operator] = found.get(operator, 0.0) + seconds
    return found


@dataclass(frozen=True)
class Piece:
    """A batch or a part of one, which one machine measures; `seconds` is the estimate of each case.

    `home` is the address of the worker that began its cases, `losses` the number of workers that were lost over it.
    """

    batch: BatchRequest
    cases: tuple[Positions, ...]
    seconds: tuple[float, ...]
    home: str | None = None
    losses: int = 0

    @property
    def total(self) -> float:
        """The estimated seconds of all cases."""
        return sum(self.seconds)

    @property
    def request(self) -> BatchRequest:
        """The request of these cases alone."""
        chosen = tuple(
            tuple(listed[place] for case in self.cases if (place := case[side]) is not None)
            for side, listed in enumerate(_listed(self.batch))
        )
        field = "started" if _is_continued(self.batch) else "jobs"
        return msgspec.structs.replace(self.batch, **{field: chosen})

    def answer(self, answer: BatchAnswer) -> BatchAnswer:
        """A machine's answer to the request, with the positions that the whole batch has."""
        places = [[case[side] for case in self.cases if case[side] is not None] for side in range(len(self.cases[0]))]
        cases = tuple(
            msgspec.structs.replace(each, position=places[each.side][each.position] or 0) for each in answer.cases
        )
        return msgspec.structs.replace(answer, cases=cases)

    def split(self, first: int) -> tuple[Piece, Piece]:
        """The first cases, and the rest."""
        return (
            replace(self, cases=self.cases[:first], seconds=self.seconds[:first]),
            replace(self, cases=self.cases[first:], seconds=self.seconds[first:]),
        )

    def singles(self) -> Iterator[Piece]:
        """Each case as a piece of its own, which has lost no worker yet."""
        for case, seconds in zip(self.cases, self.seconds, strict=True):
            yield replace(self, cases=(case,), seconds=(seconds,), losses=0)

    def afresh(self) -> Piece:
        """The cases from their beginning, where the worker that began them is gone."""
        if not _is_continued(self.batch):
            return replace(self, home=None)
        jobs = tuple(tuple(started.job for started in side) for side in self.batch.started)
        return replace(self, batch=msgspec.structs.replace(self.batch, jobs=jobs, started=()), home=None)

    def given_up(self, reason: str) -> BatchAnswer:
        """The answer if the cases can't be measured: each crashed, for this reason."""
        listed = _listed(self.batch)
        cases = tuple(
            CaseAnswer(side, place, _crashed(listed[side][place], reason))
            for case in self.cases
            for side, place in enumerate(case)
            if place is not None
        )
        return BatchAnswer(self.batch.number, (), cases, 0.0)


def _crashed(item: Job | StartedCase, reason: str) -> Outcome:
    return outcome(_job(item).case, Status.CRASHED, 0.0, reason=reason)


def _job(item: Job | StartedCase) -> Job:
    return item if isinstance(item, Job) else item.job


def _is_continued(batch: BatchRequest) -> bool:
    return any(batch.started)


def _listed(batch: BatchRequest) -> Sequence[Sequence[Job | StartedCase]]:
    return batch.started if _is_continued(batch) else batch.jobs


class Backlog:
    """The pieces that wait for a machine."""

    def __init__(self, seconds_of: Callable[[Job], float]) -> None:
        self._seconds_of = seconds_of
        self._homes: dict[tuple[int, str], str] = {}
        self._waiting: list[tuple[float, int, Piece]] = []
        self._settled: list[Piece] = []
        self._added = 0
        self.seconds = 0.0
        """The estimated seconds of all that wait."""

    def __len__(self) -> int:
        return len(self._waiting) + len(self._settled)

    def add_batch(self, batch: BatchRequest) -> None:
        """Adds a batch; cases that a worker has begun wait for that one."""
        groups: dict[str | None, list[Positions]] = {}
        listed = _listed(batch)
        for case in _together(batch):
            side, place = next((side, place) for side, place in enumerate(case) if place is not None)
            home = self._homes.get((side, _job(listed[side][place]).case.id)) if _is_continued(batch) else None
            groups.setdefault(home, []).append(case)
        for home, cases in groups.items():
            seconds = tuple(self._estimate(listed, case) for case in cases)
            self.add(Piece(batch, tuple(cases), seconds, home))

    def _estimate(self, listed: Sequence[Sequence[Job | StartedCase]], case: Positions) -> float:
        return sum(self._seconds_of(_job(listed[side][place])) for side, place in enumerate(case) if place is not None)

    def add(self, piece: Piece) -> None:
        """Adds a piece, perhaps once more."""
        self._added += 1
        if piece.home is not None:
            self._settled.append(piece)
            return
        self.seconds += piece.total
        heapq.heappush(self._waiting, (-piece.total, self._added, piece))

    def begun(self, piece: Piece, home: str) -> None:
        """Remembers the worker that has begun the cases of a piece, which a later visit continues."""
        listed = _listed(piece.batch)
        for case in piece.cases:
            for side, place in enumerate(case):
                if place is not None:
                    self._homes[side, _job(listed[side][place]).case.id] = home

    def settled(self) -> list[Piece]:
        """Takes the pieces that wait for one worker, whether it is busy or not."""
        pieces, self._settled = self._settled, []
        return pieces

    def take(self, machines: int, *, last: bool) -> Piece | None:
        """Takes the longest piece; if few batches follow (`last`), only the part that keeps all machines busy alike."""
        if not self._waiting:
            return None
        piece = heapq.heappop(self._waiting)[2]
        share = self.seconds / (machines * PARTS_A_MACHINE)
        self.seconds = max(0.0, self.seconds - piece.total)
        if last and piece.total > share:
            piece, rest = piece.split(_first(piece.seconds, share))
            if rest.cases:
                self.add(rest)
        return piece


def _first(seconds: Sequence[float], share: float) -> int:
    """How many of the first cases take about this share; at least one."""
    taken, count = seconds[0], 1
    while count < len(seconds) and taken + seconds[count] <= share:
        taken += seconds[count]
        count += 1
    return count


def _together(batch: BatchRequest) -> list[Positions]:
    """The cases that may be measured apart: those at one position in turn, else each with its sides."""
    listed = _listed(batch)
    if batch.in_turn is not None:
        return [(place,) * len(listed) for place in range(len(listed[0]))]
    found: dict[str, list[int | None]] = {}
    for side, items in enumerate(listed):
        for place, item in enumerate(items):
            found.setdefault(_job(item).case.id, [None] * len(listed))[side] = place
    return [tuple(places) for places in found.values()]
