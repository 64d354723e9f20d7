"""Families: the conditions that slow inputs have in common and fast ones lack, learned from examples."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from autoperf.hunt.conditions import Condition
from autoperf.hunt.labelled_inputs import LabelledInputs
from autoperf.hunt.number_conditions import merged_limits
from autoperf.hunt.point import Point

# A condition may lose slow inputs, whose labels may be wrong, if it excludes more than so many times that share of the
# fast ones.
LOSS = 3
# What a further condition has to gain, as a share of the fast examples.
SIZE = 0.02
MAX_CONDITIONS = 7
# How many conjunctions of each length are extended.
BEAM = 16


@dataclass(frozen=True)
class Family:
    """Inputs that are slow for one cause: those that meet all conditions."""

    conditions: tuple[Condition, ...]

    @property
    def words(self) -> str:
        """ "float16", "axis is not the last, and the last dimension is 64 or more"."""
        return ", and ".join(condition.words for condition in self.conditions) or "every input"

    def holds(self, point: Point) -> bool:
        """Whether an input belongs to the family."""
        return all(condition.holds(point) for condition in self.conditions)

    def share(self, points: Sequence[Point]) -> float:
        """The share of these inputs that belongs to it; 0 of none."""
        return sum(map(self.holds, points)) / len(points) if points else 0.0


def learned(candidates: Sequence[Condition], examples: LabelledInputs, contrast: Point | None) -> Family:
    """The few conditions that best exclude the fast examples and hold for the slow ones, by beam search.

    Together they exclude the contrast, and those that do come first. Conditions that exclude nothing are left out, so
    that what was never varied gives none.
    """
    if not examples.fast:
        return Family(())
    tests = [_Tested.of(condition, examples) for condition in candidates]
    needed = examples.fast.index(contrast) if contrast in examples.fast else None
    best = _best(tests, _Tested.of_all(examples), needed)
    conditions = merged_limits(best.conditions)
    return Family(tuple(sorted(conditions, key=lambda each: contrast is not None and each.holds(contrast))))


@dataclass(frozen=True)
class _Tested:
    """Conditions, and the examples that meet all of them: bit number i of `slow` stands for slow input number i."""

    conditions: tuple[Condition, ...]
    slow: int
    fast: int
    all_slow: int
    all_fast: int

    @classmethod
    def of(cls, condition: Condition, examples: LabelledInputs) -> _Tested:
        """One condition."""
        slow, fast = (_bits(map(condition.holds, points)) for points in (examples.slow, examples.fast))
        return cls((condition,), slow, fast, len(examples.slow), len(examples.fast))

    @classmethod
    def of_all(cls, examples: LabelledInputs) -> _Tested:
        """No condition, which all examples meet."""
        slow, fast = len(examples.slow), len(examples.fast)
        return cls((), (1 << slow) - 1, (1 << fast) - 1, slow, fast)

    def and_also(self, other: _Tested) -> _Tested:
        """Both."""
        conditions = (*self.conditions, *other.conditions)
        return replace(self, conditions=conditions, slow=self.slow & other.slow, fast=self.fast & other.fast)

    @property
    def cost(self) -> float:
        """The share of fast inputs they hold for, a multiple of that of slow ones they lose, and their number."""
        lost = 1 - self.slow.bit_count() / max(self.all_slow, 1)
        return self.fast.bit_count() / self.all_fast + LOSS * lost + SIZE * len(self.conditions)

    def excludes(self, fast: int | None) -> bool:
        """Whether a fast input doesn't meet the conditions."""
        return fast is None or not self.fast >> fast & 1


def _best(tests: Sequence[_Tested], start: _Tested, needed: int | None) -> _Tested:
    """The cheapest conjunction that excludes the fast input `needed`; of equally cheap ones that of earlier tests."""
    beam, best = [start], start
    for _ in range(MAX_CONDITIONS):
        wider = (known.and_also(test) for known in beam for test in tests if test.conditions[0] not in known.conditions)
        distinct = {(each.slow, each.fast): each for each in reversed(list(wider))}
        beam = heapq.nsmallest(BEAM, reversed(distinct.values()), key=lambda each: each.cost)
        fitting = (each for each in beam if each.excludes(needed))
        best = min((best, *fitting), key=lambda each: (not each.excludes(needed), each.cost))
    return best


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << number for number, flag in enumerate(flags) if flag)
