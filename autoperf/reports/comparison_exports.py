"""A comparison for other programs and for pull requests: JSON, CSV, Markdown and JUnit."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape as xml_text
from xml.sax.saxutils import quoteattr

import msgspec

from autoperf.analysis.comparison import CHANGED, Compared, Comparison, Verdict
from autoperf.reports.comparison import interval, ranked, sentence, spell, without_partner
from autoperf.reports.layout import grouped, listed
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.units import duration, one_line

_COLUMNS = (
    ("verdict", False),
    ("case", False),
    ("inputs", False),
    ("pass", False),
    ("clock", False),
    ("base", True),
    ("new", True),
    ("ratio", True),
    ("95% interval", True),
)
CSV_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Compared))


def only_changed(found: Comparison) -> Comparison:
    """The same with the figures alone that are faster or slower; the summary still counts all."""
    kept = tuple(one for one in found.cases if one.verdict in CHANGED)
    return msgspec.structs.replace(found, cases=kept)


def to_json(found: Comparison) -> str:
    """One document, a figure a line: `cases`, `unmatched` and `summary` first, then what they were made from."""
    parts = msgspec.structs.asdict(found)
    order = (
        "cases",
        "unmatched",
        "summary",
        *(name for name in parts if name not in ("cases", "unmatched", "summary")),
    )
    return "{" + ",\n".join(f'"{name}": {_json(parts[name])}' for name in order) + "}\n"


def to_csv(found: Comparison) -> str:
    """A row for each figure under the names of the JSON; what has no partner is not in it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for one in found.cases:
        writer.writerow(msgspec.to_builtins(one).values())
    return text.getvalue()


def to_markdown(found: Comparison, *, brief: bool = False) -> str:
    """For a pull request: the sum, what changed, and the rest folded away; `brief` leaves the rest out."""
    return "".join(_markdown(found, brief))


def to_junit(found: Comparison) -> str:
    """A test case for each case and pass: failed where a clock got slower, skipped where there is no verdict."""
    tests = list(_tests(found))
    failed = sum("<failure" in test for test in tests)
    skipped = sum("<skipped" in test for test in tests)
    counts = f'tests="{len(tests)}" failures="{failed}" errors="0" skipped="{skipped}"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites {counts}>\n<testsuite name="autoperf compare" {counts}>\n'
        f"{''.join(tests)}</testsuite>\n</testsuites>\n"
    )


def _json(value: object) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
        return "[\n" + ",\n".join(msgspec.json.encode(one).decode() for one in value) + "\n]"
    return msgspec.json.encode(value).decode()


def _markdown(found: Comparison, brief: bool) -> Iterator[str]:
    total = found.summary
    slower = f"**{total.slower} slower**" if total.slower else "nothing slower"
    yield f"### Operator benchmarks: {slower}, {total.faster} faster\n\n"
    yield f"{sentence(found)}; a change counts from {100 * found.threshold:.3g}%\n\n"
    by_verdict = grouped(ranked(found.cases), lambda one: one.verdict)
    changed = [one for verdict in CHANGED for one in by_verdict.get(verdict, [])]
    if changed:
        yield from _rows(changed)
        yield "\n"
    for notice in found.notices:
        yield f"- {escape(notice)}\n"
    yield f"- base: {escape(found.base)}\n- new: {escape(found.new)}\n"
    if brief:
        return
    for verdict in (Verdict.UNDECIDED, Verdict.SAME):
        rows = by_verdict.get(verdict, [])
        if rows:
            yield from _folded(f"{len(rows)} {verdict.value}", _rows(rows))
    if found.unmatched:
        yield from _folded(f"{len(found.unmatched)} without a partner", _partners(found))


def _rows(figures: Sequence[Compared]) -> Iterator[str]:
    yield heading(_COLUMNS)
    for one in figures:
        times = (duration(one.base_us), duration(one.new_us), spell(one.ratio), interval(one))
        yield cells((one.verdict.value, one.case, one.inputs, one.pass_, one.clock, *times))


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"\n<details><summary>{title}</summary>\n\n"
    yield from lines
    yield "\n</details>\n"


def _partners(found: Comparison) -> Iterator[str]:
    for reason, members in without_partner(found):
        names = " ".join(listed(member.case for member in members))
        yield f"- {escape(reason)}: {escape(names)}\n"


def _tests(found: Comparison) -> Iterator[str]:
    for (case, name), members in grouped(found.cases, lambda one: (one.case, one.pass_)).items():
        first = members[0]
        seconds = min(members, key=lambda one: one.clock != "wall").new_us / 1e6
        yield _test(first.category, f"{case} {name}", seconds, _ending(members))
    for missing in found.unmatched:
        test = " ".join(word for word in (missing.case, missing.pass_, missing.clock) if word)
        side = "either run" if missing.missing == "both" else missing.missing
        yield _test("unmatched", test, 0.0, _Ending("skipped", f"not in {side}: {one_line(missing.reason)}"))


class _Ending(msgspec.Struct, frozen=True):
    """The element (`failure`, `skipped` or none), its message, and the details."""

    element: str = ""
    message: str = ""
    details: str = ""


def _ending(members: Sequence[Compared]) -> _Ending:
    details = "\n".join(
        f"{one.clock}: {one.verdict.value}, {duration(one.base_us)} -> {duration(one.new_us)}, ratio "
        f"{spell(one.ratio)} {interval(one)}"
        for one in members
    )
    verdicts = {one.verdict for one in members}
    if Verdict.SLOWER in verdicts:
        worst = max((one for one in members if one.verdict is Verdict.SLOWER), key=lambda one: one.ratio)
        return _Ending("failure", f"{worst.clock} time is {spell(worst.ratio)} times that of base", details)
    if verdicts == {Verdict.UNDECIDED}:
        return _Ending("skipped", "undecided", details)
    return _Ending(details=details)


def _test(group: str, name: str, seconds: float, end: _Ending) -> str:
    start = f'<testcase classname={quoteattr(one_line(group))} name={quoteattr(one_line(name))} time="{seconds:.9f}"'
    text = xml_text(end.details)
    if end.element:
        return f"{start}><{end.element} message={quoteattr(end.message)}>{text}</{end.element}></testcase>\n"
    return f"{start}><system-out>{text}</system-out></testcase>\n"
