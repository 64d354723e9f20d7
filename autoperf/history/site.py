"""The static site of a history: the answer of the last night, a page for each operator, and a feed."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from math import log
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import numpy as np

from autoperf.comparison.expectations import Expectations
from autoperf.core.errors import OutputError, UsageError
from autoperf.core.files import write_atomic
from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.history.page import Nights, change_courses, change_detail, span_words, step_mark
from autoperf.history.report import MAX_POINTS, blocks, changes_notices, changes_report, day, runs_report, step_words
from autoperf.history.series import HistoryChange, HistoryChanges, SeriesSet, changes, series_sets
from autoperf.history.standing import AcceptedStep, ResultChange, accepted_steps, result_changes, without_fingerprints
from autoperf.history.store import History, HistoryRun
from autoperf.reports.columns import Column, fact
from autoperf.reports.html.page import Detail, Mark, Page, PageTable, Tile, render
from autoperf.reports.layout import grouped
from autoperf.reports.units import first_of, one_line
from autoperf.summary.page import page_table

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
        every = ((series, row) for series in self.sets for row in range(len(series.keys)))
        rows = grouped(every, lambda each: each[0].keys[each[1]][0].operator)
        return dict(sorted(rows.items(), key=lambda item: item[0].lower()))

    @cached_property
    def _marks(self) -> dict[tuple[int, str, str], list[Mark]]:
        # By first run of the set, case and figure.
        marks: dict[tuple[int, str, str], list[Mark]] = defaultdict(list)
        titles = {id(each.change): each.line.title for each in self.accepted}
        for change in (*self.changes.found, *(each.change for each in self.accepted)):
            for figure in change.courses:
                marks[change.runs[0].run, change.case.id, figure].append(step_mark(change, titles.get(id(change), "")))
        return marks

    @cached_property
    def _results(self) -> dict[str, list[ResultChange]]:
        return grouped(self.results, lambda change: change.case.id)

    def marks(self, series: SeriesSet, row: int) -> list[Mark]:
        """The marks of a series, by run."""
        case, figure = series.keys[row]
        places = {run.run: at for at, run in enumerate(series.runs)} if case.id in self._results else {}
        others = (
            Mark(places[each.first.run], "results", one_line(f"other results since {day(each.first)}: {each.words}"))
            for each in self._results.get(case.id, ())
            if each.first.run in places
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
        sentences = [*last.answer]
        if not self.newest and not results and not common:
            series = f"{sum(len(each.keys) for each in self.sets):,} series of {count(len(self.rows), 'operator')}"
            sentences[:1] = [f"Nothing new in the night of {day(self.runs[-1])}: {series}."]
            found = self.changes.found
            if newest := [change for change in found if change.decided == found[0].decided]:
                before = changes_report(self.changes._replace(found=newest))
                sentences.insert(1, f"The newest change: {before.answer[0]}")
        for each in (each for each in self.sets if len(each.runs) > 1):
            # The series that the last run lacks, though the one before has them.
            measured = np.isfinite(each.medians[:, -2:])
            if lost := {each.keys[row][0].operator for row in np.flatnonzero(measured[:, 0] & ~measured[:, 1])}:
                names = ", ".join(first_of(sorted(lost), 3))
                sentences.append(f"The run of {day(each.runs[-1])} lacks series of {names}, which the one before has.")
        return tuple(sentences)


def operator_file(name: str) -> str:
    """The path of an operator's page in the site, the same in each night, on file systems that ignore case too."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower()).lstrip(".")[:80]
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    return f"{FOLDER}/{plain}.html" if plain == name != "" else f"{FOLDER}/{plain}-{digest}.html"


def case_anchor(case: str) -> str:
    """The anchor of a case on its operator's page."""
    return f"case-{case.rpartition('/')[2]}"


MAX_BYTES = 950_000
MIN_NIGHTS = 60
MAX_ROWS = 2000
MAX_BLOCKS = 4
_HIDDEN = ("case", "build", "decided", "high", "weekly", "machine_ratio", "control", "category", "command")
_FILTERS = ("profile", "figure", "evidence", "category")
_NUMBERS = ("cases", "series", "slower", "faster")
_OPERATOR_COLUMNS: tuple[Column[Any], ...] = (
    *(fact(name, itemgetter(name)) for name in ("operator", "category")),
    *(Column(name, name, itemgetter(name)) for name in _NUMBERS),
    fact("newest change", itemgetter("newest")),
    fact(f"last {MAX_POINTS} runs", itemgetter("course")),
)
"""Of an operator in the list; its course is relative to its level."""


def site_files(site: Site) -> Iterator[tuple[str, str]]:
    """The path and the text of each file, the first page last, so that its links lead somewhere."""
    longest = max(len(series.runs) for series in site.sets)
    for name, rows in site.rows.items():
        yield operator_file(name), _fitting(partial(_operator, site, name), longest, len(rows))
    yield "feed.xml", _feed_text(site)
    yield "index.html", _fitting(partial(_index, site), MIN_NIGHTS, MAX_ROWS)


def _fitting(made: Callable[[int, int], Page], nights: int, parts: int) -> str:
    """The page, of fewer nights, and then of fewer parts, where it would be too large."""
    text = render(made(nights, parts))
    while len(text) > MAX_BYTES and parts > 1:
        share = 0.9 * MAX_BYTES / len(text)
        if nights > MIN_NIGHTS:
            nights = max(MIN_NIGHTS, int(nights * share))
        else:
            parts = max(1, int(parts * share))
        text = render(made(nights, parts))
    return text


def _operator(site: Site, name: str, nights: int, parts: int) -> Page:
    """The page of an operator: its changes in sentences, and the course of each series by case."""
    found = [change for change in site.changes.found if change.case.operator == name]
    accepted = [each for each in site.accepted if each.change.case.operator == name]
    results = [change for change in site.results if change.case.operator == name]
    report = changes_report(site.changes._replace(found=found, runs=0), results, accepted)
    known = Nights(nights)
    details = sorted(
        _details(site, site.rows[name], known),
        key=lambda detail: max((mark.run for line in detail.courses for mark in line.marks), default=-1),
        reverse=True,
    )
    table = page_table("Changes", report.columns, found, hidden=(*_HIDDEN, "operator"))
    # What the page has no room for.
    longest, left_out = max(len(series.runs) for series, _ in site.rows[name]), max(0, len(details) - parts)
    command = f"`autoperf history show --operator {name}` has all"
    notes = [f"The charts have the last {nights} of {longest} runs; {command}."] if longest > nights else []
    if left_out:
        notes.append(f"{count(left_out, 'case')} whose changes are older, if there are any, have no chart; {command}.")
    return Page(
        title=name,
        subtitle=f"{count(len(details), 'case')} over time, the newest change first",
        answer=tuple(report.answer),
        tiles=(*_change_tiles(found), Tile("series", str(len(site.rows[name])))),
        notes=tuple(notes),
        blocks_title="Series",
        blocks=tuple(details[:parts]),
        nights=tuple(known.sets),
        tables=(table,) if found else (),
        links=(("All operators", "../index.html"),),
        feed="../feed.xml",
    )


def _details(site: Site, rows: Sequence[tuple[SeriesSet, int]], nights: Nights) -> Iterator[Detail]:
    """The series of each case; where there are several releases or machines, each case names its own."""
    is_one = len({id(series) for series, _ in rows}) == 1
    for members in grouped(rows, lambda each: (id(each[0]), each[0].keys[each[1]][0])).values():
        series = members[0][0]
        case, _ = series.keys[members[0][1]]
        provenance = series.runs[0].provenance
        origin = "" if is_one else f", {release_title(provenance.release)} on {provenance.machine}"
        courses = (
            nights.course(series.keys[row][1], series.medians[row].tolist(), series.runs, site.marks(series, row))
            for _, row in members
        )
        title = one_line(f"{': '.join(filter(None, (case.profile, case.inputs)))}{origin}")
        yield Detail(title=title, anchor=case_anchor(case.id), courses=tuple(courses))


def _change_tiles(found: Sequence[HistoryChange]) -> Iterator[Tile]:
    slower = sum(change.ratio > 1 for change in found)
    yield Tile("became slower", str(slower), "bad" if slower else "")
    yield Tile("became faster", str(len(found) - slower), "good" if len(found) > slower else "")


def _index(site: Site, _: int, rows: int) -> Page:
    """The first page: the last night, its findings as charts, all operators, regressions, improvements, and runs."""
    nights = Nights()
    found = site.changes.found
    newest = sorted(found, key=lambda change: (change.decided, change.ratio > 1, abs(log(change.ratio))), reverse=True)
    by_night = grouped(newest, lambda change: (change.case.operator, change.first.run)).values()
    charts = []
    for change in (changed[0] for changed in islice(by_night, MAX_BLOCKS)):
        title = one_line(f"{change.case.operator} {change.figure}: {change.case.inputs}")
        detail = change_detail(title, change, change_courses(change, nights))
        charts.append(msgspec.structs.replace(detail, address=_address(change)))
    tables = [each for each in _tables(site, rows) if each.rows]
    left_out = f"Tables have the newest {rows} rows; `autoperf history changes` and `list` have all."
    return Page(
        title="Operator benchmarks over time",
        subtitle=f"{count(len(site.runs), 'run')} from {day(site.runs[0])} to {day(site.runs[-1])}",
        answer=site.answer,
        tiles=tuple(_tiles(site)),
        notes=(*site.notices, *([left_out] if max(len(site.runs), len(found)) > rows else [])),
        facts=tuple((release_title(each.runs[0].provenance.release), span_words(each.runs)) for each in site.sets),
        tables=tuple(tables),
        blocks_title="Newest changes",
        blocks=tuple(charts),
        nights=tuple(nights.sets),
        links=(("Feed", "feed.xml"),),
        feed="feed.xml",
    )


def _tiles(site: Site) -> Iterator[Tile]:
    yield from _change_tiles(site.changes.found)
    if site.accepted:
        yield Tile("accepted", str(len(site.accepted)))
    if site.results:
        yield Tile("other results", str(len(site.results)), "bad")
    yield Tile("operators", str(len(site.rows)))
    yield Tile("series", f"{sum(len(each.keys) for each in site.sets):,}")
    yield Tile("runs", str(len(site.runs)))


def _address(change: HistoryChange) -> str:
    return f"{operator_file(change.case.operator)}#{case_anchor(change.case.id)}"


def _tables(site: Site, limit: int) -> Iterator[PageTable]:
    """The tables of the first page, each of so many rows at most."""
    changed = grouped(site.changes.found, lambda change: change.case.operator)
    operators = []
    for name, rows in site.rows.items():
        own, cases = changed.get(name, []), {case.id: case for case, _ in (series.keys[row] for series, row in rows)}
        slower = sum(change.ratio > 1 for change in own)
        numbers = dict(zip(_NUMBERS, (len(cases), len(rows), slower, len(own) - slower), strict=True))
        texts = {"category": next(iter(cases.values())).category, "newest": step_words(own[0]) if own else ""}
        operators.append({"operator": name, **texts, **numbers, "course": _course(rows)})
    table = page_table("Operators", _OPERATOR_COLUMNS, operators, filters=("category",))
    yield _linked(table, map(operator_file, site.rows))
    columns = changes_report(site.changes).columns
    for title, is_slower in (("Regressions", True), ("Improvements", False)):
        found = [change for change in site.changes.found if (change.ratio > 1) is is_slower][:limit]
        table = page_table(title, columns, found, hidden=_HIDDEN, filters=_FILTERS)
        yield _linked(table, map(_address, found))
    accepted = page_table("Accepted", _ACCEPTED_COLUMNS, site.accepted)
    yield _linked(accepted, (_address(each.change) for each in site.accepted))
    runs = runs_report(list(reversed(site.runs))[:limit])
    yield page_table("Runs", runs.columns, runs.rows, hidden=_HIDDEN)


_ACCEPTED_COLUMNS: tuple[Column[AcceptedStep], ...] = (
    *(fact(name, attrgetter(f"change.case.{name}")) for name in ("operator", "inputs")),
    fact("change", lambda each: step_words(each.change)),
    fact("accepted", lambda each: each.line.title),
)


def _linked(table: PageTable, addresses: Iterable[str]) -> PageTable:
    rows = tuple(((address, str(row[0])), *row[1:]) for address, row in zip(addresses, table.rows, strict=True))
    return msgspec.structs.replace(table, rows=rows)


def _course(rows: Sequence[tuple[SeriesSet, int]]) -> str:
    """The geometric mean of the series of the operator's longest set, each relative to its median, as blocks."""
    longest = max((series for series, _ in rows), key=lambda series: len(series.runs))
    logs = np.log(longest.medians[[row for series, row in rows if series is longest], -MAX_POINTS:])
    present = np.isfinite(logs)
    relative = np.where(present, logs - np.nanmedian(logs, axis=1, keepdims=True), 0.0)
    counted = present.sum(axis=0)
    means = relative.sum(axis=0) / np.maximum(counted, 1)
    return blocks([float(np.exp(mean)) if some else np.nan for mean, some in zip(means, counted, strict=True)])


ATOM = "http://www.w3.org/2005/Atom"
MAX_ENTRIES = 40
XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def _feed_text(site: Site) -> str:
    # Sentences by the night in which they became certain, the date of a run.
    nights: dict[str, list[str]] = defaultdict(list)
    for other in site.results:
        nights[other.first.provenance.date].append(one_line(f"{other.case.operator} computes something else"))
    for change in site.changes.found:
        name = f"{change.case.operator} {change.figure} ({change.case.inputs})"
        nights[change.decided].append(one_line(f"{name}: {step_words(change)}"))
    first = site.runs[0].provenance
    # The history's name: ids stay the same from night to night, and differ between histories.
    key = f"{first.machine} {first.release} {first.date}"
    feed = ET.Element("feed", xmlns=ATOM)
    _add(feed, "title", "Operator benchmarks over time")
    _add(feed, "id", _id(key))
    _add(feed, "updated", site.runs[-1].provenance.date)
    ET.SubElement(feed, "link", href=f"{site.url}index.html")
    ET.SubElement(feed, "link", href=f"{site.url}feed.xml", rel="self")
    _add(ET.SubElement(feed, "author"), "name", "autoperf")
    for night in sorted(nights, reverse=True)[:MAX_ENTRIES]:
        sentence, *others = nights[night]
        entry = ET.SubElement(feed, "entry")
        _add(entry, "title", f"{sentence} and {len(others)} more" if others else sentence)
        _add(entry, "id", _id(f"{key} {night}"))
        _add(entry, "updated", night)
        ET.SubElement(entry, "link", href=f"{site.url}index.html")
        _add(entry, "content", "\n".join(nights[night]), type="text")
    return f"{XML_HEAD}{ET.tostring(feed, encoding='unicode')}\n"


def _add(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = text


def _id(name: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"autoperf history {name}").urn


_MARK = '<meta name="generator" content="autoperf">'


def write_site(
    folder: Path, history: History, expectations: Expectations, url: str = ""
) -> tuple[int, tuple[str, ...]]:
    """Writes the site of a history; the number of its pages, and the answer of the last night.

    Raises UsageError for a history without series, or a folder with another site, and OutputError.
    """
    index = folder / "index.html"
    if index.exists() and _MARK not in index.read_text(encoding="utf-8", errors="replace")[:2000]:
        # It would be lost.
        raise UsageError(f"{index} isn't of a site that autoperf made: name another folder")
    sets = list(series_sets(history))
    if not sets:
        raise UsageError(f"{history.path} has no measurements: `autoperf history add` adds runs")
    listed, results = changes(history, sets=sets), result_changes(history)
    accepted = accepted_steps(listed.found, expectations)
    site = Site(
        sets=sets,
        changes=listed.without([each.change for each in accepted]),
        accepted=accepted,
        results=[change for change in results if not expectations.allows(change.case.operator)],
        notices=tuple(filter(None, (*changes_notices(listed), without_fingerprints(history)))),
        url=f"{url.rstrip('/')}/" if url else "",
    )
    written = 0
    try:
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        for path, text in site_files(site):
            write_atomic(folder / path, text)
            written += path.endswith(".html")
    except OSError as error:
        raise OutputError(f"can't write {error.filename or folder}: {error.strerror}") from error
    return written, site.answer
