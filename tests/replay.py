"""Recorded samples of real runs, and the results that the measuring method makes of them.

`python -m tests.replay` computes the stored results again, once a change of them is wanted.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import msgspec

from autoperf.core.machine import Reference
from autoperf.core.outcome import METHOD, Outcome
from autoperf.measurement.aggregation import outcome_of
from autoperf.measurement.batches import TriedCase
from autoperf.measurement.messages import Measured, PassSamples
from autoperf.measurement.sampling import TRACE_STEP_US
from autoperf.measurement.settings import Settings
from autoperf.measurement.stopping_rules import Readings, TargetPrecision, checkpoints
from autoperf.measurement.supervisor import Agreement

FILE = Path(__file__).parent / "data" / "recorded-samples.ndjson.xz"


class Results(msgspec.Struct, frozen=True):
    """What follows from the samples of a case.

    `outcome` is at the speed of the machine's reference, `corrected` at that of one a quarter faster, at which no
    sample was taken. `agreed` says after each process whether all so far agree, `stops` after how many samples of each
    pass and clock the default precision is reached (0: not by these samples).
    """

    outcome: Outcome
    corrected: Outcome
    agreed: tuple[bool, ...]
    stops: tuple[int, ...]


class Recording(msgspec.Struct, frozen=True):
    """What the processes of a case sent; `label` says why it was recorded, `results` are by the method `method`."""

    label: str
    settings: Settings
    reference: Reference
    tried: TriedCase
    method: int
    results: Results

    def replayed(self) -> Results:
        """The results by the method as it is now."""
        faster = msgspec.structs.replace(self.reference, us=self.reference.us / 1.25)
        agreement, agreed = Agreement(self.reference), []
        for measured in self.tried.measured:
            agreement.add(measured)
            agreed.append(agreement.is_reached)
        return Results(
            outcome_of(self.tried, self.settings, self.reference),
            outcome_of(self.tried, self.settings, faster),
            tuple(agreed),
            tuple(stop for measured in self.tried.measured for stop in _stops(measured)),
        )


def _stops(measured: Measured) -> Iterator[int]:
    rule = TargetPrecision(precision=0.01, seconds=60.0)
    for run in measured.passes.values():
        for readings in _readings(run):
            stops = takewhile(len(readings.samples).__ge__, checkpoints())
            first = (Readings(readings.samples[:stop], readings.step) for stop in stops)
            yield next((len(taken.samples) for taken in first if rule.enough([taken], 0.0)), 0)


def _readings(run: PassSamples) -> Iterator[Readings]:
    yield Readings(run.wall.samples)
    if run.kernel and run.kernel.samples:
        yield Readings(run.kernel.samples, TRACE_STEP_US)


def recordings() -> list[Recording]:
    """All recordings."""
    return [msgspec.json.decode(line, type=Recording) for line in lzma.decompress(FILE.read_bytes()).splitlines()]


def main() -> None:
    """Computes the results of all recordings again."""
    again = (msgspec.structs.replace(each, method=METHOD, results=each.replayed()) for each in recordings())
    FILE.write_bytes(lzma.compress(b"".join(msgspec.json.encode(each) + b"\n" for each in again), preset=9))


if __name__ == "__main__":
    main()
