"""The database of a history: its tables and rows, its fingerprints, and how it is opened while another process writes.

DuckDB stores columns and needs no server. It is imported when a history is opened, because that takes time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from autoperf.comparison.figures import FigureSamples, Scale, sampled_series
from autoperf.core.errors import CaseFileError, OutputError, UsageError
from autoperf.core.files import is_special
from autoperf.core.outcome import FigureWarning, Outcome, ResultPrint
from autoperf.reports.units import describe_case
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.runs.runfile import Machine

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FORMAT = 3
_MAGIC, _MAGIC_AT = b"DUCK", 8
# The views of somebody else's database could read other files, or load extensions of DuckDB.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    **dict.fromkeys(("enable_external_access", "autoload_known_extensions"), "false"),
    # The smallest: a table takes a block, so that the history of a few operators is small.
    "default_block_size": "16384",
}
_TABLES = """
CREATE TABLE format (version INTEGER);
CREATE TABLE runs (run INTEGER PRIMARY KEY, digest VARCHAR UNIQUE, file VARCHAR, results INTEGER, release VARCHAR,
    build VARCHAR, revision VARCHAR, machine VARCHAR, processor VARCHAR, threads INTEGER, date VARCHAR,
    autoperf VARCHAR, seed HUGEINT, command VARCHAR);
CREATE TABLE cases (number INTEGER PRIMARY KEY, id VARCHAR, operator VARCHAR, category VARCHAR, profile VARCHAR,
    inputs VARCHAR);
CREATE TABLE figures (run INTEGER, number INTEGER, pass VARCHAR, clock VARCHAR, median DOUBLE,
    times DOUBLE[]);
CREATE TABLE facts (run INTEGER PRIMARY KEY, facts VARCHAR);
CREATE TABLE crowded (run INTEGER, number INTEGER, pass VARCHAR, clock VARCHAR);
CREATE TABLE ends (run INTEGER PRIMARY KEY, measured INTEGER, seconds DOUBLE);
CREATE TABLE controls (run INTEGER PRIMARY KEY, control INTEGER);
CREATE TABLE counted (run INTEGER PRIMARY KEY);
CREATE TABLE speeds (run INTEGER PRIMARY KEY, probe VARCHAR, us DOUBLE, measured VARCHAR);
CREATE TABLE fingerprints (digest VARCHAR PRIMARY KEY, prints VARCHAR);
CREATE TABLE computed (run INTEGER, number INTEGER, digest VARCHAR);
"""
WAIT, _PAUSE = 60.0, 0.05
"""Seconds: how long to wait for another process that writes, and between two tries."""


class LockedError(OutputError):
    """Another process has the history open, and has had it for too long."""


class Opened(NamedTuple):
    """An open database, the class of its errors, its folder, which is locked until it is closed; whether it is new.

    DuckDB's own lock ends before it removes its log, so that the next process could lose what it has written.
    """

    connection: DuckDBPyConnection
    error: type[Exception]
    folder: int
    is_new: bool

    def close(self) -> None:
        """Closes the database, then its lock."""
        self.connection.close()
        os.close(self.folder)


def connect(path: Path, *, write: bool) -> Opened:
    """An open database, which `write` makes if it is missing; waits while another process writes.

    Raises OutputError, LockedError after WAIT seconds, CaseFileError for another file, UsageError without DuckDB.
    """
    try:
        import duckdb  # noqa: PLC0415 - takes a tenth of a second
    except ImportError as error:
        advice = "`pip install '.[history]'` in the folder of the source installs it"
        raise UsageError(f"a history needs DuckDB: {advice}") from error

    end = time.monotonic() + WAIT
    folder = _locked(path.absolute().parent, write, end)
    try:
        _check_file(path)
        is_new = not path.exists()
        while True:
            try:
                database = duckdb.connect(str(path), read_only=not write, config=_CONFIG)
                break
            except duckdb.IOException as error:
                if "lock" not in str(error):
                    raise
                _pause(path, end)
        _prepare(database, path, write)
    except BaseException as error:
        os.close(folder)
        if isinstance(error, duckdb.Error):
            raise OutputError(
                f"can't open the history {path}: {first_line(error)}; use a copy of it, or add the run files to a new "
                "one: --history NEW.duckdb"
            ) from error
        raise
    return Opened(database, duckdb.Error, folder, is_new)


def _locked(folder: Path, write: bool, end: float) -> int:
    """The folder, locked for this process to write or for several to read. Raises LockedError and OutputError."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise OutputError(f"can't open the folder {folder}: {error.strerror}") from error
    # A file system without locks for folders leaves DuckDB's own.
    with suppress(OSError):
        while True:
            try:
                fcntl.flock(descriptor, (fcntl.LOCK_EX if write else fcntl.LOCK_SH) | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                _pause(folder, end)
    return descriptor


def _pause(path: Path, end: float) -> None:
    """Waits before the next try. Raises LockedError after the time `end`."""
    if time.monotonic() > end:
        raise LockedError(f"can't open the history {path}: another process has it open")
    time.sleep(_PAUSE)


def _prepare(database: DuckDBPyConnection, path: Path, write: bool) -> None:
    tables = {row[0] for row in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if write and not tables:
        database.execute("BEGIN")
        database.execute(_TABLES)
        database.execute("INSERT INTO format VALUES (?)", [FORMAT])
        database.execute("COMMIT")
        return
    version = database.execute("SELECT version FROM format").fetchall() if "format" in tables else []
    if version != [(FORMAT,)]:
        database.close()
        problem = "expected a history that `autoperf history add` made, not another DuckDB database"
        if version and isinstance(version[0][0], int):
            remedy = "add its run files to a new one, `autoperf history add RUN.NDJSON... --history NEW.duckdb`"
            remedy = "update autoperf" if version[0][0] > FORMAT else remedy
            problem = f"its format is {version[0][0]}, and this version of autoperf reads {FORMAT}: {remedy}"
        raise CaseFileError(f"invalid history {path}: {problem}")


def _check_file(path: Path) -> None:
    """Raises CaseFileError for a file that is no DuckDB database."""
    if path.is_dir() or is_special(path):
        kind = "folder" if path.is_dir() else "pipe or device"
        raise CaseFileError(f"invalid history {path}: expected a file, not a {kind}")
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(_MAGIC_AT + len(_MAGIC))
        if head and head[_MAGIC_AT:] != _MAGIC:
            raise CaseFileError(f"invalid history {path}: expected a DuckDB database")


def first_line(error: Exception) -> str:
    """The first line of an error's text."""
    return str(error).partition("\n")[0]


class Fingerprints:
    """The tables of fingerprints in the database of a history.

    The results of the nights of one machine are equal bit by bit, so that one fingerprint serves all of them.
    """

    def __init__(self, database: DuckDBPyConnection) -> None:
        self._database = database

    def store(self, run: int, prints: Mapping[int, str]) -> None:
        """Replaces those of a run: JSON by the number of the case."""
        digests = {number: hashlib.sha256(text.encode()).hexdigest()[:32] for number, text in prints.items()}
        texts = {digest: prints[number] for number, digest in digests.items()}
        self._database.execute("DELETE FROM computed WHERE run = ?", [run])
        if not digests:
            return
        computed = [list(digests), list(digests.values())]
        self._database.execute("INSERT INTO computed SELECT ?, unnest(?), unnest(?)", [run, *computed])
        fresh = "INSERT OR IGNORE INTO fingerprints SELECT unnest(?), unnest(?)"
        self._database.execute(fresh, [list(texts), list(texts.values())])

    def computed(self) -> list[tuple[int, int, str]]:
        """The number of each case, a run, and the digest of the fingerprints of its results."""
        return self._database.execute("SELECT number, run, digest FROM computed").fetchall()

    def of(self, digest: str) -> tuple[ResultPrint, ...]:
        """The fingerprints of a case's results. Raises CaseFileError for invalid JSON."""
        rows = self._database.execute("SELECT prints FROM fingerprints WHERE digest = ?", [digest]).fetchall()
        try:
            return msgspec.json.decode(str(rows[0][0]) if rows else "", type=tuple[ResultPrint, ...])
        except msgspec.DecodeError as error:
            raise CaseFileError(f"invalid fingerprints {digest} in the history: {error}") from error


FIGURE_FIELDS = ("run", "number", "pass", "clock", "median", "times")
CASE_FIELDS = ("number", "id", "operator", "category", "profile", "inputs")
FigureRow: TypeAlias = tuple[int, int, str, str, float, list[float] | None, bool]
"""A figure: its run, its case, pass and clock by name, the median, its processes' times, and whether it is crowded."""
CaseRow: TypeAlias = tuple[int, str, str, str, str, str]


@dataclass(frozen=True)
class RunRows:
    """The rows of a run; `cases` are new ones. `prints` are JSON by case; `counted`: whether instructions are exact."""

    figures: Sequence[FigureRow]
    cases: Sequence[CaseRow]
    prints: Mapping[int, str]
    counted: bool


def run_rows(number: int, run: RunReader, known: Mapping[str, int], *, with_times: bool) -> RunRows:
    """The rows of a run of this number; `known` are the numbers of the cases that are stored, by id.

    `with_times`: the rows of figures have the times of processes.
    """
    numbers = dict(known)
    cases: list[CaseRow] = []
    figures: list[FigureRow] = []
    prints: dict[int, str] = {}
    counted = False
    for outcome in LazyOutcomes(run, samples=with_times):
        of_outcome = [
            (pass_, metric.name, series)
            for pass_, of_pass in outcome.passes.items()
            for metric, series in of_pass.metrics.items()
            if series.median > 0
        ]
        if not of_outcome:
            continue
        case = numbers.setdefault(outcome.case, len(numbers))
        if case == len(known) + len(cases):
            texts = (outcome.case, outcome.operator, outcome.category, outcome.profile, describe_case(outcome))
            cases.append((case, *texts))
        if outcome.results:
            prints[case] = msgspec.json.encode(outcome.results).decode()
        counted = counted or any(each.code for each in outcome.passes.values())
        processes = _process_times(run.machine(outcome), outcome) if with_times else {}
        for pass_, clock, series in of_outcome:
            of_figure = list(processes.get((pass_, clock), ())) or None
            is_crowded = FigureWarning.CROWDED in series.warnings
            figures.append((number, case, pass_, clock, series.median, of_figure, is_crowded))
    return RunRows(figures, cases, prints, counted)


def _process_times(machine: Machine, outcome: Outcome) -> Mapping[tuple[str, str], Sequence[float]]:
    """The median of each process of an outcome's figures, at the reference speed of its machine."""
    own = machine.reference or None
    return {
        (pass_, clock.name): FigureSamples(series, Scale(own, own), exact=not clock.is_time).figure().times
        for pass_, clock, series in sampled_series(outcome)
    }


def columns_of(fields: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The rows as arrays that DuckDB reads, by the names of their first fields; empty without rows."""
    return {name: _array(values) for name, values in zip(fields, zip(*rows, strict=True), strict=False)}


def _array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """The values in an array that DuckDB reads: of numbers, or of objects such as texts and lists."""
    if isinstance(values[0], int | float):
        return np.asarray(values)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
