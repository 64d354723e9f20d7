"""Gains of networks by the changes of calls: the time and share of a pass, by how often each network makes a call."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from autoperf.cases.store import StoredGroups
from autoperf.comparison.comparison import CHANGED, ComparedFigure, Comparison, NetworkChange, Verdict
from autoperf.core.case import Case
from autoperf.core.clocks import KERNEL, PYTHON, WALL
from autoperf.core.errors import UsageError
from autoperf.core.files import NDJSON
from autoperf.core.modes import NETWORK, RANKING_MODES
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, fact, numeric
from autoperf.reports.layout import grouped
from autoperf.reports.table import Table
from autoperf.reports.units import NONE, duration, percent

_CLOCKS = [clock.name for clock in (KERNEL, PYTHON, WALL)]
"""The clocks of calls, the first that a call has."""
MAX_NAMED, MAX_OPERATORS = 3, 3


def captured_files(path: Path) -> tuple[Path, ...]:
    """A captured file, or those of a folder."""
    return tuple(sorted(path.glob(f"*{NDJSON}"))) if path.is_dir() else (path,)


def captured_calls(path: Path, option: str = "--networks") -> list[Case]:
    """The calls and wholes of the networks in a captured file, or in a folder of them.

    Raises CaseFileError, and UsageError where there are none.
    """
    stored = (StoredGroups(file) for file in captured_files(path) if file.suffix == NDJSON)
    cases = [case for groups in stored for group in groups for case in group if case.calls]
    if not cases:
        raise UsageError(
            f"invalid {option} {path}: expected the file of `autoperf capture NETWORK --cases-file FILE{NDJSON}`, "
            "which counts the calls of a network, or a folder of such files"
        )
    return cases


def network_changes(figures: Iterable[ComparedFigure], cases: Iterable[Case]) -> tuple[NetworkChange, ...]:
    """The change of each pass of each network of which a call was compared, the largest share first."""
    by_case = grouped(figures, lambda figure: figure.case)
    calls: dict[str, dict[str, Case]] = defaultdict(dict)
    for case in cases:
        for name in case.calls or {}:
            calls[name][case.id] = case
    found = (
        _change(name, pass_, list(members.values()), by_case) for name, members in calls.items() for pass_ in PASSES
    )
    return tuple(sorted(filter(None, found), key=lambda each: -abs(each.share or 0.0)))


def _change(
    name: str, pass_: PassName, cases: Sequence[Case], figures: Mapping[str, Sequence[ComparedFigure]]
) -> NetworkChange | None:
    """The change of a pass; None if none of its calls was compared."""
    calls = [(case, _figure(figures.get(case.id, ()), pass_)) for case in cases if case.category != NETWORK]
    covered = [((case.calls or {})[name], figure) for case, figure in calls if figure]
    if not covered:
        return None
    operators: dict[str, float] = defaultdict(float)
    for number, figure in covered:
        if figure.verdict in (*CHANGED, Verdict.ACCEPTED):
            operators[figure.operator] += number * (figure.new_us - figure.base_us)
    ordered = sorted(operators.items(), key=lambda item: -abs(item[1]))
    made = max((case.network_calls or {}).get(name, 0) for case in cases)
    return NetworkChange(
        name,
        pass_,
        calls=sum(number for number, _ in covered),
        made=max(made, sum(number for number, _ in covered)),
        base_us=math.fsum(number * figure.base_us for number, figure in covered),
        change_us=math.fsum(operators.values()),
        operators=dict(ordered),
        whole_us=_whole(cases, pass_, figures),
    )


def _figure(figures: Iterable[ComparedFigure], pass_: PassName) -> ComparedFigure | None:
    timed = [figure for figure in figures if figure.pass_ == pass_ and figure.clock in _CLOCKS]
    return min(timed, key=lambda figure: _CLOCKS.index(figure.clock), default=None)


def _whole(cases: Iterable[Case], pass_: PassName, figures: Mapping[str, Sequence[ComparedFigure]]) -> float | None:
    """The time of a pass of the whole in base, by the clock of whole calls; None if it wasn't compared."""
    wholes = {case.mode: case for case in cases if case.category == NETWORK}
    for mode in RANKING_MODES:
        for figure in figures.get(wholes[mode].id, ()) if mode in wholes else ():
            if figure.pass_ == pass_ and figure.clock in _CLOCKS[1:]:
                return figure.base_us
    return None


def with_networks(comparison: Comparison, cases: Sequence[Case]) -> Comparison:
    """The comparison with what it gives the networks that make these calls."""
    return msgspec.structs.replace(comparison, networks=network_changes(comparison.cases, cases))


def network_answer(comparison: Comparison) -> Iterator[str]:
    """A sentence for each of the networks that change most."""
    for change in comparison.networks[:MAX_NAMED]:
        operators = list(change.operators.items())[:MAX_OPERATORS]
        named = f", by {', '.join(f'{name} {_signed(us)}' for name, us in operators)}" if operators else ""
        whole = max(change.whole_us or 0.0, change.base_us)
        share = "" if change.share is None else f" ({change.share:+.1%} of {duration(whole)})"
        yield f"{change.name}, {change.pass_}: {_signed(change.change_us)}{share}{named}; {_covered(change)}"


def _signed(us: float) -> str:
    return f"{'+' if us > 0 else '-'}{duration(abs(us))}" if us else "no change"


def _covered(change: NetworkChange) -> str:
    calls = f"{change.calls} of {count(change.made, 'call was', 'calls were')} compared"
    return calls if change.coverage is None else f"{calls}, with {percent(change.coverage)} of its time"


def network_table(comparison: Comparison) -> Iterator[Table[NetworkChange]]:
    """The networks by the share that changes; nothing without --networks."""
    if comparison.networks:
        yield Table("networks", COLUMNS, comparison.networks, min_words=24)


COLUMNS: tuple[Column[NetworkChange], ...] = (
    fact("network", lambda change: change.name, place=Place.LEAD),
    fact("pass", lambda change: change.pass_, place=Place.LEAD),
    numeric("calls", lambda change: change.calls, lambda change: f"{change.calls} of {change.made}", room=14),
    numeric(
        "covered", lambda change: change.coverage, unit="share", header="of its time", csv="coverage", optional=True,
        room=13,
    ),
    numeric("base", lambda change: change.base_us, unit="us"),
    numeric("change", lambda change: change.change_us, lambda change: _signed(change.change_us), "us", room=12),
    numeric(
        "share", lambda change: change.share, lambda change: NONE if change.share is None else f"{change.share:+.1%}",
        "share", room=9,
    ),
)  # fmt: skip
