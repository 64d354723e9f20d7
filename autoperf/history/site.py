"""The static site of a history: a page with the answer of the last night, one for each operator, and a feed."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autoperf.history.page import step_mark
from autoperf.history.report import HistoryReport, changes_report, day
from autoperf.history.series import HistoryChange, HistoryChanges, SeriesSet
from autoperf.history.standing import AcceptedStep, ResultChange
from autoperf.history.store import HistoryRun
from autoperf.reports.html.page import Mark
from autoperf.reports.units import count, one_line

FOLDER = "operators"


@dataclass(frozen=True)
class Site:
    """The content of a site: series, changes without the accepted ones, changes of results, and what isn't judged.

    `url` is the site's address with a slash at its end, which the feed's links begin with; empty for relative ones.
    """

    sets: Sequence[SeriesSet]
    changes: HistoryChanges
    accepted: Sequence[AcceptedStep] = ()
    results: Sequence[ResultChange] = ()
    notices: Sequence[str] = ()
    url: str = ""

    @cached_property
    def runs(self) -> list[HistoryRun]:
        """All runs with series, by date."""
        return sorted((run for series in self.sets for run in series.runs), key=lambda run: run.provenance.date)

    @cached_property
    def rows(self) -> dict[str, list[tuple[SeriesSet, int]]]:
        """The series of each operator: a set and a row in it, by the names of the operators."""
        rows: dict[str, list[tuple[SeriesSet, int]]] = defaultdict(list)
        for series in self.sets:
            for row, (case, _) in enumerate(series.keys):
                rows[case.operator].append((series, row))
        return dict(sorted(rows.items(), key=lambda item: item[0].lower()))

    @cached_property
    def _marks(self) -> dict[tuple[int, str, str], list[Mark]]:
        """The marks of changes by first run of the set, case and figure."""
        marks: dict[tuple[int, str, str], list[Mark]] = defaultdict(list)
        titles = {id(each.change): each.line.title for each in self.accepted}
        for change in (*self.changes.found, *(each.change for each in self.accepted)):
            for figure in change.courses:
                mark = step_mark(change, titles.get(id(change), ""))
                marks[change.runs[0].run, change.case, figure].append(mark)
        return marks

    @cached_property
    def _results(self) -> dict[str, list[ResultChange]]:
        results: dict[str, list[ResultChange]] = defaultdict(list)
        for change in self.results:
            results[change.case.id].append(change)
        return results

    def marks(self, series: SeriesSet, row: int) -> list[Mark]:
        """The marks of a series, by run."""
        case, figure = series.keys[row]
        places = {run.run: at for at, run in enumerate(series.runs)} if case.id in self._results else {}
        others = (
            Mark(places[change.first.run], "results", f"other results since {day(change.first)}: {_words(change)}")
            for change in self._results.get(case.id, ())
            if change.first.run in places
        )
        return sorted((*self._marks.get((series.runs[0].run, case.id, figure), ()), *others), key=lambda mark: mark.run)

    @cached_property
    def newest(self) -> list[HistoryChange]:
        """The changes that the last run of their machine made certain."""
        return [change for change in self.changes.found if change.decided == change.runs[-1].provenance.date]

    @cached_property
    def answer(self) -> tuple[str, ...]:
        """The last night in sentences, the slower ones first; then what stands on the site in all."""
        night = self.runs[-1].provenance.date
        results = [change for change in self.results if change.first.provenance.date == night]
        common = [change for change in self.changes.common if change.decided == night]
        last = changes_report(self.changes._replace(found=self.newest, common=common), results, self.accepted)
        series = f"{sum(len(each.keys) for each in self.sets):,} series"
        quiet = f"Nothing new in the night of {day(self.runs[-1])}: {series} of {count(len(self.rows), 'operator')}."
        sentences = last.answer if self.newest or results or common else (quiet, *self._before(), *last.answer[1:])
        return (*sentences, *self._lost())

    def _before(self) -> Iterator[str]:
        """The changes of the last night that had any, in a sentence."""
        found = self.changes.found
        if newest := [change for change in found if change.decided == found[0].decided]:
            yield f"The newest change: {changes_report(self.changes._replace(found=newest)).answer[0]}"

    def _lost(self) -> Iterator[str]:
        """A sentence on the series that the last run lacks, though the one before has them."""
        for series in self.sets:
            if len(series.runs) > 1:
                measured = np.isfinite(series.medians[:, -2:])
                lost = {series.keys[row][0].operator for row in np.flatnonzero(measured[:, 0] & ~measured[:, 1])}
                if lost:
                    names = ", ".join(sorted(lost)[:3])
                    more = f", and {len(lost) - 3} more" if len(lost) > 3 else ""
                    yield f"The run of {day(series.runs[-1])} lacks series of {names}{more}, which the one before has."

    @property
    def report(self) -> HistoryReport:
        """All changes."""
        return changes_report(self.changes, self.results, self.accepted)


def operator_file(name: str) -> str:
    """The path of an operator's page in the site, the same in each night, on file systems that ignore case too."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower()).lstrip(".")[:80]
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    return f"{FOLDER}/{plain}.html" if plain == name != "" else f"{FOLDER}/{plain}-{digest}.html"


def case_anchor(case: str) -> str:
    """The anchor of a case on its operator's page."""
    return f"case-{case.rpartition('/')[2]}"


def _words(change: ResultChange) -> str:
    return one_line(change.difference.words_of("before", "since"))
