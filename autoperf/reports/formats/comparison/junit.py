"""A comparison as JUnit's XML, which continuous integration reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape as xml_text
from xml.sax.saxutils import quoteattr

import msgspec

from autoperf.analysis.comparison import ComparedFigure, Comparison, Unmatched, Verdict
from autoperf.core.clocks import WALL, clock_named
from autoperf.reports.comparison import ComparisonReport, not_lost
from autoperf.reports.comparison_columns import interval, reading, spell
from autoperf.reports.formats import text
from autoperf.reports.layout import grouped
from autoperf.reports.units import one_line


def lines(report: ComparisonReport) -> Iterator[str]:
    """A test case for each case and pass: failed if missing (these first) or slower, skipped without a verdict."""
    tests = list(_tests(report.shown))
    failed = sum("<failure" in test for test in tests)
    skipped = sum("<skipped" in test for test in tests)
    counts = f'tests="{len(tests)}" failures="{failed}" errors="0" skipped="{skipped}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites {counts}>\n<testsuite name="autoperf compare" {counts}>\n'
    yield from tests
    yield "</testsuite>\n</testsuites>\n"


def _tests(comparison: Comparison) -> Iterator[str]:
    yield from map(_unmatched_test, comparison.lost)
    for (case, name), members in grouped(comparison.cases, lambda figure: (figure.case, figure.pass_)).items():
        first = members[0]
        yield _test(first.category, f"{case} {name}", _seconds(members), _ending(members))
    yield from map(_unmatched_test, not_lost(comparison))


def _unmatched_test(missing: Unmatched) -> str:
    test = " ".join(word for word in (missing.case, missing.pass_, missing.clock) if word)
    side = "either run" if missing.missing == "both" else missing.missing
    element, start = ("failure", "measured in base, ") if missing.lost else ("skipped", "")
    return _test("unmatched", test, 0.0, _Ending(element, f"{start}not in {side}: {one_line(missing.reason)}"))


def _seconds(figures: Sequence[ComparedFigure]) -> float:
    """The new side's time: by the wall clock, else by another; 0 if none of the figures is a time."""
    times = [figure for figure in figures if clock_named(figure.clock).unit == "us"]
    return min(times, key=lambda figure: figure.clock != WALL.name).new_us / 1e6 if times else 0.0


class _Ending(msgspec.Struct, frozen=True):
    """The element (`failure`, `skipped` or none), its message, and the details."""

    element: str = ""
    message: str = ""
    details: str = ""


def _ending(members: Sequence[ComparedFigure]) -> _Ending:
    details = "\n".join(
        f"{figure.clock}: {figure.verdict.value}, {reading(figure.base_us, figure)} -> "
        f"{reading(figure.new_us, figure)}, ratio {spell(figure.ratio)} {interval(figure)}"
        for figure in members
    )
    verdicts = {figure.verdict for figure in members}
    if Verdict.SLOWER in verdicts:
        worst = max((figure for figure in members if figure.verdict is Verdict.SLOWER), key=lambda figure: figure.ratio)
        return _Ending(
            "failure", f"{clock_named(worst.clock).title} is {spell(worst.ratio)} times that of base", details
        )
    if verdicts == {Verdict.UNDECIDED}:
        return _Ending("skipped", "undecided", details)
    return _Ending(details=details)


def _test(group: str, name: str, seconds: float, end: _Ending) -> str:
    start = f'<testcase classname={quoteattr(one_line(group))} name={quoteattr(one_line(name))} time="{seconds:.9f}"'
    text = xml_text(end.details)
    if end.element:
        return f"{start}><{end.element} message={quoteattr(end.message)}>{text}</{end.element}></testcase>\n"
    return f"{start}><system-out>{text}</system-out></testcase>\n"


FORMAT = text(lines, sort=True)
