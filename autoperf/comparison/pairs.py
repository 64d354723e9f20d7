"""Pairs the figures of two runs by case, with cases of one function of `np` under two names; lists unmatched ones.

Counts are compared here, since they need no statistics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from autoperf.comparison import figures
from autoperf.comparison.comparison import ComparedFigure, ComparisonOptions, PassParts, Side, Unmatched, Verdict
from autoperf.comparison.expectations import FigureKey
from autoperf.core.clocks import INSTRUCTIONS, Metric
from autoperf.core.errors import CaseFileError
from autoperf.core.graph import NETWORK
from autoperf.core.machine import Reference
from autoperf.core.outcome import BROKEN, NOT_TIMED, FigureWarning, Outcome, Pass, PassName, Series, Status
from autoperf.core.work import CodeCount
from autoperf.counts.functions import difference
from autoperf.registry.names import function_of
from autoperf.reports.layout import grouped
from autoperf.reports.units import describe_case
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Machine


def function_call(outcome: Outcome) -> tuple[str, str, str]:
    """Function, profile, inputs: equal for the calls of one that releases register as `_np_max` and as `_npi_max`."""
    function = function_of(outcome.operator)
    return function, outcome.profile, describe_case(outcome) if function != outcome.operator else outcome.case


def partners(base: RunReader, new: RunReader) -> dict[str, str]:
    """The id of the same case in base for each id in new that has one.

    Measured cases of one function under two names are the same if each side has one of them.
    """
    by_call = []
    for run, others in ((base, new.cases), (new, base.cases)):
        named = ((case, case.partition("/")[0]) for case in run.cases - others)
        # Those whose operator implements a function of another name.
        outcomes = (run.outcome(case, samples=False) for case, name in named if function_of(name) != name)
        by_call.append(grouped((each for each in outcomes if each.status is Status.MEASURED), function_call))
    in_base, in_new = by_call
    found = {case: case for case in new.cases & base.cases}
    for call, (outcome, *more) in in_new.items():
        same = in_base.get(call, [])
        if len(same) == 1 and not more:
            found[outcome.case] = same[0].case
    return found


ABSENT = "absent"
OTHER_CLASS = "measured on another class of machine"


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of both sides, corrected by one slope.

    `operator` belongs to NEW; `base_operator` differs from it in a comparison of two functions over the same inputs.
    The times of each side are this quantile of the samples of a process. `slope_effect` is the change of the logarithm
    of their ratio if the slope changes by its standard error. `visits` is the smaller number of visits of either run to
    the case. `crowded`: other programs had the processor of base, or of new, during many of its samples; `loaded`: they
    used processors meanwhile. `notes` are those that one side has on the pass. `network` is the name of a whole
    network. `parts` are those of the pass of each side, if kernels were timed, `code` the functions that both execute,
    if they were counted exactly. `paths` are the implementations that ran, if they differ.
    """

    case: str
    operator: str
    base_operator: str
    category: str
    profile: str
    inputs: str
    pass_: PassName
    clock: Metric
    base: figures.Figure
    new: figures.Figure
    slope_effect: float = 0.0
    visits: int = 1
    quantile: float = figures.MEDIAN
    crowded: tuple[bool, bool] = (False, False)
    loaded: tuple[bool, bool] = (False, False)
    notes: tuple[str, ...] = ()
    network: str = ""
    parts: tuple[PassParts, PassParts] | None = None
    code: tuple[CodeCount, CodeCount] | None = None
    paths: tuple[str, str] | msgspec.UnsetType = msgspec.UNSET

    def threshold(self, options: ComparisonOptions) -> float:
        """The smallest change that counts."""
        key = FigureKey(self.case, self.operator, self.category, self.profile, self.pass_, self.clock.name)
        return options.expectations.threshold(key, options.count_threshold if self.code else options.threshold)

    def counted(self, options: ComparisonOptions) -> ComparedFigure:
        """The comparison of two counts, whose interval is their range over the counted calls."""
        base, new = self.base.times, self.new.times
        # A pass that executes nothing, such as one without a kernel, has a ratio too.
        some_base, some_new = ([max(1.0, each) for each in counts] for counts in (base, new))
        code = difference(*self.code) if self.code else None
        low, high = min(some_new) / max(some_base), max(some_new) / min(some_base)
        most = 1 + self.threshold(options)
        verdict = Verdict.SLOWER if low > most else Verdict.FASTER if high < 1 / most else Verdict.UNDECIDED
        if (code and code.identical) or (1 / most <= low and high <= most):
            verdict = Verdict.SAME
        p = 1.0 if verdict is Verdict.SAME else 0.0
        numbers = {"ratio": some_new[-1] / some_base[-1], "low": low, "high": high, "p": p, "q": p}
        sides = {"base_us": base[-1], "new_us": new[-1], "base_processes": 1, "new_processes": 1}
        return self.compared(verdict=verdict, statistic="count", code=code or msgspec.UNSET, **numbers, **sides)

    def compared(self, **values: Any) -> ComparedFigure:
        """The figure with these values of both sides."""
        names = ("case", "operator", "pass_", "category", "profile", "inputs", "network", "paths")
        own = {name: getattr(self, name) for name in names}
        return ComparedFigure(clock=self.clock.name, notes=self.notes or msgspec.UNSET, **own, **values)


def pairs(base: RunReader, new: RunReader, options: ComparisonOptions) -> Iterator[Pair | Unmatched]:
    """The pairs of each case in the order of NEW, then the cases only in BASE, at the speed of `common_reference`.

    Only one case is in memory at a time. Raises CaseFileError for samples that don't fit their processes.
    """
    partner = partners(base, new)
    for outcome in new:
        yield from _pairs_of_case(base, new, (partner.get(outcome.case), outcome), options)
    taken = frozenset(partner.values())
    for outcome in base:
        if outcome.case not in taken:
            yield _unmatched(outcome, "new", ABSENT, lost=_must_be_there(outcome, options))


def _pairs_of_case(
    base: RunReader, new: RunReader, pair: tuple[str | None, Outcome], options: ComparisonOptions
) -> Iterator[Pair | Unmatched]:
    case, new_outcome = pair
    if case is None:
        yield _unmatched(new_outcome, "base", ABSENT)
        return
    base_outcome = base.outcome(case)
    outcomes: dict[Side, Outcome] = {"base": base_outcome, "new": new_outcome}
    failed = {side: outcome for side, outcome in outcomes.items() if outcome.status is not Status.MEASURED}
    # In an interleaved comparison, only the failed side has the reason.
    own = {side: outcome for side, outcome in failed.items() if not outcome.reason.startswith(NOT_TIMED)}
    if unmeasured := own or failed:
        side: Side = "both" if len(unmeasured) > 1 else next(iter(unmeasured))
        texts = (": ".join(filter(None, (each.status.value, each.reason))) for each in unmeasured.values())
        reason = "; ".join(dict.fromkeys(texts))
        lost = side == "new" and (new_outcome.status in BROKEN or _must_be_there(base_outcome, options))
        yield _unmatched(new_outcome, side, reason, lost=lost)
        return
    base_machine, new_machine = base.machine(base_outcome), new.machine(new_outcome)
    # A run that machines of one class measured may be compared with another class.
    has_classes = any(len({machine.hardware for machine in run.machines}) > 1 for run in (base, new))
    is_other = base_machine.hardware != new_machine.hardware and has_classes
    common, in_turn = common_reference(base_machine, new_machine), are_in_turn(base, new)
    of_base, of_new = (figures.Scale(each.reference or None, common, in_turn) for each in (base_machine, new_machine))
    try:
        for entry in pairs_of(base_outcome, new_outcome, options, (of_base, of_new)):
            # Valgrind shows programs the same processor everywhere.
            if is_other and isinstance(entry, Pair) and not entry.code:
                yield _unmatched(new_outcome, "new", OTHER_CLASS, (entry.pass_, entry.clock))
            else:
                yield entry
    except ValueError as error:
        raise CaseFileError(f"{base.path} and {new.path}, case {new_outcome.case}: {error}") from error


def are_in_turn(base: RunReader, new: RunReader) -> bool:
    """Whether these are the two files of one interleaved comparison."""
    return bool(base.header.in_turn) and base.header.in_turn == new.header.in_turn


def pairs_of(
    base: Outcome, new: Outcome, options: ComparisonOptions, scales: tuple[figures.Scale, figures.Scale]
) -> Iterator[Pair | Unmatched]:
    """The pairs of a case that both sides measured. Raises ValueError for samples that don't fit their processes."""
    base_series, new_series = _series_by_key(base, options), _series_by_key(new, options)
    inputs = describe_case(new)
    for pass_, clock in dict.fromkeys([*base_series, *new_series]):
        key = (pass_, clock)
        if key in base_series and key in new_series:
            sides = (base_series[key], new_series[key])
            base_figure, new_figure, slope_effect, quantile = _compared(clock, sides, scales)
            of_base, of_new = base.passes[pass_], new.passes[pass_]
            is_other_path = of_base.path and of_new.path and of_base.path != of_new.path
            yield Pair(
                case=new.case,
                operator=new.operator,
                base_operator=base.operator,
                category=new.category,
                profile=new.profile,
                inputs=inputs,
                pass_=pass_,
                clock=clock,
                base=base_figure,
                new=new_figure,
                slope_effect=slope_effect,
                visits=min(base.visit or 1, new.visit or 1),
                quantile=quantile,
                crowded=_warned(FigureWarning.CROWDED, sides),
                loaded=_warned(FigureWarning.LOAD, sides),
                notes=tuple(_notes(base, new, pass_)),
                network=_network(new),
                parts=_parts(of_base, of_new),
                code=(of_base.code, of_new.code) if clock == INSTRUCTIONS and of_base.code and of_new.code else None,
                paths=(of_base.path, of_new.path) if is_other_path else msgspec.UNSET,
            )
        else:
            side: Side = "new" if key in base_series else "base"
            lost = side == "new" and not options.allow_missing
            yield _unmatched(new, side, f"no {pass_} {clock.title}", key, lost=lost)


def _network(outcome: Outcome) -> str:
    return next(iter(outcome.calls or ()), "") if outcome.category == NETWORK else ""


def _parts(*sides: Pass) -> tuple[PassParts, PassParts] | None:
    base, new = (PassParts(dict(run.kernels), dict(run.helpers), run.dispatch_us) for run in sides)
    return (base, new) if base.kernels or new.kernels else None


def _warned(warning: FigureWarning, sides: tuple[Series, Series]) -> tuple[bool, bool]:
    base, new = (warning in side.warnings for side in sides)
    return base, new


def _notes(base: Outcome, new: Outcome, pass_: PassName) -> Iterator[str]:
    notes = [outcome.passes[pass_].notes for outcome in (base, new)]
    for side, own, others in (("base", *notes), ("new", *reversed(notes))):
        yield from (f"{side}: {note}" for note in own if note not in others)


def _compared(
    clock: Metric, sides: tuple[Series, Series], scales: tuple[figures.Scale, figures.Scale]
) -> tuple[figures.Figure, figures.Figure, float, float]:
    """The figures of both sides, the effect of an error of the slope on their ratio, and their quantile.

    If both were measured at the common speed, the slope only corrects the remaining few percent. Otherwise its error
    matters as far as the machine's speed differed between the sides; two sides in one state keep their ratio.
    """
    slope = figures.common_slope(clock, sides, scales[0])
    samples = [figures.FigureSamples(*each, exact=not clock.is_time) for each in zip(sides, scales, strict=True)]
    # Samples measured at the common speed aren't compared with samples corrected to it.
    of_all = slope is not None and not all(side.is_steady for side in samples)
    quantile = figures.common_quantile(clock, sides, scales[0])

    def figures_by(value: float | None) -> tuple[figures.Figure, figures.Figure]:
        base, new = (side.figure(value, of_all=of_all, quantile=quantile) for side in samples)
        common = scales[0].common
        return (
            (base, new)
            if common is None or value is None
            else figures.in_one_state((base, new), samples, common, value)
        )

    compared = figures_by(slope.value if slope else None)
    if slope is None or not of_all:
        return *compared, 0.0, quantile
    # In both directions, since a larger or smaller slope may select samples in another state of the machine.
    log_ratio = _turns_log_ratio if scales[0].in_turn and figures.have_equal_turns(*compared) else _log_ratio
    others = (log_ratio(*figures_by(slope.value + error)) for error in (-slope.error, slope.error))
    return *compared, max(abs(other - log_ratio(*compared)) for other in others), quantile


def _log_ratio(base: figures.Figure, new: figures.Figure) -> float:
    return math.log(max(new.median, figures.MIN_TIME_US) / max(base.median, figures.MIN_TIME_US))


def _turns_log_ratio(base: figures.Figure, new: figures.Figure) -> float:
    logs = (np.log(np.maximum(np.concatenate(figure.turns), figures.MIN_TIME_US)) for figure in (new, base))
    return float(np.nanmedian(np.subtract(*logs)))


def common_reference(base: Machine, new: Machine) -> Reference | None:
    """The faster reference, if both machines have one by the same probe on the same processor; else None.

    The slower reference was disturbed by other programs.
    """
    if not (base.reference and new.reference):
        return None
    is_same_probe = base.reference.probe == new.reference.probe
    is_same_processor = base.environment.processor.model == new.environment.processor.model
    return min(base.reference, new.reference, key=lambda each: each.us) if is_same_probe and is_same_processor else None


def _series_by_key(outcome: Outcome, options: ComparisonOptions) -> dict[tuple[PassName, Metric], Series]:
    return {
        (pass_, clock): series
        for pass_, clock, series in figures.sampled_series(outcome, options.passes, options.metrics)
    }


def _must_be_there(base: Outcome, options: ComparisonOptions) -> bool:
    """Whether new must have measured this case: base has a figure to compare, or without clocks results."""
    return not options.allow_missing and bool(_series_by_key(base, options) if options.metrics else base.results)


def _unmatched(
    outcome: Outcome, missing: Side, reason: str, figure: tuple[PassName, Metric] | None = None, *, lost: bool = False
) -> Unmatched:
    return Unmatched(
        case=outcome.case,
        operator=outcome.operator,
        missing=missing,
        reason=reason,
        pass_=figure[0] if figure else None,
        clock=figure[1].name if figure else None,
        category=outcome.category,
        profile=outcome.profile,
        lost=lost,
        network=_network(outcome),
    )
