"""Reads a run file, complete or cut off, one checked outcome at a time, with an index by case."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from autoperf.core.case import Calls
from autoperf.core.errors import CaseFileError
from autoperf.core.files import Closable, open_input
from autoperf.core.machine import Probes
from autoperf.core.ndjson import LazySequence, is_document, lines_of, nonempty_lines
from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.core.texts import count
from autoperf.core.work import Work
from autoperf.runs.runfile import Machine, RunEnd, entry_of, first_line
from autoperf.stats.correction import check_probes, median

MAX_BYTES = 2.0**63
MAX_CALLS = 1e15
# Bytes or operations a second; bytes, elements or operations of a pass.
MAX_WORK = 1e24
# A century.
MAX_SECONDS = 3.2e9
_LARGEST = 1e300


def check_machine(machine: Machine) -> None:
    """Raises ValueError for impossible memory, or an impossible roofline."""
    _check_within("memory_total", [machine.environment.memory_total], 0, MAX_BYTES)
    if roofline := machine.roofline or None:
        rates = [roofline.bandwidth, roofline.cached_bandwidth, *roofline.flops.values()]
        _check_within("rates of the roofline", rates, 1, MAX_WORK)
        _check_within("cache_bytes", [roofline.cache_bytes], 0, MAX_BYTES)
        _check_within("processors of the roofline", [roofline.processors, roofline.load], 0, MAX_BYTES)


def _check_within(name: str, values: Iterable[float], least: float, most: float) -> None:
    for value in values:
        if not least <= value <= most:
            # A whole number may have too many digits for a float.
            shown = f"{value:g}" if abs(value) <= _LARGEST else f"beyond {_LARGEST:g}"
            raise ValueError(f"invalid {name} {shown}: expected from {least:g} to {most:g}")


# A month in microseconds; the range of a counter of 64 bits.
MAX_SAMPLE_US = 2.7e12
MAX_COUNT = 2.0**64
MAX_SLOPE = 4.0
# Gigabytes, or 10^9 operations, a second; page faults of a call.
MAX_RATE = 1e12
# Readings of the probe, a piece of work of some microseconds; they are kept in nanoseconds.
MIN_READING_US, MAX_READING_US = 1e-3, 1e9
# Times of baseline files are rounded, and the mean of equal samples may differ from them in its last digit.
TOLERANCE = 1e-3
# The speed of a machine relative to its reference.
MIN_SPEED, MAX_SPEED = 1e-4, 1000.0


def check_outcome(outcome: Outcome) -> None:
    """Raises ValueError for invalid samples or statistics, an impossible speed of the machine, impossible amounts."""
    check_passes(outcome.passes.values())
    _check_within("seconds", [outcome.seconds], 0, MAX_SECONDS)
    for memory in (outcome.memory.forward, outcome.memory.backward) if outcome.memory else ():
        if memory:
            # What is left of a peak beside the outputs may be less than nothing.
            _check_within("memory", [memory.peak, memory.output, memory.workspace], -MAX_BYTES, MAX_BYTES)
    for work in (outcome.work, outcome.backward_work):
        if isinstance(work, Work):
            _check_within("work", [work.bytes_in, work.bytes_out, work.elements, work.flops], 0, MAX_WORK)
    _check_within("calls", [*(outcome.calls or {}).values(), *(outcome.network_calls or {}).values()], 0, MAX_CALLS)


def check_passes(passes: Iterable[Pass]) -> None:
    """Raises ValueError as `check_outcome` does."""
    for run in passes:
        # Times beside the clocks', and rates.
        times = {
            "dispatch_us": run.dispatch_us, "helpers_us": run.helpers_us, "first_us": run.first_us,
            "compile_us": run.compile_us, **run.kernels, **run.helpers,
        }  # fmt: skip
        rates = {"faults": run.faults, **(msgspec.structs.asdict(run.throughput) if run.throughput else {})}
        for limit, values in ((MAX_SAMPLE_US, times), (MAX_RATE, rates)):
            for name, value in values.items():
                if value is not None and value is not UNSET and not 0 <= value <= limit:
                    raise ValueError(f"invalid {name} {value:g}: expected from 0 to {limit:g}")
        for metric, series in run.metrics.items():
            if series.speed and not MIN_SPEED <= series.speed <= MAX_SPEED:
                raise ValueError(
                    f"invalid speed {series.speed:g} of the machine: expected from {MIN_SPEED:g} to {MAX_SPEED:g}"
                )
            check_series(series, exact=not metric.is_time)
            check_statistics(series)


def check_series(series: Series, *, exact: bool = False) -> None:
    """Raises ValueError for processes or turns that don't add up, and for invalid times, or counts if `exact`."""
    samples, counts = series.samples, series.processes or (len(series.samples),)
    _check_sizes(series, counts)
    smallest, largest = min(samples), max(samples)
    # This form is false for NaN.
    limit, unit = (MAX_COUNT, "") if exact else (MAX_SAMPLE_US, " us")
    if not (smallest >= 0 and largest <= limit):
        what = "counts" if exact else "times"
        raise ValueError(
            f"invalid samples of {smallest:g} to {largest:g}{unit}: expected {what} from 0 to {limit:g}{unit}"
        )
    if series.probes:
        check_probes(samples, series.probes)
        _check_readings(series.probes)
    if series.at_reference:
        stated = series.at_reference
        check_probes(stated.samples, Probes(stated.probe, stated.probe))
        if not (stated.samples and min(stated.samples) >= 0 and max(stated.samples) <= limit):
            raise ValueError(f"invalid times at reference speed {stated.samples}: expected from 0 to {limit:g}{unit}")
    if series.slope and not abs(series.slope) <= MAX_SLOPE:
        raise ValueError(f"invalid slope {series.slope}: expected from {-MAX_SLOPE:g} to {MAX_SLOPE:g}")
    turns = series.turns or ()
    if turns and (
        len(turns) != len(counts)
        or any(sum(sizes) != count or min(sizes, default=0) < 0 for sizes, count in zip(turns, counts, strict=True))
    ):
        raise ValueError(f"invalid turns {turns}: expected sums of {list(counts)} samples by process")


def _check_sizes(series: Series, counts: Sequence[int]) -> None:
    if not series.samples:
        raise ValueError("invalid samples (): expected at least one")
    if sum(counts) != len(series.samples) or min(counts) < 0:
        raise ValueError(f"invalid counts {counts} of samples by process: expected a sum of {len(series.samples)}")
    if series.loops < 1:
        raise ValueError(f"invalid loops {series.loops}: expected at least 1 call for each sample")


def _check_readings(probes: Probes) -> None:
    readings = (*probes.before, *probes.after)
    shortest, longest = min(readings), max(readings)
    if not MIN_READING_US <= shortest <= longest <= MAX_READING_US:
        raise ValueError(
            f"invalid readings of the probe of {shortest:g} to {longest:g} us: expected {MIN_READING_US:g} to "
            f"{MAX_READING_US:g} us"
        )


def check_statistics(series: Series) -> None:
    """Raises ValueError for statistics in the wrong order, and for statistics that the (valid) samples contradict.

    A baseline file has one sample of each process, and the statistics of all.
    """
    is_reduced = series.count > len(series.samples) and series.processes == (1,) * len(series.samples)
    if series.count != len(series.samples) and not is_reduced:
        raise ValueError(f"invalid count {series.count}: expected {len(series.samples)}, the number of samples")
    ordered = (series.min, series.p50, series.p90, series.p99, series.max)
    interval = (series.low or 0.0, series.high or series.low or 0.0)
    for values in (ordered, (series.min, series.median, series.max), (series.min, series.mean, series.max), interval):
        if any(below > above * (1 + TOLERANCE) for below, above in pairwise(values)):
            listed = ", ".join(f"{value:g}" for value in values)
            raise ValueError(f"invalid statistics {listed}: expected them in ascending order")
    if (series.low or 0.0) > series.max * (1 + TOLERANCE) or (series.high or series.max) < series.min * (1 - TOLERANCE):
        raise ValueError(f"invalid interval {series.low} to {series.high}: expected one around the samples")
    if (series.retaken or 0) < 0 or not 0 <= (series.steady or 0) <= series.count:
        raise ValueError(f"invalid retaken {series.retaken} or steady {series.steady}: expected numbers of samples")
    if not 0 <= series.std <= MAX_COUNT:
        raise ValueError(f"invalid std {series.std:g}: expected 0 or more")
    low, high = (0.0, MAX_COUNT) if is_reduced else _bounds(series)
    if not low * (1 - TOLERANCE) <= series.min <= series.max <= high * (1 + TOLERANCE):
        raise ValueError(
            f"invalid min {series.min:g} and max {series.max:g}: expected {low:g} to {high:g}, as of the samples"
        )
    stated = series.uncorrected if series.probes else series.median
    actual = median(sorted(series.samples))
    if stated is not UNSET and not is_reduced and not abs(stated - actual) <= TOLERANCE * actual:
        raise ValueError(f"invalid median {stated:g}: expected {actual:g}, the median of the samples")


def _bounds(series: Series) -> tuple[float, float]:
    """The bounds of the samples at reference speed; no bounds without a speed."""
    low, high = min(series.samples), max(series.samples)
    if not series.probes or not series.slope:
        return low, high
    if not series.speed:
        return 0.0, MAX_COUNT
    readings = (*series.probes.before, *series.probes.after)
    shortest, longest = min(readings), max(readings)
    # The reference is the median of the readings times the speed; its bounds are enough, and much faster.
    spread = longest / shortest
    factors = [(ratio / series.speed) ** series.slope for ratio in (1 / spread, spread)]
    # A correction makes no sample longer, except in earlier files.
    return low / max(1.0, *factors), high / min(1.0, *factors)


_FIRST_OUTCOME = 2
MAX_NOTICES = 20
_SAMPLES = re.compile(rb'("std":[^,"]*,"samples":)\[[^\[\]"]*\]')
_PROBES = re.compile(rb',"probes":\{"before":\[[^\[\]"]*\],"after":\[[^\[\]"]*\]\}')


class _Entry(NamedTuple):
    """The place of an outcome in the file, and what counts of it."""

    offset: int
    line: int
    status: Status
    seconds: float


class RunReader(Closable):
    """An open run file: its header, its machines, and its outcomes in order or by the ids of their cases.

    A context manager. Unreadable lines and an incomplete last line are left out; `notices` reports them, `unreadable`
    counts the former. Of a repeated case, the last outcome counts, in the place of the first; it has the calls of all
    of them, and `end` counts it once. Only the id, offset, status and seconds of each outcome are in memory. `statuses`
    counts the outcomes by status, `seconds` is their total, `resumed` the number of resumes, `length` the number of
    bytes before the end or an incomplete last line; `replaced` has the offsets of replaced outcomes, except those that
    mark a resume.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file and builds the index.

        Raises CaseFileError for another file or version, for lines after the end or missing, and without a machine.
        """
        self.path = path
        self.notices: tuple[str, ...] = ()
        self.end: RunEnd | None = None
        self.statuses: Counter[str] = Counter()
        self.seconds = 0.0
        self.resumed = 0
        self.length = 0
        self.unreadable = 0
        self.replaced: set[int] = set()
        self._machines: dict[str, Machine] = {}
        self._marked: set[int] = set()
        self._entries: list[_Entry] = []
        self._positions: dict[str, int] = {}
        self._calls: dict[str, tuple[Calls, Calls]] = {}
        self._repeated: dict[int, tuple[str, Status]] = {}
        self._file = open_input(path)
        try:
            self._build_index()
        except OSError as error:
            self._file.close()
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error
        except CaseFileError:
            self._file.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __len__(self) -> int:
        return len(self._positions)

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The machines that measured it, at least one."""
        return tuple(self._machines.values())

    @property
    def identity(self) -> bytes:
        """A text that identifies the run and stays the same while it goes on."""
        return msgspec.json.encode(self.header) + self.machines[0].id.encode()

    @property
    def cases(self) -> frozenset[str]:
        """The ids of the cases with an outcome."""
        return frozenset(self._positions)

    def __contains__(self, case: str) -> bool:
        return case in self._positions

    def __iter__(self) -> Iterator[Outcome]:
        """The outcomes in the order of measurement; of a repeated case the last."""
        for case in self._positions:
            yield self.outcome(case)

    def outcome(self, case: str, *, samples: bool = True) -> Outcome:
        """The outcome of the case with this id. Raises KeyError for an unknown id, CaseFileError for a broken line."""
        return self.at(self._positions[case], samples=samples)

    def at(self, position: int, *, samples: bool = True) -> Outcome:
        """The outcome at a position; without samples it is read much faster. Raises CaseFileError for a broken line."""
        place = self._entries[position]
        self._file.seek(place.offset)
        line = self._file.readline()
        if not samples:
            # autoperf writes samples and readings after the statistics.
            line = _PROBES.sub(b"", _SAMPLES.sub(rb"\1[]", line))
        entry = entry_of(self.path, place.line, line)
        if not isinstance(entry, Outcome):
            raise CaseFileError(f"{self.path}, line {place.line}: the file was changed while it was read")
        if entry.case not in self._calls:
            return entry
        calls, network_calls = self._calls[entry.case]
        return msgspec.structs.replace(entry, calls=calls, network_calls=network_calls or msgspec.UNSET)

    def machine(self, outcome: Outcome) -> Machine:
        """The machine that measured an outcome; of one that no machine measured, the first."""
        return self._machines.get(outcome.machine or "") or self.machines[0]

    def _build_index(self) -> None:
        line = next(lines_of(self.path, self._file), b"")
        if not line:
            raise CaseFileError(f"invalid run file {self.path}: expected a header line, but the file is empty")
        self.header = first_line(self.path, line)
        cut = ""
        offset = self.length = self._file.tell()
        for number, line in nonempty_lines(self.path, lines_of(self.path, self._file), _FIRST_OUTCOME):
            # Some editors leave a complete end without a line feed.
            is_end = line.startswith(b'{"type":"end"') and is_document(line)
            if not line.endswith(b"\n") and not is_end:
                cut = f" within line {number}, which is left out"
                break
            if self.end is not None:
                raise CaseFileError(f"{self.path}, line {number}: unexpected line after the end in line {number - 1}")
            self._index_line(number, line, offset)
            offset += len(line)
        if not self._machines:
            first = f"{self.notices[0]}: " if self.notices else ""
            raise CaseFileError(f"{first}invalid run file {self.path}: expected the record of a machine in line 2")
        self._notice_summary(cut)

    def _notice_summary(self, cut: str) -> None:
        if self.unreadable > MAX_NOTICES:
            self._notice(f"{self.unreadable:,} unreadable lines in total are left out")
        if self.end is None:
            self._notice(f"the run was cut off after {count(len(self), 'outcome')}{cut}")
        elif not self.end.complete:
            self._notice(f"the run was interrupted after {count(len(self), 'outcome')}")
        # A line that marks a resume is kept, though its case was measured again.
        repeated = [case for offset, (case, _) in self._repeated.items() if offset not in self._marked]
        if repeated:
            number = count(len(repeated), "outcome is", "outcomes are")
            self._notice(f"{number} of repeated cases ({repeated[0]}); the last of each counts")

    def _index_line(self, number: int, line: bytes, offset: int) -> None:
        """Adds a line to the index; an unreadable one is counted and reported."""
        try:
            entry = entry_of(self.path, number, line)
            if isinstance(entry, Outcome | Machine):
                self._validate(number, entry)
        except CaseFileError as error:
            self.unreadable += 1
            if self.unreadable <= MAX_NOTICES:
                self.notices = (*self.notices, f"{error}; the line is left out")
            return
        if isinstance(entry, RunEnd):
            self.end = self._checked_end(number, entry)
            return
        if isinstance(entry, Machine):
            self._machines[entry.id] = entry
        else:
            self._add(entry, number, offset)
        self.length = offset + len(line)

    def _add(self, outcome: Outcome, number: int, offset: int) -> None:
        if outcome.calls:
            calls, network_calls = self._calls.get(outcome.case, ({}, {}))
            self._calls[outcome.case] = calls | outcome.calls, network_calls | (outcome.network_calls or {})
        position = self._positions.setdefault(outcome.case, len(self._entries))
        entry = _Entry(offset, number, outcome.status, outcome.seconds)
        if position < len(self._entries):
            # The earlier outcome of the case leaves the counts.
            earlier, self._entries[position] = self._entries[position], entry
            if outcome.visit is msgspec.UNSET:
                self._repeated[earlier.offset] = (outcome.case, earlier.status)
            self.statuses[earlier.status.value] -= 1
            self.seconds -= earlier.seconds
            if earlier.offset not in self._marked:
                self.replaced.add(earlier.offset)
        else:
            self._entries.append(entry)
        self.statuses[outcome.status.value] += 1
        self.seconds += outcome.seconds
        if outcome.resumed is not msgspec.UNSET:
            self.resumed += 1
            self._marked.add(offset)

    def _validate(self, number: int, entry: Outcome | Machine) -> None:
        try:
            if isinstance(entry, Machine):
                check_machine(entry)
            else:
                check_outcome(entry)
        except ValueError as error:
            raise CaseFileError(f"{self.path}, line {number}: {error}") from error
        if isinstance(entry, Machine):
            if entry.id in self._machines:
                raise CaseFileError(f"{self.path}, line {number}: machine {entry.id} is there already")
        elif not entry.case:
            raise CaseFileError(f"{self.path}, line {number}: its case has no id")
        elif entry.machine and entry.machine not in self._machines:
            raise CaseFileError(f"{self.path}, line {number}: no line before it has machine {entry.machine}")

    def _checked_end(self, number: int, end: RunEnd) -> RunEnd:
        """The end, which counts a repeated case once. Raises CaseFileError if lines are missing."""
        surplus = end.asked - len(self)
        # An unreadable line may stand for any number of outcomes.
        if surplus > len(self._repeated) and not self.unreadable:
            raise CaseFileError(
                f"{self.path}, line {number}: the run says {count(end.asked, 'outcome')}, but the file has "
                f"{len(self) + len(self._repeated):,}: lines are missing"
            )
        if surplus < 0:
            asked = count(end.asked, "outcome")
            self._notice(f"the run says {asked}, but the file has {len(self):,}: lines were added to it")
        counted = Counter(status.value for _, status in list(self._repeated.values())[: max(0, surplus)])
        counts = {status: getattr(end, status) - counted[status] for status in counted}
        return msgspec.structs.replace(end, asked=end.asked - counted.total(), **counts)

    def _notice(self, text: str) -> None:
        self.notices = (*self.notices, f"{self.path}: {text}")


class LazyOutcomes(LazySequence[Outcome]):
    """All outcomes of an open run, read on access: as measured or by category and operator; without samples or with."""

    def __init__(self, run: RunReader, *, grouped: bool = False, samples: bool = True) -> None:
        self._run = run
        self._samples = samples
        self._order: Sequence[int] = range(len(run))
        if grouped:
            self._order = array("Q", sorted(self._order, key=self._group_key))

    def __len__(self) -> int:
        return len(self._order)

    def item(self, position: int) -> Outcome:
        """The outcome at a position; raises CaseFileError for a broken line."""
        return self._run.at(self._order[position], samples=self._samples)

    def _group_key(self, position: int) -> tuple[str, str]:
        outcome = self._run.at(position, samples=False)
        return outcome.category, outcome.operator
