"""The notices of a comparison: missing cases, differences between the runs, the source of the noise, a common shift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autoperf.analysis.comparison import BROKEN, Unmatched
from autoperf.analysis.figures import MEDIAN
from autoperf.analysis.noise import FROM_ITSELF, FROM_MARGIN, FROM_PROCESSES, INTERLEAVED
from autoperf.analysis.pairs import Pair
from autoperf.analysis.ratios import Ratios
from autoperf.core.load import is_busy
from autoperf.results.environment import Environment, Machine
from autoperf.results.run_reader import RunReader
from autoperf.results.runfile import RunHeader

MAX_NAMES = 12
"""The operators that a notice names."""
MIN_SHIFT_FIGURES = 20
MAX_SHARE_ONE_WAY = 0.75
HARMLESS = frozenset({"timeout", "memory_limit", "counters", "caller"})
"""Settings that limit or extend a measurement without affecting its figures."""
OWN_VARIABLES = ("AUTOPERF_CACHE", "AUTOPERF_MXNET")
ABSENT = "not set"


def run_notices(base: RunReader, new: RunReader) -> tuple[str, ...]:
    """Problems of the files, and differences between the runs in machine, versions and options."""
    is_same_file = base.path.resolve() == new.path.resolve() or base.path.samefile(new.path)
    self_comparison = (f"{base.path} is compared with itself",) if is_same_file else ()
    cut = tuple(dict.fromkeys((*base.notices, *new.notices)))
    return (*self_comparison, *cut, *differences(base, new))


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


def operator_notices(matched: Sequence[Pair]) -> Iterator[str]:
    """The pairs of operators in a comparison of functions of two namespaces."""
    for base, new in dict.fromkeys((pair.base_operator, pair.operator) for pair in matched):
        if base != new:
            yield " ".join(f"operator: base {base}, new {new}".split())


def noise_notices(matched: Sequence[Pair], sources: Counter[str], calibration: Sequence[Pair]) -> tuple[str, ...]:
    """The sources of the noise, other than the processes of both sides."""
    total = len(matched)
    notices = []
    interleaved = sum(sources[source] for source in INTERLEAVED)
    if calibration and interleaved:
        notices.append(f"{interleaved} of {total} figures were measured in turn, so the A/A run isn't needed")
    for source, count in sources.items():
        if source not in (FROM_PROCESSES, *INTERLEAVED):
            which = "every figure" if count == total else f"{count} of {total} figures"
            notices.append(f"one process can't show how processes differ: the noise of {which} is from {source}")
    if sources[FROM_ITSELF]:
        notices.append(
            "so only outliers among the figures are reported; several processes for each case, --aa or --margin "
            "would decide more"
        )
    if sources[FROM_MARGIN]:
        notices.append("the margin is taken as stated; these files can't confirm it")
    return tuple(notices)


def statistic_notices(matched: Sequence[Pair]) -> Iterator[str]:
    """The statistic that is compared, if it isn't the median that a run shows."""
    if any(pair.quantile < MEDIAN for pair in matched):
        yield (
            "the comparison is of the tenth percentiles (P10) of each process's samples, which repeat better than the "
            "medians that a run shows; a change of only the slower samples isn't detected"
        )


def shift_notices(matched: Sequence[Pair], estimated: Ratios, *, in_turn: bool) -> tuple[str, ...]:
    """A warning if most ratios of times shift in one direction, which the machine may cause between two runs."""
    logs = np.log(estimated.ratio[[pair.clock.is_time for pair in matched]])
    if in_turn or not logs.size:
        return ()
    median = float(np.median(logs))
    one_way = float(np.mean(np.sign(logs) == np.sign(median)))
    if len(logs) < MIN_SHIFT_FIGURES or abs(median) < np.log(1.02) or one_way < MAX_SHARE_ONE_WAY:
        return ()
    return (
        f"over all figures the median ratio is {np.exp(median):.3f}: a shift that most figures share is often "
        "the machine's; measure both sides in turn to find out",
    )


def differences(base: RunReader, new: RunReader) -> tuple[str, ...]:
    """A sentence for each difference in machine, versions and settings, and for each busy machine."""
    sentences = [
        f"{name}: base {base_value}, new {new_value}"
        for name, base_value, new_value in _compared_values(
            base.header, new.header, base.machines[0].environment, new.machines[0].environment
        )
        if base_value != new_value
    ]
    sentences += [text for side, run in (("base", base), ("new", new)) for text in _load(side, run.machines)]
    return tuple(sentences)


def _compared_values(
    base: RunHeader, new: RunHeader, base_environment: Environment, new_environment: Environment
) -> Iterator[tuple[str, Any, Any]]:
    yield "MXNet", base.mxnet, new.mxnet
    yield "machine", base_environment.machine, new_environment.machine
    yield "processor", base_environment.processor.model, new_environment.processor.model
    yield "usable processors", base_environment.processor.usable, new_environment.processor.usable
    yield "governors", _governors(base_environment), _governors(new_environment)
    yield "autoperf", base.autoperf, new.autoperf
    yield "method of measuring", base.method, new.method
    yield "Python", base_environment.python, new_environment.python
    yield "NumPy", base_environment.packages.get("numpy"), new_environment.packages.get("numpy")
    yield from _by_name(
        "", _without(base_environment.settings, OWN_VARIABLES), _without(new_environment.settings, OWN_VARIABLES)
    )
    yield from _by_name("MXNet's ", _devices(base_environment.mxnet), _devices(new_environment.mxnet))
    if base.mxnet == new.mxnet:
        yield from _by_name(
            "MXNet's feature ",
            base_environment.mxnet.get("features") or {},
            new_environment.mxnet.get("features") or {},
        )
    yield from _by_name("setting ", *(_without(_settings(header), HARMLESS) for header in (base, new)))


def _governors(environment: Environment) -> str:
    return ", ".join(environment.processor.governors) or "unknown"


def _load(side: str, machines: Sequence[Machine]) -> Iterator[str]:
    for machine in machines:
        load, usable = machine.environment.load[0], machine.environment.processor.usable
        if is_busy(load, usable):
            yield f"{side} began on a busy machine: load {load:.1f} on {usable} processors"


def has_time_budget(header: RunHeader) -> bool:
    """Whether the run had a time budget."""
    return _settings(header).get("time_budget") is not None


def _settings(header: RunHeader) -> dict[str, Any]:
    settings = header.options.get("settings")
    return settings if isinstance(settings, dict) else {}


def _devices(mxnet: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in mxnet.items() if name in ("threads", "gpus")}


def _without(settings: dict[str, Any], names: frozenset[str] | tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in names}


def _by_name(prefix: str, base: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted({*base, *new}):
        yield f"{prefix}{name}", base.get(name, ABSENT), new.get(name, ABSENT)
