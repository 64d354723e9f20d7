"""Whether machines of one class agree: all of them measure the same few cases before any other."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from autoperf.core.outcome import PASSES
from autoperf.fleet.messages import BatchDone, SessionOpened
from autoperf.measurement.batches import BatchAnswer, BatchRequest, Job
from autoperf.measurement.roofline import copy_case, overhead_case, product_cases

SECONDS = 0.1
"""For the samples of each case."""
TOLERANCE = 0.1
"""Machines whose typical difference from their class is larger measure another population."""
ORDER = 256
ELEMENTS = 2**16
APART = "-apart"
"""The end of the id of a machine that is kept apart."""
ENOUGH = 3
"""With as many machines of its class, it is clear which of them differs."""


class _Time(NamedTuple):
    """A case's median in log microseconds, and half of its 95% interval: infinite with too few samples."""

    log: float
    noise: float


class _MachineTimes(NamedTuple):
    """A machine's class, and the time of each case."""

    hardware: tuple[object, ...]
    times: Mapping[str, _Time]


def agreement_batch(sides: int) -> BatchRequest:
    """The cases that every machine measures first, on the first side: overhead, memory, BLAS and oneDNN."""
    cases = (overhead_case(), copy_case(ELEMENTS), *product_cases("float32", ORDER))
    jobs = tuple(Job(case, SECONDS) for case in cases)
    return BatchRequest(0, "agreement", (jobs, *((),) * (sides - 1)))


class MachineAgreement:
    """The times of these cases on each machine, by the address of its worker; `unjudged` are machines that wait."""

    def __init__(self) -> None:
        self._readings: dict[str, _MachineTimes] = {}
        self._apart: dict[str, str] = {}
        self.unjudged: set[str] = set()

    def add(self, address: str, opened: SessionOpened) -> None:
        """Adds a machine; one that wasn't asked for these cases agrees."""
        if opened.agreement:
            self._readings[address] = _MachineTimes(opened.machines[0].hardware, dict(_times(opened.agreement)))
            self.unjudged.add(address)

    def judge(self, *, all_known: bool) -> Iterator[tuple[str, str]]:
        """Judges the machines that can be, or each if no other one is to come; yields those that differ, with words."""
        for address in sorted(self.unjudged):
            if all_known or len(self._peers(address)) >= ENOUGH:
                self.unjudged.discard(address)
                difference = self._difference(address)
                if abs(difference) > TOLERANCE:
                    way = "slower" if difference > 0 else "faster"
                    self._apart[address] = f"{abs(difference):.0%} {way} than others of its class"
                    yield address, self._apart[address]

    def marked(self, address: str, done: BatchDone) -> BatchDone:
        """The answers of a machine; if it differs, with a record of its own: its id may have outcomes already."""
        words = self._apart.get(address)
        return BatchDone(tuple(_apart(answer, words) for answer in done.answers)) if words else done

    def _peers(self, address: str) -> list[_MachineTimes]:
        """The machines of its class, itself among them."""
        return [each for each in self._readings.values() if each.hardware == self._readings[address].hardware]

    def _difference(self, address: str) -> float:
        """How much slower (or, below 0, faster) a machine certainly is than the median of its class, as a share.

        It is the median over the cases, of each the part that exceeds both intervals, and 0 for a machine that is alone
        in its class. Of two, each differs from the other.
        """
        own, peers = self._readings[address], self._peers(address)
        if len(peers) < ENOUGH:
            peers = [each for each in peers if each is not own]
        logs = []
        for case, time in own.times.items():
            theirs = [each.times[case] for each in peers if case in each.times]
            if theirs:
                typical = _Time(*(statistics.median(values) for values in zip(*theirs, strict=True)))
                difference = time.log - typical.log
                certain = max(0.0, abs(difference) - time.noise - typical.noise)
                logs.append(math.copysign(certain, difference))
        return math.expm1(statistics.median(logs)) if logs else 0.0


def _times(answers: Sequence[BatchAnswer]) -> Iterator[tuple[str, _Time]]:
    for answer in answers:
        for each in answer.cases:
            measured = each.outcome.passes.get(PASSES[0])
            series = measured.ranking_series() if measured else None
            if series and series.median > 0:
                noise = math.log(series.high / series.low) / 2 if series.low and series.high else math.inf
                yield each.outcome.case, _Time(math.log(series.median), noise)


def _apart(answer: BatchAnswer, words: str) -> BatchAnswer:
    machines = [msgspec.structs.replace(each, id=f"{each.id}{APART}", apart=words) for each in answer.machines]
    return msgspec.structs.replace(answer, machines=tuple(machines))
