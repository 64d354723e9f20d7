"""A finding that was measured again, as a person and as a program reads it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autoperf.core.finding import MIN_ROUNDS, Rechecked
from autoperf.reports.hunt import interval
from autoperf.reports.layout import beside, hanging
from autoperf.reports.units import count, describe_case, duration, factor, split_words
from autoperf.results.huntfile import inputs_record

_TIME = 10
_RATIO = 8
_INTERVAL = 16
_FIGURES = _TIME + _RATIO + _INTERVAL
_HEAD = "slow  "


def table(found: Rechecked) -> RecheckTable:
    """A renderable of it."""
    return RecheckTable(found)


def to_json(found: Rechecked) -> str:
    """One document."""
    value = {
        "operator": found.operator,
        "pass": found.pass_,
        "holds": found.holds,
        "ratio": found.estimate.ratio,
        "low": found.estimate.low,
        "high": found.estimate.high,
        "above": found.above,
        "slow": inputs_record(found.slow),
        "slow_us": found.slow_us,
        "fast": inputs_record(found.fast),
        "fast_us": found.fast_us,
        "rounds": found.rounds,
        "mxnet": found.mxnet,
        "threads": found.threads,
    }
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


class RecheckTable:
    """Renders both sides for whatever width the console has, and what follows from them."""

    def __init__(self, found: Rechecked) -> None:
        self._found = found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the heading, a row for each side, and the verdict."""
        found, width = self._found, options.max_width
        left = max(len(_HEAD) + 1, width - _FIGURES)
        titles = f"{'time':>{_TIME}}{'ratio':>{_RATIO}}{'95% interval':>{_INTERVAL}}"
        yield Text.assemble((f"{found.operator} {found.pass_}".ljust(left), "bold cyan"), (titles, "dim"))
        ratio = found.estimate
        figures = f"{duration(found.slow_us):>{_TIME}}{factor(ratio.ratio):>{_RATIO}}{interval(ratio):>{_INTERVAL}}"
        slow, fast = split_words(describe_case(found.slow)), split_words(describe_case(found.fast))
        yield from beside(_HEAD, slow, figures, left)
        yield from beside("fast  ", fast, f"{duration(found.fast_us):>{_TIME}}", left)
        yield from hanging("", _where(found).split(), width, "dim")
        for note in _notes(found):
            yield from hanging("note: ", note.split(), width, "yellow")
        yield from hanging("", _verdict(found).split(), width, "bold red" if found.holds else "bold green")


def _where(found: Rechecked) -> str:
    threads = "" if found.threads is None else f", {count(found.threads, 'thread')}"
    return f"by the wall clock in {count(found.rounds, 'round')}, MXNet {found.mxnet}{threads}"


def _notes(found: Rechecked) -> Iterator[str]:
    if found.found_threads is not None and found.threads not in (None, found.found_threads):
        yield f"it was found with {count(found.found_threads, 'thread')}; OMP_NUM_THREADS sets them"
    if found.rounds < MIN_ROUNDS:
        yield f"{count(found.rounds, 'round')} in the time given: too few for an interval of 95%; --max-time gives more"


def _verdict(found: Rechecked) -> str:
    limit = factor(found.above)
    if found.holds:
        return f"still so: the ratio is above {limit}"
    if found.estimate.high <= found.above:
        return f"over: the ratio is below {limit}"
    return f"not shown: the interval reaches from below {limit} to above it; more --rounds may decide"
