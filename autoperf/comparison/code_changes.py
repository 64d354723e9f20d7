"""Verdicts by exact counts of instructions, which need no statistics."""

from __future__ import annotations

import msgspec

from autoperf.comparison.comparison import ComparedFigure, ComparisonOptions, Verdict
from autoperf.comparison.pairs import Pair
from autoperf.counts.difference import difference


def is_counted(pair: Pair) -> bool:
    """Whether both sides have been counted function by function."""
    return pair.code is not None


def counted_figure(pair: Pair, options: ComparisonOptions) -> ComparedFigure:
    """The comparison of two counts, whose interval is their range over the counted calls."""
    base, new = pair.base.times, pair.new.times
    code = difference(*pair.code) if pair.code else None
    low, high = min(new) / max(*base, 1.0), max(new) / max(min(base), 1.0)
    verdict = Verdict.SAME if code and code.identical else _verdict(low, high, 1 + pair.threshold(options))
    p = 1.0 if verdict is Verdict.SAME else 0.0
    return ComparedFigure(
        case=pair.case,
        operator=pair.operator,
        pass_=pair.pass_,
        clock=pair.clock.name,
        ratio=new[-1] / max(base[-1], 1.0),
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
    )


def _verdict(low: float, high: float, most: float) -> Verdict:
    if low > most:
        return Verdict.SLOWER
    if high < 1 / most:
        return Verdict.FASTER
    return Verdict.SAME if 1 / most <= low and high <= most else Verdict.UNDECIDED
