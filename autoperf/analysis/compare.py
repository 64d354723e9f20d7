"""Compares two runs: pairs figures, learns their noise, estimates ratios, and judges them all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from autoperf.analysis.calibration import FROM_ITSELF, FROM_MARGIN, FROM_PROCESSES, noise, strata
from autoperf.analysis.comparison import Compared, Comparison, Question, Tally, Unmatched, Verdict
from autoperf.analysis.headers import differences
from autoperf.analysis.noise import Array, Group
from autoperf.analysis.pairs import Describe, Pair, pairs
from autoperf.analysis.ratios import Ratios, ratios
from autoperf.analysis.verdicts import adjusted, verdicts
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Status
from autoperf.results.reading import RunReader

MANY = 20
BROKEN = (Status.FAILED.value, Status.CRASHED.value, Status.TIMEOUT.value)
MOST_ONE_WAY = 0.75


def compare(
    base: RunReader,
    new: RunReader,
    question: Question,
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
            "by their ids, which the same seed, options and rules give"
        )
    known = _split(*calibration, question, describe)[0] if calibration else []
    if calibration and not known:
        raise UsageError(f"{calibration[0].path} and {calibration[1].path} have no figure in common: no A/A run")
    found, sources = estimate(matched, known, question.margin)
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
        summary=Tally(**{verdict.value: count for verdict, count in Counter(said).items()}),
        shift=shift,
        notices=(*_notices(base, new, unmatched), *_noise_notices(matched, sources), *_shift_notices(found)),
    )


def estimate(
    matched: Sequence[Pair], calibration: Sequence[Pair] = (), margin: float | None = None
) -> tuple[Ratios, Counter[str]]:
    """The ratios of these pairs, and of how many the noise is from where."""
    columns = np.ones((4, len(matched)))
    sources: Counter[str] = Counter()
    for rows in strata(matched):
        base = Group.of([matched[row].base.logs for row in rows])
        new = Group.of([matched[row].new.logs for row in rows])
        sides, source = noise(matched, rows, calibration, margin)
        slack = np.array([_slack(matched[row], margin or 0.0) for row in rows])
        found = ratios(base, new, sides, slack)
        columns[:, rows] = (found.ratio, found.low, found.high, found.p)
        sources[source] += len(rows)
    return Ratios(*columns), sources


def _slack(pair: Pair, margin: float) -> float:
    """By how much the logarithm may be wrong beyond the noise: the margin, and half a step of a coarse clock."""
    step = max(pair.base.step, pair.new.step)
    shorter = max(min(pair.base.median, pair.new.median), step)
    return float(np.log1p(margin) + (np.log1p(0.5 * step / shorter) if step else 0.0))


def _split(
    base: RunReader, new: RunReader, question: Question, describe: Describe
) -> tuple[list[Pair], list[Unmatched]]:
    matched: list[Pair] = []
    unmatched: list[Unmatched] = []
    for one in pairs(base, new, question, describe):
        if isinstance(one, Pair):
            matched.append(one)
        else:
            unmatched.append(one)
    return matched, unmatched


def _compared(matched: Sequence[Pair], found: Ratios, q: Array, said: Sequence[Verdict]) -> Iterator[Compared]:
    for index, pair in enumerate(matched):
        yield Compared(
            case=pair.case,
            operator=pair.operator,
            pass_=pair.pass_,
            clock=pair.clock,
            ratio=float(found.ratio[index]),
            low=float(found.low[index]),
            high=float(found.high[index]),
            p=float(found.p[index]),
            verdict=said[index],
            q=float(q[index]),
            base_us=pair.base.least,
            new_us=pair.new.least,
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
    lost = (f"{broken} cases that base measured failed, crashed or timed out in new",) if broken else ()
    return (*alike, *cut, *lost, *differences(base.header, new.header))


def _noise_notices(matched: Sequence[Pair], sources: Counter[str]) -> tuple[str, ...]:
    total = len(matched)
    told = []
    for source, count in sources.items():
        if source != FROM_PROCESSES:
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


def _shift_notices(found: Ratios) -> tuple[str, ...]:
    """Two runs at different times can't tell a machine that changed from a build that did."""
    logs = np.log(found.ratio)
    middle = float(np.median(logs))
    one_way = float(np.mean(np.sign(logs) == np.sign(middle)))
    if len(logs) < MANY or abs(middle) < np.log(1.02) or one_way < MOST_ONE_WAY:
        return ()
    return (
        f"over all figures the median ratio is {np.exp(middle):.3f}: what so many have in common is often the "
        "machine's; measure both sides in turn to tell",
    )
