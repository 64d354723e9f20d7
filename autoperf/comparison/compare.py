"""Compares two runs: pairs figures, estimates noise and ratios, derives verdicts and notices. Needs SciPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autoperf.comparison import noise, ratios
from autoperf.comparison.comparison import (
    CHANGED,
    ComparedFigure,
    Comparison,
    ComparisonOptions,
    Unmatched,
    Verdict,
    verdict_counts,
)
from autoperf.comparison.different_results import ResultDifferences, allowed_reason
from autoperf.comparison.figures import MEDIAN, have_equal_turns
from autoperf.comparison.noise import FROM_PAIRS, FROM_PROCESSES, FROM_TURNS
from autoperf.comparison.pairs import ABSENT, Pair, are_in_turn, pairs
from autoperf.comparison.report import counts_advice, filtered
from autoperf.core.clocks import COUNTERS, DEFAULT_METRICS, PYTHON
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.outcome import BROKEN
from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.registry.names import function_of
from autoperf.reports.columns import RowFilter
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import FEATURE, METHOD_FACT, different_facts, facts_of, provenance_of

ALL_ROWS = RowFilter()
MAX_NAMES = 12
"""The operators that a notice names."""
MIN_SHIFT_FIGURES = 20
MAX_SHARE_ONE_WAY = 0.75
MAX_SHARE_LOADED = 0.5
HARMLESS = frozenset({"timeout", "memory_limit", "counters", "keep_dumps", "caller", "framework"})
"""Settings that limit or extend a measurement without affecting its figures, and one that is a fact already."""
IGNORED = (
    *("system", "memory in bytes", "Hypothesis", "MXNet's library"),
    *("AUTOPERF_CACHE", "AUTOPERF_MXNET", "AUTOPERF_RELEASES"),
)
"""Facts of a machine that don't affect figures, or that other differences explain."""


def run_notices(base: RunReader, new: RunReader) -> Iterator[str]:
    """Problems of the files, and differences between the runs in machine, versions and options."""
    if base.path.samefile(new.path):
        yield f"{base.path} is compared with itself"
    yield from dict.fromkeys((*base.notices, *new.notices))
    different = different_facts(_facts(base, new), _facts(new, base))
    yield from (f"{name}: base {base_value}, new {new_value}" for name, base_value, new_value in different)


def result_notices(compared: Counter[tuple[bool, bool]]) -> Iterator[str]:
    """The numbers of cases whose results can't be compared, since a run has no fingerprints of them."""
    known = sum(number for sides, number in compared.items() if any(sides))
    if compared.total() and not known:
        yield "results aren't compared: neither run has fingerprints of them"
    for sides, name in (((False, True), "base"), ((True, False), "new")):
        if compared[sides]:
            cases = f"{compared[sides]:,} of {count(known, 'case')}"
            yield f"the results of {cases} aren't compared: {name} has no fingerprints of them"


def lost_notices(lost: Sequence[Unmatched]) -> Iterator[str]:
    """The numbers of cases that base measured and that broke or are missing in new, with operators' names."""
    broken = sum(map(_is_broken, lost))
    if broken:
        yield f"{count(broken, 'case')} that base measured failed, crashed or timed out in new"
    missing = [entry for entry in lost if not _is_broken(entry)]
    if missing:
        cases = sum(entry.pass_ is None for entry in missing)
        amounts = [count(cases, "case"), count(len(missing) - cases, "figure")]
        amount = " and ".join(amount for amount in amounts if not amount.startswith("0 "))
        names = list(dict.fromkeys(entry.operator for entry in missing))
        more = f" and {count(len(names) - MAX_NAMES, 'operator')} more" if len(names) > MAX_NAMES else ""
        yield (
            f"{amount} that base measured {'is' if len(missing) == 1 else 'are'} missing in new: "
            f"{', '.join(names[:MAX_NAMES])}{more}; --allow-missing is for a run that measured less on purpose"
        )


def _is_broken(entry: Unmatched) -> bool:
    return entry.reason.startswith(tuple(status.value for status in BROKEN))


def matched_notices(matched: Sequence[Pair]) -> Iterator[str]:
    """The pairs of operators in a comparison of two namespaces; the statistic, if it isn't the median; the load."""
    others = dict.fromkeys((pair.base_operator, pair.operator) for pair in matched)
    others = {(base, new): None for base, new in others if base != new}
    renamed = [names for names in others if len(set(map(function_of, names))) == 1]
    listed = (names for names in others if names not in renamed)
    yield from (" ".join(f"operator: base {base}, new {new}".split()) for base, new in listed)
    if renamed:
        names = ", ".join(f"{base} {new}" for base, new in renamed[:MAX_NAMES])
        more = f" and {len(renamed) - MAX_NAMES} more" if len(renamed) > MAX_NAMES else ""
        yield f"{count(len(renamed), 'function')} of np under two names, whose results aren't compared: {names}{more}"
    if any(pair.quantile < MEDIAN for pair in matched):
        yield (
            "the comparison is of the tenth percentiles (P10) of each process's samples, which repeat better than the "
            "medians that a run shows; a change of only the slower samples isn't detected"
        )
    of_base, of_new = (sum(pair.loaded[side] for pair in matched) for side in (0, 1))
    if max(of_base, of_new) > MAX_SHARE_LOADED * len(matched):
        of_all = count(len(matched), "figure")
        yield f"other programs used the processors during {of_base} of {of_all} of base and {of_new} of new"


def noise_notices(total: int, sources: Counter[str], *, has_aa: bool) -> Iterator[str]:
    """The sources of the noise of `total` figures, other than the processes of both sides."""
    interleaved = sum(sources[source] for source in noise.INTERLEAVED)
    if has_aa and interleaved:
        of_all = count(total, "figure was", "figures were")
        yield f"{interleaved} of {of_all} measured in turn, so the A/A run isn't needed"
    for source, number in sources.items():
        if source not in (FROM_PROCESSES, *noise.INTERLEAVED):
            which = "every figure" if number == total else f"{number} of {total} figures"
            yield f"one process can't show how processes differ: the noise of {which} is from {source}"
    if sources[noise.FROM_ITSELF]:
        yield (
            "so only outliers among the figures are reported; several processes for each case, --aa or --margin "
            "would decide more"
        )
    if sources[noise.FROM_MARGIN]:
        yield "the margin is taken as stated; these files can't confirm it"


def shift_notices(of_times: noise.Array) -> Iterator[str]:
    """A warning if most of these ratios of times shift in one direction, which the machine may cause between runs."""
    logs = np.log(of_times)
    if logs.size < MIN_SHIFT_FIGURES:
        return
    median = float(np.median(logs))
    one_way = float(np.mean(np.sign(logs) == np.sign(median)))
    if abs(median) >= np.log(1.02) and one_way >= MAX_SHARE_ONE_WAY:
        yield (
            f"over all figures the median ratio is {np.exp(median):.3f}: a shift that most figures share is often "
            "the machine's; measure both sides in turn to find out"
        )


def _facts(run: RunReader, other: RunReader) -> dict[str, Any]:
    """The facts to compare with the other run; features of MXNet only if both have one release."""
    header = run.header
    without = (*IGNORED, *(() if header.mxnet == other.header.mxnet else (FEATURE,)))
    of_machines = facts_of(run.machines).items()
    alike = header.framework == other.header.framework
    return {
        "MXNet" if alike else "framework": header.mxnet if alike else release_title(header.release),
        "autoperf": header.autoperf,
        METHOD_FACT: header.method,
        **{name: value for name, value in of_machines if not name.startswith(without)},
        **{f"setting {name}": value for name, value in header.settings.items() if name not in HARMLESS},
    }


# Factor on the error of the slope, which the regression underestimates by half (docs/method/comparing.md).
SLOPE_ERRORS = 2.0
DEGREES_APART = (6.0, 5.0, 4.0)
"""Degrees of freedom of Student's t, which fits differences of runs at different times, by class of duration.

Processes of one run that start within seconds have more in common than the model assumes, the more the longer a call
takes. The numbers are from runs of one build on a shared machine (docs/method/comparing.md, "The model").
"""
DEGREES_CORRECTED = 3.0
"""Degrees of freedom of figures that were corrected to the common speed."""
DEGREES_OF_VISITS = 8.0
"""Degrees of freedom of figures that both runs measured in several visits, minutes apart."""


def compare(
    base: RunReader,
    new: RunReader,
    options: ComparisonOptions,
    calibration: tuple[RunReader, RunReader] | None = None,
    *,
    rows: RowFilter = ALL_ROWS,
) -> Comparison:
    """Compares NEW with BASE. `calibration` is an A/A run: two runs of one build.

    Raises UsageError if the runs have no figure in common, unless all cases that base measured failed in new, and
    UnknownNameError for a selected name that no row has.
    """
    matched, unmatched = _matched_pairs(base, new, options)
    differences = ResultDifferences(base, new, options.allow_different)
    differing = frozenset(case for case, entry in differences.found.items() if entry.allowed is None)
    unmatched = [entry for entry in unmatched if entry.case not in differing]
    in_turn = are_in_turn(base, new)
    was_tried = not in_turn and any(entry.lost and not entry.pass_ and entry.reason != ABSENT for entry in unmatched)
    if not (matched or was_tried or differing or (differences.equal and not options.metrics)):
        raise _nothing_in_common((base, new), options, unmatched, differences)
    aa_pairs = _calibration_pairs(calibration, options)
    timed = [pair for pair in matched if not pair.code]
    looks = ratios.MAX_LOOKS if in_turn and base.header.settings.get("time_budget") is not None else 1
    estimated, sources = estimate(timed, aa_pairs, options.margin, in_turn=in_turn, looks=looks)
    by_time = _compared_figures(timed, estimated, thresholds(timed, options), in_turn=in_turn)
    judged = (pair.counted(options) if pair.code else next(by_time) for pair in matched)
    figures = tuple(
        msgspec.structs.replace(figure, verdict=Verdict.DIFFERS)
        if figure.case in differing
        else _as_expected(figure, options)
        for figure in judged
    )
    whole = Comparison(
        base=_title(base),
        new=_title(new),
        threshold=options.threshold,
        count_threshold=options.count_threshold,
        margin=options.margin,
        cases=figures,
        unmatched=tuple(unmatched),
        summary=verdict_counts(figures),
        shift=float(np.exp(np.median(np.log(estimated.ratio)))) if timed else 1.0,
        notices=(
            *run_notices(base, new),
            *result_notices(differences.compared),
            *matched_notices(matched),
            *_idle(figures, differences, options),
            *noise_notices(len(timed), sources, has_aa=bool(aa_pairs)),
            *(() if in_turn else shift_notices(estimated.ratio[[pair.clock.is_time for pair in timed]])),
        ),
        base_provenance=provenance_of(base.header, base.machines),
        new_provenance=provenance_of(new.header, new.machines),
        different=tuple(differences.found.values()),
        equal_results=len(differences.equal),
    )
    return filtered(whole, rows, differences.equal)


def _as_expected(figure: ComparedFigure, options: ComparisonOptions) -> ComparedFigure:
    """The figure with its own threshold, and the line that accepts its slowdown."""
    default = options.count_threshold if figure.code else options.threshold
    own = options.expectations.threshold(figure.key, default)
    if own != default:
        figure = msgspec.structs.replace(figure, threshold=own)
    line = options.expectations.acceptance(figure.key, figure.low, own) if figure.verdict is Verdict.SLOWER else None
    return msgspec.structs.replace(figure, verdict=Verdict.ACCEPTED, accepted=line.title) if line else figure


def _idle(
    figures: Sequence[ComparedFigure], differences: ResultDifferences, options: ComparisonOptions
) -> Iterator[str]:
    """The lines of the expectations, and the names of --allow-different, that have no effect."""
    maybe_slower = {figure.key: figure.verdict not in (Verdict.SAME, Verdict.FASTER) for figure in figures}
    differing = {entry.operator for entry in differences.found.values()}
    yield from options.expectations.idle(maybe_slower, differing, {case.operator for case in differences.equal})
    of_file = options.expectations.reasons
    for name in (name for name in options.allow_different if name not in of_file):
        if all(allowed_reason({name: ""}, operator) is None for operator in differences.operators):
            yield f"--allow-different {name} has no effect: {UnknownNameError('operator', name, differences.operators)}"


def _nothing_in_common(
    runs: Sequence[RunReader], options: ComparisonOptions, unmatched: Sequence[Unmatched], results: ResultDifferences
) -> UsageError:
    """The error of two runs without a common figure: the most frequent reason of their common cases, if they have any.

    Runs without a common case differ in what they measured.
    """
    base, new = runs
    reasons = Counter((entry.reason, entry.missing) for entry in unmatched if entry.reason != ABSENT)
    why = "cases are matched by their ids, which the same seed, options and rules give"
    if base.cases & new.cases:
        figures = " or ".join(metric.title for metric in options.metrics)
        given = [run.header.settings.get("counters") or () for run in (base, new)]
        advice = counts_advice(counter for counter in COUNTERS if all(counter.name in names for names in given))
        why = f"their common cases have no {figures or 'results'}{advice}"
    for (reason, side), cases in reasons.most_common(1):
        first = next(entry for entry in unmatched if (entry.reason, entry.missing) == (reason, side))
        where = "both" if side == "both" else (base if side == "base" else new).path
        more = f" and {cases - 1} more" if cases > 1 else ""
        why = f"{first.operator} ({first.profile}){more} in {where}: {reason}"
    lacking = [] if options.metrics else list(result_notices(results.compared))
    if options.metrics and not set(options.metrics) & set(DEFAULT_METRICS):
        # Metrics that are read on request.
        names = ",".join(metric.name for metric in options.metrics if metric in COUNTERS)
        needed = [f"--counters {names}"] if names else []
        needed += [f"--caller {PYTHON.name}"] if PYTHON in options.metrics else []
        lacking.append(f"both runs need {' and '.join(needed)}")
    lacking += [run.notices[0] for run in runs if run.unreadable][:1]
    nothing = f"{base.path} and {new.path} have no figure in common, so there is nothing to compare"
    return UsageError("; ".join((f"{nothing}: {why}", *lacking)))


def estimate(
    matched: Sequence[Pair],
    calibration: Sequence[Pair] = (),
    margin: float | None = None,
    *,
    in_turn: bool = False,
    looks: int = 1,
    variances: Mapping[noise.Stratum, ratios.PairVariance] | None = None,
) -> tuple[ratios.Ratios, Counter[str]]:
    """The ratios of these pairs, and the number of figures by noise source.

    `in_turn`: the sides were interleaved, with at most `looks` looks at each case. `variances` are estimates from other
    figures of the variance between pairs of processes; a missing stratum is estimated from its own figures.
    """
    columns, sources = np.ones((5, len(matched))), Counter[str]()
    turns = [turns_of(pair) if in_turn else () for pair in matched]
    methods = [
        FROM_TURNS if ratios.has_enough_turns(each) else FROM_PAIRS if ratios.has_enough_pairs(each) else FROM_PROCESSES
        for each in turns
    ]
    for method in (FROM_TURNS, FROM_PAIRS, FROM_PROCESSES):
        group = [row for row, own in enumerate(methods) if own == method]
        for rows in noise.strata(matched, group, merged=method != FROM_PAIRS or variances is None):
            members, figures = [matched[row] for row in rows], [turns[row] for row in rows]
            slack = np.array([_slack(pair, margin or 0.0) for pair in members])
            slope_errors = SLOPE_ERRORS * np.array([pair.slope_effect for pair in members])
            if method == FROM_PROCESSES:
                noises, source = noise.noise_of(members, calibration, margin)
                groups, degrees = noise.figure_groups(members), _degrees(members)
                part = ratios.ratios(*groups, noises, slack, errors=slope_errors, degrees=degrees)
            else:
                slack += slope_errors
                levels = np.array([ratios.turn_level(pair.base.turns, pair.new.turns) for pair in members])
                variance, source = (variances or {}).get(noise.stratum_of(members[0])), method
                if method == FROM_TURNS:
                    part = ratios.turn_ratios(figures, slack, levels, looks)
                else:
                    part = ratios.pair_ratios(figures, slack, levels, looks, variance)
            columns[:, rows] = (part.ratio, part.low, part.high, part.p, part.level)
            sources[source] += len(rows)
    return ratios.Ratios(*columns), sources


def _degrees(pairs: Sequence[Pair]) -> noise.Array | None:
    """The degrees of freedom of figures of two runs at different times; None unless all are of low quantiles."""
    if not all(pair.quantile < MEDIAN for pair in pairs):
        return None
    of_once = (DEGREES_CORRECTED if pair.slope_effect else DEGREES_APART[noise.stratum_of(pair)[1]] for pair in pairs)
    return np.array([DEGREES_OF_VISITS if pair.visits > 1 else own for pair, own in zip(pairs, of_once, strict=True)])


def thresholds(members: Sequence[Pair], options: ComparisonOptions) -> noise.Array:
    """The smallest change of each figure that counts."""
    return np.array([pair.threshold(options) for pair in members])


def turns_of(pair: Pair) -> ratios.Differences:
    """The log ratios of the turns of both sides; empty if their numbers differ."""
    return ratios.turn_differences(pair.base.turns, pair.new.turns) if have_equal_turns(pair.base, pair.new) else ()


def _slack(pair: Pair, margin: float) -> float:
    """The systematic error of a log ratio: the margin, and half a step of a coarse clock."""
    step = max(pair.base.step, pair.new.step)
    shorter = max(min(pair.base.median, pair.new.median), step)
    return float(np.log1p(margin) + (np.log1p(0.5 * step / shorter) if step else 0.0))


def _calibration_pairs(calibration: tuple[RunReader, RunReader] | None, options: ComparisonOptions) -> list[Pair]:
    """The pairs of an A/A run, none without one. Raises UsageError if its runs have no figure in common."""
    if not calibration:
        return []
    matched, _ = _matched_pairs(*calibration, options)
    if not matched:
        raise UsageError(f"{calibration[0].path} and {calibration[1].path} have no figure in common: no A/A run")
    return matched


def _matched_pairs(base: RunReader, new: RunReader, options: ComparisonOptions) -> tuple[list[Pair], list[Unmatched]]:
    found = list(pairs(base, new, options))
    return [each for each in found if isinstance(each, Pair)], [each for each in found if not isinstance(each, Pair)]


def _compared_figures(
    matched: Sequence[Pair], estimated: ratios.Ratios, least: noise.Array, *, in_turn: bool
) -> Iterator[ComparedFigure]:
    # Sides in turn have the same programs beside them.
    crowded = [pair.crowded if not in_turn else (False, False) for pair in matched]
    q_values, widened = ratios.adjusted(estimated.p), ratios.with_crowding(estimated, crowded)
    columns = {"ratio": estimated.ratio, "low": widened.low, "high": widened.high, "p": estimated.p, "q": q_values}
    # By the level, so that the quotient of both times is the ratio.
    root = np.sqrt(estimated.ratio)
    columns |= {"base_us": estimated.level / root, "new_us": estimated.level * root}
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    judged = ratios.verdicts(estimated, q_values, least, widened)
    for pair, beside, verdict, row in zip(matched, crowded, judged, rows, strict=True):
        yield pair.compared(
            **dict(zip(columns, row, strict=True)),
            verdict=verdict,
            statistic="P10" if pair.quantile < MEDIAN else "median",
            base_processes=len(pair.base.times),
            new_processes=len(pair.new.times),
            crowded=any(beside) and verdict is Verdict.UNDECIDED,
            parts=pair.parts if pair.parts and verdict in CHANGED else msgspec.UNSET,
        )


def _title(reader: RunReader) -> str:
    return f"{reader.path} ({release_title(reader.header.release)}, {reader.header.started})"


def compare_files(
    base: Path, new: Path, options: ComparisonOptions, aa: tuple[Path, Path] | None = None, rows: RowFilter = ALL_ROWS
) -> Comparison:
    """Compares NEW with BASELINE, and keeps the selected rows.

    Raises CaseFileError for an unreadable file, UsageError if no case is in both, UnknownNameError for unknown names.
    """
    with ExitStack() as stack:
        readers = [stack.enter_context(RunReader(path)) for path in (*(aa or ()), base, new)]
        calibration = (readers[0], readers[1]) if aa else None
        comparison = compare(readers[-2], readers[-1], options, calibration, rows=rows)
    return msgspec.structs.replace(comparison, notices=(*lost_notices(comparison.lost), *comparison.notices))
