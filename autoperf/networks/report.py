"""The time of a network as an answer and as tables: by operator, by mode (also other frameworks') and by call."""

from __future__ import annotations

import math
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from autoperf.core.clocks import PYTHON, WALL, Clock
from autoperf.core.graph import FUSED, HYBRIDIZED, IMPERATIVE, LAYERS, MODE_PARAMETERS, NETWORK_MODES, STATIC, size_of
from autoperf.core.machine import Throughput
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import PASSES, Outcome, Pass, PassName, Status
from autoperf.core.texts import count
from autoperf.networks.times import (
    DISPATCH,
    HELPERS,
    ModeTime,
    NetworkPass,
    NetworkTimes,
    SizeTime,
    TimeGroup,
    TurnTimes,
    kernel_times,
    share,
)
from autoperf.reports import units
from autoperf.reports.columns import Column, Place, Value, fact, figure
from autoperf.reports.provenance import pass_letters
from autoperf.reports.run_columns import ROOFLINE
from autoperf.reports.table import Report, Table
from autoperf.reports.totals import reasons, reasons_table

_TurnRow: TypeAlias = tuple[str, SizeTime]
MAX_CALLS = 20
RATES = ("gflop_per_s", "gb_per_s")
_MIN_WORDS, _MIN_MODE = 18, 12
_COMPARED = {STATIC: "static memory", FUSED: "fused by oneDNN"}
"""The modes that the answer compares with the hybridized network, in words."""
_PRECISE_SECONDS = 10
"""The sampling time of a mode that is measured again."""
_IN_MODES = "the time of a row's kernels in one pass of the network in this mode"
_ALONE = "alone: calls measured one by one. total: all calls of a pass, count times time"
_INTERVAL = "95%: how far the 95% interval of the median reaches; of a total, if those of its calls err to one side"
_WALL = "wall: one pass of the network, the sum of its operators' kernels, MXNet's helper kernels (layout changes, "
_WALL += "copies) and dispatch, when no kernel ran"
_REST = "rest: kernels of the whole beyond those of its calls alone, negative for what fusion and reused memory save"
_SPEEDUP = "speed-up: against the imperative network"


def network_answer(network: NetworkTimes) -> Iterator[str]:
    """Of each pass the largest parts, the slowest call and what modes save; of sizes in turn, their time and memory."""
    if network.turns:
        yield from (f"{network.name}: {_turned(times)}" for times in network.turns)
        return
    for times in network.passes:
        parts = list(_pass_answer(times))
        yield from [f"{network.name}: {'; '.join(parts)}"] if parts else []


def _turned(times: TurnTimes) -> str:
    together, total = times.together.wall_us, times.sum_us
    if together is None or total is None:
        return f"not timed ({times.mode})"
    change = units.change_words(together / total) if times.is_clear else "no clear difference"
    told = f"{units.duration(together)} in turn ({times.mode}), {units.duration(total)} one by one: {change}"
    if times.largest_peak is None:
        return told
    peak, largest = units.size(times.together.peak), units.size(times.largest_peak)
    return f"{told}; {peak} of memory, {largest} by the largest size alone"


def _pass_answer(times: NetworkPass) -> Iterator[str]:
    """The parts with most of the time, up to the first operator or kernel; the slowest call; what other modes save."""
    groups, ranking = times.by_operator, times.ranking_mode
    whole = f"{units.duration(times.alone_us)} ({times.pass_}, the sum of the calls alone)"
    if ranking:
        whole = f"{units.duration(times.modes[ranking].wall_us)} ({ranking}, {times.pass_})"
    first = next((number for number, group in enumerate(groups) if group.name not in (DISPATCH, HELPERS)), 0)
    named = [(group.name, part) for group in groups[: first + 1] if (part := times.share(group)) is not None]
    takes = [f"{name}{'' if number else ' takes'} {units.percent(part)}" for number, (name, part) in enumerate(named)]
    if takes:
        yield f"of {whole}, {', '.join(takes)}"
    elif groups:
        yield f"{_made(times)} measured ({times.pass_}), most of their time: {groups[0].name}"
    for group in times.by_call[:1]:
        call = group.calls[0]
        made = f"{call.count} times, " if call.count > 1 else ""
        time = f"{units.duration(group.total_us)} alone"
        if ranking in group.modes:
            time = f"about {units.duration(group.modes[ranking])}"
        yield f"the slowest call is {group.name} {units.profile_label(call.outcome.profile)} ({made}{time})"
    hybridized = times.modes.get(HYBRIDIZED)
    for mode, words in _COMPARED.items():
        other = times.modes.get(mode)
        if hybridized and other:
            saved = hybridized.saved_us(other)
            if saved is None:
                yield f"{words}: {units.duration(other.wall_us)}, no clear difference"
            elif mode == FUSED:
                yield f"{words}: {units.change_words(other.wall_us / hybridized.wall_us)}"
            else:
                yield f"{words} would {'save' if saved > 0 else 'cost'} {units.duration(abs(saved))}"


def next_commands(networks: Sequence[NetworkTimes], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The next steps, labelled: a hunt of the slowest operators; unclear modes again, unless this was such a run."""
    passes = [times for network in networks for times in network.passes if times.calls]
    first = [group for times in passes for group in times.by_operator[:1]]
    operators = dict.fromkeys(call.outcome.operator for group in first for call in group.calls)
    words = [word for path in paths for word in ("--cases", path)]
    if operators and words:
        command = ["autoperf", "hunt", *words, "--operator", ",".join(operators), "--time-budget", "5m"]
        yield "to search for faster inputs next to these calls, in 5 min", shlex.join(command)
    # The modes without a clear difference to the hybridized network.
    pairs = ((times.modes.get(HYBRIDIZED), times.modes.get(mode)) for times in passes for mode in _COMPARED)
    modes = dict.fromkeys(other.mode for base, other in pairs if base and other and base.saved_us(other) is None)
    if modes and words:
        seconds = len(networks) * (1 + len(modes)) * _PRECISE_SECONDS
        profiles = ["--input-profile", ",".join((HYBRIDIZED, *modes)), "--max-time", f"{_PRECISE_SECONDS}s"]
        command = ["autoperf", "run", *words, *profiles]
        yield f"to compare the modes, in about {units.span(seconds)}", shlex.join(command)


def network_reports(networks: Sequence[NetworkTimes], limit: int | None) -> Iterator[Report]:
    """Each network with its tables and its calls without a time."""
    limit = limit or MAX_CALLS
    for network in networks:
        tables = [table for times in network.passes for table in pass_tables(times, limit)]
        if network.turns:
            tables = [_turn_table(network.turns)]
        notes = () if network.turns else tuple(network_notes(network, limit))
        yield Report(network.name, tables=(*tables, *reasons_table(reasons(network.missing))), notes=notes)


def pass_tables(times: NetworkPass, limit: int | None) -> Iterator[Table[Any]]:
    """The operators, the modes and the calls of a pass, each if there are some; their titles name the ranking mode."""
    order = f"slowest {times.ranking_mode or 'alone'} first"
    if times.by_operator:
        rows, title = [*times.by_operator, times.whole], f"{times.pass_} by operator, {order}"
        yield Table(title, _operator_columns(times), rows, _made(times), min_words=_MIN_WORDS)
    if times.modes:
        yield Table(f"{times.pass_} by mode", MODE_COLUMNS, _modes(times), min_words=_MIN_MODE)
    if times.by_call:
        title, parts = f"{times.pass_} by call, {order}", count(len(times.by_call), "distinct call")
        yield Table(title, _call_columns(times), times.by_call[:limit], parts, min_words=_MIN_WORDS)


def _turn_table(turns: Sequence[TurnTimes]) -> Table[_TurnRow]:
    rows = [(times.mode, each) for times in turns for each in times.every]
    return Table(f"{PASSES[0]} by size", TURN_COLUMNS, rows, min_words=_MIN_WORDS)


def _made(times: NetworkPass) -> str:
    measured, made = times.made - times.without_time, count(times.made, "call")
    return f"{measured} of {made}" if times.without_time else made


def _modes(times: NetworkPass) -> list[ModeTime]:
    return [times.modes[mode] for mode in NETWORK_MODES if mode in times.modes]


def network_notes(network: NetworkTimes, limit: int | None) -> Iterator[str]:
    """The calls that are missing or hidden, and the modes whose dispatch is unknown."""
    for times in network.passes:
        if times.without_time:
            yield (
                f"{times.pass_}: {_made(times)} measured; the others were not captured, selected or measured, so the "
                "times alone don't add up to the network's"
            )
        hidden = times.by_call[limit:] if limit else []
        if hidden:
            part = share(sum(group.total_us or 0.0 for group in hidden), times.whole.total_us)
            further = f"{times.pass_}: {count(len(hidden), 'further call')}"
            yield f"{further} with {units.percent(part or 0.0)} of the time alone; --limit sets how many are listed"
        for time in _modes(times):
            if time.kernels_us is not None and time.dispatch_us is None:
                longer = units.percent(time.total_us / time.wall_us - 1)
                yield (
                    f"{time.pass_} {time.mode}: dispatch unknown, since with the profiler on the kernels took {longer} "
                    "longer than a whole pass with it off"
                )


def network_record(network: NetworkTimes) -> dict[str, object]:
    """A network as JSON has it: the operators, modes and calls of each pass by time, in microseconds."""
    records: dict[str, list[dict[str, Value]]] = {"operators": [], "modes": [], "calls": []}
    for times in network.passes:
        tables: dict[str, Table[Any]] = {
            "operators": Table("", _operator_columns(times), times.by_operator),
            "modes": Table("", MODE_COLUMNS, _modes(times)),
            "calls": Table("", _call_columns(times), times.by_call),
        }
        for name, table in tables.items():
            records[name] += ({"pass": times.pass_, **record} for record in table.records())
    missing = {times.pass_: times.without_time for times in network.passes}
    ranked_by = {times.pass_: times.ranking_mode or None for times in network.passes}
    in_turn = {"in_turn": _turn_table(network.turns).records()} if network.turns else {}
    return {
        "network": network.name,
        **in_turn,
        "made": network.made,
        "without_time": missing,
        "ranked_by": ranked_by,
        **records,
    }


def _operator_columns(times: NetworkPass) -> list[Column[TimeGroup]]:
    """The part, its time in each mode of the network, the ranking mode first, and the time of its calls alone."""
    order = (times.ranking_mode, STATIC, FUSED, *NETWORK_MODES)
    modes = sorted((time.mode for time in _modes(times)), key=order.index)
    legend = f"{', '.join(modes)}: {_IN_MODES}"
    columns = [_mode_column(mode, priority, legend) for priority, mode in enumerate(modes)]
    columns.insert(1 if times.ranking_mode else len(columns), _share_column(times))
    return [_OPERATOR, _CALLS, *columns, *_ALONE_COLUMNS]


def _mode_column(mode: str, priority: int, legend: str) -> Column[TimeGroup]:
    return figure(mode, lambda group: group.modes.get(mode), "us", priority=priority, legend=legend)


def _call_columns(times: NetworkPass) -> list[Column[TimeGroup]]:
    mode = times.ranking_mode
    legend = f"estimate: the {mode} time of the operator, divided among its calls by their times alone"
    estimate: Column[TimeGroup] = figure("estimate", lambda group: group.modes.get(mode), "us", legend=legend)
    return [*_CALL_FACTS, _CALLS, *([estimate] if mode else []), _share_column(times), _EACH, *_ALONE_COLUMNS]


def _share_column(times: NetworkPass) -> Column[TimeGroup]:
    legend = f"share: of the {times.ranking_mode} pass" if times.ranking_mode else "share: of the calls alone"
    return figure("share", times.share, "share", legend=legend, room=7)


def _rate(name: str, header: str, rate: Callable[[TimeGroup], float | None]) -> Column[TimeGroup]:
    def text(group: TimeGroup) -> str:
        value = rate(group)
        return units.NONE if value is None else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"

    return figure(name, rate, "", "alone", header=header, priority=5, text=text, room=10)


_OPERATOR: Column[TimeGroup] = fact("operator", lambda group: group.name, place=Place.LEAD)
_CALLS: Column[TimeGroup] = figure("calls", lambda group: group.count, room=7)
_EACH: Column[TimeGroup] = figure("each", lambda group: group.calls[0].each_us, "us", "alone")
_ALONE_COLUMNS: tuple[Column[TimeGroup], ...] = (
    figure("total", lambda group: group.total_us, "us", "alone", legend=_ALONE),
    figure(
        "interval", lambda group: group.reach, "share", "alone", header="95%", legend=_INTERVAL, room=7,
        text=lambda group: units.plus_minus(group.reach),
    ),
    figure("roofline", lambda group: group.roofline, "share", "alone", priority=2, legend=ROOFLINE, room=10),
    _rate(RATES[0], "GFLOP/s", lambda group: group.gflop_per_s),
    _rate(RATES[1], "GB/s", lambda group: group.gb_per_s),
    figure("warnings", lambda group: pass_letters(*(call.run for call in group.calls)), "", "alone", room=10),
)  # fmt: skip
_CALL_FACTS: tuple[Column[TimeGroup], ...] = (
    fact("case", lambda group: group.calls[0].outcome.case),
    fact("operator", lambda group: group.name, place=Place.LEAD, csv=""),
    fact("profile", lambda group: group.calls[0].outcome.profile, place=Place.LEAD, csv=""),
    fact("inputs", lambda group: units.describe_case(group.calls[0].outcome), place=Place.LEAD, csv=""),
)
_PEAK = "memory: the peak of a pass's own allocations, outputs too"
TURN_COLUMNS: tuple[Column[_TurnRow], ...] = (
    fact("mode", lambda row: row[0], place=Place.LEAD),
    fact("size", lambda row: row[1].name, place=Place.LEAD),
    figure("wall", lambda row: row[1].wall_us, "us"),
    figure(
        "interval", lambda row: units.reach(row[1].wall), "share", header="95%", room=7,
        text=lambda row: units.within(row[1].wall) if row[1].wall else "",
    ),
    figure("memory", lambda row: row[1].peak, "bytes", legend=_PEAK),
)  # fmt: skip
MODE_COLUMNS: tuple[Column[ModeTime], ...] = (
    fact("mode", lambda time: time.mode, place=Place.LEAD),
    figure("wall", lambda time: time.wall_us, "us", legend=_WALL),
    figure(
        "interval",
        lambda time: units.reach(time.wall),
        "share",
        header="95%",
        room=7,
        text=lambda time: units.within(time.wall),
    ),
    figure(
        "speedup",
        lambda time: time.speedup,
        header="speed-up",
        legend=_SPEEDUP,
        text=lambda time: units.NONE if time.speedup is None else units.factor(time.speedup),
    ),
    figure("kernels", lambda time: time.kernels_us, "us"),
    figure("rest", lambda time: time.rest_us, "us", legend=_REST),
    figure("helpers", lambda time: time.helpers_us, "us"),
    figure("dispatch", lambda time: time.dispatch_us, "us"),
    figure("warnings", lambda time: pass_letters(time.run), room=10),
)
MIN_MODES = 2


@dataclass(frozen=True)
class ModeTimes:
    """An input's measured outcomes by mode; `clock` times whole calls. Kernels differ if some are `of_frameworks`."""

    modes: Mapping[str, Outcome]
    clock: Clock = WALL
    of_frameworks: bool = False

    @property
    def outcome(self) -> Outcome:
        """The outcome that names the operator, its arguments and its arrays, without the mode."""
        first = next(iter(self.modes.values()))
        params = {name: value for name, value in first.params.items() if name not in MODE_PARAMETERS}
        return msgspec.structs.replace(first, params=params, profile=size_of(first.profile))

    @property
    def operators(self) -> int:
        """The number of operators that a composite's graph calls."""
        return sum(len(graph.nodes) for graph in self.outcome.graphs.values())

    def _runs(self, pass_: PassName) -> dict[str, Pass]:
        return {mode: run for mode, outcome in self.modes.items() if (run := outcome.passes.get(pass_))}

    def wall(self, pass_: PassName) -> dict[str, float]:
        """The median time of whole calls of a pass in each measured mode, in microseconds."""
        runs = self._runs(pass_).items()
        return {mode: series.median for mode, run in runs if (series := run.series(self.clock))}

    def speedup(self, pass_: PassName) -> dict[str, float]:
        """The speedup of each mode over the imperative call; empty if that isn't measured."""
        wall, base = self.wall(pass_), self.base
        return {mode: wall[base] / us for mode, us in wall.items() if us} if base in wall else {}

    @property
    def base(self) -> str:
        """The mode that others are compared with: imperative, or the first framework's only one."""
        return next(iter(self.modes)) if self.of_frameworks and IMPERATIVE not in self.modes else IMPERATIVE

    def kernels(self, pass_: PassName) -> dict[str, dict[str, float]]:
        """The mean microseconds of each kernel by mode, the engine's kernels too; the longest kernel first."""
        kernels: dict[str, dict[str, float]] = defaultdict(dict)
        for mode, run in self._runs(pass_).items():
            # A name may be the engine's in one of the processes alone: it has its times of both then.
            for name, us in kernel_times(run):
                kernels[name][mode] = kernels[name].get(mode, 0.0) + us
        return dict(sorted(kernels.items(), key=lambda pair: (-max(pair[1].values()), pair[0])))

    def memory(self, pass_: PassName) -> dict[str, float]:
        """The peak of a pass's own allocations in bytes, in each measured mode."""
        memories = {mode: outcome.memory_of_pass(pass_) for mode, outcome in self.modes.items()}
        return {mode: float(memory.peak) for mode, memory in memories.items() if memory}

    def throughput(self, pass_: PassName) -> dict[str, Throughput]:
        """The counted work of a pass over its kernels' time, by mode; empty if no work is counted."""
        return {mode: run.throughput for mode, run in self._runs(pass_).items() if run.throughput}

    def without_kernel(self, pass_: PassName) -> dict[str, float]:
        """The wall time in which no kernel ran, by mode: Python, dispatch, the queue; empty without the profiler."""
        kernels = self.kernels(pass_).values()
        totals = {mode: math.fsum(times.get(mode, 0.0) for times in kernels) for mode in self.modes}
        return {mode: us - totals[mode] for mode, us in self.wall(pass_).items() if totals[mode]}


def input_modes(outcomes: Iterable[Outcome]) -> list[ModeTimes]:
    """The layers and composites of a run that were measured in several modes, in the order of their first outcome."""
    measured = (outcome for outcome in outcomes if outcome.category in (LAYERS, COMPOSITE_NAMESPACE))
    return [ModeTimes(modes) for modes in _by_mode(measured).values() if len(modes) >= MIN_MODES]


def side_modes(sides: Sequence[tuple[str, Iterable[Outcome]]]) -> list[ModeTimes]:
    """Composites that several frameworks measured, by mode or side; none if several sides have modes, as releases."""
    by_side = [
        (label, _by_mode(each for each in outcomes if each.category == COMPOSITE_NAMESPACE))
        for label, outcomes in sides
    ]
    if sum(any(len(modes) > 1 for modes in inputs.values()) for _, inputs in by_side) > 1:
        return []
    groups: dict[bytes, dict[str, Outcome]] = defaultdict(dict)
    for label, inputs in by_side:
        for subject, modes in inputs.items():
            groups[subject] |= modes if len(modes) > 1 else dict.fromkeys([label], next(iter(modes.values())))
    found = []
    for modes in groups.values():
        # The clock of whole calls that all modes have: from Python, or else the wall clock, which isn't alike.
        runs = [run for outcome in modes.values() for run in outcome.passes.values()]
        clock = PYTHON if all(run.series(PYTHON) for run in runs) else WALL
        found += [ModeTimes(modes, clock, of_frameworks=True)] if len(modes) >= MIN_MODES else []
    return found


def _by_mode(outcomes: Iterable[Outcome]) -> dict[bytes, dict[str, Outcome]]:
    """The measured outcomes of each input by mode, in the order of their first outcome."""
    groups: dict[bytes, dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        if outcome.mode and outcome.status is Status.MEASURED:
            # All modes of an input share its operator, its arguments and its arrays.
            params = {name: value for name, value in outcome.params.items() if name not in MODE_PARAMETERS}
            input_size = size_of(outcome.profile) if outcome.category == COMPOSITE_NAMESPACE else ""
            subject = msgspec.json.encode((outcome.operator, input_size, outcome.inputs, params))
            groups[subject][outcome.mode] = outcome
    return groups
