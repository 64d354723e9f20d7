"""Reads a run file, complete or cut off, one outcome at a time, with an index by case."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.core.case import Calls
from autoperf.core.errors import CaseFileError
from autoperf.core.files import Closable, open_input
from autoperf.core.lazy_sequences import LazySequence
from autoperf.core.ndjson import is_document, lines_of, nonempty_lines
from autoperf.core.outcome import Outcome, Status
from autoperf.runs.environment import Machine
from autoperf.runs.runfile import RunEnd, RunHeader, entry_of, first_line
from autoperf.runs.validity import check_outcome

_FIRST_OUTCOME = 2
MAX_NOTICES = 20
"""The number of unreadable lines that are reported separately."""
_SAMPLES = re.compile(rb'("std":[^,"]*,"samples":)\[[^\[\]"]*\]')
_PROBES = re.compile(rb',"probes":\{"before":\[[^\[\]"]*\],"after":\[[^\[\]"]*\]\}')


def _without_samples(line: bytes) -> bytes:
    """The line without samples and readings, which autoperf writes after the statistics."""
    return _PROBES.sub(b"", _SAMPLES.sub(rb"\1[]", line))


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

        Raises CaseFileError for another file or version, for lines after the end, for missing lines, and without the
        record of a machine.
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
            self.header = self._read_header()
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
        """The number of cases with an outcome."""
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
        """Whether the case with this id has an outcome."""
        return case in self._positions

    def __iter__(self) -> Iterator[Outcome]:
        """The outcomes in the order of measurement; of a repeated case the last."""
        for case in self._positions:
            yield self.outcome(case)

    def outcome(self, case: str, *, samples: bool = True) -> Outcome:
        """The outcome of the case with this id. Raises KeyError for an unknown id, CaseFileError for a broken line."""
        return self.at(self._positions[case], samples=samples)

    def at(self, position: int, *, samples: bool = True) -> Outcome:
        """The outcome at a position below the length; without samples it is read much faster.

        Raises CaseFileError for a broken line.
        """
        place = self._entries[position]
        self._file.seek(place.offset)
        line = self._file.readline()
        entry = entry_of(self.path, place.line, line if samples else _without_samples(line))
        if not isinstance(entry, Outcome):
            raise CaseFileError(f"{self.path}, line {place.line}: the file was changed while it was read")
        if entry.case not in self._calls:
            return entry
        calls, network_calls = self._calls[entry.case]
        return msgspec.structs.replace(entry, calls=calls, network_calls=network_calls or msgspec.UNSET)

    def machine(self, outcome: Outcome) -> Machine:
        """The machine that measured an outcome; of one that no machine measured, the first."""
        return self._machines.get(outcome.machine or "") or self.machines[0]

    def _read_header(self) -> RunHeader:
        line = next(lines_of(self.path, self._file), b"")
        if not line:
            raise CaseFileError(f"invalid run file {self.path}: expected a header line, but the file is empty")
        return first_line(self.path, line)

    def _build_index(self) -> None:
        cut = ""
        offset = self.length = self._file.tell()
        for number, line in nonempty_lines(self.path, lines_of(self.path, self._file), _FIRST_OUTCOME):
            if not line.endswith(b"\n") and not _is_end(line):
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
            self._notice(f"{self.unreadable} unreadable lines in total are left out")
        if self.end is None:
            self._notice(f"the run was cut off after {len(self)} outcomes{cut}")
        elif not self.end.complete:
            self._notice(f"the run was interrupted after {len(self)} outcomes")
        # A line that marks a resume is kept, though its case was measured again.
        repeated = [case for offset, (case, _) in self._repeated.items() if offset not in self._marked]
        if repeated:
            number = "1 outcome is" if len(repeated) == 1 else f"{len(repeated)} outcomes are"
            self._notice(f"{number} of repeated cases ({repeated[0]}); the last of each counts")

    def _index_line(self, number: int, line: bytes, offset: int) -> None:
        """Adds a line to the index; an unreadable one is counted and reported."""
        try:
            entry = entry_of(self.path, number, line)
            if isinstance(entry, Outcome):
                self._validate(number, entry)
            elif isinstance(entry, Machine) and entry.id in self._machines:
                raise CaseFileError(f"{self.path}, line {number}: machine {entry.id} is there already")
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
            self._replace(self._entries[position], outcome)
            self._entries[position] = entry
        else:
            self._entries.append(entry)
        self.statuses[outcome.status.value] += 1
        self.seconds += outcome.seconds
        if outcome.resumed is not msgspec.UNSET:
            self.resumed += 1
            self._marked.add(offset)

    def _replace(self, earlier: _Entry, outcome: Outcome) -> None:
        """Takes an earlier outcome of a case out of the counts."""
        if outcome.visit is msgspec.UNSET:
            self._repeated[earlier.offset] = (outcome.case, earlier.status)
        self.statuses[earlier.status.value] -= 1
        self.seconds -= earlier.seconds
        if earlier.offset not in self._marked:
            self.replaced.add(earlier.offset)

    def _validate(self, number: int, outcome: Outcome) -> None:
        try:
            check_outcome(outcome)
        except ValueError as error:
            raise CaseFileError(f"{self.path}, line {number}: {error}") from error
        if not outcome.case:
            raise CaseFileError(f"{self.path}, line {number}: its case has no id")
        if outcome.machine and outcome.machine not in self._machines:
            raise CaseFileError(f"{self.path}, line {number}: no line before it has machine {outcome.machine}")

    def _checked_end(self, number: int, end: RunEnd) -> RunEnd:
        """The end, which counts a repeated case once. Raises CaseFileError if lines are missing."""
        surplus = end.asked - len(self)
        # An unreadable line may stand for any number of outcomes.
        if surplus > len(self._repeated) and not self.unreadable:
            raise CaseFileError(
                f"{self.path}, line {number}: the run says {end.asked} outcomes, but the file has "
                f"{len(self) + len(self._repeated)}: lines are missing"
            )
        if surplus < 0:
            self._notice(f"the run says {end.asked} outcomes, but the file has {len(self)}: lines were added to it")
        counted = Counter(status.value for _, status in list(self._repeated.values())[: max(0, surplus)])
        counts = {status: getattr(end, status) - counted[status] for status in counted}
        return msgspec.structs.replace(end, asked=end.asked - counted.total(), **counts)

    def _notice(self, text: str) -> None:
        self.notices = (*self.notices, f"{self.path}: {text}")


def _is_end(line: bytes) -> bool:
    """Whether a last line without a line feed is a complete end, as some editors leave it."""
    return line.startswith(b'{"type":"end"') and is_document(line)


class LazyOutcomes(LazySequence[Outcome]):
    """All outcomes of an open run file, each read on access.

    They are in the order of measurement, or by category and operator (`grouped`), with or without samples.
    """

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
