"""The implementations of operators in other frameworks, as `discover --frameworks` reports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
from rich.text import Text

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release, read_gradients
from autoperf.cases.selection import Target
from autoperf.core.case import Case
from autoperf.core.coverage import FrameworkCoverage, FrameworkStanding, OperatorStandings, Standing
from autoperf.core.errors import UserRuleError
from autoperf.core.releases import unique_labels
from autoperf.core.texts import count
from autoperf.coverage.report import UNSORTED, shown_notes, with_sum
from autoperf.implementations.implementation import FRAMEWORKS, Implementation
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, grouped, hanging, listed
from autoperf.reports.table import Report, Table
from autoperf.reports.units import split_words


def framework_coverage(release: Release, chosen: Sequence[Target], frameworks: Sequence[str]) -> FrameworkCoverage:
    """How the chosen operators stand in these frameworks, by the canonical cases of their rules."""
    gradients = read_gradients(release, chosen)
    operators = []
    for target in chosen:
        name = target.operator.name
        gradient = gradients.get(name)
        has_gradient = bool(gradient and gradient.differentiable)
        standings = tuple(_standings(release, target, frameworks, has_gradient=has_gradient))
        operators.append(OperatorStandings(name, target.category, standings))
    forward = len(release.registry.forward)
    return FrameworkCoverage(release.registry.mxnet, tuple(frameworks), tuple(operators), forward)


def _standings(
    release: Release, target: Target, frameworks: Sequence[str], *, has_gradient: bool
) -> Iterator[FrameworkStanding]:
    cases, problem = list[Case](), target.reason
    if target.rule:
        try:
            built = build(target.operator, target.rule, Recipe(draws=0), release.client)
            cases, problem = built.cases, next((rejection.reason for rejection in built.rejections), "")
        except UserRuleError as error:
            problem = str(error)
    for framework in frameworks:
        found = [_of_case(release, framework, target, case) for case in cases]
        yield _standing(framework, found, problem, has_gradient=has_gradient)


def _of_case(release: Release, framework: str, target: Target, case: Case) -> Implementation | str:
    try:
        return release.implementation(framework, target.operator, case)
    except UserRuleError as error:
        return str(error)


def _standing(
    framework: str, found: Sequence[Implementation | str], problem: str, *, has_gradient: bool
) -> FrameworkStanding:
    used = [each for each in found if isinstance(each, Implementation)]
    reasons = [each for each in found if isinstance(each, str)]
    reason = next(iter(reasons), problem)
    if not used:
        return FrameworkStanding(framework, Standing.NONE, None, len(found), len(found), reason)
    gradient = all(each.differentiable for each in used) if has_gradient else None
    expressions = tuple(dict.fromkeys(each.expression for each in used))
    origin = next((each.origin for each in used if each.origin == "user"), used[0].origin)
    return FrameworkStanding(
        framework, Standing(origin), gradient, len(found), len(reasons), reason if reasons else "", expressions
    )


GRADIENT = "gradient"
_Counts: TypeAlias = "tuple[str, int, Mapping[str, Counter[str]]]"
"""A category, its number of operators, and the counts of each framework."""
_Row: TypeAlias = tuple[str, OperatorStandings, FrameworkStanding]
"""A release's label, an operator, and how it stands in a framework."""
_WORDS = {True: GRADIENT, False: "no gradient", None: ""}
_SOURCES = {Standing.HAND: "by hand", Standing.USER: "by the user", Standing.FOUND: "found", Standing.NONE: "none"}
_BELOW = " " * 6


@dataclass(frozen=True)
class FrameworkView:
    """The implementations in each release; `detailed`: operator by operator."""

    releases: Sequence[FrameworkCoverage]
    detailed: bool = False

    @property
    def labelled(self) -> Iterator[tuple[str, FrameworkCoverage]]:
        """Each release with its label, which distinguishes two builds of one version."""
        return zip(unique_labels([report.mxnet for report in self.releases]), self.releases, strict=True)


def terminal_reports(view: FrameworkView) -> list[Report]:
    """Each release by category with the reasons for missing implementations, or operator by operator."""
    return [
        Report(
            "" if view.detailed and len(view.releases) == 1 else _title(label),
            tables=(_listing(report),) if view.detailed else (category_table(report), *_missing(report)),
            sums=tuple(totals(report)),
        )
        for label, report in view.labelled
    ]


def markdown_reports(view: FrameworkView) -> list[Report]:
    """Each release: the totals, the categories, and the operators of each."""
    return [
        Report(_title(label), tables=(category_table(report), _operators(report)), sums=tuple(totals(report)))
        for label, report in view.labelled
    ]


def csv_table(view: FrameworkView) -> Table[_Row]:
    """A row for each operator and framework; expressions are joined by semicolons."""
    rows = [
        (label, operator, standing)
        for label, report in view.labelled
        for operator in report.operators
        for standing in operator.frameworks
    ]
    return Table("", _CSV_COLUMNS, rows)


def framework_document(view: FrameworkView) -> dict[str, object]:
    """The implementations of a release, an operator a line; of several `{"releases": [{"label", ...}]}`."""
    if len(view.releases) == 1:
        return _record(view.releases[0])
    return {"releases": [{"label": label, **_record(report)} for label, report in view.labelled]}


def _record(report: FrameworkCoverage) -> dict[str, object]:
    """`{"mxnet", "forward", "frameworks": [{"framework", "operators", "found", "hand", ...}], "operators"}`."""
    frameworks = [
        {"framework": name, "operators": len(report.operators), **_counts(report.operators, name)}
        for name in report.frameworks
    ]
    return {**msgspec.structs.asdict(report), "frameworks": frameworks, "operators": report.operators}


def totals(report: FrameworkCoverage) -> Iterator[str]:
    """`PyTorch: 611 operators = 217 found + 313 by hand + 0 by the user + 81 none; 289 gradients`."""
    for name in report.frameworks:
        counts = _counts(report.operators, name)
        parts = (
            f"{counts['found']} found + {counts['hand']} by hand + {counts['user']} by the user + {counts['none']} none"
        )
        gradients = f"; {count(counts[GRADIENT], 'gradient')}" if counts[GRADIENT] else ""
        yield f"{FRAMEWORKS[name].title}: {count(len(report.operators), 'operator')} = {parts}{gradients}"
    yield from shown_notes((operator.category for operator in report.operators), report.forward)


def category_table(report: FrameworkCoverage) -> Table[_Counts]:
    """The counts of each category, and their sum."""

    def row(name: str, members: Sequence[OperatorStandings]) -> _Counts:
        return name, len(members), {framework: _counts(members, framework) for framework in report.frameworks}

    groups = grouped(sorted(report.operators, key=_category), _category)
    counted = (*(standing.value for standing in Standing), GRADIENT)
    columns = [*_CATEGORY, *(_count_column(framework, name) for framework in report.frameworks for name in counted)]
    return with_sum(columns, [row(*group) for group in groups.items()], row("sum", report.operators))


def _counts(operators: Iterable[OperatorStandings], framework: str) -> Counter[str]:
    counts = Counter({standing.value: 0 for standing in Standing} | {GRADIENT: 0})
    for operator in operators:
        for standing in operator.frameworks:
            if standing.framework == framework:
                counts[standing.standing.value] += 1
                counts[GRADIENT] += standing.gradient is True
    return counts


def _count_column(framework: str, name: str) -> Column[_Counts]:
    return Column(
        f"{framework} {name}", name, lambda row: row[2][framework][name] or None,
        lambda row: str(row[2][framework][name] or "."), FRAMEWORKS[framework].title, place=Place.FIGURE,
        room=len(name) + (2 if name == Standing.FOUND.value else 1),
        priority=int(name == GRADIENT), optional=name in (Standing.USER.value, GRADIENT),
    )  # fmt: skip


def _missing(report: FrameworkCoverage) -> Iterator[Table[Any]]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for operator in report.operators:
        for standing in operator.frameworks:
            if standing.standing is Standing.NONE:
                reasons.setdefault((standing.reason, operator.name), []).append(FRAMEWORKS[standing.framework].title)
    groups = grouped(reasons.items(), lambda item: (item[0][0], tuple(item[1])))
    rows = [(reason, titles, [name for (_, name), _ in items]) for (reason, titles), items in groups.items()]
    if rows:
        yield Table(
            "no implementation", (), rows, words=lambda row: f"{', '.join(row[1])}: {row[0]} ({len(row[2])})".split(),
            below=lambda row, width: hanging(INDENT * 2, listed(row[2]), width),
        )  # fmt: skip


def _listing(report: FrameworkCoverage) -> Table[OperatorStandings]:
    room = max((len(operator.name) for operator in report.operators), default=0)
    is_single = len(report.operators) == 1
    columns: list[Column[OperatorStandings]] = []
    for at, name in enumerate(report.frameworks):
        text, title = _text(at, with_reason=False), FRAMEWORKS[name].title
        widest = max(len(title), *(len(text(operator)) for operator in report.operators), 0)
        columns.append(Column(name, title, text, place=Place.FIGURE, right=False, room=widest + 2))

    def below(operator: OperatorStandings, width: int) -> Iterator[Text]:
        for standing in operator.frameworks:
            title = f"{_BELOW}{FRAMEWORKS[standing.framework].title} "
            if standing.reason:
                yield from hanging(title, standing.reason.split(), width, "dim")
            for expression in standing.expressions if is_single else ():
                yield from hanging(title, split_words(expression), width, "dim")

    return Table(
        "", columns, sorted(report.operators, key=_category), part=_category, words=lambda operator: [operator.name],
        below=below, min_words=room + len(INDENT),
    )  # fmt: skip


def _operators(report: FrameworkCoverage) -> Table[OperatorStandings]:
    columns: list[Column[OperatorStandings]] = [fact("operator", lambda operator: operator.name, place=Place.LEAD)]
    columns += [
        fact(name, _text(at, with_reason=True), place=Place.LEAD, header=FRAMEWORKS[name].title)
        for at, name in enumerate(report.frameworks)
    ]
    return Table("", columns, sorted(report.operators, key=_category), part=_category)


def _text(at: int, *, with_reason: bool) -> Callable[[OperatorStandings], str]:
    """`hand, gradient`, `found, 3 of 4 cases`, `none`; perhaps with the reason."""

    def text(operator: OperatorStandings) -> str:
        standing = operator.frameworks[at]
        has = standing.cases - standing.without
        partly = f"{has} of {count(standing.cases, 'case')}" if 0 < has < standing.cases else ""
        words = ", ".join(filter(None, (standing.standing.value, _WORDS[standing.gradient], partly)))
        return f"{words}: {standing.reason}" if with_reason and standing.reason else words

    return text


def _title(label: str) -> str:
    return f"MXNet {label} in other frameworks"


def _category(operator: OperatorStandings) -> str:
    return operator.category or UNSORTED


_CATEGORY: tuple[Column[_Counts], ...] = (
    fact("category", lambda row: row[0], place=Place.LEAD),
    Column("operators", "operators", lambda row: row[1], place=Place.FIGURE, room=11),
)
_CSV_COLUMNS: tuple[Column[_Row], ...] = (
    fact("mxnet", lambda row: row[0]),
    fact("operator", lambda row: row[1].name),
    fact("category", lambda row: row[1].category),
    fact("framework", lambda row: row[2].framework),
    fact("implementation", lambda row: row[2].standing.value),
    fact("gradient", lambda row: {True: "true", False: "false", None: ""}[row[2].gradient]),
    fact("cases", lambda row: row[2].cases),
    fact("without", lambda row: row[2].without),
    fact("reason", lambda row: row[2].reason),
    fact("expressions", lambda row: "; ".join(row[2].expressions)),
)
