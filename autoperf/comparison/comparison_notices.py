"""The notices of a comparison: missing cases, differences between the runs, the source of the noise, a common shift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autoperf.comparison.comparison import Unmatched
from autoperf.comparison.figures import MEDIAN
from autoperf.comparison.noise import FROM_ITSELF, FROM_MARGIN, FROM_PROCESSES, INTERLEAVED, Array
from autoperf.comparison.pairs import Pair
from autoperf.core.outcome import BROKEN
from autoperf.core.releases import release_title
from autoperf.registry.spellings import function_of
from autoperf.runs.environment import FEATURE, different_facts, facts_of
from autoperf.runs.run_reader import RunReader

MAX_NAMES = 12
"""The operators that a notice names."""
MIN_SHIFT_FIGURES = 20
MAX_SHARE_ONE_WAY = 0.75
MAX_SHARE_LOADED = 0.5
HARMLESS = frozenset({"timeout", "memory_limit", "counters", "keep_dumps", "caller", "framework"})
"""Settings that limit or extend a measurement without affecting its figures, and one that is a fact already."""
IGNORED = (
    "system",
    "memory in bytes",
    "Hypothesis",
    "MXNet's library",
    "AUTOPERF_CACHE",
    "AUTOPERF_MXNET",
    "AUTOPERF_RELEASES",
)
"""Facts of a machine that don't affect figures, or that other differences explain."""


def run_notices(base: RunReader, new: RunReader) -> Iterator[str]:
    """Problems of the files, and differences between the runs in machine, versions and options."""
    if base.path.samefile(new.path):
        yield f"{base.path} is compared with itself"
    yield from dict.fromkeys((*base.notices, *new.notices))
    yield from differences(base, new)


def result_notices(compared: Counter[tuple[bool, bool]]) -> Iterator[str]:
    """The numbers of cases whose results can't be compared, since a run has no fingerprints of them."""
    known = sum(number for sides, number in compared.items() if any(sides))
    if compared.total() and not known:
        yield "results aren't compared: neither run has fingerprints of them"
    for sides, name in (((False, True), "base"), ((True, False), "new")):
        if compared[sides]:
            yield (
                f"the results of {compared[sides]:,} of {_counted(known, 'case')} aren't compared: {name} has no "
                "fingerprints of them"
            )


def lost_notices(lost: Sequence[Unmatched]) -> Iterator[str]:
    """The numbers of cases that base measured and that broke or are missing in new, with operators' names."""
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


def matched_notices(matched: Sequence[Pair]) -> Iterator[str]:
    """The pairs of operators in a comparison of two namespaces; the statistic, if it isn't the median; the load."""
    others = dict.fromkeys(
        (pair.base_operator, pair.operator) for pair in matched if pair.base_operator != pair.operator
    )
    renamed = [names for names in others if len(set(map(function_of, names))) == 1]
    yield from (
        " ".join(f"operator: base {base}, new {new}".split()) for base, new in others if (base, new) not in renamed
    )
    if renamed:
        names = ", ".join(f"{base} {new}" for base, new in renamed[:MAX_NAMES])
        more = f" and {len(renamed) - MAX_NAMES} more" if len(renamed) > MAX_NAMES else ""
        functions = _counted(len(renamed), "function")
        yield f"{functions} of np under two names, whose results aren't compared: {names}{more}"
    if any(pair.quantile < MEDIAN for pair in matched):
        yield (
            "the comparison is of the tenth percentiles (P10) of each process's samples, which repeat better than the "
            "medians that a run shows; a change of only the slower samples isn't detected"
        )
    beside = [sum(pair.loaded[side] for pair in matched) for side in (0, 1)]
    if max(beside) > MAX_SHARE_LOADED * len(matched):
        yield "other programs used the processors during {} of {total} figures of base and {} of new".format(
            *beside, total=len(matched)
        )


def noise_notices(total: int, sources: Counter[str], *, has_aa: bool) -> Iterator[str]:
    """The sources of the noise of `total` figures, other than the processes of both sides."""
    interleaved = sum(sources[source] for source in INTERLEAVED)
    if has_aa and interleaved:
        yield f"{interleaved} of {total} figures were measured in turn, so the A/A run isn't needed"
    for source, count in sources.items():
        if source not in (FROM_PROCESSES, *INTERLEAVED):
            which = "every figure" if count == total else f"{count} of {total} figures"
            yield f"one process can't show how processes differ: the noise of {which} is from {source}"
    if sources[FROM_ITSELF]:
        yield (
            "so only outliers among the figures are reported; several processes for each case, --aa or --margin "
            "would decide more"
        )
    if sources[FROM_MARGIN]:
        yield "the margin is taken as stated; these files can't confirm it"


def shift_notices(ratios: Array) -> Iterator[str]:
    """A warning if most of these ratios of times shift in one direction, which the machine may cause between runs."""
    logs = np.log(ratios)
    if logs.size < MIN_SHIFT_FIGURES:
        return
    median = float(np.median(logs))
    one_way = float(np.mean(np.sign(logs) == np.sign(median)))
    if abs(median) >= np.log(1.02) and one_way >= MAX_SHARE_ONE_WAY:
        yield (
            f"over all figures the median ratio is {np.exp(median):.3f}: a shift that most figures share is often "
            "the machine's; measure both sides in turn to find out"
        )


def differences(base: RunReader, new: RunReader) -> Iterator[str]:
    """A sentence for each difference in versions, machines and settings."""
    different = different_facts(_facts(base, new), _facts(new, base))
    yield from (f"{name}: base {base_value}, new {new_value}" for name, base_value, new_value in different)


def _facts(run: RunReader, other: RunReader) -> dict[str, Any]:
    """The facts to compare with the other run; features of MXNet only if both have one release."""
    header = run.header
    without = (*IGNORED, *(() if header.mxnet == other.header.mxnet else (FEATURE,)))
    of_machines = facts_of(run.machines).items()
    alike = header.framework == other.header.framework
    return {
        "MXNet" if alike else "framework": header.mxnet if alike else release_title(header.release),
        "autoperf": header.autoperf,
        "method of measuring": header.method,
        **{name: value for name, value in of_machines if not name.startswith(without)},
        **{f"setting {name}": value for name, value in header.settings.items() if name not in HARMLESS},
    }
