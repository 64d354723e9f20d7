"""Whether each call of a network moves, with equal results, its times, and what to do where it does not."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autoperf.comparison.comparison import ComparedFigure
from autoperf.core.case import Case
from autoperf.core.graph import NETWORK, NETWORK_MODES, RANKING_MODES
from autoperf.core.outcome import NOT_TIMED, PASSES, Outcome, PassName, ResultDifference, Status
from autoperf.core.texts import Word
from autoperf.hunt.registry_causes import is_broadcast
from autoperf.measurement.side_batches import ONE_WAY, RANDOM, REFUSES_GRAPH
from autoperf.registry.names import function_of, without_namespace
from autoperf.rules.categories import EARLIER, MOVED, WORKAROUNDS


class Fate(Word):
    """What becomes of a call on the other side; one that base doesn't run itself fails here."""

    MOVES = "moves"
    RENAMED = "moves, renamed"
    UNKNOWN = "not tried"
    HERE = "fails here"
    DIFFERS = "other results"
    LACKS = "not there"
    REFUSED = "refused"


OBSTACLES = (Fate.DIFFERS, Fate.LACKS, Fate.REFUSED)
UNTRIED = (Fate.UNKNOWN, Fate.HERE)


class Tried(NamedTuple):
    """The outcomes of a case on both sides; None where a run ended before it."""

    base: Outcome | None
    new: Outcome | None

    @property
    def difference(self) -> ResultDifference | None:
        """The difference of the results; None if they are equal, or weren't compared."""
        return next((each.difference for each in self if each and each.difference), None)


@dataclass(frozen=True)
class Move:
    """A call of a network, or the whole in one mode, on the other side.

    `outcome` is that of base, `count` the number of such calls in a pass; `reason` says why it doesn't move, or what
    differs; `other` is the name that the other side calls in place of its own; `figures` are its times.
    """

    outcome: Outcome
    new: Outcome | None
    count: int
    fate: Fate
    reason: str = ""
    other: str = ""
    figures: tuple[ComparedFigure, ...] = ()

    def figure(self, pass_: PassName) -> ComparedFigure | None:
        """The times of a pass; None unless both sides measured it."""
        return next((figure for figure in self.figures if figure.pass_ == pass_), None)

    def memory(self, pass_: PassName) -> tuple[int | None, int | None]:
        """The peak of a pass's own allocations in bytes, on both sides."""
        memories = (each.memory_of_pass(pass_) if each else None for each in (self.outcome, self.new))
        base, new = (memory.peak if memory else None for memory in memories)
        return base, new


class Change(NamedTuple):
    """A pass of a call, or of a whole network, on both sides."""

    move: Move
    figure: ComparedFigure

    @property
    def base_us(self) -> float:
        """The time of all such calls of base, in microseconds."""
        return self.figure.base_us * self.move.count

    @property
    def new_us(self) -> float:
        """The same of new."""
        return self.figure.new_us * self.move.count

    @property
    def difference_us(self) -> float:
        """The microseconds that a pass of the network gains by these calls, negative; or loses."""
        return self.new_us - self.base_us


@dataclass(frozen=True)
class NetworkMove:
    """A network on the other side: its distinct calls in its own order, and the whole in each mode.

    `made` is the number of calls of a pass, `departing` the node at which the whole's values depart, in words, if its
    nodes were compared. `hybridized` is MXNet's own hybridized network, where the other side has no such mode.
    """

    name: str
    calls: tuple[Move, ...]
    wholes: tuple[Move, ...]
    made: int
    departing: str = ""
    hybridized: Outcome | None = None

    @property
    def departs(self) -> str:
        """The first call at which the whole's results depart, in words; empty if they are equal."""
        if all(move.fate is not Fate.DIFFERS for move in self.wholes):
            return ""
        differing = (move for move in self.calls if move.fate is Fate.DIFFERS)
        named = (f"{move.outcome.profile} ({move.outcome.operator}): {move.reason}" for move in differing)
        return self.departing or next(named, "")

    @property
    def obstructed(self) -> bool:
        """Whether a call doesn't move, the whole computes something else in a mode, or runs in none."""
        fates = [move.fate for move in self.wholes if move.fate not in UNTRIED]
        runs_nowhere = bool(fates) and all(fate in OBSTACLES for fate in fates)
        return any(move.fate in OBSTACLES for move in self.calls) or Fate.DIFFERS in fates or runs_nowhere

    @property
    def fails_here(self) -> bool:
        """Whether base itself doesn't run it: a part fails there, and the whole runs in no mode."""
        parts = (*self.calls, *self.wholes)
        return any(move.fate is Fate.HERE for move in parts) and all(move.fate in UNTRIED for move in self.wholes)

    @property
    def untried(self) -> bool:
        """Whether nothing of it ran on both sides, or base itself doesn't run it."""
        return self.fails_here or all(move.fate in UNTRIED for move in (*self.calls, *self.wholes))

    def whole(self, pass_: PassName) -> Change | None:
        """The whole network's pass in the first mode of the ranking that both sides measured."""
        by_mode = {move.outcome.mode: Change(move, figure) for move in self.wholes if (figure := move.figure(pass_))}
        return next((by_mode[mode] for mode in RANKING_MODES if mode in by_mode), None)

    def changes(self, pass_: PassName) -> list[Change]:
        """The calls of a pass that both sides measured, those that make the largest difference first."""
        found = [Change(move, figure) for move in self.calls if (figure := move.figure(pass_))]
        return sorted(found, key=lambda change: -abs(change.difference_us))

    def share(self, pass_: PassName) -> float | None:
        """The time of these calls of base, measured alone, over that of the whole; None without either."""
        whole = self.whole(pass_)
        total = math.fsum(change.base_us for change in self.changes(pass_))
        return total / whole.base_us if whole and total else None

    @property
    def passes(self) -> list[PassName]:
        """The passes of which something was measured."""
        return [pass_ for pass_ in PASSES if self.changes(pass_) or self.whole(pass_)]


@dataclass(frozen=True)
class Found:
    """What runs found: outcomes of both sides by case, times by case, names that the new side calls in place of others.

    `departs` are the nodes at which networks depart, in words, by the network's name. `hybridized` are MXNet's own
    hybridized networks by case, measured alone.
    """

    tried: Mapping[str, Tried]
    figures: Sequence[ComparedFigure] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    departs: Mapping[str, str] = field(default_factory=dict)
    hybridized: Mapping[str, Outcome] = field(default_factory=dict)


def network_moves(found: Found) -> list[NetworkMove]:
    """Each network, in the order of its first case."""
    calls: dict[str, list[Move]] = defaultdict(list)
    wholes: dict[str, list[Move]] = defaultdict(list)
    totals: dict[str, int] = {}
    by_case: dict[str, list[ComparedFigure]] = defaultdict(list)
    for figure in found.figures:
        by_case[figure.case].append(figure)
    for case, tried in found.tried.items():
        outcome = tried.base or tried.new
        for name, number in (outcome.calls or {}).items() if outcome else ():
            assert outcome
            totals[name] = (outcome.network_calls or {}).get(name, 0) or totals.get(name, 0)
            (fate, reason), other = fate_of(tried), found.others.get(outcome.operator, "")
            fate = Fate.RENAMED if other and fate is Fate.MOVES else fate
            move = Move(outcome, tried.new, number, fate, reason, other, tuple(by_case[case]))
            (wholes if outcome.category == NETWORK else calls)[name].append(move)
    return [
        NetworkMove(
            name,
            tuple(_in_order(calls[name], wholes[name])),
            tuple(sorted(wholes[name], key=lambda move: [*NETWORK_MODES].index(move.outcome.mode))),
            max(made, sum(move.count for move in calls[name])),
            found.departs.get(name, ""),
            next((alone for move in wholes[name] if (alone := found.hybridized.get(move.outcome.case))), None),
        )
        for name, made in totals.items()
    ]


def fate_of(tried: Tried) -> tuple[Fate, str]:
    """What becomes of a case, with the reason: what differs, or the framework's own words."""
    base, new = tried
    if base is None or new is None:
        return Fate.UNKNOWN, "the run ended before it"
    if difference := tried.difference:
        return Fate.DIFFERS, difference.words_of("here", "there")
    # Base may fail in its own outcome, or where a framework asked it first.
    is_run = base.status is Status.MEASURED or base.reason.startswith(NOT_TIMED)
    if reason := new.reason.partition(REFUSES_GRAPH)[2] if is_run else base.reason:
        return Fate.HERE, reason
    if new.status is Status.MEASURED:
        return Fate.MOVES, ""
    if new.reason.startswith(NOT_TIMED) or ONE_WAY in new.reason or new.reason.endswith(RANDOM):
        return Fate.UNKNOWN, new.reason
    return (Fate.LACKS if new.status is Status.SKIPPED else Fate.REFUSED), new.reason


def _in_order(calls: Iterable[Move], wholes: Iterable[Move]) -> list[Move]:
    """The calls in the order of the network's nodes; a call's profile is the name of its first node."""
    graphs = [graph for whole in wholes for graph in whole.outcome.graphs.values()][:1]
    places = {node.name: place for graph in graphs for place, node in enumerate(graph.nodes)}
    return sorted(calls, key=lambda move: places.get(re.sub("[^A-Za-z0-9_]", "_", move.outcome.profile), len(places)))


PAGE = "docs/hunts/1.9.1-sources.md"
IN_FULL = "hold a constant operand in full, or bring it to full size by a product with ones"


def other_names(operator: str, known: Iterable[str]) -> list[str]:
    """The names of a release that may stand for an operator, the likelier first; whether they do is to be tried.

    They are the same function of NumPy, the operator that an earlier version became, or one of the same name in another
    namespace.
    """
    moved = {**MOVED, **{new: old for old, new in MOVED.items()}}
    first = [moved.get(operator, ""), operator.removesuffix(EARLIER)]
    plain = without_namespace(operator)
    alike = sorted(name for name in known if without_namespace(name) == plain and "backward" not in name)
    alike.sort(key=lambda name: function_of(name) != function_of(operator))
    listed = set(known)
    return [name for name in dict.fromkeys((*first, *alike)) if name != operator and name in listed]


def workarounds(call: Case | Outcome) -> Iterator[str]:
    """The workarounds that apply to a slow call of MXNet; PAGE has their times."""
    dtypes = frozenset(item.tensor.dtype for item in call.inputs)
    largest = max((item.tensor.shape for item in call.inputs), key=math.prod, default=())
    row = (largest or (1,))[-1]
    words = [each.words for each in WORKAROUNDS if each.holds(call.operator, dtypes, row)]
    yield from (f"{each} ({PAGE})" for each in [*words, *([IN_FULL] if is_broadcast(call) else [])])
