"""A run as JUnit's XML: a test case for each case, failed where it failed, crashed or timed out."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from autoperf.core.outcome import Outcome, Status
from autoperf.reports.formats import text
from autoperf.reports.plain_line import plain_line
from autoperf.reports.runs import RunReport
from autoperf.reports.summary import BROKEN, summarise
from autoperf.reports.units import one_line


def lines(report: RunReport) -> Iterator[str]:
    """One suite; a measured case has its figures as output, a skipped one its reason."""
    total = summarise(report.rows)
    failures = sum(getattr(total, status.value) for status in BROKEN)
    tests = f'tests="{total.asked}" failures="{failures}" errors="0" skipped="{total.skipped}"'
    counts = f'{tests} time="{total.seconds:.3f}"'
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name="autoperf run" {counts}>\n'
    yield from map(_test, report.rows)
    yield "</testsuite>\n</testsuites>\n"


def _test(outcome: Outcome) -> str:
    name = quoteattr(one_line(outcome.case))
    start = f'<testcase classname={quoteattr(one_line(outcome.category))} name={name} time="{outcome.seconds:.6f}">'
    return f"{start}{_ending(outcome)}</testcase>\n"


def _ending(outcome: Outcome) -> str:
    line = escape(one_line(plain_line(outcome)))
    if outcome.status is Status.MEASURED:
        return f"<system-out>{line}</system-out>"
    element = "skipped" if outcome.status is Status.SKIPPED else "failure"
    message = quoteattr(one_line(f"{outcome.status.value}: {outcome.reason}"))
    return f"<{element} message={message}>{line}</{element}>"


FORMAT = text(lines, sort=True)
