"""The notices of a comparison: what new lacks, how the runs differ, where the noise is from, a common shift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from autoperf.analysis.calibration import FROM_ITSELF, FROM_MARGIN, FROM_PROCESSES, INTERLEAVED
from autoperf.analysis.comparison import BROKEN, Unmatched
from autoperf.analysis.figures import MEDIAN
from autoperf.analysis.headers import differences
from autoperf.analysis.pairs import Pair
from autoperf.analysis.ratios import Ratios
from autoperf.results.run_reader import RunReader

MAX_NAMES = 12
"""The operators that a notice names."""
MIN_SHIFT_FIGURES = 20
MAX_SHARE_ONE_WAY = 0.75


def run_notices(base: RunReader, new: RunReader) -> tuple[str, ...]:
    """What is wrong with the files, and how the runs differ in machine, versions and options."""
    is_same_file = base.path.resolve() == new.path.resolve() or base.path.samefile(new.path)
    self_comparison = (f"{base.path} is compared with itself",) if is_same_file else ()
    cut = tuple(dict.fromkeys((*base.notices, *new.notices)))
    return (*self_comparison, *cut, *differences(base, new))


def lost_notices(lost: Sequence[Unmatched]) -> Iterator[str]:
    """How much of what base measured broke in new, and how much of it new has not, with the operators' names."""
    broken = sum(map(_is_broken, lost))
    if broken:
        yield f"{_counted(broken, 'case')} that base measured failed, crashed or timed out in new"
    missing = [entry for entry in lost if not _is_broken(entry)]
    if missing:
        cases = sum(entry.pass_ is None for entry in missing)
        amounts = [_counted(cases, "case"), _counted(len(missing) - cases, "figure")]
        amount = " and ".join(amount for amount in amounts if not amount.startswith("0 "))
        names = list(dict.fromkeys(entry.operator for entry in missing))
        more = f" and {_counted(len(names) - MAX_NAMES, 'operator')} more" if len(names) > MAX_NAMES else ""
        yield (
            f"{amount} that base measured {'is' if len(missing) == 1 else 'are'} missing in new: "
            f"{', '.join(names[:MAX_NAMES])}{more}; --allow-missing is for a run that measured less on purpose"
        )


def _is_broken(entry: Unmatched) -> bool:
    return entry.reason.startswith(tuple(status.value for status in BROKEN))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def operator_notices(matched: Sequence[Pair]) -> Iterator[str]:
    """Which operators stand against each other, where a function of one namespace stands against that of another."""
    for base, new in dict.fromkeys((pair.base_operator, pair.operator) for pair in matched):
        if base != new:
            yield " ".join(f"operator: base {base}, new {new}".split())


def noise_notices(matched: Sequence[Pair], sources: Counter[str], calibration: Sequence[Pair]) -> tuple[str, ...]:
    """Where the noise comes from, if not from the processes of both sides."""
    total = len(matched)
    notices = []
    interleaved = sum(sources[source] for source in INTERLEAVED)
    if calibration and interleaved:
        notices.append(f"{interleaved} of {total} figures were measured in turn, so that the A/A run isn't needed")
    for source, count in sources.items():
        if source not in (FROM_PROCESSES, *INTERLEAVED):
            which = "every figure" if count == total else f"{count} of {total} figures"
            notices.append(f"one process can't show how processes differ: for {which} the noise is from {source}")
    if sources[FROM_ITSELF]:
        notices.append(
            "so only what stands out from the other figures is judged; several processes a case, --aa or --margin "
            "would say more"
        )
    if sources[FROM_MARGIN]:
        notices.append("the margin is taken as stated; nothing in these files confirms it")
    return tuple(notices)


def statistic_notices(matched: Sequence[Pair]) -> Iterator[str]:
    """Which times are compared, where they are not the medians that a run shows."""
    if any(pair.quantile < MEDIAN for pair in matched):
        yield (
            "compared are the tenth percentiles (P10) of each process's samples, which repeat better than the medians "
            "that a run shows; a change of the slower samples alone isn't seen"
        )


def shift_notices(matched: Sequence[Pair], estimated: Ratios, *, in_turn: bool) -> tuple[str, ...]:
    """A warning if most ratios of times shift one way, which the machine may cause in runs at different times."""
    logs = np.log(estimated.ratio[[pair.clock.is_time for pair in matched]])
    if in_turn or not logs.size:
        return ()
    median = float(np.median(logs))
    one_way = float(np.mean(np.sign(logs) == np.sign(median)))
    if len(logs) < MIN_SHIFT_FIGURES or abs(median) < np.log(1.02) or one_way < MAX_SHARE_ONE_WAY:
        return ()
    return (
        f"over all figures the median ratio is {np.exp(median):.3f}: what so many have in common is often the "
        "machine's; measure both sides in turn to tell",
    )
