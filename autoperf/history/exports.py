"""A history as a Parquet file, for pandas, Polars, Spark and DuckDB."""

from __future__ import annotations

from pathlib import Path

from autoperf.core.errors import OutputError
from autoperf.core.files import atomic_path
from autoperf.history.database import first_line
from autoperf.history.store import History

_COLUMNS = """SELECT runs.run, date, release, build, revision, machine, processor, threads, controls.control,
    cases.id AS "case", operator, category, profile, inputs, pass, clock, median
FROM figures JOIN runs USING (run) JOIN cases USING (number) LEFT JOIN controls ON controls.run = runs.run
ORDER BY date, runs.run, cases.number, pass, clock"""


def write_parquet(history: History, path: Path) -> int:
    """Writes a row for each figure, a median in microseconds or a count, and returns their number.

    Raises OutputError.
    """
    import duckdb  # noqa: PLC0415 - the history has imported it

    columns = history.columns(_COLUMNS)
    # The history's own connection may not write files.
    with duckdb.connect() as memory:
        memory.register("figures", columns)
        try:
            with atomic_path(path) as temporary:
                memory.execute("COPY figures TO $file (FORMAT parquet, COMPRESSION zstd)", {"file": str(temporary)})
        except (OSError, duckdb.Error) as error:
            raise OutputError(f"can't write {path}: {first_line(error)}") from error
    return len(columns["median"])
