"""The headlines of a comparison: its sides by name, whole networks, each operator and pass by times and by counts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import PurePath
from typing import NamedTuple

from autoperf.comparison.comparison import CHANGED, COUNT_WORDS, ComparedFigure, Comparison, Verdict
from autoperf.core.clocks import KERNEL, METRICS, PYTHON, WALL, metric_named
from autoperf.core.outcome import BROKEN
from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.core.work import is_of_library, is_own
from autoperf.counts.functions import FunctionChange, shortened
from autoperf.reports.layout import grouped
from autoperf.reports.units import factor, first_of, one_line, quantity

MAX_NAMED = 3
"""Maximum number of operators and passes that a sentence names."""
WIDE = 2.0
"""The ratio of the ends of an interval from which no sentence gives its ratio."""
UNEQUAL = 1.5
"""The ratio of the largest and the smallest effect on an operator's inputs from which a sentence gives both."""
NAMES = ("base", "new")


def side_names(comparison: Comparison) -> tuple[str, str]:
    """Base and new by what differs: their releases, the paths of their builds, or the variables of `--env`."""
    base, new = comparison.base_provenance, comparison.new_provenance
    if not (base and new):
        return NAMES
    titles = release_title(base.release), release_title(new.release)
    if titles[0] != titles[1]:
        return titles
    if base.build == new.build:
        # The variables that a command which compared gave to each side.
        given: dict[str, list[str]] = {"A": [], "B": []}
        words = (word.split("=", 1) if word.startswith("--env=") else [word] for word in shlex.split(base.command))
        for option, value in pairwise(chain.from_iterable(words)):
            if option == "--env" and value[:1] in given and value[1:2] == ":":
                given[value[0]].append(value[2:])
        return " ".join(given["A"]) or NAMES[0], " ".join(given["B"]) or NAMES[1]
    # The parts of two libraries' folders between their common beginning and end.
    parts = [[*PurePath(each.build).parent.parts] for each in (base, new)]
    for at in (0, -1):
        while min(map(len, parts)) > 1 and parts[0][at] == parts[1][at]:
            for each in parts:
                each.pop(at)
    first, second = (str(PurePath(*each)) if each else "" for each in parts)
    return (first, second) if first != second else NAMES


class Effect(NamedTuple):
    """A change of an operator's pass in one direction, by the clock that shows it on the most of its inputs.

    `factors` are above 1; those with a wide interval are left out. `least` is the smallest that any interval allows.
    """

    name: str
    factors: tuple[float, ...]
    least: float
    changed: int
    inputs: int

    @property
    def times(self) -> str:
        """`1.40`, `1.08 to 8.39` of unequal ones, or `at least 1.10` if no interval is narrow."""
        if not self.factors:
            return f"at least {factor(self.least)}"
        low, high = min(self.factors), max(self.factors)
        return f"{factor(low)} to {factor(high)}" if high / low >= UNEQUAL else factor((low * high) ** 0.5)


def effects(figures: Sequence[ComparedFigure], verdict: Verdict) -> list[Effect]:
    """The effects in one direction on each operator and pass, the largest first; whole networks are none."""
    operators = (figure for figure in figures if not (figure.network or figure.code))
    groups = grouped(operators, lambda figure: (figure.operator, figure.pass_)).values()
    found = (_effect(members, verdict) for members in groups if any(each.verdict is verdict for each in members))
    # Those that are known within a factor of two first, the largest first.
    return sorted(found, key=lambda each: (bool(each.factors), max(each.factors, default=each.least)), reverse=True)


def _effect(members: Sequence[ComparedFigure], verdict: Verdict) -> Effect:
    by_clock = grouped((figure for figure in members if figure.verdict is verdict), lambda figure: figure.clock)
    order = [metric.name for metric in METRICS]
    clock = min(by_clock, key=lambda name: (-len(by_clock[name]), order.index(name)))
    changed, sign = by_clock[clock], 1 if verdict is Verdict.SLOWER else -1
    inputs = {figure.case for figure in members if figure.clock == clock}
    words = "" if clock in (KERNEL.name, PYTHON.name) else f" {metric_named(clock).title}"
    name = one_line(f"{members[0].operator} {members[0].pass_}{words}")
    factors = tuple(figure.ratio**sign for figure in changed if figure.high <= WIDE * figure.low)
    least = min(figure.low if sign > 0 else 1 / figure.high for figure in changed)
    return Effect(name, factors, least, len(changed), len(inputs))


def headlines(comparison: Comparison) -> Iterator[str]:
    """Whole networks; then what is slower, what is faster, what counts say, and which kernels of libraries are lost."""
    base, new = side_names(comparison)
    yield from network_sentences(comparison)
    timed = {figure.verdict for figure in comparison.cases if not figure.code}
    is_of_results = comparison.cases or comparison.equal_results
    for verdict in CHANGED:
        found = effects(comparison.cases, verdict)
        if found:
            first, *others = found[:MAX_NAMED]
            inputs = f"{first.changed} of {count(first.inputs, 'input')}"
            parts = [f"{new} is {first.times} times {verdict.value} than {base} in {first.name} ({inputs})"]
            parts += [f"{each.times} times in {each.name} ({each.changed} of {each.inputs})" for each in others]
            parts += [f"and in {len(found) - MAX_NAMED} more"] if len(found) > MAX_NAMED else []
            yield ", ".join(parts)
        elif verdict is Verdict.SLOWER and not {verdict, Verdict.ACCEPTED} & timed and (timed or not is_of_results):
            yield "no measurement is slower"
    yield from _counted_headlines(comparison)
    # The passes in which a library's kernel runs on BASE, and a loop on NEW.
    lost = grouped(filter(_lost_path, comparison.cases), lambda each: (each.operator, each.pass_)).values()
    if lost:
        names = [one_line(f"{members[0].operator} {members[0].pass_} ({_lost_path(members[0])})") for members in lost]
        yield f"{new} no longer runs the library's kernel that {base} runs in {', '.join(first_of(names, MAX_NAMED))}"


def network_sentences(comparison: Comparison) -> Iterator[str]:
    """The whole of each network that fails on one side alone; its time on both sides, and the verdict."""
    names = dict(zip(NAMES, side_names(comparison), strict=True))
    for entry in comparison.unmatched:
        broken = entry.reason.startswith(tuple(status.value for status in BROKEN))
        if entry.network and entry.missing in names and broken:
            yield one_line(f"{entry.network}, {entry.profile}: fails in {names[entry.missing]} ({entry.reason})")
    whole = grouped(
        (figure for figure in comparison.cases if figure.network and not figure.code),
        lambda figure: (figure.network, figure.profile, figure.pass_),
    )
    for (network, mode, pass_), members in whole.items():
        by_clock = {figure.clock: figure for figure in members}
        figure = next((by_clock[clock.name] for clock in (PYTHON, WALL) if clock.name in by_clock), members[0])
        unit = metric_named(figure.clock).unit
        times = f"{names['base']} {quantity(figure.base_us, unit)}, {names['new']} {quantity(figure.new_us, unit)}"
        by = f"{_effect([figure], figure.verdict).times} times " if figure.verdict in CHANGED else ""
        yield one_line(f"{network}, {mode} {pass_}: {times}: {by}{figure.verdict.value}")


MAX_FUNCTIONS = 4
"""Maximum number of functions that a table names for a pass."""
MIN_SHARE = 0.01
"""The change of a function that a table names, as a share of the instructions of the pass."""
_TIMES = 2.0
"""The ratio from which a change is told as a factor and not in percent."""


def counted(comparison: Comparison) -> list[ComparedFigure]:
    """The figures that are exact counts."""
    return [figure for figure in comparison.cases if figure.code]


def _counted_headlines(comparison: Comparison) -> Iterator[str]:
    """The passes that execute more instructions, those with fewer, and the number with identical code."""
    figures = counted(comparison)
    if not figures:
        return
    base, new = side_names(comparison)
    for verdict in CHANGED:
        groups = grouped((each for each in figures if each.verdict is verdict), _counted_name)
        if groups:
            order = sorted(groups.values(), key=lambda members: -max(abs(each.ratio - 1) for each in members))
            parts = first_of([_counted_effect(members, figures) for members in order], MAX_NAMED)
            yield f"{new} executes {COUNT_WORDS[verdict]} than {base} in {', '.join(parts)}"
    identical = sum(bool(figure.code and figure.code.identical) for figure in figures)
    # The cases that counts alone judge, where others are timed.
    timed = {figure.case for figure in comparison.cases if not figure.code}
    counts = [figure for figure in figures if figure.case not in timed]
    differing = {figure.case for figure in counts if figure.code and not figure.code.identical}
    numbers = (
        (len({figure.case for figure in counts} - differing), "with identical code"),
        (len(differing), "with other code, for which no time was left"),
    )
    named = [f"{count(number, 'case')} {words}" for number, words in numbers if number and timed]
    alone = f"; judged by counts alone: {', '.join(named)}" if named else ""
    yield f"{identical} of {count(len(figures), 'counted pass', 'counted passes')} execute identical code{alone}"


def _lost_path(figure: ComparedFigure) -> str:
    """The library's kernel that runs on BASE, where a loop runs on NEW; else empty."""
    base, new = figure.paths or ("", "")
    return base if is_of_library(base) and is_own(new) else ""


def _counted_effect(members: Sequence[ComparedFigure], figures: Sequence[ComparedFigure]) -> str:
    """`relu forward (+25.0%, 2 of 2 inputs, by UnaryOp::Compute<cpu, relu>)`: the largest change of an input."""
    first = max(members, key=lambda figure: abs(figure.ratio - 1))
    inputs = sum(_counted_name(each) == _counted_name(first) for each in figures)
    functions = first.code.functions if first.code else ()
    by = f", by {shortened(functions[0].name)}" if functions else ""
    changed = f"{count_change(first.ratio)}, {len(members)} of {count(inputs, 'input')}"
    return one_line(f"{_counted_name(first)} ({changed}{by})")


def _counted_name(figure: ComparedFigure) -> str:
    """`relu forward`; a whole network by its own name."""
    return f"{figure.network or figure.operator} {figure.pass_}"


def count_change(ratio: float) -> str:
    """`+25.0%`, `-0.12%`, `3.20 times`, `1 / 4.10`."""
    if ratio >= _TIMES:
        return f"{factor(ratio)} times"
    if 0 < ratio <= 1 / _TIMES:
        return f"1 / {factor(1 / ratio)}"
    digits = 1 if abs(ratio - 1) >= 0.01 else 3
    return f"{100 * (ratio - 1):+.{digits}f}%"


def function_lines(figure: ComparedFigure, *, all_of_them: bool) -> Iterator[str]:
    """The functions of the kernels that differ, with the instructions of both sides."""
    if not figure.code or figure.verdict not in CHANGED:
        return
    functions = figure.code.functions
    least = MIN_SHARE * max(figure.code.base, figure.code.new)
    large = [each for each in functions if abs(each.change) >= least] or functions
    yield from map(function_text, functions if all_of_them else large[:MAX_FUNCTIONS])


def function_text(change: FunctionChange) -> str:
    """`UnaryOp::Compute<cpu, relu> 655,425 -> 524,348 (-131,077)`."""
    return one_line(f"{shortened(change.name)} {change.base:,} -> {change.new:,} ({change.change:+,})")
