"""The history of runs: an embedded DuckDB database of their medians.

DuckDB stores columns and needs no server. It is imported when a history is opened, because that takes time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from autoperf.core.clocks import METRICS
from autoperf.core.errors import CaseFileError, OutputError, UsageError
from autoperf.core.machine import Reference
from autoperf.core.outcome import PASSES, FigureWarning, Outcome, Series
from autoperf.history.fingerprints import FINGERPRINT_TABLES, Fingerprints
from autoperf.runs.environment import facts_of
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.runs.runfile import Provenance, provenance_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FORMAT = 2
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
    autoperf VARCHAR, seed BIGINT, command VARCHAR);
CREATE TABLE cases (number INTEGER PRIMARY KEY, id VARCHAR, operator VARCHAR, category VARCHAR, profile VARCHAR,
    inputs VARCHAR);
CREATE TABLE figures (run INTEGER, number INTEGER, pass VARCHAR, clock VARCHAR, median DOUBLE,
    times DOUBLE[]);
"""
# Beside the tables of the format: earlier versions ignore them, and their histories lack them.
_LATER_TABLES = """
CREATE TABLE IF NOT EXISTS facts (run INTEGER PRIMARY KEY, facts VARCHAR);
CREATE TABLE IF NOT EXISTS crowded (run INTEGER, number INTEGER, pass VARCHAR, clock VARCHAR);
CREATE TABLE IF NOT EXISTS ends (run INTEGER PRIMARY KEY, measured INTEGER, seconds DOUBLE);
CREATE TABLE IF NOT EXISTS speeds (run INTEGER PRIMARY KEY, probe VARCHAR, us DOUBLE, measured VARCHAR);
"""
_FIGURE_FIELDS = ("run", "number", "pass", "clock", "median", "times")
_CASE_FIELDS = ("number", "id", "operator", "category", "profile", "inputs")

_NAMES = tuple(f"{pass_} {clock.name}" for pass_ in PASSES for clock in METRICS)
_RUN_TABLES = ("figures", "runs", "facts", "crowded", "ends", "speeds", "computed")
_Row = tuple[int, int, str, str, float, list[float] | None, bool]
"""A figure: its run, its case, pass and clock by name, the median, the times of its processes, and whether it has the
warning `crowded`."""
ProcessTimes = Callable[[Outcome], Mapping[tuple[str, str], Sequence[float]]]
"""The times of the processes of each figure of an outcome, by the names of pass and clock."""
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class HistoryRun(msgspec.Struct, frozen=True):
    """A run in a history: its number there, its file's name when it was added, its results, and its provenance.

    `facts` are those that may change measurements, by name; empty for runs that an earlier version added. `reference`
    is the machine's reference speed, the slowest of several machines; None if it isn't known.
    """

    run: int
    file: str
    results: int
    provenance: Provenance
    facts: dict[str, str] = {}
    reference: Reference | None = None


def comparable(origin: Provenance) -> tuple[object, ...]:
    """The key of runs that are compared with each other: release, machine, processor and threads."""
    return origin.release, origin.machine, origin.processor, origin.threads


class HistoryCase(msgspec.Struct, frozen=True):
    """A case in a history, by its number there."""

    number: int
    id: str
    operator: str
    category: str
    profile: str
    inputs: str


class HistoryFigures(msgspec.Struct, frozen=True):
    """Figures as columns of equal length: run and case by their numbers, the figure, and the median (microseconds).

    `figure` is a position in `names`, which has the pass and the clock of each: `forward kernel`.
    """

    run: Ints
    number: Ints
    figure: Ints
    median: Floats
    names: tuple[str, ...]


class History:
    """An open history; a context manager that raises CaseFileError for a damaged database."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        """Opens the database, and with `write` makes a new one.

        Raises OutputError and CaseFileError, and UsageError without DuckDB.
        """
        try:
            import duckdb  # noqa: PLC0415 - takes a tenth of a second
        except ImportError as error:
            advice = "`pip install '.[history]'` in the folder of the source installs it"
            raise UsageError(f"a history needs DuckDB: {advice}") from error

        self.path = path
        self._error = duckdb.Error
        if not write and not path.is_file():
            raise CaseFileError(f"can't read {path}: there is no such history; `autoperf history add` makes one")
        _check_file(path)
        try:
            self._database: DuckDBPyConnection = duckdb.connect(str(path), read_only=not write, config=_CONFIG)
            self._prepare(write)
            self.fingerprints = Fingerprints(self._database)
        except duckdb.Error as error:
            raise OutputError(f"can't open the history {path}: {_first_line(error)}") from error

    def __enter__(self) -> History:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._database.close()
        # Blocks are read when they are needed, so damage is noticed late.
        if isinstance(error, self._error):
            raise CaseFileError(f"can't read the history {self.path}: {_first_line(error)}") from error

    def add(
        self, run: RunReader, describe: Callable[[Outcome], str], times: ProcessTimes | None = None
    ) -> HistoryRun | None:
        """Adds the measured figures of a run; None if they are there already. `describe` gives the text of a case.

        With `times`, the times of processes are stored too. A run that went on since it was added keeps its number.
        Raises UsageError for a run without figures, OutputError if the database can't be written.
        """
        with self._transaction():
            return self._added(run, describe, times)

    def _added(
        self, run: RunReader, describe: Callable[[Outcome], str], times: ProcessTimes | None
    ) -> HistoryRun | None:
        digest = hashlib.sha256(run.identity).hexdigest()
        stored = self._rows("SELECT run, results FROM runs WHERE digest = ?", digest)
        number, before = (
            stored[0] if stored else (int(self._rows("SELECT coalesce(max(run) + 1, 1) FROM runs")[0][0]), 0)
        )
        end = (run.end.measured, run.end.seconds) if run.end else None
        if stored and end and self._rows("SELECT measured, seconds FROM ends WHERE run = ?", number) == [end]:
            return None
        figures, prints = self._collected(number, run, describe, times)
        results = len({row[1] for row in figures})
        # Later visits of a run change its figures, and add none.
        if stored and (results < before or self._has(number, figures)):
            return None
        if not results:
            raise UsageError(f"{run.path} has no figures: nothing is added to {self.path}")
        facts = {name: str(value) for name, value in facts_of(run.machines).items() if value is not None}
        references = [machine.reference for machine in run.machines if machine.reference]
        slowest = max(references, key=lambda each: each.us, default=None)
        added = HistoryRun(number, run.path.name, results, provenance_of(run.header, run.machines), facts, slowest)
        self._store(added, digest, figures, end)
        self.fingerprints.store(number, prints)
        return added

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All changes or none. Raises OutputError if the database can't be written."""
        self._database.begin()
        try:
            yield
            self._database.commit()
        except BaseException as error:
            self._database.rollback()
            if isinstance(error, self._error):
                raise OutputError(f"can't write {self.path}: {_first_line(error)}") from error
            raise

    def _has(self, number: int, figures: Sequence[_Row]) -> bool:
        """Whether a run has these figures, with their medians."""
        stored = self._rows("SELECT number, pass, clock, median FROM figures WHERE run = ?", number)
        return sorted(stored) == sorted(row[1:5] for row in figures)

    def runs(self) -> list[HistoryRun]:
        """The runs by date."""
        names = msgspec.structs.fields(Provenance)
        columns = ", ".join(field.name for field in names)
        rows = self._rows(f"SELECT run, file, results, {columns} FROM runs ORDER BY date, run")  # noqa: S608
        facts, speeds = self._facts(), self._speeds()
        return [
            HistoryRun(run, file, results, Provenance(*origin), facts.get(run, {}), speeds.get(run))
            for run, file, results, *origin in rows
        ]

    def _facts(self) -> dict[int, dict[str, str]]:
        """The facts of each run that has any. Raises CaseFileError for invalid JSON."""
        rows = self._rows("SELECT run, facts FROM facts") if "facts" in self._tables() else []
        try:
            return {run: msgspec.json.decode(str(facts), type=dict[str, str]) for run, facts in rows}
        except msgspec.DecodeError as error:
            raise CaseFileError(f"invalid facts of a run in the history {self.path}: {error}") from error

    def _speeds(self) -> dict[int, Reference]:
        """The reference speed of each run that has any. Raises CaseFileError for a time that no probe takes."""
        rows = self._rows("SELECT run, probe, us, measured FROM speeds") if "speeds" in self._tables() else []
        try:
            return {run: Reference(*reference) for run, *reference in rows}
        except ValueError as error:
            raise CaseFileError(f"invalid speed of a run in the history {self.path}: {error}") from error

    def cases(self) -> list[HistoryCase]:
        """The cases with figures, by number."""
        return self._cases("WHERE number IN (SELECT number FROM figures)")

    def _cases(self, condition: str = "") -> list[HistoryCase]:
        rows = self._rows(f"SELECT {', '.join(_CASE_FIELDS)} FROM cases {condition} ORDER BY number")  # noqa: S608
        return [HistoryCase(*row) for row in rows]

    def figures(self, cases: Sequence[int] | None = None) -> HistoryFigures:
        """The figures of these cases, or of all."""
        found = self._rows("SELECT DISTINCT pass || ' ' || clock FROM figures")
        names = tuple(sorted((name for (name,) in found), key=_place))
        query = (
            "SELECT run, number, list_position(?::VARCHAR[], pass || ' ' || clock) - 1 AS figure, median FROM figures"
        )
        values: list[object] = [list(names)]
        if cases is not None:
            query += " WHERE list_contains(?, number)"
            values.append(list(cases))
        columns = self._database.execute(query, values).fetchnumpy()
        run, number, figure = (np.asarray(columns[name], dtype=np.int64) for name in ("run", "number", "figure"))
        return HistoryFigures(run, number, figure, np.asarray(columns["median"], dtype=np.float64), names)

    def process_times(self, run: int) -> dict[tuple[int, str], list[float]]:
        """The stored times of the processes of a run's figures, by case and name of the figure."""
        query = "SELECT number, pass || ' ' || clock, times FROM figures WHERE run = ? AND times IS NOT NULL"
        return {(number, name): times for number, name, times in self._rows(query, run)}

    def crowded(self, run: int) -> set[tuple[int, str]]:
        """The figures of a run beside which other programs had the processor, by case and name of the figure."""
        if "crowded" not in self._tables():
            return set()
        rows = self._rows("SELECT number, pass || ' ' || clock FROM crowded WHERE run = ?", run)
        return {(number, name) for number, name in rows}

    def comparable_runs(self, origin: Provenance) -> int:
        """The number of runs that a run of this provenance is compared with."""
        return sum(comparable(run.provenance) == comparable(origin) for run in self.runs())

    def remove(self, run: int) -> None:
        """Removes a run and its figures. Raises UsageError if there is none of this number."""
        if not self._rows("SELECT run FROM runs WHERE run = ?", run):
            raise UsageError(f"no run {run} in {self.path}: `autoperf history list` has the numbers")
        for table in _RUN_TABLES:
            self._database.execute(f"DELETE FROM {table} WHERE run = ?", [run])  # noqa: S608

    def _tables(self) -> set[str]:
        return {row[0] for row in self._rows("SELECT table_name FROM duckdb_tables()")}

    def _prepare(self, write: bool) -> None:
        tables = self._tables()
        if write and not tables:
            self._database.execute(_TABLES)
            self._database.execute(_LATER_TABLES + FINGERPRINT_TABLES)
            self._database.execute("INSERT INTO format VALUES (?)", [FORMAT])
            return
        version = self._rows("SELECT version FROM format") if "format" in tables else []
        if version != [(FORMAT,)]:
            self._database.close()
            raise CaseFileError(f"invalid history {self.path}: {_expected_format(version)}")
        if write:
            self._database.execute(_LATER_TABLES + FINGERPRINT_TABLES)

    def _collected(
        self, number: int, run: RunReader, describe: Callable[[Outcome], str], times: ProcessTimes | None
    ) -> tuple[list[_Row], dict[int, str]]:
        """The figures of a run, whose new cases are stored, and the fingerprints of each case's results as JSON."""
        known = {case.id: case.number for case in self._cases()}
        fresh: list[HistoryCase] = []
        rows: list[_Row] = []
        prints: dict[int, str] = {}
        for outcome in LazyOutcomes(run, samples=times is not None):
            of_outcome = list(_measured(outcome))
            if not of_outcome:
                continue
            if outcome.case not in known:
                known[outcome.case] = len(known)
                fresh.append(_case(known[outcome.case], outcome, describe))
            if outcome.results:
                prints[known[outcome.case]] = msgspec.json.encode(outcome.results).decode()
            processes = times(outcome) if times else {}
            for pass_, clock, series in of_outcome:
                of_figure = processes.get((pass_, clock))
                times_of = list(of_figure) if of_figure else None
                is_crowded = FigureWarning.CROWDED in series.warnings
                rows.append((number, known[outcome.case], pass_, clock, series.median, times_of, is_crowded))
        self._insert("cases", {name: [getattr(case, name) for case in fresh] for name in _CASE_FIELDS}, len(fresh))
        return rows, prints

    def _store(self, added: HistoryRun, digest: str, figures: Sequence[_Row], end: tuple[int, float] | None) -> None:
        row = {"file": added.file, "results": added.results, **msgspec.structs.asdict(added.provenance)}
        for table in ("figures", "crowded"):
            self._database.execute(f"DELETE FROM {table} WHERE run = ?", [added.run])  # noqa: S608
        if self._rows("SELECT run FROM runs WHERE run = ?", added.run):
            values = ", ".join(f"{name} = ?" for name in row)
            self._database.execute(f"UPDATE runs SET {values} WHERE run = ?", [*row.values(), added.run])  # noqa: S608
        else:
            row |= {"run": added.run, "digest": digest}
            marks = ", ".join("?" * len(row))
            self._database.execute(f"INSERT INTO runs ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608
        facts = msgspec.json.encode(added.facts).decode()
        self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", [added.run, facts])
        if end:
            self._database.execute("INSERT OR REPLACE INTO ends VALUES (?, ?, ?)", [added.run, *end])
        if added.reference:
            speed = msgspec.structs.astuple(added.reference)
            self._database.execute("INSERT OR REPLACE INTO speeds VALUES (?, ?, ?, ?)", [added.run, *speed])
        self._insert("figures", dict(zip(_FIGURE_FIELDS, zip(*figures, strict=True), strict=False)), len(figures))
        crowded = [row[:4] for row in figures if row[-1]]
        self._insert("crowded", dict(zip(_FIGURE_FIELDS, zip(*crowded, strict=True), strict=False)), len(crowded))

    def _insert(self, table: str, columns: dict[str, Any], count: int) -> None:
        """Inserts columns by their names."""
        if not count:
            return
        self._database.register("batch", {name: _array(values) for name, values in columns.items()})
        self._database.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch")  # noqa: S608
        self._database.unregister("batch")

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._database.execute(query, list(values)).fetchall()


def _array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """The values in an array that DuckDB reads: of numbers, or of objects such as texts and lists."""
    if isinstance(values[0], int | float):
        return np.asarray(values)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _place(name: str) -> tuple[int, str]:
    """The place of a figure's name in the order of reports; unknown names come last."""
    return (_NAMES.index(name) if name in _NAMES else len(_NAMES), name)


def _expected_format(version: Sequence[tuple[int]]) -> str:
    """The problem of a database whose table of formats has these rows, and a remedy."""
    if not version:
        return "expected a history that `autoperf history add` made, not another DuckDB database"
    made = f"its format is {version[0][0]}, and this version of autoperf reads {FORMAT}"
    if version[0][0] > FORMAT:
        return f"{made}: update autoperf"
    return f"{made}: add its run files to a new one, `autoperf history add RUN.NDJSON... --history NEW.duckdb`"


def _check_file(path: Path) -> None:
    """Raises CaseFileError for a file that is no DuckDB database."""
    if path.is_dir():
        raise CaseFileError(f"invalid history {path}: expected a file, not a folder")
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(_MAGIC_AT + len(_MAGIC))
        if head and head[_MAGIC_AT:] != _MAGIC:
            raise CaseFileError(f"invalid history {path}: expected a DuckDB database")


def _measured(outcome: Outcome) -> Iterator[tuple[str, str, Series]]:
    """The names of pass and clock of each figure, and its series."""
    for pass_, run in outcome.passes.items():
        for metric, series in run.metrics.items():
            if series.median > 0:
                yield pass_, metric.name, series


def _case(number: int, outcome: Outcome, describe: Callable[[Outcome], str]) -> HistoryCase:
    return HistoryCase(number, outcome.case, outcome.operator, outcome.category, outcome.profile, describe(outcome))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
