"""A network called with several sizes in turn, beside each size alone: its time, and the memory that it holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from autoperf.core.case import Input
from autoperf.core.graph import IN_TURN, Graph
from autoperf.core.modes import NETWORK_MODES
from autoperf.core.outcome import PASSES, Outcome, Series, Status

T = TypeVar("T")


@dataclass(frozen=True)
class SizeTime:
    """One size of a network in a mode, alone, or all in turn; `outcome` is measured."""

    name: str
    outcome: Outcome

    @property
    def wall(self) -> Series | None:
        """The wall time of a forward pass; None without a measurement."""
        run = self.outcome.passes.get(PASSES[0])
        return run.wall_us if run else None

    @property
    def wall_us(self) -> float | None:
        """Its median in microseconds."""
        return self.wall.median if self.wall else None

    @property
    def peak(self) -> int | None:
        """The peak of the pass's own allocations in bytes, outputs too."""
        memory = self.outcome.memory.of_pass(PASSES[0]) if self.outcome.memory else None
        return memory.peak if memory else None


@dataclass(frozen=True)
class TurnTimes:
    """A network with all its sizes in turn in one mode, and each of them alone."""

    together: SizeTime
    alone: tuple[SizeTime, ...]

    @property
    def mode(self) -> str:
        """The mode in which the network runs."""
        return self.together.outcome.mode

    @property
    def every(self) -> tuple[SizeTime, ...]:
        """Each size alone, then all in turn."""
        return (*self.alone, self.together)

    @property
    def sum_us(self) -> float | None:
        """The times of all sizes alone together; None if one isn't measured."""
        return _if_all(math.fsum, (size.wall_us for size in self.alone))

    @property
    def largest_peak(self) -> int | None:
        """The largest peak of a size alone in bytes; None if one isn't known."""
        return _if_all(max, (size.peak for size in self.alone))

    @cached_property
    def is_clear(self) -> bool:
        """Whether the 95% interval in turn doesn't meet the sum of those alone."""
        ends = [(each.low, each.high) for size in self.every if (each := size.wall)]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        if len(known) <= len(self.alone):
            return False
        *others, (low, high) = known
        lows, highs = (math.fsum(side) for side in zip(*others, strict=True))
        return low > highs or high < lows


def _if_all(total: Callable[[Sequence[T]], T], values: Iterable[T | None]) -> T | None:
    listed = list(values)
    known = [value for value in listed if value is not None]
    return total(known) if known and len(known) == len(listed) else None


def turn_times(name: str, wholes: Sequence[Outcome], others: Sequence[Outcome]) -> tuple[TurnTimes, ...]:
    """A network with several sizes in turn, in each mode of which all sizes are measured; empty for any other.

    `wholes` are the network's own, `others` those of all networks of the run.
    """
    turned = [each for each in wholes if IN_TURN in each.params and each.status is Status.MEASURED]
    turned.sort(key=lambda each: [*NETWORK_MODES].index(each.mode))
    return tuple(
        TurnTimes(SizeTime(name, outcome), alone) for outcome in turned if (alone := tuple(_alone(outcome, others)))
    )


def _alone(outcome: Outcome, others: Iterable[Outcome]) -> Iterator[SizeTime]:
    """Each size of a network alone: the same graph in the same mode over its inputs. Nothing if one is missing."""
    (graph,) = outcome.graphs.values()
    plain = {name: value for name, value in outcome.params.items() if name != IN_TURN}
    like = (each for each in others if (each.mode, each.params, each.status) == (outcome.mode, plain, outcome.status))
    measured = {_tensors(each.inputs): each for each in like if _unnamed(each) == _unnamed(outcome)}
    sizes = [measured.get(_tensors(inputs)) for inputs in graph.by_size(outcome.inputs, outcome.params)]
    known = [each for each in sizes if each]
    if len(known) == len(sizes):
        yield from (SizeTime(next(iter(each.calls or {}), each.profile), each) for each in known)


def _unnamed(outcome: Outcome) -> list[Graph]:
    return [graph.unnamed() for graph in outcome.graphs.values()]


def _tensors(inputs: Sequence[Input]) -> tuple[object, ...]:
    return tuple(item.tensor for item in inputs)
