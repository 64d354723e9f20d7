"""Families: the conditions that slow inputs have in common and fast ones lack, learned from examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autoperf.hunt.conditions import Condition
from autoperf.hunt.labelled_inputs import LabelledInputs
from autoperf.hunt.number_conditions import merged_limits
from autoperf.hunt.point import Point

# A condition may lose slow inputs, whose labels may be wrong, if it excludes more than so many times that share of the
# fast ones.
LOSS = 3
MAX_CONDITIONS = 5


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
    """The fewest conditions that exclude the fast examples and hold for the slow ones, by greedy set cover.

    The first must exclude the contrast. Of conditions that exclude as many, the first candidate is taken. Conditions
    that exclude nothing are left out, so that what was never varied gives none.
    """
    chosen: list[Condition] = []
    left = examples
    while left.fast and len(chosen) < MAX_CONDITIONS:
        needed = [contrast] if contrast and not chosen else []
        condition = _best(candidates, left, examples, needed) or _best(candidates, left, examples, [])
        if condition is None:
            break
        chosen.append(condition)
        left = left.meeting(condition.holds)
    return Family(merged_limits(_pruned(chosen, examples)))


def _best(
    candidates: Sequence[Condition], left: LabelledInputs, whole: LabelledInputs, excluded: Sequence[Point]
) -> Condition | None:
    """The condition that gains most; None if none gains anything."""
    eligible = [condition for condition in candidates if not any(map(condition.holds, excluded))]
    best = max(eligible, key=lambda condition: _gain(condition, left, whole), default=None)
    return best if best and _gain(best, left, whole) > 0 else None


def _gain(condition: Condition, left: LabelledInputs, whole: LabelledInputs) -> float:
    """The share of the fast inputs that it excludes, less a multiple of the share of the slow ones that it loses."""
    kept = left.meeting(condition.holds)
    excluded = (len(left.fast) - len(kept.fast)) / len(whole.fast)
    return excluded - LOSS * (len(left.slow) - len(kept.slow)) / len(whole.slow)


def _pruned(chosen: Sequence[Condition], examples: LabelledInputs) -> list[Condition]:
    """Without conditions that others make needless; the first one, which excludes the contrast, is tried last."""
    kept = list(chosen)
    for condition in reversed(chosen):
        rest = Family(tuple(other for other in kept if other is not condition))
        if len(kept) > 1 and not any(map(rest.holds, examples.fast)):
            kept.remove(condition)
    return kept
