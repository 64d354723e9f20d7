"""Reads a run file an outcome at a time, also one that was cut off; an index finds an outcome again by its case."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, overload

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.inputs import open_input
from autoperf.core.ndjson import check_header, decode_line, is_document, lines_of, nonempty_lines
from autoperf.core.outcome import Outcome
from autoperf.results.runfile import VERSION, RunEnd, RunHeader
from autoperf.results.validity import check_outcome

_FIRST_OUTCOME = 2
MAX_NOTICES = 20
"""So many unreadable lines are told one by one."""
_ENTRY: Any = Outcome | RunEnd
_SAMPLES = re.compile(rb'("std":[^,"]*,"samples":)\[[^\[\]"]*\]')


def _without_samples(line: bytes) -> bytes:
    """A line whose samples, which follow the statistics as autoperf writes them, are left out."""
    return _SAMPLES.sub(rb"\1[]", line)


class RunReader:
    """An open run file: its header at once, its outcomes by walking it or by their cases' ids.

    A context manager. A line that can't be read is left out, and so is what a killed run left of its last one;
    `notices` says which and why, `unreadable` counts them. Otherwise only the ids and where they stand are kept.
    `statuses` counts the outcomes by their status; `seconds` is what they took together, `resumed` how often the run
    was taken up again after it had been cut off, and `length` how many bytes lie before the end, or what is left of it.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file and walks through it once.

        Raises CaseFileError if it is no run file or of another version, if it goes on behind its end, and if lines are
        missing.
        """
        self.path = path
        self.notices: tuple[str, ...] = ()
        self.end: RunEnd | None = None
        self.statuses: Counter[str] = Counter()
        self.seconds = 0.0
        self.resumed = 0
        self.length = 0
        self.unreadable = 0
        self._offsets = array("Q")
        self._lines = array("Q")
        self._places: dict[str, int] = {}
        self._repeated: Counter[str] = Counter()
        self._file = open_input(path)
        try:
            self.header = self._first()
            self._walk()
        except OSError as error:
            self._file.close()
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error
        except CaseFileError:
            self._file.close()
            raise

    def __enter__(self) -> RunReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        """How many cases the file has an outcome of."""
        return len(self._places)

    def __contains__(self, case: str) -> bool:
        """Whether there is an outcome of the case with this id."""
        return case in self._places

    def __iter__(self) -> Iterator[Outcome]:
        """The outcomes in the order in which they were measured; of a case that is there twice, the last."""
        for case in self._places:
            yield self.outcome(case)

    def outcome(self, case: str) -> Outcome:
        """The outcome of the case with this id. Raises KeyError for another, CaseFileError for a broken line."""
        return self.at(self._places[case])

    @property
    def total(self) -> int:
        """How many outcomes there are, of a case that is there twice both."""
        return len(self._offsets)

    def at(self, position: int, *, samples: bool = True) -> Outcome:
        """The outcome at a position, from 0 to `total`; without its samples in a fraction of the time.

        Raises CaseFileError for a broken line.
        """
        self._file.seek(self._offsets[position])
        line = self._file.readline()
        return decode_line(self.path, self._lines[position], line if samples else _without_samples(line), Outcome)

    def times(self) -> Counter[str]:
        """How many outcomes there are of each case, by its id."""
        return Counter(self._places.keys()) + self._repeated

    def _first(self) -> RunHeader:
        line = next(lines_of(self.path, self._file), b"")
        if not line:
            raise CaseFileError(f"{self.path} is empty, so it is no run file")
        check_header(self.path, line, "run", VERSION, "read it with the autoperf that wrote it")
        return decode_line(self.path, 1, line, RunHeader)

    def _walk(self) -> None:
        cut = ""
        offset = self.length = self._file.tell()
        for number, line in nonempty_lines(self.path, lines_of(self.path, self._file), _FIRST_OUTCOME):
            if not line.endswith(b"\n") and not _is_end(line):
                cut = f" within line {number}, which is left out"
                break
            if self.end is not None:
                raise CaseFileError(
                    f"{self.path}, line {number}: the run ends in line {number - 1}, but the file goes on"
                )
            self._enter(number, line, offset)
            offset += len(line)
        self._tell_rest(cut)

    def _tell_rest(self, cut: str) -> None:
        if self.unreadable > MAX_NOTICES:
            self._notice(f"{self.unreadable} lines can't be read in all, and are left out")
        if self.end is None:
            self._notice(f"the run was cut off after {self.total} outcomes{cut}")
        elif not self.end.complete:
            self._notice(f"the run was interrupted after {self.total} outcomes")
        if self._repeated:
            first = next(iter(self._repeated))
            self._notice(f"{self._repeated.total()} outcomes are of a case that comes again ({first}); the last counts")

    def _enter(self, number: int, line: bytes, offset: int) -> None:
        """Takes note of what the line holds; of one that can't be read, of that."""
        try:
            entry = decode_line(self.path, number, line, _ENTRY)
            if isinstance(entry, Outcome):
                self._check(number, entry)
        except CaseFileError as error:
            self.unreadable += 1
            if self.unreadable <= MAX_NOTICES:
                self.notices = (*self.notices, f"{error}; the line is left out")
            return
        if isinstance(entry, RunEnd):
            self.end = self._checked(number, entry)
        else:
            self._add(entry, number, offset)
            self.length = offset + len(line)

    def _add(self, outcome: Outcome, number: int, offset: int) -> None:
        if outcome.case in self._places:
            self._repeated[outcome.case] += 1
        self._places[outcome.case] = self.total
        self._offsets.append(offset)
        self._lines.append(number)
        self.statuses[outcome.status.value] += 1
        self.seconds += outcome.seconds
        self.resumed += outcome.resumed is not msgspec.UNSET

    def _check(self, number: int, outcome: Outcome) -> None:
        try:
            check_outcome(outcome)
        except ValueError as error:
            raise CaseFileError(f"{self.path}, line {number}: {error}") from error
        if not outcome.case:
            raise CaseFileError(f"{self.path}, line {number}: its case has no id")

    def _checked(self, number: int, end: RunEnd) -> RunEnd:
        # What can't be read may have been two lines, or none that counts.
        if end.asked < self.total or (end.asked > self.total and not self.unreadable):
            raise CaseFileError(
                f"{self.path}, line {number}: the run says {end.asked} outcomes, but the file has {self.total}: "
                "lines are missing"
            )
        return end

    def _notice(self, text: str) -> None:
        self.notices = (*self.notices, f"{self.path}: {text}")


def _is_end(line: bytes) -> bool:
    """Whether a last line that lacks its line feed is the whole end of a run, as some editors leave it."""
    return line.startswith(b'{"type":"end"') and is_document(line)


class LazyOutcomes(Sequence[Outcome]):
    """All outcomes of an open run file, each read from it whenever it is asked for.

    They come in the order in which they were measured, or by category and operator (`grouped`), with their samples or
    without.
    """

    def __init__(self, run: RunReader, *, grouped: bool = False, samples: bool = True) -> None:
        self._run = run
        self._samples = samples
        self._order: Sequence[int] = range(run.total)
        if grouped:
            self._order = array("Q", sorted(self._order, key=self._group))

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...

    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        """The outcome at a position, or those of a stretch; raises CaseFileError for a broken line."""
        if isinstance(index, slice):
            return tuple(self._run.at(position, samples=self._samples) for position in self._order[index])
        return self._run.at(self._order[index], samples=self._samples)

    def _group(self, position: int) -> tuple[str, str]:
        found = self._run.at(position, samples=False)
        return found.category, found.operator
