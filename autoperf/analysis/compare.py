"""Compares two runs: pairs figures, learns their noise, estimates ratios, and judges them all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from autoperf.analysis.calibration import FROM_ITSELF, FROM_MARGIN, FROM_PROCESSES, FROM_TURNS, noise, strata
from autoperf.analysis.comparison import (
    ComparedFigure,
    Comparison,
    ComparisonOptions,
    Unmatched,
    Verdict,
    VerdictCounts,
)
from autoperf.analysis.headers import differences
from autoperf.analysis.noise import Array, FigureGroup
from autoperf.analysis.pairs import Describe, Pair, pairs
from autoperf.analysis.ratios import Ratios, ratios
from autoperf.analysis.turn_ratios import Differences, enough, turn_ratios
from autoperf.analysis.turn_ratios import differences as turn_differences
from autoperf.analysis.turn_ratios import level as turn_level
from autoperf.analysis.verdicts import adjusted, verdicts
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Status
from autoperf.results.run_reader import RunReader

MANY = 20
BROKEN = (Status.FAILED.value, Status.CRASHED.value, Status.TIMEOUT.value)
MAX_SHARE_ONE_WAY = 0.75


def compare(
    base: RunReader,
    new: RunReader,
    question: ComparisonOptions,
    describe: Describe,
    calibration: tuple[RunReader, RunReader] | None = None,
) -> Comparison:
    """NEW against BASE. `describe` puts a case into words; `calibration` is two runs of one and the same thing.

    Raises UsageError if no figure is in both runs.
    """
    matched, unmatched = _split(base, new, question, describe)
    if not matched:
        raise UsageError(
            f"{base.path} and {new.path} have no figure in common, so there is nothing to compare: cases are matched "
            f"by their ids, which the same seed, options and rules give{_unreadable(base, new)}"
        )
    known = _split(*calibration, question, describe)[0] if calibration else []
    if calibration and not known:
        raise UsageError(f"{calibration[0].path} and {calibration[1].path} have no figure in common: no A/A run")
    in_turn = bool(base.header.in_turn) and base.header.in_turn == new.header.in_turn
    found, sources = estimate(matched, known, question.margin, in_turn=in_turn)
    q = adjusted(found.p)
    said = verdicts(found, q, question.threshold)
    shift = float(np.exp(np.median(np.log(found.ratio))))
    return Comparison(
        base=_title(base),
        new=_title(new),
        threshold=question.threshold,
        margin=question.margin,
        cases=tuple(_compared(matched, found, q, said)),
        unmatched=tuple(unmatched),
        summary=VerdictCounts(**{verdict.value: count for verdict, count in Counter(said).items()}),
        shift=shift,
        notices=(
            *_notices(base, new, unmatched),
            *_noise_notices(matched, sources, known),
            *_shift_notices(found, in_turn=in_turn),
        ),
    )


def _unreadable(*runs: RunReader) -> str:
    """What of the files can't be read, if anything."""
    broken = next((run for run in runs if run.unreadable), None)
    return f"; {broken.notices[0]}" if broken is not None else ""


def estimate(
    matched: Sequence[Pair], calibration: Sequence[Pair] = (), margin: float | None = None, *, in_turn: bool = False
) -> tuple[Ratios, Counter[str]]:
    """The ratios of these pairs, and of how many the noise is from where; `in_turn`: their sides took turns."""
    columns = np.ones((5, len(matched)))
    sources: Counter[str] = Counter()
    turns = {row: told for row, told in enumerate(map(_turns, matched)) if enough(told)} if in_turn else {}
    for group in (list(turns), [row for row in range(len(matched)) if row not in turns]):
        for places in strata([matched[row] for row in group]):
            rows = [group[place] for place in places]
            slack = np.array([_slack(matched[row], margin or 0.0) for row in rows])
            if rows[0] in turns:
                levels = np.array([turn_level(matched[row].base.turns, matched[row].new.turns) for row in rows])
                found, source = turn_ratios([turns[row] for row in rows], slack, levels), FROM_TURNS
            else:
                found, source = _by_processes([matched[row] for row in rows], slack, calibration, margin)
            columns[:, rows] = (found.ratio, found.low, found.high, found.p, found.level)
            sources[source] += len(rows)
    return Ratios(*columns), sources


def _by_processes(
    pairs: Sequence[Pair], slack: Array, calibration: Sequence[Pair], margin: float | None
) -> tuple[Ratios, str]:
    """The ratios by the medians of either side's processes, and where the noise is from."""
    sides, source = noise(pairs, range(len(pairs)), calibration, margin)
    base, new = (
        FigureGroup.of([figure.logs for figure in side])
        for side in zip(*((one.base, one.new) for one in pairs), strict=True)
    )
    return ratios(base, new, sides, slack), source


def _turns(pair: Pair) -> Differences:
    """What both sides' turns tell; nothing, if they don't belong together."""
    base, new = pair.base.turns, pair.new.turns
    return turn_differences(base, new) if list(map(len, base)) == list(map(len, new)) else ()


def _slack(pair: Pair, margin: float) -> float:
    """By how much the logarithm may be wrong beyond the noise: the margin, and half a step of a coarse clock."""
    step = max(pair.base.step, pair.new.step)
    shorter = max(min(pair.base.median, pair.new.median), step)
    return float(np.log1p(margin) + (np.log1p(0.5 * step / shorter) if step else 0.0))


def _split(
    base: RunReader, new: RunReader, question: ComparisonOptions, describe: Describe
) -> tuple[list[Pair], list[Unmatched]]:
    matched: list[Pair] = []
    unmatched: list[Unmatched] = []
    for one in pairs(base, new, question, describe):
        if isinstance(one, Pair):
            matched.append(one)
        else:
            unmatched.append(one)
    return matched, unmatched


def _compared(matched: Sequence[Pair], found: Ratios, q: Array, said: Sequence[Verdict]) -> Iterator[ComparedFigure]:
    for index, pair in enumerate(matched):
        yield ComparedFigure(
            case=pair.case,
            operator=pair.operator,
            pass_=pair.pass_,
            clock=pair.clock.name,
            ratio=float(found.ratio[index]),
            low=float(found.low[index]),
            high=float(found.high[index]),
            p=float(found.p[index]),
            verdict=said[index],
            q=float(q[index]),
            base_us=float(found.base_us[index]),
            new_us=float(found.new_us[index]),
            base_processes=len(pair.base.medians),
            new_processes=len(pair.new.medians),
            category=pair.category,
            profile=pair.profile,
            inputs=pair.inputs,
        )


def _title(reader: RunReader) -> str:
    return f"{reader.path} (MXNet {reader.header.mxnet}, {reader.header.started})"


def _notices(base: RunReader, new: RunReader, unmatched: Sequence[Unmatched]) -> tuple[str, ...]:
    same = base.path.resolve() == new.path.resolve() or base.path.samefile(new.path)
    alike = (f"{base.path} is compared with itself",) if same else ()
    cut = tuple(dict.fromkeys((*base.notices, *new.notices)))
    broken = sum(one.missing == "new" and one.reason.startswith(BROKEN) for one in unmatched)
    cases = "case" if broken == 1 else "cases"
    lost = (f"{broken} {cases} that base measured failed, crashed or timed out in new",) if broken else ()
    return (*alike, *cut, *lost, *differences(base.header, new.header))


def _noise_notices(matched: Sequence[Pair], sources: Counter[str], known: Sequence[Pair]) -> tuple[str, ...]:
    total = len(matched)
    told = []
    if known and sources[FROM_TURNS]:
        told.append(f"{sources[FROM_TURNS]} of {total} figures were measured in turn, so that the A/A run isn't needed")
    for source, count in sources.items():
        if source not in (FROM_PROCESSES, FROM_TURNS):
            which = "every figure" if count == total else f"{count} of {total} figures"
            told.append(f"one process can't show how processes differ: for {which} the noise is from {source}")
    if sources[FROM_ITSELF]:
        told.append(
            "so only what stands out from the other figures is judged; several processes a case, --aa or --margin "
            "would say more"
        )
    if sources[FROM_MARGIN]:
        told.append("the margin is taken as stated; nothing in these files confirms it")
    return tuple(told)


def _shift_notices(found: Ratios, *, in_turn: bool) -> tuple[str, ...]:
    """Two runs at different times can't tell a machine that changed from a build that did."""
    if in_turn:
        return ()
    logs = np.log(found.ratio)
    middle = float(np.median(logs))
    one_way = float(np.mean(np.sign(logs) == np.sign(middle)))
    if len(logs) < MANY or abs(middle) < np.log(1.02) or one_way < MAX_SHARE_ONE_WAY:
        return ()
    return (
        f"over all figures the median ratio is {np.exp(middle):.3f}: what so many have in common is often the "
        "machine's; measure both sides in turn to tell",
    )
