"""The fingerprints of results in a history: each is stored once, with the runs whose cases have it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.results import ResultPrint

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FINGERPRINT_TABLES = """
CREATE TABLE IF NOT EXISTS fingerprints (digest VARCHAR PRIMARY KEY, prints VARCHAR);
CREATE TABLE IF NOT EXISTS computed (run INTEGER, number INTEGER, digest VARCHAR);
"""
"""The results of the nights of one machine are equal bit by bit, so that one fingerprint serves all of them."""


class Fingerprints:
    """The tables of fingerprints in the database of a history; earlier versions made none."""

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
        if not self._database.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'computed'").fetchall():
            return []
        return self._database.execute("SELECT number, run, digest FROM computed").fetchall()

    def of(self, digest: str) -> tuple[ResultPrint, ...]:
        """The fingerprints of a case's results. Raises CaseFileError for invalid JSON."""
        rows = self._database.execute("SELECT prints FROM fingerprints WHERE digest = ?", [digest]).fetchall()
        try:
            return msgspec.json.decode(str(rows[0][0]) if rows else "", type=tuple[ResultPrint, ...])
        except msgspec.DecodeError as error:
            raise CaseFileError(f"invalid fingerprints {digest} in the history: {error}") from error
