"""Comparisons for other programs: JUnit's XML, a comment on a pull request, and a flame graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from xml.sax.saxutils import escape as escaped
from xml.sax.saxutils import quoteattr

from autoperf.comparison.comparison import CHANGED, ComparedFigure, Gate, Unmatched, Verdict
from autoperf.comparison.different_results import described
from autoperf.comparison.documents import answer, comparison_reports, doubts
from autoperf.comparison.headlines import function_text, side_names
from autoperf.comparison.report import ComparisonReport, interval, not_lost, reading, spell
from autoperf.core.clocks import WALL, metric_named
from autoperf.core.errors import UsageError
from autoperf.core.outcome import BROKEN, Outcome, Status
from autoperf.core.texts import count
from autoperf.reports.layout import code, escape, grouped
from autoperf.reports.totals import plain_line, summarise
from autoperf.reports.units import one_line
from autoperf.summary.runs import RunReport

_ELEMENTS = ("failure", "error", "skipped")


def run_lines(report: RunReport) -> Iterator[str]:
    """A test case for each case: failed if it failed, crashed or timed out, else measured or skipped."""
    total = summarise(report.rows)
    failures = sum(getattr(total, status.value) for status in BROKEN)
    tests = f'tests="{total.asked}" failures="{failures}" errors="0" skipped="{total.skipped}"'
    yield from _suite("autoperf run", f'{tests} time="{total.seconds:.3f}"', map(_outcome_test, report.rows))


def comparison_lines(report: ComparisonReport) -> Iterator[str]:
    """A test case for each case and pass: failed if different or missing (these first) or slower.

    One without a verdict is skipped. An inconclusive gate is a test case with an error.
    """
    comparison = report.shown
    others = ((entry.case, one_line(described(entry))) for entry in comparison.differing)
    tests = [_test("different", case, 0.0, "", ("failure", words)) for case, words in others]
    tests += map(_unmatched_test, comparison.lost)
    for (case, name), members in grouped(comparison.cases, lambda figure: (figure.case, figure.pass_)).items():
        times = [figure for figure in members if metric_named(figure.clock).unit == "us"]
        # The new side's time: by the wall clock, else by another; 0 if none of the figures is a time.
        seconds = min(times, key=lambda figure: figure.clock != WALL.name).new_us / 1e6 if times else 0.0
        tests.append(_test(members[0].category, f"{case} {name}", seconds, *_ending(members)))
    tests += map(_unmatched_test, not_lost(comparison))
    if report.comparison.gate is Gate.INCONCLUSIVE:
        why = f"{Gate.INCONCLUSIVE.value}: {doubts(report.comparison)}"
        tests.insert(0, _test("autoperf compare", "gate", 0.0, why, ("error", why)))
    failed, errors, skipped = (sum(f"<{element}" in test for test in tests) for element in _ELEMENTS)
    counts = f'tests="{len(tests)}" failures="{failed}" errors="{errors}" skipped="{skipped}"'
    yield from _suite("autoperf compare", counts, tests)


def _suite(name: str, counts: str, tests: Iterable[str]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name="{name}" {counts}>\n'
    yield from tests
    yield "</testsuite>\n</testsuites>\n"


def _test(
    group: str, name: str, seconds: float, details: str, end: tuple[str, str] | None = None, *, digits: int = 9
) -> str:
    """A test that ends in an element (`failure`, `error` or `skipped`) with a message, or well."""
    names = f"classname={quoteattr(one_line(group))} name={quoteattr(one_line(name))}"
    start = f'<testcase {names} time="{seconds:.{digits}f}"'
    element, head = (end[0], f"{end[0]} message={quoteattr(end[1])}") if end else ("system-out", "system-out")
    return f"{start}><{head}>{escaped(details)}</{element}></testcase>\n"


def _outcome_test(outcome: Outcome) -> str:
    element = "skipped" if outcome.status is Status.SKIPPED else "failure"
    end = (element, one_line(f"{outcome.status.value}: {outcome.reason}"))
    details, is_measured = one_line(plain_line(outcome)), outcome.status is Status.MEASURED
    return _test(outcome.category, outcome.case, outcome.seconds, details, None if is_measured else end, digits=6)


def _unmatched_test(missing: Unmatched) -> str:
    test = " ".join(word for word in (missing.case, missing.pass_, missing.clock) if word)
    side = "either run" if missing.missing == "both" else missing.missing
    element, start = ("failure", "measured in base, ") if missing.lost else ("skipped", "")
    return _test("unmatched", test, 0.0, "", (element, f"{start}not in {side}: {one_line(missing.reason)}"))


def _ending(members: Sequence[ComparedFigure]) -> tuple[str, tuple[str, str] | None]:
    details = "\n".join(
        f"{figure.clock}: {figure.verdict.value}, {reading(figure.base_us, figure)} -> "
        f"{reading(figure.new_us, figure)}, ratio {spell(figure.ratio)} {interval(figure)}"
        for figure in members
    )
    by_verdict = grouped(sorted(members, key=lambda figure: -figure.ratio), lambda figure: figure.verdict)
    if Verdict.SLOWER in by_verdict:
        worst = by_verdict[Verdict.SLOWER][0]
        return details, ("failure", f"{metric_named(worst.clock).title} is {spell(worst.ratio)} times that of base")
    if Verdict.UNDECIDED in by_verdict:
        worst = by_verdict[Verdict.UNDECIDED][0]
        return details, ("skipped", f"{worst.clock} undecided: {spell(worst.ratio)} {interval(worst)}")
    return details, None


MARK = "<!-- autoperf gate -->"
"""The first line, by which a job finds its former comment."""
MAX_CHARACTERS = 60_000
"""GitHub accepts 65,536."""
MAX_FUNCTIONS = 10


def comment_text(report: ComparisonReport) -> str:
    """The Markdown of the comment."""
    comparison = report.comparison
    *sentences, gate = answer(comparison)
    text = f"{MARK}\n**autoperf {escape(gate)}**\n\n" + "".join(f"- {escape(each)}\n" for each in sentences)
    (listed,) = comparison_reports(report)
    functions = []
    for figure, changed in ((figure, figure.code) for figure in report.rows if figure.code):
        if figure.verdict in CHANGED:
            functions.append(f"- {escape(f'{figure.network or figure.case} {figure.pass_}')}\n")
            functions += [f"  - {code(function_text(each))}\n" for each in changed.functions[:MAX_FUNCTIONS]]
    sections = [
        ("what changed", list(chain.from_iterable(replace(table, folded=()).markdown() for table in listed.tables))),
        ("functions that changed", functions),
        ("how it was measured", [*_notes(comparison.notices), *_notes(listed.notes), *_notes(listed.asides)]),
        ("commands", [f"- {escape(label)}: {code(command)}\n" for label, command in listed.commands]),
    ]
    # Of each folded section, lines that don't fit are counted.
    for title, lines in (section for section in sections if section[1]):
        text += f"\n<details><summary>{title}</summary>\n\n"
        _, *ends = accumulate(map(len, lines), initial=len(text))
        kept = sum(end <= MAX_CHARACTERS for end in ends)
        left = len(lines) - kept
        text += "".join(lines[:kept])
        text += f"\n{count(left, 'more line doesn', 'more lines don')}'t fit here\n" if left else ""
        text += "\n</details>\n"
    return text


def _notes(texts: Iterable[str]) -> list[str]:
    return [f"- {escape(text)}\n" for text in texts if text]


SCHEMA = "https://www.speedscope.app/file-format-schema.json"
UNCHANGED = "functions that spend as many"


def speedscope_text(report: ComparisonReport) -> str:
    """Speedscope's JSON of base, new, and what new executes more and fewer. Raises UsageError without exact counts."""
    stacks = dict(_stacks(report))
    if not stacks:
        raise UsageError("no flame graph without exact counts: compare runs by --counters instructions")
    base, new = side_names(report.comparison)
    numbers = {name: at for at, name in enumerate(dict.fromkeys(frame for stack in stacks for frame in stack))}
    weights = {
        f"more in {new}": {stack: after - before for stack, (before, after) in stacks.items()},
        f"fewer in {new}": {stack: before - after for stack, (before, after) in stacks.items()},
        base: {stack: before for stack, (before, _) in stacks.items()},
        new: {stack: after for stack, (_, after) in stacks.items()},
    }
    profiles = []
    for name, of_stacks in weights.items():
        kept = {stack: weight for stack, weight in of_stacks.items() if weight > 0}
        samples = [[numbers[frame] for frame in stack] for stack in kept]
        of_all = {"type": "sampled", "name": name, "unit": "none", "startValue": 0, "endValue": sum(kept.values())}
        profiles.append({**of_all, "samples": samples, "weights": list(kept.values())})
    document = {
        "$schema": SCHEMA,
        "name": f"{new} compared with {base}, instructions",
        "exporter": "autoperf",
        "shared": {"frames": [{"name": name} for name in numbers]},
        "profiles": profiles,
    }
    return json.dumps(document)


def _stacks(report: ComparisonReport) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """The instructions of base and new by operator, case, pass, part and function; the rest of each part too."""
    for figure, changed in ((figure, figure.code) for figure in report.shown.cases if figure.code):
        path = (figure.network or figure.operator, one_line(f"{figure.inputs} ({figure.profile})"), str(figure.pass_))
        for part, (base, new) in changed.parts.items():
            of_part = [each for each in changed.functions if each.part == part]
            yield from (((*path, part, one_line(each.name)), (each.base, each.new)) for each in of_part)
            rest = base - sum(each.base for each in of_part), new - sum(each.new for each in of_part)
            yield (*path, part, UNCHANGED if rest[0] == rest[1] else one_line(f"other functions of {part}")), rest
