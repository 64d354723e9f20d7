"""Cases that compute different results on the two sides: found in their session or by fingerprints, and reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import NamedTuple

from rich.text import Text

from autoperf.comparison.comparison import Comparison, Different, Side
from autoperf.comparison.expectations import is_named
from autoperf.comparison.pairs import are_in_turn
from autoperf.core.outcome import Outcome, Status
from autoperf.core.texts import count
from autoperf.equality.fingerprint import prints_difference
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, hanging
from autoperf.reports.table import Table
from autoperf.reports.units import brief_inputs, describe_case, first_of, one_line, split_words
from autoperf.runs.run_reader import RunReader


class CaseNames(NamedTuple):
    """What a filter of rows reads of a case."""

    operator: str
    category: str
    profile: str


class ResultDifferences:
    """The cases of two runs whose results differ, and the numbers of those that can't be compared.

    `compared` counts the measured cases by the sides that have fingerprints of their results: neither, base alone, new
    alone, or both; `equal` are those with equal results; `operators` are those of NEW. A session that measures both
    sides in turn has compared the results themselves, of two frameworks those of each case that both measured.
    """

    def __init__(self, base: RunReader, new: RunReader, allowed: Mapping[str, str]) -> None:
        self.compared: Counter[tuple[bool, bool]] = Counter()
        self.equal: list[CaseNames] = []
        self.operators: set[str] = set()
        self._in_turn = are_in_turn(base, new)
        self._has_one_framework = base.header.framework == new.header.framework
        self._allowed = allowed
        self.found: dict[str, Different] = {}
        for position in range(len(new)):
            outcome = new.at(position, samples=False)
            self.operators.add(outcome.operator)
            # A function under two names has two ids, by which its contents were drawn.
            if outcome.case in base:
                self._compare(base.outcome(outcome.case, samples=False), outcome)

    def _compare(self, base: Outcome, new: Outcome) -> None:
        # A failed case differs from what its framework follows, and not from the other side.
        differing = (each for each in (base, new) if each.difference and each.status is not Status.FAILED)
        stored = found = next((each.difference for each in differing), None)
        if not stored:
            is_measured = base.status is Status.MEASURED and new.status is Status.MEASURED
            has_results = is_measured and self._in_turn
            if is_measured and self._has_one_framework:
                self.compared[bool(base.results), bool(new.results)] += 1
                has_results = bool(base.results and new.results)
            if has_results and not self._in_turn:
                inputs = [item.name for item in base.inputs]
                found = prints_difference(base.results or (), new.results or (), inputs)
            if has_results and not found:
                self.equal.append(CaseNames(new.operator, new.category, new.profile))
        timed: Side = "base" if base.difference else "new"
        if found:
            self.found[new.case] = Different(
                case=new.case,
                operator=new.operator,
                category=new.category,
                profile=new.profile,
                inputs=describe_case(new),
                difference=found,
                by_fingerprint=not stored,
                side=timed if stored and stored.timed else "both",
                allowed=allowed_reason(self._allowed, new.operator),
            )


def allowed_reason(allowed: Mapping[str, str], operator: str) -> str | None:
    """The reason why results of an operator, or a function such as np.mean, may differ; None if they may not."""
    return next((reason for name, reason in allowed.items() if is_named(operator, name)), None)


MAX_NAMED = 3
"""The number of cases that the answer names."""


def different_answer(comparison: Comparison) -> Iterator[str]:
    """The cases that compute something else, the number of equal ones if none is timed, and the differences allowed."""
    differing = comparison.differing
    if differing:
        names = (f"{each.operator} ({brief_inputs(each.inputs, each.profile)}) {described(each)}" for each in differing)
        computes = "computes" if len(differing) == 1 else "compute"
        listed = "; ".join(first_of([*map(one_line, names)], MAX_NAMED))
        yield f"{count(len(differing), 'case')} {computes} something else: {listed}"
    if comparison.equal_results and not comparison.cases:
        yield f"the results of {count(comparison.equal_results, 'case')} are equal"
    allowed = [entry for entry in comparison.different if entry.allowed is not None]
    if allowed:
        reasons = dict.fromkeys(f"{entry.operator} ({entry.allowed or 'no reason given'})" for entry in allowed)
        yield f"{count(len(allowed), 'case')} with other results, as allowed: {', '.join(reasons)}"


def described(entry: Different) -> str:
    """The difference in words, with the way in which it was found."""
    found = entry.difference
    if found.timed:
        return f"{found.words}; of the timed calls of {entry.side}, by contents {found.draw}"
    return f"{found.words_of('in base', 'in new')}{'; by fingerprints' if entry.by_fingerprint else ''}"


def different_tables(comparison: Comparison) -> Iterator[Table[Different]]:
    """The cases with other results, those that fail a gate first; nothing without any."""
    rows = sorted(comparison.different, key=lambda entry: (entry.allowed is not None, entry.case))
    if rows:
        yield Table(
            "", _COLUMNS, rows, part=lambda entry: "differs" if entry.allowed is None else "differs, as allowed",
            noun="case", title_style=lambda _: "bold red", below=_below,
            words=lambda entry: [entry.case, entry.profile, *split_words(one_line(entry.inputs))],
        )  # fmt: skip


def _below(entry: Different, width: int) -> Iterator[Text]:
    reason = f"; allowed: {entry.allowed}" if entry.allowed else ""
    return hanging(INDENT * 2, one_line(f"{described(entry)}{reason}").split(), width, "dim")


_COLUMNS: tuple[Column[Different], ...] = (
    fact("case", lambda entry: entry.case, place=Place.LEAD),
    *(fact(name, attrgetter(name)) for name in ("operator", "category", "profile")),
    fact("inputs", lambda entry: entry.inputs, place=Place.LEAD),
    fact("difference", described, place=Place.LEAD),
    fact("allowed", lambda entry: entry.allowed or ""),
)
