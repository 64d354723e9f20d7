"""What composites cost: eagerly, as a graph and as a static graph, with the part of it that is dispatch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autoperf.core.case import WAY_SEPARATOR, Input
from autoperf.core.graph import GRAPH_WAYS
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import PASSES, Outcome, Pass, PassName, Status

EAGER, HYBRIDIZED, STATIC = GRAPH_WAYS


@dataclass(frozen=True)
class WayTime:
    """A pass of a composite, run in one way, in microseconds: its wall time, and the part in which no kernel ran."""

    wall: float
    dispatch: float | None = None


@dataclass(frozen=True)
class CompositeTime:
    """One pass of a composite over one input, in each way to run it; `operators` is how many it calls."""

    name: str
    profile: str
    pass_: PassName
    operators: int
    ways: Mapping[str, WayTime]
    inputs: tuple[Input, ...] = ()

    def wall_us(self, way: str) -> float | None:
        """The wall time in one way to run it; None without a figure."""
        time = self.ways.get(way)
        return time.wall if time else None

    @property
    def dispatch_us(self) -> float | None:
        """The eager calls' time in which no kernel ran."""
        return self.ways[EAGER].dispatch if EAGER in self.ways else None

    @property
    def dispatch_each_us(self) -> float | None:
        """The dispatch of an operator in the mean; None for a backward pass, whose operators aren't counted."""
        if self.dispatch_us is None or self.pass_ != PASSES[0]:
            return None
        return self.dispatch_us / self.operators

    @property
    def saved_us(self) -> float | None:
        """How much less time the static graph takes than the eager calls; negative if it takes more."""
        eager, static = self.wall_us(EAGER), self.wall_us(STATIC)
        return None if eager is None or static is None else eager - static

    @property
    def saved_share(self) -> float | None:
        """What the static graph saves as a share of the eager time."""
        eager, saved = self.wall_us(EAGER), self.saved_us
        return None if not eager or saved is None else saved / eager


@dataclass(frozen=True)
class CompositeTimes:
    """The passes of the composites of a run, and the outcomes without a figure."""

    passes: tuple[CompositeTime, ...] = ()
    missing: tuple[Outcome, ...] = ()

    def __bool__(self) -> bool:
        """Whether the run has a composite."""
        return bool(self.passes or self.missing)


@dataclass
class _CompositeOutcomes:
    """The passes of one composite over one input, as its outcomes come."""

    operators: int
    inputs: tuple[Input, ...]
    passes: dict[PassName, dict[str, WayTime]] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        for pass_, run in outcome.passes.items():
            if run.wall_us:
                self.passes.setdefault(pass_, {})[way_of(outcome)] = _way_time(run, run.wall_us.median)


def composite_times(outcomes: Iterable[Outcome]) -> CompositeTimes:
    """The times of the composites of a run, in the order of their first outcome."""
    by_composite: dict[tuple[object, ...], _CompositeOutcomes] = {}
    missing: list[Outcome] = []
    for outcome in outcomes:
        if outcome.category != COMPOSITE_NAMESPACE:
            continue
        if outcome.status is not Status.MEASURED:
            missing.append(outcome)
            continue
        key = (outcome.operator, size_of(outcome), outcome.inputs)
        by_composite.setdefault(key, _CompositeOutcomes(operator_count(outcome), outcome.inputs)).add(outcome)
    passes = (
        CompositeTime(str(name), str(profile), pass_, entry.operators, ways, entry.inputs)
        for (name, profile, _), entry in by_composite.items()
        for pass_, ways in entry.passes.items()
    )
    return CompositeTimes(tuple(passes), tuple(missing))


def way_of(outcome: Outcome) -> str:
    """How a composite ran, by its profile: `static` of `common:static`."""
    return outcome.profile.partition(WAY_SEPARATOR)[2]


def size_of(outcome: Outcome) -> str:
    """The profile of a composite's inputs: `common` of `common:static`."""
    return outcome.profile.partition(WAY_SEPARATOR)[0]


def operator_count(outcome: Outcome) -> int:
    """How many operators the graph of an outcome calls."""
    return sum(len(graph.nodes) for graph in outcome.graphs.values())


def _way_time(run: Pass, wall: float) -> WayTime:
    return WayTime(wall, run.dispatch_us)
