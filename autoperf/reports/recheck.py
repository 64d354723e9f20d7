"""A rechecked finding as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.text import Text

from autoperf.core.finding import MIN_ROUNDS, Rechecked
from autoperf.reports.hunt import inputs_of, interval
from autoperf.reports.layout import beside, hanging
from autoperf.reports.units import count, duration, factor, split_words
from autoperf.results.huntfile import inputs_record

_TIME = 10
_RATIO = 8
_INTERVAL = 16
_FIGURES = _TIME + _RATIO + _INTERVAL
_HEAD = "slow  "


def json_text(rechecked: Rechecked) -> str:
    """One document."""
    value = {
        "operator": rechecked.operator,
        "pass": rechecked.pass_,
        "holds": rechecked.holds,
        "ratio": rechecked.estimate.ratio,
        "low": rechecked.estimate.low,
        "high": rechecked.estimate.high,
        "above": rechecked.above,
        "slow": inputs_record(rechecked.slow),
        "slow_us": rechecked.slow_us,
        "fast": inputs_record(rechecked.fast),
        "fast_us": rechecked.fast_us,
        "rounds": rechecked.rounds,
        "mxnet": rechecked.mxnet,
        "threads": rechecked.threads,
        "sides": rechecked.sides,
    }
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def table_lines(rechecked: Rechecked, width: int) -> Iterator[Text]:
    """The heading, a row for each input, the conditions, and the verdict."""
    left = max(len(_HEAD) + 1, width - _FIGURES)
    titles = f"{'time':>{_TIME}}{'ratio':>{_RATIO}}{'95% interval':>{_INTERVAL}}"
    yield Text.assemble((f"{rechecked.operator} {rechecked.pass_}".ljust(left), "bold cyan"), (titles, "dim"))
    ratio = rechecked.estimate
    figures = f"{duration(rechecked.slow_us):>{_TIME}}{factor(ratio.ratio):>{_RATIO}}{interval(ratio):>{_INTERVAL}}"
    slow, fast = map(split_words, inputs_of(rechecked.slow, rechecked.fast, rechecked.sides))
    yield from beside(_HEAD, slow, figures, left)
    yield from beside("fast  ", fast, f"{duration(rechecked.fast_us):>{_TIME}}", left)
    yield from hanging("", _conditions(rechecked).split(), width, "dim")
    for note in _notes(rechecked):
        yield from hanging("note: ", note.split(), width, "yellow")
    yield from hanging("", _verdict(rechecked).split(), width, "bold red" if rechecked.holds else "bold green")


def _conditions(rechecked: Rechecked) -> str:
    threads = "" if rechecked.threads is None else f", {count(rechecked.threads, 'thread')}"
    builds = " and ".join(rechecked.sides or (f"MXNet {rechecked.mxnet}",))
    return f"by the wall clock in {count(rechecked.rounds, 'round')}, {builds}{threads}"


def _notes(rechecked: Rechecked) -> Iterator[str]:
    if rechecked.found_threads is not None and rechecked.threads not in (None, rechecked.found_threads):
        yield f"it was found with {count(rechecked.found_threads, 'thread')}; OMP_NUM_THREADS sets them"
    if rechecked.rounds < MIN_ROUNDS:
        rounds = count(rechecked.rounds, "round")
        yield f"{rounds} in the time given: too few for a 95% interval; --time-budget gives more"


def _verdict(rechecked: Rechecked) -> str:
    limit = factor(rechecked.above)
    if rechecked.holds:
        return f"reproduced: the ratio is above {limit}"
    if rechecked.estimate.high <= rechecked.above:
        return f"not reproduced: the ratio is below {limit}"
    return f"undecided: the interval reaches from below {limit} to above it; more --rounds may decide"
