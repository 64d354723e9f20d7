"""The nights since which cases compute something else, by the fingerprints of results that a history keeps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from autoperf.core.results import ResultDifference
from autoperf.equality.fingerprint import prints_difference
from autoperf.history.store import History, HistoryCase, HistoryRun


class ResultChange(NamedTuple):
    """A case that computes something else since the run `first`; `last` is the run before that has its fingerprint."""

    case: HistoryCase
    difference: ResultDifference
    first: HistoryRun
    last: HistoryRun


def result_changes(history: History, since: str = "") -> list[ResultChange]:
    """The changes of results in runs of one release, on whichever machines, dated `since` or later; the newest first.

    Each run is compared with the one before that has the case's fingerprint, within the tolerance of rounding.
    """
    cases = {case.number: case for case in history.cases()}

    @lru_cache(maxsize=1024)
    def difference(base: str, new: str) -> ResultDifference | None:
        return prints_difference(history.fingerprints.of(base), history.fingerprints.of(new))

    found = [
        ResultChange(cases[number], different, first, last)
        for number, (last, was), (first, now) in _consecutive(history)
        if was != now and first.provenance.date >= since and (different := difference(was, now))
    ]
    return sorted(found, key=lambda change: change.first.provenance.date, reverse=True)


def _consecutive(history: History) -> Iterator[tuple[int, tuple[HistoryRun, str], tuple[HistoryRun, str]]]:
    """The number of a case with each two runs of a release that follow each other, and the digests of its results."""
    runs = {run.run: run for run in history.runs()}
    rows = [(number, runs[run], digest) for number, run, digest in history.fingerprints.computed()]
    rows.sort(key=lambda row: (row[0], row[1].provenance.release, row[1].provenance.date, row[1].run))
    for (number, _), members in groupby(rows, lambda row: (row[0], row[1].provenance.release)):
        for before, after in pairwise(members):
            yield number, before[1:], after[1:]


def without_fingerprints(history: History) -> str:
    """A note on the runs whose results aren't compared; empty if there are none."""
    runs = history.runs()
    lacking = len(runs) - len({run for _, run, _ in history.fingerprints.computed()})
    if not lacking:
        return ""
    which = "the run has" if len(runs) == 1 else f"{lacking} of {len(runs)} runs have"
    return f"{which} no fingerprints of results, which earlier versions didn't keep: what they compute isn't compared"
