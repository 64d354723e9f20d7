"""The history of runs: an embedded DuckDB database of their medians, and runs that wait for their turn to be added."""

from __future__ import annotations

import datetime as dt
import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from autoperf.core.clocks import METRICS
from autoperf.core.errors import AutoperfError, CaseFileError, OutputError, UsageError
from autoperf.core.files import NDJSON, atomic_path
from autoperf.core.machine import Reference
from autoperf.core.outcome import PASSES
from autoperf.core.texts import count
from autoperf.history import database
from autoperf.history.steps import MIN_RUNS
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import METHOD_FACT, Provenance, facts_of, provenance_of

FIGURES = {f"{pass_} {clock.name}": (pass_, clock) for pass_ in PASSES for clock in METRICS}
"""The pass and the clock of each figure, in the order of reports."""
_RUN_TABLES = ("figures", "runs", "facts", "crowded", "ends", "speeds", "computed", "controls", "counted")
_ORIGIN = tuple(field.name for field in msgspec.structs.fields(Provenance))
_RUNS = f"""SELECT runs.run, file, results, CASE WHEN facts.run IS NULL THEN '{{}}' ELSE facts.facts END, control,
    counted.run IS NOT NULL, probe, us, measured, {", ".join(_ORIGIN)}
FROM runs LEFT JOIN facts USING (run) LEFT JOIN controls USING (run) LEFT JOIN counted USING (run)
    LEFT JOIN speeds USING (run)
ORDER BY date, runs.run"""  # noqa: S608 - the names of fields
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class HistoryRun(msgspec.Struct, frozen=True):
    """A run in a history: its number there, its file's name when it was added, its results, and its provenance.

    `facts` are those that may change measurements, by name. `reference` is the machine's reference speed, the
    slowest of several machines; None if it isn't known. `control` is the number of the run of a build that never
    changes, measured beside; `counts_exactly`: by valgrind.
    """

    run: int
    file: str
    results: int
    provenance: Provenance
    facts: dict[str, str] = {}
    reference: Reference | None = None
    control: int | None = None
    counts_exactly: bool = False


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
        """Opens the database, and with `write` makes a new one; waits while another process writes.

        Raises OutputError and CaseFileError, LockedError after a minute, and UsageError without DuckDB.
        """
        self.path = path
        if not write and not path.exists():
            raise CaseFileError(f"can't read {path}: there is no such history; `autoperf history add` makes one")
        self._opened = database.connect(path, write=write)
        self._database, self._error = self._opened.connection, self._opened.error
        self.fingerprints = database.Fingerprints(self._database)

    def __enter__(self) -> History:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with suppress(self._error):
            if error and self._opened.is_new and not self.runs():
                # Of a refused run. Before the lock ends, so that no other process has added to it.
                self.path.unlink(missing_ok=True)
        self._opened.close()
        # Blocks are read when they are needed, so damage is noticed late.
        if isinstance(error, self._error):
            raise CaseFileError(f"can't read the history {self.path}: {database.first_line(error)}") from error

    def add(self, run: RunReader, control: RunReader | None = None) -> HistoryRun | None:
        """Adds the measured figures of a run; None if they are there already.

        While comparable runs are too few for steps, the times of processes are stored too. A run that went on since it
        was added keeps its number. The `control`, of a build that never changes, was measured beside, and is added too.
        Raises UsageError for a run without figures, OutputError if the database can't be written.
        """
        key = comparable(provenance_of(run.header, run.machines))
        is_short = sum(comparable(each.provenance) == key for each in self.nightly_runs()) < MIN_RUNS
        with self._transaction():
            if control is None:
                return self._added(run, with_times=is_short)
            self._added(control, with_times=False)
            added, numbers = self._added(run, with_times=is_short), [self._number(each) for each in (run, control)]
            if numbers[0] == numbers[1]:
                raise UsageError(f"{run.path} can't be its own control: measure a build that never changes beside it")
            self._database.execute("INSERT OR REPLACE INTO controls VALUES (?, ?)", numbers)
            return added and msgspec.structs.replace(added, control=numbers[1])

    def _number(self, run: RunReader) -> int | None:
        rows = self._rows("SELECT run FROM runs WHERE digest = ?", hashlib.sha256(run.identity).hexdigest())
        return int(rows[0][0]) if rows else None

    def _added(self, run: RunReader, *, with_times: bool) -> HistoryRun | None:
        stored = self._number(run)
        number = int(self._rows("SELECT coalesce(max(run) + 1, 1) FROM runs")[0][0]) if stored is None else stored
        end = (run.end.measured, run.end.seconds) if run.end else None
        if stored and end and self._rows("SELECT measured, seconds FROM ends WHERE run = ?", number) == [end]:
            return None
        rows = database.run_rows(number, run, {case.id: case.number for case in self._cases()}, with_times=with_times)
        results = len({row[1] for row in rows.figures})
        before = self._rows("SELECT results FROM runs WHERE run = ?", number)
        figures = self._rows("SELECT number, pass, clock, median FROM figures WHERE run = ?", number) if stored else []
        # Later visits of a run change its figures, and add none.
        if stored and (results < before[0][0] or sorted(figures) == sorted(row[1:5] for row in rows.figures)):
            return None
        if not results:
            raise UsageError(f"{run.path} has no figures: nothing is added to {self.path}")
        known = {METHOD_FACT: run.header.method, **facts_of(run.machines)}
        facts = {name: str(value) for name, value in known.items() if value is not None}
        references = [machine.reference for machine in run.machines if machine.reference]
        slowest = max(references, key=lambda each: each.us, default=None)
        added = HistoryRun(
            number, run.path.name, results, provenance_of(run.header, run.machines), facts, slowest,
            counts_exactly=rows.counted,
        )  # fmt: skip
        self._store(added, hashlib.sha256(run.identity).hexdigest(), rows, end)
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
                raise OutputError(f"can't write {self.path}: {database.first_line(error)}") from error
            raise

    def runs(self) -> list[HistoryRun]:
        """The runs by date. Raises CaseFileError for values that autoperf doesn't write."""
        found = []
        for run, file, results, facts, control, counted, probe, us, measured, *origin in self._rows(_RUNS):
            try:
                known = msgspec.json.decode(str(facts), type=dict[str, str])
                reference = Reference(probe, us, measured) if probe else None
                provenance = msgspec.convert(dict(zip(_ORIGIN, origin, strict=True)), Provenance)
                dt.datetime.fromisoformat(provenance.date)
            except ValueError as error:
                raise CaseFileError(f"invalid run {run} in the history {self.path}: {error}") from error
            found.append(HistoryRun(run, file, results, provenance, known, reference, control, counted))
        return found

    def nightly_runs(self) -> list[HistoryRun]:
        """The runs by date, without those of controls, which are compared with nothing."""
        runs = self.runs()
        controls = {run.control for run in runs}
        return [run for run in runs if run.run not in controls]

    def cases(self) -> list[HistoryCase]:
        """The cases with figures, by number."""
        return self._cases("WHERE number IN (SELECT number FROM figures)")

    def _cases(self, condition: str = "") -> list[HistoryCase]:
        rows = self._rows(f"SELECT {', '.join(database.CASE_FIELDS)} FROM cases {condition} ORDER BY number")  # noqa: S608
        return [HistoryCase(*row) for row in rows]

    def figures(self, cases: Sequence[int] | None = None, runs: Sequence[int] | None = None) -> HistoryFigures:
        """The figures of these cases, or of all; in these runs, or in all."""
        found = [name for (name,) in self._rows("SELECT DISTINCT pass || ' ' || clock FROM figures")]
        # In the order of reports; unknown names come last.
        names = tuple(name for name in dict.fromkeys((*FIGURES, *sorted(found))) if name in found)
        query = (
            "SELECT run, number, list_position(?::VARCHAR[], pass || ' ' || clock) - 1 AS figure, median FROM figures "
            "WHERE (? IS NULL OR list_contains(?, number)) AND (? IS NULL OR list_contains(?, run))"
        )
        chosen = [None if each is None else list(each) for each in (cases, runs)]
        columns = self.columns(query, list(names), *(value for each in chosen for value in (each, each)))
        run, number, figure = (np.asarray(columns[name], dtype=np.int64) for name in ("run", "number", "figure"))
        return HistoryFigures(run, number, figure, np.asarray(columns["median"], dtype=np.float64), names)

    def columns(self, query: str, *values: object) -> dict[str, npt.NDArray[Any]]:
        """The columns that a query selects, by name."""
        return self._database.execute(query, list(values)).fetchnumpy()

    def process_times(self, run: int) -> dict[tuple[int, str], list[float]]:
        """The stored times of the processes of a run's figures, by case and name of the figure."""
        query = "SELECT number, pass || ' ' || clock, times FROM figures WHERE run = ? AND times IS NOT NULL"
        return {(number, name): times for number, name, times in self._rows(query, run)}

    def crowded(self, run: int) -> set[tuple[int, str]]:
        """The figures of a run beside which other programs had the processor, by case and name of the figure."""
        return set(self._rows("SELECT number, pass || ' ' || clock FROM crowded WHERE run = ?", run))

    def remove(self, run: int) -> None:
        """Removes a run and its figures. Raises UsageError if there is none of this number."""
        if not self._rows("SELECT run FROM runs WHERE run = ?", run):
            raise UsageError(f"no run {run} in {self.path}: `autoperf history list` has the numbers")
        with self._transaction():
            for table in _RUN_TABLES:
                self._database.execute(f"DELETE FROM {table} WHERE run = ?", [run])  # noqa: S608
            self._database.execute("DELETE FROM controls WHERE control = ?", [run])

    def _store(self, added: HistoryRun, digest: str, rows: database.RunRows, end: tuple[int, float] | None) -> None:
        row = {"file": added.file, "results": added.results, **msgspec.structs.asdict(added.provenance)}
        for table in ("figures", "crowded", "counted"):
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
        if added.counts_exactly:
            self._database.execute("INSERT INTO counted VALUES (?)", [added.run])
        self._insert("cases", database.CASE_FIELDS, rows.cases)
        self._insert("figures", database.FIGURE_FIELDS, rows.figures)
        self._insert("crowded", database.FIGURE_FIELDS, [row[:4] for row in rows.figures if row[-1]])
        self.fingerprints.store(added.run, rows.prints)

    def _insert(self, table: str, fields: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self._database.register("batch", database.columns_of(fields, rows))
            self._database.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch")  # noqa: S608
            self._database.unregister("batch")

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._database.execute(query, list(values)).fetchall()


_COLUMNS = """SELECT runs.run, date, release, build, revision, machine, processor, threads, controls.control,
    cases.id AS "case", operator, category, profile, inputs, pass, clock, median
FROM figures JOIN runs USING (run) JOIN cases USING (number) LEFT JOIN controls ON controls.run = runs.run
ORDER BY date, runs.run, cases.number, pass, clock"""


def write_parquet(history: History, path: Path) -> int:
    """Writes a row for each figure, a median in microseconds or a count; their number. Raises OutputError."""
    import duckdb  # noqa: PLC0415 - the history has imported it

    columns = history.columns(_COLUMNS)
    # The history's own connection may not write files.
    with duckdb.connect() as memory:
        memory.register("figures", columns)
        try:
            with atomic_path(path) as temporary:
                memory.execute("COPY figures TO $file (FORMAT parquet, COMPRESSION zstd)", {"file": str(temporary)})
        except (OSError, duckdb.Error) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else database.first_line(error)
            raise OutputError(f"can't write {path}: {reason}") from error
    return len(columns["median"])


_CONTROL = f".control{NDJSON}"


def add_runs(history: Path, runs: Sequence[Path], control: Path | None) -> Iterator[str]:
    """Adds each run, and those that wait; yields what became of each. Raises what reading and adding do.

    While another process has the history open for a minute, runs are put beside it and added later.
    """
    with ExitStack() as stack:
        beside = stack.enter_context(RunReader(control)) if control else None
        opened: History | None = None
        for path in runs:
            with RunReader(path) as run:
                try:
                    # After the first run: one that can't be read leaves no empty history behind.
                    opened = opened or stack.enter_context(History(history, write=True))
                except database.LockedError:
                    yield f"{path}: waits in {put(history, run, beside)}, since another process has the history open"
                    continue
                added = opened.add(run, beside)
                yield from run.notices
            yield f"{path}: " + (f"run {added.run}, {count(added.results, 'case')}" if added else "there already")
        if opened:
            yield from take_in(opened)


def incoming(history: Path) -> Path:
    """The folder of the runs that wait: `history.duckdb.incoming`."""
    # Not `with_name`, which raises for a path without a name, such as a folder's `.`.
    return history.parent / f"{history.name}.incoming"


def put(history: Path, run: RunReader, control: RunReader | None = None) -> Path:
    """Copies a run, and its control before it, to the runs that wait. Raises OutputError."""
    folder = incoming(history)
    name = hashlib.sha256(run.identity).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each, suffix in ((control, _CONTROL), (run, NDJSON)):
            if each:
                with atomic_path(folder / f"{name}{suffix}") as temporary:
                    shutil.copyfile(each.path, temporary)
    except OSError as error:
        raise OutputError(f"can't write {folder}: {error.strerror}") from error
    return folder / f"{name}{NDJSON}"


def waiting(history: Path) -> list[Path]:
    """The run files that wait, without their controls."""
    return [path for path in sorted(incoming(history).glob(f"*{NDJSON}")) if not path.name.endswith(_CONTROL)]


def take_in(history: History) -> Iterator[str]:
    """Adds the runs that wait, and removes their files; a notice for each, also for one that can't be read."""
    for path in waiting(history.path):
        control = path.with_name(f"{path.stem}{_CONTROL}")
        try:
            with ExitStack() as stack:
                run = stack.enter_context(RunReader(path))
                beside = stack.enter_context(RunReader(control)) if control.exists() else None
                added = history.add(run, beside)
        except AutoperfError as error:
            yield f"{path} waits, and can't be added: {error}"
            continue
        for each in (path, control):
            each.unlink(missing_ok=True)
        yield f"{path.name}: run {added.run}, which waited" if added else f"{path.name} waited, and is there already"


@contextmanager
def reading(history: Path, tell: Callable[[list[str]], None]) -> Iterator[History]:
    """An open history, to which the runs that wait have been added; `tell` gets notices of them."""
    if number := len(waiting(history)):
        try:
            with History(history, write=True) as opened:
                tell(list(take_in(opened)))
        except OutputError as error:
            tell([f"{count(number, 'run')} {'waits' if number == 1 else 'wait'} in {incoming(history)}: {error}"])
    with History(history) as opened:
        yield opened
