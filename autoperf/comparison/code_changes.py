"""Verdicts by exact counts of instructions, which need no statistics, and what a comparison says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from autoperf.comparison.comparison import CHANGED, COUNT_WORDS, ComparedFigure, Comparison, ComparisonOptions, Verdict
from autoperf.comparison.headlines import MAX_NAMED, side_names
from autoperf.comparison.pairs import Pair
from autoperf.core.work import is_of_library, is_own
from autoperf.counts.functions import FunctionChange, difference, shortened
from autoperf.reports.layout import grouped
from autoperf.reports.units import count, factor, first_of, one_line

MAX_FUNCTIONS = 4
"""Maximum number of functions that a table names for a pass."""
MIN_SHARE = 0.01
"""The change of a function that a table names, as a share of the instructions of the pass."""
_TIMES = 2.0
"""The ratio from which a change is told as a factor and not in percent."""


def counted(comparison: Comparison) -> list[ComparedFigure]:
    """The figures that are exact counts."""
    return [figure for figure in comparison.cases if figure.code]


def counted_headlines(comparison: Comparison) -> Iterator[str]:
    """The passes that execute more instructions, those with fewer, and the number with identical code."""
    figures = counted(comparison)
    if not figures:
        return
    base, new = side_names(comparison)
    for verdict in CHANGED:
        groups = grouped(
            (each for each in figures if each.verdict is verdict), lambda each: (each.operator, each.pass_)
        )
        if groups:
            order = sorted(groups.values(), key=lambda members: -max(abs(each.ratio - 1) for each in members))
            parts = first_of([_effect(members, figures) for members in order], MAX_NAMED)
            yield f"{new} executes {COUNT_WORDS[verdict]} than {base} in {', '.join(parts)}"
    identical = sum(bool(figure.code and figure.code.identical) for figure in figures)
    evidence = _by_counts_alone(comparison)
    yield f"{identical} of {count(len(figures), 'counted pass', 'counted passes')} execute identical code{evidence}"


def _by_counts_alone(comparison: Comparison) -> str:
    """The numbers of cases that counts alone judge, where others are timed."""
    timed = {figure.case for figure in comparison.cases if not figure.code}
    counts = [figure for figure in counted(comparison) if figure.case not in timed]
    differing = {figure.case for figure in counts if figure.code and not figure.code.identical}
    numbers = (
        (len({figure.case for figure in counts} - differing), "with identical code"),
        (len(differing), "with other code, for which no time was left"),
    )
    named = [f"{count(number, 'case')} {words}" for number, words in numbers if number and timed]
    return f"; judged by counts alone: {', '.join(named)}" if named else ""


def lost_paths(comparison: Comparison) -> Iterator[str]:
    """The passes in which a library's kernel runs on BASE, and a loop on NEW."""
    lost = grouped(filter(_lost_path, comparison.cases), lambda each: (each.operator, each.pass_)).values()
    if lost:
        base, new = side_names(comparison)
        names = [one_line(f"{members[0].operator} {members[0].pass_} ({_lost_path(members[0])})") for members in lost]
        listed = ", ".join(first_of(names, MAX_NAMED))
        yield f"{new} no longer runs the library's kernel that {base} runs in {listed}"


def _lost_path(figure: ComparedFigure) -> str:
    """The library's kernel that runs on BASE, where a loop runs on NEW; else empty."""
    base, new = figure.paths or ("", "")
    return base if is_of_library(base) and is_own(new) else ""


def _effect(members: Sequence[ComparedFigure], figures: Sequence[ComparedFigure]) -> str:
    """`relu forward (+25.0%, 2 of 2 inputs, by UnaryOp::Compute<cpu, relu>)`: the largest change of an input."""
    first = max(members, key=lambda figure: abs(figure.ratio - 1))
    inputs = sum((each.operator, each.pass_) == (first.operator, first.pass_) for each in figures)
    functions = first.code.functions if first.code else ()
    by = f", by {shortened(functions[0].name)}" if functions else ""
    return one_line(f"{first.operator} {first.pass_} ({change(first.ratio)}, {len(members)} of {inputs} inputs{by})")


def change(ratio: float) -> str:
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


def counted_figure(pair: Pair, options: ComparisonOptions) -> ComparedFigure:
    """The comparison of two counts, whose interval is their range over the counted calls."""
    base, new = pair.base.times, pair.new.times
    # A pass that executes nothing, such as one without a kernel, has a ratio too.
    some_base, some_new = ([max(1.0, each) for each in counts] for counts in (base, new))
    code = difference(*pair.code) if pair.code else None
    low, high = min(some_new) / max(some_base), max(some_new) / min(some_base)
    verdict = Verdict.SAME if code and code.identical else _verdict(low, high, 1 + pair.threshold(options))
    p = 1.0 if verdict is Verdict.SAME else 0.0
    return ComparedFigure(
        case=pair.case,
        operator=pair.operator,
        pass_=pair.pass_,
        clock=pair.clock.name,
        ratio=some_new[-1] / some_base[-1],
        low=low,
        high=high,
        p=p,
        q=p,
        verdict=verdict,
        base_us=base[-1],
        new_us=new[-1],
        statistic="count",
        base_processes=1,
        new_processes=1,
        category=pair.category,
        profile=pair.profile,
        inputs=pair.inputs,
        notes=pair.notes or msgspec.UNSET,
        code=code or msgspec.UNSET,
        paths=pair.paths,
    )


def _verdict(low: float, high: float, most: float) -> Verdict:
    if low > most:
        return Verdict.SLOWER
    if high < 1 / most:
        return Verdict.FASTER
    return Verdict.SAME if 1 / most <= low and high <= most else Verdict.UNDECIDED
