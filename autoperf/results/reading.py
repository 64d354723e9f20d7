"""Reads a run file an outcome at a time, also one that was cut off; an index finds an outcome again by its case."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import overload

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.ndjson import check_header, decode_line, full_lines
from autoperf.core.outcome import Outcome
from autoperf.results.runfile import VERSION, RunEnd, RunHeader

_FIRST_OUTCOME = 2
_SAMPLES = re.compile(rb'("std":[^,"]*,"samples":)\[[^\[\]"]*\]')


class _Key(msgspec.Struct, frozen=True):
    """What the index needs of a line; the rest of it isn't decoded."""

    type: str
    case: str = ""
    status: str = ""
    seconds: float = 0.0
    resumed: object = None


def _without_samples(line: bytes) -> bytes:
    """A line whose samples, which follow the statistics as autoperf writes them, are left out."""
    return _SAMPLES.sub(rb"\1[]", line)


class RunReader:
    """An open run file: its header at once, its outcomes by walking it or by their cases' ids.

    A context manager. What a killed run left of a last line is left out, and `notices` says so; everything else that
    is broken raises CaseFileError with the line. Between them, only the ids and where they stand are kept.
    `statuses` counts the outcomes by their status; `seconds` is what they took together, `resumed` how often the run
    was taken up again after it had been cut off, and `length` how many bytes lie before the end, or what is left of it.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file and walks through it once. Raises CaseFileError if it is no run file, or is broken."""
        self.path = path
        self.notices: tuple[str, ...] = ()
        self.end: RunEnd | None = None
        self.statuses: Counter[str] = Counter()
        self.seconds = 0.0
        self.resumed = 0
        self.length = 0
        self._offsets = array("Q")
        self._places: dict[str, int] = {}
        self._repeated: Counter[str] = Counter()
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error
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
        return decode_line(self.path, position + _FIRST_OUTCOME, line if samples else _without_samples(line), Outcome)

    def times(self) -> Counter[str]:
        """How many outcomes there are of each case, by its id."""
        return Counter(self._places.keys()) + self._repeated

    def _first(self) -> RunHeader:
        line = self._file.readline()
        if not line:
            raise CaseFileError(f"{self.path} is empty, so it is no run file")
        check_header(self.path, line, "run", VERSION, "read it with the autoperf that wrote it")
        return decode_line(self.path, 1, line, RunHeader)

    def _walk(self) -> None:
        cut = ""
        self.length = self._file.tell()
        for number, line in full_lines(self.path, iter(self._file.readline, b""), _FIRST_OUTCOME):
            if not line.endswith(b"\n"):
                cut = f" within line {number}, which is left out"
                break
            self._enter(number, line)
        if self.end is None:
            self._notice(f"the run was cut off after {self.total} outcomes{cut}")
        elif not self.end.complete:
            self._notice(f"the run was interrupted after {self.total} outcomes")
        if self._repeated:
            first = next(iter(self._repeated))
            self._notice(f"{self._repeated.total()} outcomes are of a case that comes again ({first}); the last counts")

    def _enter(self, number: int, line: bytes) -> None:
        if self.end is not None:
            raise CaseFileError(f"{self.path}, line {number}: the run ends in line {number - 1}, but the file goes on")
        key = decode_line(self.path, number, line, _Key)
        if key.type == "end":
            self.end = self._checked(number, line)
            return
        if key.type != "outcome" or not key.case:
            raise CaseFileError(f"{self.path}, line {number}: is neither an outcome of a case nor the end of the run")
        if key.case in self._places:
            self._repeated[key.case] += 1
        self._places[key.case] = self.total
        self._offsets.append(self.length)
        self.length += len(line)
        self.statuses[key.status] += 1
        self.seconds += key.seconds
        self.resumed += key.resumed is not None

    def _checked(self, number: int, line: bytes) -> RunEnd:
        end = decode_line(self.path, number, line, RunEnd)
        if end.asked != self.total:
            raise CaseFileError(
                f"{self.path}, line {number}: the run says {end.asked} outcomes, but the file has {self.total}: "
                "lines are missing"
            )
        return end

    def _notice(self, text: str) -> None:
        self.notices = (*self.notices, f"{self.path}: {text}")


class Stored(Sequence[Outcome]):
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
