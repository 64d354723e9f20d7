"""An upgrade as documents: the answer in sentences, obstacles with what to do, the whole, and the calls that differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from autoperf.comparison.comparison import CHANGED, Verdict
from autoperf.comparison.report import spell
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.texts import count
from autoperf.measurement.side_batches import ONE_WAY
from autoperf.reports.columns import Column, Place, fact, figure
from autoperf.reports.html.page import Page, PageTable, Tile
from autoperf.reports.layout import INDENT, hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import change_words, describe_case, duration, first_of, one_line, percent, split_words
from autoperf.summary.page import page_table
from autoperf.upgrade.moves import OBSTACLES, Change, Fate, Move, NetworkMove, workarounds

MAX_NAMED, MAX_CHANGES = 3, 12
OTHER_OPERATORS = "no other name has equal results: compute it by other operators"
OWN_LINE = "give a line of your own (--rules; docs/guides/frameworks.md)"
_ALONE = "calls: each measured alone, count times time. ratio: new over base"
_MIN_WORDS = 24


@dataclass(frozen=True)
class Upgrade:
    """Networks on the other side. `base` and `new` are releases in words, `origin` the line of their provenance."""

    base: str
    new: str
    networks: tuple[NetworkMove, ...]
    notes: tuple[str, ...] = ()
    origin: str = ""
    is_mxnet: bool = True

    @property
    def obstructed(self) -> bool:
        """Whether a network can't move as it is."""
        return any(network.obstructed for network in self.networks)

    @property
    def untried(self) -> bool:
        """Whether nothing of a network ran on both sides."""
        return any(network.untried for network in self.networks)

    def advice(self, move: Move) -> str:
        """What to do for a call; empty for one that moves as it is, and isn't slower."""
        if move.fate is Fate.RENAMED:
            return f"call {move.other}, whose results are equal"
        if move.fate in OBSTACLES:
            return OTHER_OPERATORS if self.is_mxnet else OWN_LINE
        slower = any(figure.verdict is Verdict.SLOWER for figure in move.figures)
        return next(workarounds(move.outcome), "") if slower and self.is_mxnet else ""


def answer(upgrade: Upgrade) -> Iterator[str]:
    """For each network: whether it moves, whether it computes the same, and in what time."""
    for network in upgrade.networks:
        untried = f"doesn't run on {upgrade.base} itself, and wasn't tried" if network.fails_here else "wasn't tried"
        verb = "doesn't move" if network.obstructed else untried if network.untried else "moves"
        stem = f"{network.name} {verb} from {upgrade.base} to {upgrade.new}{' as it is' if network.obstructed else ''}"
        yield f"{stem}: {'; '.join(_reasons(network, is_mxnet=upgrade.is_mxnet))}"
        yield from (_faster(network, pass_) for pass_ in network.passes)
        if not network.passes and any(move.fate in (Fate.MOVES, Fate.RENAMED) for move in network.calls):
            yield f"{network.name}: nothing was timed on both sides; a longer --time-budget does"
        if network.departs:
            yield f"{network.name}: the whole departs at {network.departs}"


def _reasons(network: NetworkMove, *, is_mxnet: bool) -> Iterator[str]:
    for fate, words in _WORDS.items():
        found = [move for move in network.calls if move.fate is fate]
        if found:
            names = list(dict.fromkeys(move.outcome.operator for move in found))
            named = "" if fate is Fate.MOVES else f" ({', '.join(first_of(names, MAX_NAMED))})"
            told = "have no implementation there" if fate is Fate.LACKS and not is_mxnet else words
            yield f"{sum(move.count for move in found)} of {count(network.made, 'call')} {told}{named}"
    by_fate = {fate: [move for move in network.wholes if move.fate is fate] for fate in Fate}
    for fate, found in by_fate.items():
        modes = ", ".join(move.outcome.mode for move in found)
        if found and fate is not Fate.UNKNOWN:
            yield f"the whole {_WHOLE[fate]} ({modes})"


_WORDS = {
    Fate.MOVES: "run there and compute the same",
    Fate.RENAMED: "do so under other names",
    Fate.DIFFERS: "compute something else",
    Fate.LACKS: "can't run there",
    Fate.REFUSED: "fail there",
    Fate.HERE: "fail here",
    Fate.UNKNOWN: "weren't tried",
}
_WHOLE = {
    Fate.MOVES: "computes the same",
    Fate.RENAMED: "computes the same",
    Fate.DIFFERS: "computes something else",
    Fate.LACKS: "can't run there",
    Fate.REFUSED: "fails there",
    Fate.HERE: "fails here",
}


def _faster(network: NetworkMove, pass_: PassName) -> str:
    """The time of the whole, of the calls here, and the sum of the decided differences with the largest of them."""
    whole, changes = network.whole(pass_), network.changes(pass_)
    parts = []
    if whole:
        times, verdict = f"{duration(whole.base_us)} here and {duration(whole.new_us)} there", whole.figure.verdict
        words = change_words(whole.figure.ratio) if verdict in CHANGED else verdict.value
        parts.append(f"the whole takes {times} ({whole.move.outcome.mode}): {words}")
    alone = network.hybridized.passes.get(pass_) if network.hybridized else None
    if alone and alone.wall_us:
        parts.append(f"hybridized, it takes {duration(alone.wall_us.median)} here")
    decided = [change for change in changes if change.figure.verdict in CHANGED]
    if changes:
        calls = sum(change.move.count for change in changes)
        total = duration(math.fsum(change.base_us for change in changes))
        clear = count(len(decided), "clear difference") if decided else "no clear difference"
        take = "takes" if calls == 1 else "take"
        parts.append(f"{count(calls, 'call')} measured alone {take} {total} here, with {clear}")
    if decided:
        largest = decided[:MAX_NAMED]
        named = ", ".join(f"{each.move.outcome.operator} ({_signed(each.difference_us)})" for each in largest)
        lost = math.fsum(change.difference_us for change in decided)
        parts.append(f"the sum of these: {_signed(lost)} there, most by {named}")
    return f"{network.name}, {pass_}: {'; '.join(parts)}"


def _signed(us: float) -> str:
    return f"{duration(abs(us))} {'more' if us > 0 else 'less'}"


def upgrade_reports(upgrade: Upgrade) -> Iterator[Report]:
    """Each network: the calls with something to do, the whole, and the calls that make the difference."""
    for network in upgrade.networks:
        yield Report(network.name, tables=tuple(_tables(upgrade, network)), notes=tuple(_shares(network)))
    yield Report(
        answer=tuple(answer(upgrade)), notes=(_ALONE,), brief=(upgrade.origin,), asides=(upgrade.origin,),
        notices=upgrade.notes,
    )  # fmt: skip


def _shares(network: NetworkMove) -> Iterator[str]:
    for pass_ in network.passes:
        share = network.share(pass_)
        if share is not None:
            yield f"{pass_}: calls that both sides measured take, alone, {percent(share)} of the whole's time here"


def _tables(upgrade: Upgrade, network: NetworkMove) -> Iterator[Table[Any]]:
    todo = [move for move in network.calls if upgrade.advice(move) or move.fate is not Fate.MOVES]
    if todo:
        yield Table(
            "to do, in the network's order", list(_todo_columns(upgrade)), todo, min_words=_MIN_WORDS,
            words=lambda move: [move.outcome.operator, *split_words(_inputs(move))],
            below=lambda move, width: _below((move.reason, upgrade.advice(move)), width),
        )  # fmt: skip
    if network.wholes:
        moves = [move for move in network.wholes if ONE_WAY not in move.reason]
        passes = [(move, figure) for move in moves for figure in move.figures or (None,)]
        rows = [_WholeRow(move, Change(move, figure) if figure else None) for move, figure in passes]
        yield Table(
            "the whole", _WHOLE_COLUMNS, rows, min_words=_MIN_WORDS,
            words=lambda row: [row.move.outcome.mode, row.pass_, *_told(row.move)],
            below=lambda row, width: _below((row.move.reason,), width),
        )  # fmt: skip
    for pass_ in network.passes:
        changes = network.changes(pass_)
        if changes:
            note = count(len(changes), "distinct call")
            title = f"{pass_}: calls that make the difference"
            yield Table(title, _CHANGE_COLUMNS, changes[:MAX_CHANGES], note, min_words=_MIN_WORDS)


def _told(move: Move) -> list[str]:
    return [] if move.fate is Fate.MOVES else [move.fate.value]


def _below(texts: Iterable[str], width: int) -> Iterator[Text]:
    for text in filter(None, texts):
        yield from hanging(INDENT * 2, one_line(text).split(), width, "dim")


@dataclass(frozen=True)
class _WholeRow:
    """The whole in one mode, and a pass of it if it was measured."""

    move: Move
    change: Change | None

    @property
    def pass_(self) -> PassName:
        """The pass that was measured, or else the first."""
        return self.change.figure.pass_ if self.change else PASSES[0]


def _todo_columns(upgrade: Upgrade) -> Iterator[Column[Move]]:
    yield fact("operator", lambda move: move.outcome.operator, place=Place.LEAD)
    yield fact("inputs", _inputs, place=Place.LEAD)
    yield figure("fate", lambda move: move.fate.value, room=16)
    yield fact("reason", lambda move: one_line(move.reason), place=Place.LEAD)
    yield fact("to do", upgrade.advice, place=Place.LEAD)
    yield figure("calls", lambda move: move.count, room=7)


def _inputs(move: Move) -> str:
    return f"{move.outcome.profile} {describe_case(move.outcome)}"


def _of(name: str) -> Any:
    return lambda row: getattr(row.change, name) if row.change else None


def _memory(side: int) -> Any:
    return lambda row: row.move.memory(row.pass_)[side]


_WHOLE_COLUMNS: Sequence[Column[_WholeRow]] = (
    fact("mode", lambda row: row.move.outcome.mode, place=Place.LEAD),
    fact("pass", lambda row: row.pass_, place=Place.LEAD),
    fact("fate", lambda row: row.move.fate.value, place=Place.LEAD),
    fact("reason", lambda row: one_line(row.move.reason), place=Place.LEAD),
    figure("base", _of("base_us"), "us"),
    figure("new", _of("new_us"), "us"),
    figure("ratio", lambda row: row.change.figure.ratio if row.change else None, room=8,
           text=lambda row: spell(row.change.figure.ratio) if row.change else ""),
    figure("verdict", lambda row: row.change.figure.verdict.value if row.change else None, room=11),
    figure("memory base", _memory(0), "bytes", room=13),
    figure("memory new", _memory(1), "bytes", room=12),
)  # fmt: skip
_CHANGE_COLUMNS: Sequence[Column[Change]] = (
    fact("operator", lambda change: change.move.outcome.operator, place=Place.LEAD),
    fact("inputs", lambda change: _inputs(change.move), place=Place.LEAD),
    figure("calls", lambda change: change.move.count, room=7),
    figure("base", lambda change: change.base_us, "us"),
    figure("new", lambda change: change.new_us, "us"),
    figure("difference", lambda change: change.difference_us, "us", room=12,
           text=lambda change: f"{'+' if change.difference_us > 0 else '-'}{duration(abs(change.difference_us))}"),
    figure("ratio", lambda change: change.figure.ratio, text=lambda change: spell(change.figure.ratio), room=8),
    figure("verdict", lambda change: change.figure.verdict.value, room=11),
)  # fmt: skip


def upgrade_document(upgrade: Upgrade) -> dict[str, object]:
    """A JSON object: the answer, the calls and the wholes of all networks, and notes.

    `moves` is null if nothing of a network ran on both sides, or base doesn't run it, and no other is obstructed.
    """
    calls = [_record(upgrade, network, move) for network in upgrade.networks for move in network.calls]
    wholes = [_record(upgrade, network, move) for network in upgrade.networks for move in network.wholes]
    return {
        "base": upgrade.base,
        "new": upgrade.new,
        "moves": None if upgrade.untried and not upgrade.obstructed else not upgrade.obstructed,
        "answer": list(answer(upgrade)),
        "calls": calls,
        "wholes": wholes,
        "departs": {network.name: network.departs for network in upgrade.networks if network.departs},
        "notes": list(upgrade.notes),
    }


def _record(upgrade: Upgrade, network: NetworkMove, move: Move) -> dict[str, object]:
    outcome = move.outcome
    figures = {
        figure.pass_: {name: getattr(figure, name) for name in ("base_us", "new_us", "ratio", "low", "high")}
        | {"clock": figure.clock, "verdict": figure.verdict.value}
        for figure in move.figures
    }
    memory = {pass_: move.memory(pass_) for pass_ in figures}
    return {
        "network": network.name, "case": outcome.case, "operator": outcome.operator, "profile": outcome.profile,
        "inputs": describe_case(outcome), "calls": move.count, "fate": move.fate.value, "reason": move.reason,
        "other": move.other, "to_do": upgrade.advice(move), "passes": figures, "memory": memory,
    }  # fmt: skip


def upgrade_page(upgrade: Upgrade) -> Page:
    """The page: the answer, then the tables of each network."""
    calls = [move for network in upgrade.networks for move in network.calls]
    numbers = {fate: sum(move.count for move in calls if move.fate is fate) for fate in Fate}
    tables: list[PageTable] = []
    for network in upgrade.networks:
        name, columns = one_line(network.name), [*_todo_columns(upgrade)]
        tables.append(page_table(f"{name}: every call", columns, network.calls, filters=("fate",)))
        tables += [page_table(f"{name}: {each.title}", each.shown, each.rows) for each in _tables(upgrade, network)]
    return Page(
        title=f"{', '.join(dict.fromkeys(network.name for network in upgrade.networks))}: {upgrade.new}",
        subtitle=f"from {upgrade.base} to {upgrade.new}",
        answer=tuple(map(one_line, answer(upgrade))),
        tiles=tuple(Tile(fate.value, str(number), _TONES[fate]) for fate, number in numbers.items() if number),
        facts=(("measured", upgrade.origin),),
        notes=(_ALONE, *map(one_line, upgrade.notes), *(note for each in upgrade.networks for note in _shares(each))),
        tables=tuple(tables),
    )


_TONES = {Fate.MOVES: "good", Fate.RENAMED: "doubtful", Fate.UNKNOWN: "", Fate.HERE: ""} | dict.fromkeys(
    (Fate.DIFFERS, Fate.LACKS, Fate.REFUSED), "bad"
)
